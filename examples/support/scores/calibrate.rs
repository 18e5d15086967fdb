//! Do the scores say anything about success? Tables over runs with a known outcome.

use std::fmt::Write as _;

use clawgauge_scoring::stats::Interval;
use clawgauge_scoring::{
    Band, Calibration, Fit, FoldedAuc, KnownRun, Measure, RiskWeights, RunFacts, Scorer, SignName,
};
use clawgauge_transcript::{RawJson, Transcript};
use plotters::prelude::*;
use serde_json::{Value, json};

/// Reads one line: `{"source", "task_id" or "task", "model", "label", "messages" or "session"}`.
///
/// `label` is 1 or `true` for success; `messages` is a list of messages, `session` the text of a session file. `source` and
/// `model` say what is compared with what and may be left out; without a task each line is a task of its own.
///
/// # Errors
/// What is missing, for a person.
pub fn known_run(scorer: &Scorer, line: &str, number: usize) -> Result<KnownRun, String> {
    let object = RawJson::parse(line).filter(|json| json.is_object()).ok_or("no JSON object")?;
    let text = |name: &str| object.get(name).and_then(RawJson::text).map(std::borrow::Cow::into_owned);
    let label = object.get("label").ok_or("no label")?;
    let succeeded = match label.as_str() {
        "true" | "1" | "1.0" => true,
        "false" | "0" | "0.0" => false,
        _ => return Err("label is neither 0 or 1 nor true or false".to_owned()),
    };
    let facts = RunFacts {
        source: text("source").unwrap_or_default(),
        task: text("task_id").or_else(|| text("task")).unwrap_or_else(|| format!("line {number}")),
        model: text("model").unwrap_or_default(),
        failed: !succeeded,
    };
    if let Some(messages) = object.get("messages") {
        return Ok(KnownRun::new(scorer, &Transcript::from_messages(messages), facts));
    }
    let session = text("session").ok_or("neither messages nor session")?;
    Ok(KnownRun::new(scorer, &Transcript::from_str(&session), facts))
}

/// The numbers of each run as one JSON object a line, for other programs.
#[must_use]
pub fn rows(calibration: &Calibration, without: &RiskWeights, with: &RiskWeights) -> String {
    let mut text = String::new();
    for (at, run) in calibration.runs().iter().enumerate() {
        let signs: serde_json::Map<String, Value> = SignName::ALL
            .into_iter()
            .map(|sign| (sign.as_str().to_owned(), json!(calibration.strength(at, sign))))
            .collect();
        let flags: Vec<&str> = run.signs.flags.iter().map(|flag| flag.name.as_str()).collect();
        let row = json!({
            "source": run.facts.source, "task": run.facts.task, "model": run.facts.model,
            "failed": run.facts.failed, "kind": run.signs.kind.as_str(), "overall": run.overall,
            "signs": signs, "flags": flags, "chars": run.signs.work.chars, "calls": run.signs.work.calls,
            "risk": calibration.risk(at, without), "riskWithLength": calibration.risk(at, with),
        });
        writeln!(text, "{row}").unwrap_or_default();
    }
    text
}

/// Several measured sets of runs, the last one all together; how often runs of each risk failed; and what was fitted.
#[must_use]
pub fn calibration_text(sets: &[(String, Vec<Measure>)], bands: &[Band], fits: &[(&str, Fit)]) -> String {
    let mut text = String::from(
        "How often a failed run looks worse than one that did not fail (same source and model; a coin: .5)\n",
    );
    for (name, measures) in sets {
        let title = if sets.len() > 1 { format!("{name}\n") } else { String::new() };
        text.push_str(&format!("\n{title}{}", measures_table(measures)));
    }
    if sets.len() > 1 {
        text.push_str(&format!("\n{}", risks_table(sets)));
    }
    text.push_str(&format!("\n{}", reliability_table(bands)));
    for (at, (name, fit)) in fits.iter().enumerate() {
        text.push_str(if at == 0 { "\n" } else { "" });
        text.push_str(&fit_text(name, fit));
    }
    text
}

