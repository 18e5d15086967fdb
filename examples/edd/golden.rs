//! `edd golden`: what golden records are worth.

use std::path::PathBuf;

use clawgauge_golden::{RecordFile, Review, to_cases};
use clawgauge_support::exit;

use crate::{Stop, read, show};

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// How much each record would notice: which changes of the recorded turn its assertions catch
    Strength {
        /// A file of golden records
        file: PathBuf,
        /// Below this share a record is weak, and the exit code is 1
        #[arg(long, value_name = "X")]
        min: Option<f64>,
        /// Name the changes that are not noticed
        #[arg(long)]
        survivors: bool,
    },
    /// Print records as a reviewer reads them
    Show {
        /// A file of golden records
        file: PathBuf,
    },
}

/// Runs a subcommand.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    match &args.command {
        Command::Strength { file, min, survivors } => {
            strength(&RecordFile::parse(&read(file)?), *min, *survivors)
        }
        Command::Show { file } => {
            for record in RecordFile::parse(&read(file)?).records() {
                show(&format!("─── {} ───\n{}", record.id().unwrap_or("(no id)"), Review::describe(record)));
            }
            Ok(exit::OK)
        }
    }
}

fn strength(file: &RecordFile, min: Option<f64>, survivors: bool) -> Result<u8, Stop> {
    to_cases(file.records()).map_err(|error| Stop::input(error.to_string()))?;
    let mut rows = Vec::new();
    for record in file.records() {
        rows.extend(record.strength().map_err(|error| Stop::input(error.to_string()))?);
    }
    if rows.is_empty() {
        return Ok(exit::NOTHING);
    }
    // The weakest first; what cannot be measured before all.
    let score = |row: &(String, Option<clawgauge_cases::Strength>)| {
        row.1.as_ref().and_then(clawgauge_cases::Strength::score)
    };
    rows.sort_by(|a, b| score(a).unwrap_or(-1.0).total_cmp(&score(b).unwrap_or(-1.0)));
    let mut weak = 0_usize;
    for row in &rows {
        let (id, measured) = row;
        let Some(measured) = measured else {
            weak += 1;
            show(&format!("  n/a  {id}  asserts nothing, or fails on its own record\n"));
            continue;
        };
        let all = measured.mutants.len();
        let caught = all - measured.survivors().count();
        let share = measured.score().unwrap_or(0.0);
        weak += usize::from(min.is_some_and(|min| share < min));
        show(&format!("{:4.0}%  {id}  {caught} of {all} changes noticed\n", share * 100.0));
        if survivors {
            for mutant in measured.survivors() {
                show(&format!("         not noticed: {}\n", mutant.label));
            }
        }
    }
    Ok(if min.is_some() && weak > 0 { exit::NO } else { exit::OK })
}
