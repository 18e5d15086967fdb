//! The command line of the session-scorer plugin, `openclaw-scores`, byte for byte.
//!
//! Kept for scripts that read its output. It knows three commands and no profile but the plugin's own. Where the plugin crashes
//! on a damaged file, the file is passed over here, with a line on standard error.

mod arguments;
mod text;

use chrono::{DateTime, FixedOffset, Utc};
use clawgauge_scoring::ScoreRecord;
use clawgauge_scoring::v1::StoredScores;

use super::{Answer, Folder, Period, Problem};
pub use text::{summary, trend, worst};

const USAGE: &str = "Usage: openclaw-scores <summary|trend|worst> [--json] [--days N] [--n N]\n";

/// What the plugin's summary looks back on; it has no option for it.
pub const SUMMARY_DAYS: f64 = 7.0;

/// What the plugin's trend looks back on by default.
pub const TREND_DAYS: f64 = 30.0;

/// How many sessions the plugin's worst shows by default.
pub const WORST: f64 = 5.0;

/// Answers a command line (without the program's name) over a folder at a time. `local` is the zone in which a timestamp
/// without an offset is meant.
#[must_use]
pub fn run(folder: &Folder, args: &[String], now: DateTime<Utc>, local: FixedOffset) -> Answer {
    let json = args.iter().any(|arg| arg == "--json");
    let number = |name: &str, default: f64| arguments::number(args, name).unwrap_or(default);
    let rows = Rows::sorted(folder, local);
    let mut answer = match args.first().map(String::as_str) {
        Some("summary") => summary(&rows, &Period::days(SUMMARY_DAYS), now, json),
        Some("trend") => trend(&rows, &Period::days(number("--days", TREND_DAYS)), now, json),
        Some("worst") => worst(&rows, number("--n", WORST), json),
        _ => return Answer::ok(USAGE).with_exit(1),
    };
    answer.stderr.insert_str(0, &folder.notes());
    answer
}

/// A score file in the order of the plugin: by time, then by the byte order of the names.
#[derive(Debug, Clone)]
pub struct Rows<'a>(Vec<Row<'a>>);

#[derive(Debug, Clone, Copy)]
struct Row<'a> {
    file: &'a str,
    record: &'a ScoreRecord,
    time: Option<DateTime<Utc>>,
    scores: StoredScores<'a>,
}

impl<'a> Rows<'a> {
    /// Sorts a folder's records. A record whose time is unknown stands at the end.
    #[must_use]
    pub fn sorted(folder: &'a Folder, local: FixedOffset) -> Self {
        let mut rows: Vec<Row<'a>> = folder
            .records
            .iter()
            .map(|(file, record)| {
                let scores = StoredScores::of(record);
                Row { file, record, time: scores.time(local.local_minus_utc()), scores }
            })
            .collect();
        rows.sort_by_key(|row| (row.time.is_none(), row.time));
        Self(rows)
    }

    /// Keeps the rows whose records `keep` takes.
    pub fn retain(&mut self, mut keep: impl FnMut(&ScoreRecord) -> bool) {
        self.0.retain(|row| keep(row.record));
    }

    /// The rows of a period that hold scores, and a line about each that does not.
    fn recent(&self, period: &Period, now: DateTime<Utc>, answer: &mut Answer) -> Vec<Row<'a>> {
        let in_range = |row: &Row<'_>| row.time.is_some_and(|time| period.contains(time, now));
        let (whole, damaged): (Vec<Row<'a>>, Vec<Row<'a>>) =
            self.0.iter().filter(|row| in_range(row)).partition(|row| row.scores.has_scores());
        for row in damaged {
            row.pass_over("it has no scores", answer);
        }
        whole
    }
}

impl Row<'_> {
    fn pass_over(&self, reason: &str, answer: &mut Answer) {
        answer.note(Problem { file: self.file.to_owned(), reason: reason.to_owned() });
    }
}