/// The same for machines: shares and areas from 0 to 1, `null` where there is nothing to measure.
#[must_use]
pub fn calibration_json(sets: &[(String, Vec<Measure>)], bands: &[Band], fits: &[(&str, Fit)]) -> Value {
    let interval = |interval: Option<Interval>| interval.map(|i| json!({ "low": i.low, "high": i.high }));
    let measure = |measure: &Measure| {
        json!({
            "name": measure.name, "runs": measure.runs, "failed": measure.failed,
            "pairs": measure.auc.map_or(0, |auc| auc.pairs), "ties": measure.auc.map_or(0, |auc| auc.ties),
            "auc": measure.auc.map(|auc| auc.value), "interval": interval(measure.interval),
            "failedInWorstQuarter": measure.worst_quarter, "failedInRest": measure.rest,
        })
    };
    let set = |(name, measures): &(String, Vec<Measure>)| json!({ "set": name, "measures": measures.iter().map(measure).collect::<Vec<_>>() });
    let band = |band: &Band| {
        json!({
            "from": band.from, "to": band.to, "runs": band.runs, "failed": band.failed,
            "interval": interval(band.interval),
        })
    };
    let folded = |found: &FoldedAuc| {
        json!({
            "before": found.before.map(|auc| auc.value), "fitted": found.fitted.map(|auc| auc.value),
            "gain": interval(found.gain),
        })
    };
    let fit = |(name, fit): &(&str, Fit)| {
        json!({
            "fit": name, "weights": fit.weights, "otherTasks": folded(&fit.by_task),
            "otherSources": fit.by_source.as_ref().map(folded),
        })
    };
    json!({
        "sets": sets.iter().map(set).collect::<Vec<_>>(),
        "reliability": bands.iter().map(band).collect::<Vec<_>>(),
        "fits": fits.iter().map(fit).collect::<Vec<_>>(),
    })
}

/// The table of measures.
fn measures_table(measures: &[Measure]) -> String {
    let mut text = String::from(
        "                             n  failed     pairs  ties   AUC  95 % interval  P(fail) worst quarter / rest\n",
    );
    for measure in measures {
        let (auc, pairs, ties) = measure.auc.map_or(("n/a".to_owned(), 0, String::new()), |auc| {
            #[expect(clippy::cast_precision_loss, reason = "a share for people")]
            let ties = auc.ties as f64 / auc.pairs as f64;
            (short(auc.value), auc.pairs, format!("{:.0}%", ties * 100.0))
        });
        let interval = measure.interval.map_or(String::new(), interval_text);
        let quarter = measure
            .worst_quarter
            .zip(measure.rest)
            .map_or(String::new(), |(worst, rest)| format!("{worst:.2} / {rest:.2}"));
        let line = format!(
            "{:<25} {:>5}  {:>6}  {pairs:>8}  {ties:>4}  {auc:>4}  {interval:<13}  {quarter}",
            measure.name, measure.runs, measure.failed
        );
        writeln!(text, "{}", line.trim_end()).unwrap_or_default();
    }
    text
}

/// One line for each of several sets: how well the risk tells failures apart, without effort and with it.
fn risks_table(sets: &[(String, Vec<Measure>)]) -> String {
    let wide = sets.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
    let mut text = format!("{:<wide$}  {:>5}  risk  95 % interval  with effort\n", "", "n");
    for (name, measures) in sets {
        let find = |name: &str| measures.iter().find(|measure| measure.name == name);
        let shown = |measure: Option<&Measure>| {
            let auc =
                measure.and_then(|measure| measure.auc).map_or("n/a".to_owned(), |auc| short(auc.value));
            let interval = measure.and_then(|measure| measure.interval).map_or(String::new(), interval_text);
            format!("{auc:>4}  {interval:<13}")
        };
        let (risk, with) = (find("risk"), find("risk with effort"));
        let runs = risk.map_or(0, |measure| measure.runs);
        let line = format!("{name:<wide$}  {runs:>5}  {}  {}", shown(risk), shown(with));
        writeln!(text, "{}", line.trim_end()).unwrap_or_default();
    }
    text
}

