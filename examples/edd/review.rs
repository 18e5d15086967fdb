//! `edd review`: a person decides on golden records, one after another.

use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use clawgauge_golden::{Decision, Key, Record, RecordFile, Review, Step, merge_reviews};
use clawgauge_support::cases::workspace;
use clawgauge_support::exit;
use clawgauge_transcript::Timestamp;

use crate::{Stop, read, show, tell};

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file of golden records
    #[arg(long, short)]
    input: PathBuf,
    /// Where to save the reviewed file [default: the input]
    #[arg(long, short)]
    output: Option<PathBuf>,
    /// The name to write beside decisions
    #[arg(long)]
    reviewer: Option<String>,
    /// Merge this file of another reviewer and show where you disagree; nothing is asked
    #[arg(long, value_name = "FILE")]
    merge: Option<PathBuf>,
}

const KEYS: &str = "[a] approve  [r] reject  [s] skip  [b] back  [e] edit  [q] quit";

/// Reviews.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let output = args.output.as_deref().unwrap_or(&args.input);
    let file = load(&args.input)?;
    if let Some(other) = &args.merge {
        let (merged, conflicts) = merge_reviews(&file, &load(other)?);
        save(output, &merged)?;
        for conflict in &conflicts {
            show(&format!(
                "{}: {} differs: {:?} here, {:?} there; it will be asked again\n",
                conflict.id,
                conflict.about,
                conflict.ours.review_state(),
                conflict.theirs.review_state(),
            ));
        }
        return Ok(if conflicts.is_empty() { exit::OK } else { exit::NO });
    }
    let total = file.records().count();
    if total == 0 {
        return Err(Stop::input("there is no record in the file"));
    }
    let mut review = Review::new(file, args.reviewer.clone());
    // Where all is skipped, the file asked for is there all the same.
    save(output, review.file())?;
    let (_, waiting) = review.progress();
    show(&format!("📋 Golden Dataset Review\n   Total: {total}  |  To review: {waiting}\n   Keys: {KEYS}\n"));
    ask_all(&mut review, output)?;
    let tally = review.tally();
    show(&format!(
        "\n✓ Review → {}\n\n  Approved: {}  Rejected: {}  Skipped: {}\n",
        output.display(),
        tally.approved,
        tally.rejected,
        tally.skipped,
    ));
    Ok(exit::OK)
}

fn ask_all(review: &mut Review, output: &Path) -> Result<(), Stop> {
    let mut lines = std::io::stdin().lock().lines();
    let mut described = None;
    while let Some(record) = review.current() {
        let (number, of) = review.progress();
        if described != Some(number) {
            let id = record.id().unwrap_or("(no id)");
            show(&format!("\n─── [{number}/{of}] {id} ───\n{}", Review::describe(record)));
            described = Some(number);
        }
        show("  > ");
        // The end of input, or input that cannot be read, ends the review; what was decided is saved.
        let line = lines.next().and_then(Result::ok);
        let decision = match line.as_deref().map(Key::parse) {
            Some(None) => {
                show(&format!("  ? {KEYS}\n"));
                continue;
            }
            Some(Some(Key::Approve)) => Decision::Approve,
            Some(Some(Key::Reject)) => Decision::Reject,
            Some(Some(Key::Skip)) => Decision::Skip,
            Some(Some(Key::Back)) => Decision::Back,
            Some(Some(Key::Edit)) => match edit(record, &mut lines) {
                Ok(edited) => Decision::Edit(Box::new(edited)),
                Err(reason) => {
                    show(&format!("  ! {reason}\n"));
                    continue;
                }
            },
            None | Some(Some(_)) => Decision::Quit,
        };
        let said = match &decision {
            Decision::Approve => "  ✓ Approved\n",
            Decision::Reject => "  ✗ Rejected\n",
            Decision::Skip => "  — Skipped\n",
            Decision::Edit(_) => "  ✎ Edited\n",
            _ => "",
        };
        let again = matches!(decision, Decision::Edit(_) | Decision::Back);
        match review
            .decide(decision, Timestamp::from_millis(clawgauge_support::clock::now().timestamp_millis()))
        {
            Step::Save => {
                // Saved before it is said: who reads "approved" can pull the plug.
                save(output, review.file())?;
                show(said);
            }
            Step::AtStart => show("  ? this is the first record\n"),
            Step::Refused => {
                let why = review.refusal().map(ToString::to_string).unwrap_or_default();
                show(&format!("  ! {why}\n  ! nothing changed\n"));
            }
            _ => show(said),
        }
        if again {
            described = None;
        }
    }
    Ok(())
}

/// Edits a record in `$VISUAL` or `$EDITOR`; without one the next line of input is the record.
fn edit(
    record: &Record,
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
) -> Result<Record, String> {
    let editor =
        ["VISUAL", "EDITOR"].iter().find_map(|name| std::env::var_os(name).filter(|set| !set.is_empty()));
    let Some(editor) = editor else {
        tell("edd: no $EDITOR is set; give the record as one line of JSON\n");
        let line = lines.next().and_then(Result::ok).ok_or("the input ended")?;
        return Record::parse(&line).map_err(|error| error.to_string());
    };
    let mut file = tempfile::Builder::new()
        .suffix(".json")
        .tempfile()
        .map_err(|error| format!("no file to edit: {error}"))?;
    let text = serde_json::to_string_pretty(record.json()).map_err(|error| error.to_string())?;
    file.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
    let status = Command::new(&editor).arg(file.path()).status();
    let status = status.map_err(|error| format!("{}: {error}", editor.to_string_lossy()))?;
    if !status.success() {
        return Err("the editor ended with an error; nothing changed".to_owned());
    }
    let edited = std::fs::read_to_string(file.path()).map_err(|error| error.to_string())?;
    Record::parse(&edited).map_err(|error| error.to_string())
}

fn load(path: &Path) -> Result<RecordFile, Stop> {
    let file = RecordFile::parse(&read(path)?);
    match file.problems().first() {
        Some(problem) => Err(Stop::input(format!("{}: {problem}", path.display()))),
        None => Ok(file),
    }
}

fn save(path: &Path, file: &RecordFile) -> Result<(), Stop> {
    workspace::write_atomically(path, &file.to_jsonl()).map_err(Stop::system)
}
