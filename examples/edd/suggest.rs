//! `edd suggest`: advice from failures.

use std::path::PathBuf;

use clawgauge_cases::{Suggestion, edd_suggest_text};
use clawgauge_support::cases::{sessions, workspace};
use clawgauge_support::exit;

use crate::diff::report;
use crate::{Stop, show};

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The report of a run
    #[arg(long)]
    report: PathBuf,
    /// Write the advice to a file, for `apply`
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// Print it as openclaw-edd does
    #[arg(long)]
    edd: bool,
    /// The agent's workspace (for `--edd`, which looks for skills there)
    #[arg(long)]
    workspace: Option<PathBuf>,
}

/// Prints or writes the advice.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let run = report(&args.report)?;
    if args.edd {
        let folder = workspace::find(args.workspace.as_deref(), &sessions::state_dir(None)).ok();
        let skills: Vec<String> = folder
            .and_then(|f| std::fs::read_dir(f.join("skills")).ok())
            .into_iter()
            .flatten()
            .flatten()
            .map(|e| e.file_name().to_string_lossy().into_owned())
            .collect();
        show(&edd_suggest_text(&run, &skills));
        return Ok(exit::OK);
    }
    let suggestions = run.suggestions();
    if suggestions.is_empty() {
        show("No failed case, no advice.\n");
    }
    for s in &suggestions {
        show(&format!(
            "{} ({})\n  {}\n  {} {}: {}\n\n",
            s.case,
            s.check,
            s.failure,
            s.kind.as_str(),
            s.file,
            s.text
        ));
    }
    if let Some(path) = &args.output {
        workspace::write_atomically(path, &Suggestion::write_all(&suggestions)).map_err(Stop::system)?;
        show(&format!("✓ {} suggestions written to {}\n", suggestions.len(), path.display()));
    }
    Ok(exit::OK)
}
