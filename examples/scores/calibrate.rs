//! `scores calibrate`: do the scores say anything about success?

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use clawgauge_scoring::{Calibration, KnownRun, Scorer};
use clawgauge_support::Stop;
use clawgauge_support::exit;
use clawgauge_support::scores::{
    Answer, fit_text, known_run, measures_table, reliability_chart, reliability_table, risks_table, rows,
};
use rayon::prelude::*;
use serde_json::json;

use crate::read::RulesArgs;

/// So many lines are scored at a time.
const AT_A_TIME: usize = 64;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Runs with a known outcome, one JSON object a line: {"source", "task_id", "model", "label": 0 or 1, "messages": [...]};
    /// `-` is standard input (zcat runs.jsonl.gz | scores calibrate -). Of several files each gets its own table
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Fit weights to these runs and write them as rules
    #[arg(long, value_name = "OUT")]
    weights: Option<PathBuf>,
    #[command(flatten)]
    rules: RulesArgs,
    /// Draw how often runs of each risk failed
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the numbers of each run, one JSON object a line
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
    /// Decides the random samples
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many samples the intervals rest on
    #[arg(long, default_value_t = 1000, value_name = "N")]
    rounds: usize,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    let scorer = args.rules.scorer()?;
    let (without, with) = (scorer.rules().risk, scorer.rules().risk_with_baseline);
    let mut answer = Answer::default();
    let mut all = Vec::new();
    let mut risks = Vec::new();
    let measure = |calibration: &Calibration| calibration.measures(&without, &with, args.seed, args.rounds);
    answer.stdout.push_str(
        "How often a failed run looks worse than one that did not fail (same source and model; a coin: .5)\n",
    );
    for path in &args.files {
        let wrong = |error: std::io::Error| Stop::input(format!("{}: {error}", path.display()));
        let mut runs = Vec::new();
        if path.as_os_str() == "-" {
            read(std::io::stdin().lock(), &scorer, &mut runs, &mut answer).map_err(wrong)?;
        } else {
            let file = std::fs::File::open(path).map_err(wrong)?;
            read(BufReader::new(file), &scorer, &mut runs, &mut answer).map_err(wrong)?;
        }
        if args.files.len() > 1 && !runs.is_empty() {
            let measures = measure(&Calibration::new(runs.clone()));
            answer.stdout.push_str(&format!("\n{}\n{}", path.display(), measures_table(&measures)));
            risks.push((path.display().to_string(), measures));
        }
        all.append(&mut runs);
    }
    if all.is_empty() {
        answer.stdout.clear();
        answer.note("scores: no run with a known outcome");
        answer.exit = exit::NOTHING;
        return Ok(answer);
    }
    let calibration = Calibration::new(all);
    let measures = measure(&calibration);
    let bands = calibration.reliability(&without);
    let title = if risks.is_empty() { "" } else { "all together\n" };
    answer.stdout.push_str(&format!("\n{title}{}", measures_table(&measures)));
    if !risks.is_empty() {
        risks.push(("all together".to_owned(), measures));
        answer.stdout.push_str(&format!("\n{}", risks_table(&risks)));
    }
    answer.stdout.push('\n');
    answer.stdout.push_str(&reliability_table(&bands));
    let write = |path: &PathBuf, text: String| {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let Some(path) = &args.svg {
        write(path, reliability_chart(&bands, "Risk and failures")?)?;
    }
    if let Some(path) = &args.rows {
        write(path, rows(&calibration, &without, &with))?;
    }
    if let Some(path) = &args.weights {
        let fits = calibration
            .fit(&without, false, args.seed, args.rounds)
            .and_then(|short| Ok((short, calibration.fit(&with, true, args.seed, args.rounds)?)));
        match fits {
            Ok((short, long)) => {
                answer.stdout.push('\n');
                answer.stdout.push_str(&fit_text("fitted without length", &short));
                answer.stdout.push_str(&fit_text("fitted with length", &long));
                let fitted =
                    json!({ "version": "fitted", "risk": short.weights, "riskWithBaseline": long.weights });
                write(path, format!("{fitted:#}\n"))?;
            }
            Err(error) => {
                answer.note(format_args!("scores: no weights written: {error}"));
                answer.exit = exit::NO;
            }
        }
    }
    Ok(answer)
}

fn read(
    mut input: impl BufRead,
    scorer: &Scorer,
    runs: &mut Vec<KnownRun>,
    answer: &mut Answer,
) -> std::io::Result<()> {
    let mut number = 0;
    loop {
        let mut lines = Vec::new();
        while lines.len() < AT_A_TIME {
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            number += 1;
            if !line.trim_ascii().is_empty() {
                lines.push((number, line));
            }
        }
        if lines.is_empty() {
            return Ok(());
        }
        let done: Vec<_> = lines
            .par_iter()
            .map(|(number, line)| (number, known_run(scorer, &String::from_utf8_lossy(line), *number)))
            .collect();
        for (number, run) in done {
            match run {
                Ok(run) => runs.push(run),
                Err(error) => answer.note(format_args!("scores: line {number}: {error}; passed over")),
            }
        }
    }
}
