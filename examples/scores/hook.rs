//! `scores hook`: `agent_end` payloads on standard input, records into the scores folder.

use std::io::{self, BufRead as _};

use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, ChosenScorer, History, Saved, ScoresFolder, Session};
use clawgauge_transcript::AgentEnd;

use crate::read::{self, RulesArgs, ScoresDir};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    dir: ScoresDir,
    #[command(flatten)]
    rules: RulesArgs,
}

/// Saves the record of each payload as it arrives. The payload of a later attempt carries all that came before it, so
/// the last one of a session stays. The records that were there before tell how much work sessions usually are.
pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    let scorer = args.rules.scorer()?;
    let path = args.dir.path()?;
    let folder = ScoresFolder::create(&path)?;
    let history = History::of(read::folder(&path)?.iter());
    let mut answer = Answer::default();
    for (number, line) in io::stdin().lock().split(b'\n').enumerate() {
        let line = line.map_err(|error| format!("standard input: {error}"))?;
        let line = String::from_utf8_lossy(&line);
        if line.trim().is_empty() {
            continue;
        }
        match save(&line, &folder, &scorer, &history) {
            Ok(Some(note)) => answer.stdout.push_str(&format!("{note}\n")),
            Ok(None) => {}
            Err(stop) => {
                answer.note(format_args!("scores: line {}: {stop}; not saved", number + 1));
                // That the disk is full weighs more than that a line is no payload.
                answer.exit = answer.exit.max(stop.code());
            }
        }
    }
    Ok(answer)
}

fn save(
    line: &str,
    folder: &ScoresFolder,
    scorer: &ChosenScorer,
    history: &History,
) -> Result<Option<String>, Stop> {
    let payload = AgentEnd::parse(line).ok_or_else(|| Stop::input("no JSON object"))?;
    let session = Session::of_payload(&payload).map_err(Stop::input)?;
    let mut scored = session.score(scorer).map_err(Stop::input)?;
    scored.set_effort(scorer, history);
    let Some(record) = scored.record else { return Ok(None) };
    Ok(match folder.save(record, None)? {
        Saved::Written(path) => Some(format!("saved {}", path.display())),
        Saved::Unchanged => None,
    })
}
