//! `edd apply`: advice into the workspace.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::PathBuf;

use clawgauge_cases::{Plan, Suggestion};
use clawgauge_support::cases::{sessions, workspace};
use clawgauge_support::exit;

use crate::{Stop, read, show, tell};

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The advice that `suggest --output` wrote
    #[arg(long)]
    suggestion_file: PathBuf,
    /// The agent's workspace; else that of openclaw.json, else ~/.openclaw/workspace
    #[arg(long)]
    workspace: Option<PathBuf>,
    /// The folder of openclaw.json; else OPENCLAW_STATE_DIR, else ~/.openclaw
    #[arg(long)]
    state_dir: Option<PathBuf>,
    /// Do not ask
    #[arg(long, short)]
    yes: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Plans, shows, asks, writes.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let suggestions = Suggestion::read_all(&read(&args.suggestion_file)?)
        .map_err(|e| Stop::input(format!("{}: {e}", args.suggestion_file.display())))?;
    let state = sessions::state_dir(args.state_dir.as_deref());
    let folder = workspace::find(args.workspace.as_deref(), &state).map_err(Stop::input)?;
    let plan = Plan::of(&suggestions, &|file| {
        let path = workspace::inside(&folder, file).ok()?;
        std::fs::read_to_string(path).ok()
    });
    for refusal in &plan.refused {
        tell(&format!("edd: {} is not changed: {}\n", refusal.file, refusal.reason));
    }
    // A file behind a link, or one that cannot be read, would be overwritten: neither is written.
    let mut edits = Vec::new();
    let mut left = plan.refused.len();
    for edit in &plan.edits {
        match workspace::inside(&folder, &edit.file) {
            Ok(path) if edit.before.is_none() && path.exists() => {
                left += 1;
                tell(&format!("edd: {} cannot be read as text and is not changed\n", path.display()));
            }
            Ok(path) => edits.push((path, edit)),
            Err(reason) => {
                left += 1;
                tell(&format!("edd: {} is not changed: {reason}\n", edit.file));
            }
        }
    }
    for (_, edit) in &edits {
        show(&edit.diff());
        show("\n");
    }
    if plan.already_there > 0 {
        show(&format!("{} suggestions are there already.\n", plan.already_there));
    }
    let refused = if left > 0 { exit::NO } else { exit::OK };
    if edits.is_empty() {
        show("Nothing to change.\n");
        return Ok(refused);
    }
    if args.dry_run {
        return Ok(refused);
    }
    if !args.yes && !asked(&format!("Change {} files below {}? [y/N] ", edits.len(), folder.display()))? {
        show("Nothing was changed.\n");
        return Ok(exit::NO);
    }
    for (path, edit) in &edits {
        workspace::write_atomically(path, &edit.after).map_err(Stop::system)?;
        show(&format!("✓ {}\n", edit.file));
    }
    Ok(refused)
}

/// Asks on the terminal. Without one the answer is no, and says why.
fn asked(question: &str) -> Result<bool, Stop> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        tell("edd: there is no terminal to ask on; --yes changes without asking\n");
        return Ok(false);
    }
    tell(question);
    let mut answer = String::new();
    stdin.lock().read_line(&mut answer).map_err(|e| Stop::system(e.to_string()))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
