//! `edd diff`: two reports side by side.

use std::path::{Path, PathBuf};

use clawgauge_cases::{Answer, Comparison, Run, edd_diff_text};
use clawgauge_support::exit;

use crate::{Stop, data, read, show};

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The report of the earlier run
    #[arg(long)]
    before: PathBuf,
    /// The report of the later run
    #[arg(long)]
    after: PathBuf,
    /// How to print it; `edd` is the text of openclaw-edd
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Exit with 1 if it is worse beyond chance, or if any regression case broke
    #[arg(long)]
    fail_if_worse: bool,
}

/// How a comparison is printed.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
    /// As openclaw-edd prints it
    Edd,
}

/// Reads a report of ours or of openclaw-edd.
pub(crate) fn report(path: &Path) -> Result<Run, Stop> {
    Run::from_json(&read(path)?).map_err(|e| Stop::input(format!("{}: {e}", path.display())))
}

/// Compares.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let (before, after) = (report(&args.before)?, report(&args.after)?);
    let comparison = Comparison::of(&before, &after);
    let text = match args.format {
        Format::Text => comparison.to_text(),
        Format::Json => {
            format!("{}\n", serde_json::to_string_pretty(&comparison.to_json()).unwrap_or_default())
        }
        Format::Edd => {
            let name =
                |p: &Path| p.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            edd_diff_text(&name(&args.before), &name(&args.after), &before, &after)
        }
    };
    match args.format {
        Format::Json => data(&text),
        Format::Text | Format::Edd => show(&text),
    }
    let worse = comparison.answer == Answer::Worse || comparison.broken > 0;
    Ok(if args.fail_if_worse && worse { exit::NO } else { exit::OK })
}
