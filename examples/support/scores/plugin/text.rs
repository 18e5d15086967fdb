//! The three answers, as text and as JSON.

use chrono::{DateTime, Utc};
use clawgauge_scoring::Dimension;
use clawgauge_scoring::v1::{number_text, round};
use clawgauge_transcript::one_line;

use super::{Row, Rows};
use crate::scores::{Answer, Period};

/// Means of the last days.
#[must_use]
pub fn summary(rows: &Rows<'_>, period: &Period, now: DateTime<Utc>, json: bool) -> Answer {
    let mut answer = Answer::default();
    let recent = rows.recent(period, now, &mut answer);
    if recent.is_empty() {
        return nothing(answer, &period.nothing(), json);
    }
    let means = Means::of(&recent);
    let succeeded = recent.iter().filter(|row| row.scores.success()).count();
    let rate = round(quotient(succeeded, recent.len()));
    answer.stdout = if json {
        format!(
            "{{\n  \"period\": \"{}\",\n  \"sessions\": {},\n  \"averages\": {{\n{}\n  }},\n  \"successRate\": {}\n}}\n",
            period.name(),
            recent.len(),
            means.json("    "),
            json_number(rate),
        )
    } else {
        let mut text = format!("Session Quality Summary ({})\n{}\n", period.title(), "─".repeat(40));
        text.push_str(&format!("Sessions scored: {}\n", recent.len()));
        for (label, mean) in ["Overall:", "  Accuracy:", "  Completeness:", "  Autonomy:", "  Consistency:"]
            .iter()
            .zip(means.all())
        {
            text.push_str(&format!("{label:<17}{}\n", number_text(mean)));
        }
        text.push_str(&format!("Success rate:    {}%\n", number_text((rate * 100.0 + 0.5).floor())));
        text
    };
    answer
}

/// Means by day, where a day is the first ten characters of the time's text, in the order of the first session of each.
#[must_use]
pub fn trend(rows: &Rows<'_>, period: &Period, now: DateTime<Utc>, json: bool) -> Answer {
    let mut answer = Answer::default();
    let mut groups: Vec<(String, Vec<Row<'_>>)> = Vec::new();
    for row in rows.recent(period, now, &mut answer) {
        let Some(day) = row.scores.day() else {
            row.pass_over("its time is no text", &mut answer);
            continue;
        };
        match groups.iter_mut().find(|(name, _)| *name == day) {
            Some((_, group)) => group.push(row),
            None => groups.push((day, vec![row])),
        }
    }
    if groups.is_empty() {
        return nothing(answer, &period.nothing(), json);
    }
    answer.stdout = if json {
        let rows: Vec<String> = groups
            .iter()
            .map(|(day, group)| {
                format!(
                    "    {{\n      \"date\": {},\n      \"sessions\": {},\n{}\n    }}",
                    serde_json::Value::from(day.as_str()),
                    group.len(),
                    Means::of(group).json("      ")
                )
            })
            .collect();
        format!("{{\n  \"period\": \"{}\",\n  \"trend\": [\n{}\n  ]\n}}\n", period.name(), rows.join(",\n"))
    } else {
        let mut text = format!("Score Trend ({})\n{}\n", period.title(), "─".repeat(60));
        text.push_str("Date         Sessions  Overall  Acc   Comp  Auto  Cons\n");
        for (day, group) in &groups {
            let [overall, accuracy, completeness, autonomy, consistency] =
                Means::of(group).all().map(two_decimals);
            text.push_str(&format!(
                "{}  {:>5}      {overall}   {accuracy}  {completeness}  {autonomy}  {consistency}\n",
                one_line(day),
                group.len()
            ));
        }
        text
    };
    answer
}

/// The sessions with the lowest overall score. A negative `n` leaves out that many from the end, as the plugin does.
#[must_use]
pub fn worst(rows: &Rows<'_>, n: f64, json: bool) -> Answer {
    let mut answer = Answer::default();
    let mut all: Vec<Row<'_>> = rows.0.clone();
    // No overall score sorts nowhere in the plugin; here it stands at the end.
    all.sort_by(|a, b| {
        let (a, b) = (a.scores.overall(), b.scores.overall());
        a.is_nan().cmp(&b.is_nan()).then(a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal))
    });
    all.truncate(cut(all.len(), n));
    if all.is_empty() {
        return nothing(answer, "No scores found", json);
    }
    if json {
        let records: Vec<String> = all.iter().map(|row| format!("    {}", row.scores.json(2))).collect();
        answer.stdout = format!("{{\n  \"worst\": [\n{}\n  ]\n}}\n", records.join(",\n"));
        return answer;
    }
    let mut text = format!("Worst {} Sessions\n{}\n", number_text(n), "─".repeat(70));
    for row in all {
        let scores = row.scores;
        let (Some(minute), Some(id), true) = (scores.minute(), scores.short_id(), scores.has_scores()) else {
            row.pass_over("its time or session id is no text, or it has no scores", &mut answer);
            continue;
        };
        let [accuracy, completeness, autonomy, consistency] =
            Dimension::ALL.map(|dimension| scores.text(dimension));
        // The one difference to the plugin: an id does not act on the terminal.
        let (minute, id) = (one_line(&minute), one_line(&id));
        text.push_str(&format!(
            "{minute}  overall={}  acc={accuracy} comp={completeness} auto={autonomy} cons={consistency}  [{id}]\n",
            scores.overall_text()
        ));
    }
    answer.stdout = text;
    answer
}

