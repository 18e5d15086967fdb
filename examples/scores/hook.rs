//! `scores hook`: `agent_end` payloads on standard input, records into the scores folder.

use std::io::{self, BufRead as _};

use clawgauge_scoring::Scorer;
use clawgauge_support::exit;
use clawgauge_support::scores::{Answer, Saved, ScoresFolder, Session};
use clawgauge_transcript::AgentEnd;

use crate::read::ScoresDir;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    dir: ScoresDir,
}

/// Saves the record of each payload as it arrives. The payload of a later attempt carries all that came before it, so
/// the last one of a session stays.
pub(crate) fn run(args: &Args) -> Result<Answer, String> {
    let folder = ScoresFolder::create(&args.dir.path()?)?;
    let mut answer = Answer::default();
    for (number, line) in io::stdin().lock().split(b'\n').enumerate() {
        let line = line.map_err(|error| format!("standard input: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        match save(&line, &folder) {
            Ok(Some(note)) => answer.stdout.push_str(&format!("{note}\n")),
            Ok(None) => {}
            Err(error) => {
                answer.note(format_args!("scores: line {}: {error}; not saved", number + 1));
                answer.exit = exit::IO;
            }
        }
    }
    Ok(answer)
}

fn save(line: &str, folder: &ScoresFolder) -> Result<Option<String>, String> {
    let payload = AgentEnd::parse(line).ok_or("no JSON object")?;
    let session = Session::of_payload(&payload)?;
    let scored = session.score(Scorer::standard())?;
    let Some(record) = scored.record else { return Ok(None) };
    Ok(match folder.save(record, None)? {
        Saved::Written(path) => Some(format!("saved {}", path.display())),
        Saved::Unchanged => None,
    })
}