/// A share without its leading zero.
fn short(share: f64) -> String {
    format!("{share:.3}").trim_start_matches('0').to_owned()
}

fn interval_text(interval: Interval) -> String {
    format!("[{}, {}]", short(interval.low), short(interval.high))
}

/// How often runs of each risk failed.
fn reliability_table(bands: &[Band]) -> String {
    let mut text = String::from("risk          n  failed  share  95 % interval\n");
    for band in bands.iter().filter(|band| band.runs > 0) {
        #[expect(clippy::cast_precision_loss, reason = "a share for people")]
        let share = band.failed as f64 / band.runs as f64;
        let interval = band.interval.map_or(String::new(), |i| format!("{:.2} to {:.2}", i.low, i.high));
        writeln!(
            text,
            "{:>3} to {:<3} {:>5}  {:>6}   {share:.2}  {interval}",
            band.from, band.to, band.runs, band.failed
        )
        .unwrap_or_default();
    }
    text
}

/// What a fit found, and whether it is worth anything.
fn fit_text(name: &str, fit: &Fit) -> String {
    let mut text = format!("{name}:");
    for sign in SignName::ALL {
        if fit.weights.get(sign) > 0 {
            write!(text, " {} {}", sign.as_str(), fit.weights.get(sign)).unwrap_or_default();
        }
    }
    text.push('\n');
    let folded = |name: &str, found: &FoldedAuc| {
        let auc = |auc: Option<clawgauge_scoring::stats::Auc>| {
            auc.map_or_else(|| "n/a".to_owned(), |auc| format!("{:.3}", auc.value))
        };
        let gain = found.gain.map_or(String::new(), |gain| {
            let says = if gain.low > 0.0 {
                "better"
            } else if gain.high < 0.0 {
                "worse"
            } else {
                "no clear difference"
            };
            format!("  gain {:+.3} to {:+.3}: {says}", gain.low, gain.high)
        });
        format!("  {name:<22} before {}  fitted {}{gain}\n", auc(found.before), auc(found.fitted))
    };
    text.push_str(&folded("other tasks", &fit.by_task));
    if let Some(found) = &fit.by_source {
        text.push_str(&folded("other sources", found));
    }
    text
}

/// Draws how often runs of each risk failed, with the intervals.
///
/// # Errors
/// A sentence for a person: the drawing failed.
pub fn reliability_chart(bands: &[Band], title: &str) -> Result<String, String> {
    let mut svg = String::new();
    draw(&mut svg, bands, title).map_err(|error| format!("the chart could not be drawn: {error}"))?;
    Ok(svg)
}

fn draw(svg: &mut String, bands: &[Band], title: &str) -> Result<(), Box<dyn std::error::Error>> {
    let root = SVGBackend::with_string(svg, (640, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..100.0, 0.0..1.0)?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_desc("risk")
        .y_desc("share of runs that failed")
        .draw()?;
    #[expect(clippy::cast_precision_loss, reason = "a share for a drawing")]
    let points: Vec<(f64, f64, &Band)> = bands
        .iter()
        .filter(|band| band.runs > 0)
        .map(|band| (f64::midpoint(band.from, band.to), band.failed as f64 / band.runs as f64, band))
        .collect();
    for (x, _, band) in &points {
        if let Some(interval) = band.interval {
            let bar = vec![(*x, interval.low), (*x, interval.high)];
            chart.draw_series([PathElement::new(bar, BLACK.stroke_width(1))])?;
        }
    }
    let line = points.iter().map(|(x, y, _)| (*x, *y));
    chart.draw_series(LineSeries::new(line, RGBColor(31, 119, 180).stroke_width(2)).point_size(4))?;
    root.present()?;
    Ok(())
}
