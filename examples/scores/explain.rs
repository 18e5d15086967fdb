//! `scores explain`: the whole evidence behind a session's scores.

use std::ffi::OsString;
use std::path::PathBuf;

use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, History, explain};
use clawgauge_support::sessions::{self, Sources};
use clawgauge_transcript::{RedactionLevel, Redactor, SessionInfo};

use crate::read::{self, RulesArgs, ScoresDir};
use crate::score::session_json;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A session id, the beginning of one, or a session file
    session: OsString,
    #[command(flatten)]
    dir: ScoresDir,
    #[command(flatten)]
    rules: RulesArgs,
    /// Where OpenClaw keeps its state [default: $OPENCLAW_STATE_DIR or ~/.openclaw]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    let scorer = args.rules.scorer()?;
    let path = PathBuf::from(&args.session);
    let id = args.session.to_string_lossy();
    let sources =
        if path.is_file() { Sources::of_path(path) } else { Sources::of_state(args.state_dir.clone()) };
    let store = sources.open()?;
    let found: Vec<&SessionInfo> = store
        .sessions()
        .iter()
        .filter(|session| sources.has_paths() || (session.counts() && session.id().starts_with(&*id)))
        .collect();
    let info = match found.as_slice() {
        [info] => info,
        [] => {
            if let Some(unusable) = sources.unusable(&store).into_iter().next() {
                return Err(Stop::input(unusable));
            }
            let none = format!("no session begins with {id:?}; `scores score` lists them");
            return Err(Stop::nothing(none));
        }
        several => {
            let ids: Vec<_> = several.iter().take(5).map(|session| session.id()).collect();
            return Err(Stop::input(format!(
                "{} sessions begin with {id:?}: {}",
                several.len(),
                ids.join(", ")
            )));
        }
    };
    let transcript = store.read(info).map_err(|error| error.to_string())?;
    let session = sessions::session(info, transcript);
    let mut scored = session.score(&scorer)?;
    // The records kept of earlier sessions tell how much work is usual.
    scored.set_effort(&scorer, &History::of(read::folder(&args.dir.path()?)?.iter()));
    let redactor = Redactor::of_level(RedactionLevel::Secrets);
    Ok(Answer::ok(match (&scored.record, args.json) {
        (Some(record), true) => record.to_text(),
        (None, true) => format!("{:#}\n", session_json(&scored)),
        (_, false) => explain(&scored, &session.transcript, &redactor),
    }))
}