fn nothing(mut answer: Answer, message: &str, json: bool) -> Answer {
    answer.stdout = if json { format!("{{\"error\":\"{message}\"}}\n") } else { format!("{message}.\n") };
    answer
}

/// How many of `length` rows `slice(0, n)` keeps.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "clamped to 0..=length"
)]
fn cut(length: usize, n: f64) -> usize {
    let n = if n < 0.0 { length as f64 + n } else { n };
    n.clamp(0.0, length as f64) as usize
}

/// Rounded means: overall, then the four dimensions.
struct Means {
    overall: f64,
    dimensions: [f64; 4],
}

impl Means {
    /// Added from the left in doubles, as the plugin adds: for other orders the last bit, and with it a half that is rounded,
    /// may differ.
    fn of(rows: &[Row<'_>]) -> Self {
        let mean = |value: &dyn Fn(&Row<'_>) -> f64| {
            round(rows.iter().map(value).fold(0.0, |sum, x| sum + x) / count(rows.len()))
        };
        Self {
            overall: mean(&|row| row.scores.overall()),
            dimensions: Dimension::ALL.map(|dimension| mean(&|row| row.scores.number(dimension))),
        }
    }

    const fn all(&self) -> [f64; 5] {
        let [accuracy, completeness, autonomy, consistency] = self.dimensions;
        [self.overall, accuracy, completeness, autonomy, consistency]
    }

    fn json(&self, indent: &str) -> String {
        let mut lines = vec![format!("{indent}\"overall\": {}", json_number(self.overall))];
        for (dimension, mean) in Dimension::ALL.iter().zip(self.dimensions) {
            lines.push(format!("{indent}\"{dimension}\": {}", json_number(mean)));
        }
        lines.join(",\n")
    }
}

fn json_number(x: f64) -> String {
    if x.is_finite() { number_text(x) } else { "null".to_owned() }
}

/// `toFixed(2)` of a number already rounded to hundredths, at least four wide.
fn two_decimals(x: f64) -> String {
    if x.is_finite() { format!("{x:.2}") } else { format!("{:>4}", number_text(x)) }
}

fn quotient(part: usize, all: usize) -> f64 {
    count(part) / count(all)
}

#[allow(clippy::cast_precision_loss, reason = "counts of files")]
fn count(n: usize) -> f64 {
    n as f64
}
