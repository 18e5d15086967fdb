//! `scores calibrate`: do the scores say anything about success?

use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use clawgauge_scoring::{Calibration, KnownRun, Scorer};
use clawgauge_support::Stop;
use clawgauge_support::exit;
use clawgauge_support::scores::{
    Answer, calibration_json, calibration_text, known_run, reliability_chart, rows,
};
use rayon::prelude::*;
use serde_json::json;

use crate::read::RulesArgs;

/// So many lines are scored at a time.
const AT_A_TIME: usize = 64;

/// So many bad lines of a file are told one by one.
const TOLD: usize = 20;

/// How a file begins that gzip compressed.
const GZIP: [u8; 2] = [0x1f, 0x8b];

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
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    let scorer = args.rules.scorer()?;
    let (without, with) = (scorer.rules().risk, scorer.rules().risk_with_baseline);
    let mut answer = Answer::default();
    let mut all = Vec::new();
    let mut sets = Vec::new();
    let measure = |calibration: &Calibration| calibration.measures(&without, &with, args.seed, args.rounds);
    for path in &args.files {
        let mut runs = Vec::new();
        let name = if path.as_os_str() == "-" {
            let name = "standard input".to_owned();
            read(std::io::stdin().lock(), &name, &scorer, &mut runs, &mut answer)?;
            name
        } else {
            let name = path.display().to_string();
            let file = std::fs::File::open(path).map_err(|error| Stop::input(format!("{name}: {error}")))?;
            read(BufReader::new(file), &name, &scorer, &mut runs, &mut answer)?;
            name
        };
        if args.files.len() > 1 && !runs.is_empty() {
            let measures = measure(&Calibration::new(runs.clone()));
            sets.push((name, measures));
        }
        all.append(&mut runs);
    }
    if all.is_empty() {
        answer.note("scores: no run with a known outcome");
        answer.exit = exit::NOTHING;
        return Ok(answer);
    }
    let calibration = Calibration::new(all);
    sets.push(("all together".to_owned(), measure(&calibration)));
    let bands = calibration.reliability(&without);
    let write = |path: &PathBuf, text: String| {
        std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    if let Some(path) = &args.svg {
        write(path, reliability_chart(&bands, "Risk and failures")?)?;
    }
    if let Some(path) = &args.rows {
        write(path, rows(&calibration, &without, &with))?;
    }
    let mut fits = Vec::new();
    if let Some(path) = &args.weights {
        let fitted = calibration
            .fit(&without, false, args.seed, args.rounds)
            .and_then(|short| Ok((short, calibration.fit(&with, true, args.seed, args.rounds)?)));
        match fitted {
            Ok((short, long)) => {
                let rules =
                    json!({ "version": "fitted", "risk": short.weights, "riskWithBaseline": long.weights });
                write(path, format!("{rules:#}\n"))?;
                fits = vec![("fitted without length", short), ("fitted with length", long)];
            }
            Err(error) => {
                answer.note(format_args!("scores: no weights written: {error}"));
                answer.exit = exit::NO;
            }
        }
    }
    answer.stdout = if args.json {
        format!("{:#}\n", calibration_json(&sets, &bands, &fits))
    } else {
        calibration_text(&sets, &bands, &fits)
    };
    Ok(answer)
}

/// Reads the runs of one file. Lines that are none are said, the first [`TOLD`] of them one by one.
fn read(
    mut input: impl BufRead,
    name: &str,
    scorer: &Scorer,
    runs: &mut Vec<KnownRun>,
    answer: &mut Answer,
) -> Result<(), Stop> {
    let wrong = |error: std::io::Error| Stop::system(format!("{name}: {error}"));
    if input.fill_buf().map_err(wrong)?.starts_with(&GZIP) {
        return Err(Stop::input(format!("{name} is compressed (gzip): use zcat FILE | scores calibrate -")));
    }
    let (mut number, mut passed_over) = (0, 0_usize);
    loop {
        let mut lines = Vec::new();
        while lines.len() < AT_A_TIME {
            let mut line = Vec::new();
            if input.read_until(b'\n', &mut line).map_err(wrong)? == 0 {
                break;
            }
            number += 1;
            if !line.trim_ascii().is_empty() {
                lines.push((number, line));
            }
        }
        if lines.is_empty() {
            break;
        }
        let done: Vec<_> = lines
            .par_iter()
            .map(|(number, line)| (number, known_run(scorer, &String::from_utf8_lossy(line), *number)))
            .collect();
        for (number, run) in done {
            match run {
                Ok(run) => runs.push(run),
                Err(error) => {
                    passed_over += 1;
                    if passed_over <= TOLD {
                        answer.note(format_args!("scores: {name}, line {number}: {error}; passed over"));
                    }
                }
            }
        }
    }
    if passed_over > TOLD {
        answer.note(format_args!("scores: {name}: {} more lines passed over", passed_over - TOLD));
    }
    Ok(())
}
