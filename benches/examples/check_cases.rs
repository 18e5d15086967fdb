//! How long it takes to check a suite against one recorded run: the other half of `benches/edd/compare.py`.
//!
//! `cargo run --release -p clawgauge-benches --example check_cases -- suite.json run.json` prints one JSON line for each
//! semantics: cases, how many passed, and the least seconds of five passes over all cases.

use std::error::Error;
use std::io::Write as _;
use std::time::Instant;

use clawgauge_cases::{Checker, Event, Format, LoadOptions, Semantics, Suite, Trajectory};
use serde::Deserialize;

/// Passes, of which the fastest counts.
const PASSES: usize = 5;

/// A run as the script writes it.
#[derive(Deserialize)]
struct Recorded {
    events: Vec<Event>,
    final_output: String,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut names = std::env::args().skip(1);
    let (Some(suite), Some(run)) = (names.next(), names.next()) else {
        return Err("usage: check_cases SUITE RUN".into());
    };
    let suite = Suite::parse(&std::fs::read_to_string(suite)?, Format::Json, &LoadOptions::default())?;
    let run: Recorded = serde_json::from_str(&std::fs::read_to_string(run)?)?;
    let trajectory = Trajectory::from_events(run.events, Some(run.final_output));
    for (name, semantics) in [("clawgauge", Semantics::Clawgauge), ("edd", Semantics::Edd)] {
        let mut least = f64::INFINITY;
        let mut passed = 0;
        for _ in 0..PASSES {
            let begun = Instant::now();
            let checker = Checker::new(&trajectory);
            passed = suite.cases.iter().filter(|case| checker.check(case, semantics).passed()).count();
            least = least.min(begun.elapsed().as_secs_f64());
        }
        let line = serde_json::json!({"semantics": name, "cases": suite.cases.len(), "passed": passed, "seconds": least});
        writeln!(std::io::stdout(), "{line}")?;
    }
    Ok(())
}
