//! `edd trace`: what happened in a session, call by call.

use std::fmt::Write as _;

use clawgauge_cases::Trajectory;
use clawgauge_support::sessions::Sources;
use clawgauge_support::telling::Telling;
use clawgauge_transcript::{SessionInfo, Store, Transcript};

use crate::{Format, Stop, data, show, tell};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: Sources,
    /// The session, by its id or the beginning of it; not needed where PATH is a single session
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The session that was written to last
    #[arg(long, conflicts_with = "session")]
    last: bool,
    /// Also what the model thought and said beside its calls
    #[arg(long)]
    plan: bool,
    /// Text, or the events as openclaw-edd writes them
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let asked = args.session.is_some() || args.last;
    if !asked && !args.sources.has_paths() {
        return Err(Stop::no("Either --session or --last must be provided"));
    }
    let store = args.sources.open().map_err(Stop::input)?;
    if let Some(unusable) = args.sources.unusable(&store).into_iter().next() {
        let hint = if asked { "" } else { " (an id of a session goes behind --session)" };
        return Err(Stop::input(format!("{unusable}{hint}")));
    }
    let info = match &args.session {
        Some(id) => find(&store, id)?,
        None if !asked => only(&store)?,
        None => {
            let info =
                last(&store).ok_or_else(|| Stop::no(format!("No sessions found\n{}", store.coverage())))?;
            tell(&format!("Using latest session: {}\n", info.id()));
            info
        }
    };
    let transcript = store.read(info).map_err(|error| Stop::system(error.to_string()))?;
    match args.format {
        Format::Json => data(&events(info.id(), &transcript)?),
        Format::Text => show(&text(info, &transcript, args.plan)),
    }
    let problems = transcript.report().to_string_lines();
    if !problems.is_empty() {
        tell(&format!("{}\n", problems.join("\n")));
    }
    Ok(0)
}

/// The session that an id, or the beginning of one, names.
pub(crate) fn find<'s>(store: &'s Store, id: &str) -> Result<&'s SessionInfo, Stop> {
    if let Some(info) = store.find(id) {
        return Ok(info);
    }
    let named = store.sessions().iter().filter(|info| info.counts() && info.id().starts_with(id));
    let named: Vec<&SessionInfo> = named.collect();
    match named[..] {
        [info] if !id.is_empty() => Ok(info),
        [] => Err(Stop::no(format!("Session not found: {id}"))),
        _ => {
            let ids: Vec<&str> = named.iter().map(|info| info.id()).take(5).collect();
            Err(Stop::no(format!("{id} begins {} sessions: {}", named.len(), ids.join(", "))))
        }
    }
}

/// The one session of the paths that were given.
fn only(store: &Store) -> Result<&SessionInfo, Stop> {
    let mut live = store.sessions().iter().filter(|info| info.counts());
    match (live.next(), live.next()) {
        (Some(info), None) => Ok(info),
        (None, _) => Err(Stop::no(format!("No sessions found\n{}", store.coverage()))),
        _ => Err(Stop::no("Either --session or --last must be provided: there are several sessions")),
    }
}

/// The session that was written to last.
fn last(store: &Store) -> Option<&SessionInfo> {
    let live = store.sessions().iter().filter(|info| info.counts());
    live.max_by_key(|info| (info.updated_at(), info.started_at(), info.id()))
}

pub(crate) fn text(info: &SessionInfo, transcript: &Transcript<'_>, plan: bool) -> String {
    let telling = Telling::new(plan);
    let conversation = transcript.conversation();
    let model = conversation.steps().find_map(|step| {
        let (model, provider) = (step.message.model()?, step.message.provider());
        Some(provider.map_or_else(|| model.to_string(), |provider| format!("{provider}/{model}")))
    });
    let mut text = format!("─── Session {}", info.id());
    for part in [info.key_text(), model.as_deref()].into_iter().flatten() {
        let _written = write!(text, " · {part}");
    }
    text += " ───\n";
    for turn in &conversation.turns {
        text.push('\n');
        text += &telling.turn(turn);
    }
    text
}

/// The events as openclaw-edd writes them: fields that say nothing are left out.
fn events(id: &str, transcript: &Transcript<'_>) -> Result<String, Stop> {
    let conversation = transcript.conversation();
    let mut list = Vec::new();
    for mut event in Trajectory::from_turns(&conversation.turns).events() {
        id.clone_into(&mut event.session_id);
        let Ok(serde_json::Value::Object(mut event)) = serde_json::to_value(event) else {
            return Err(Stop::system("an event that is no JSON"));
        };
        event.retain(|key, value| key == "tool_calls" || !is_empty(value));
        list.push(serde_json::Value::Object(event));
    }
    Ok(format!("{}\n", serde_json::to_string_pretty(&list).unwrap_or_default()))
}

fn is_empty(value: &serde_json::Value) -> bool {
    match value {
        serde_json::Value::Null => true,
        serde_json::Value::String(text) => text.is_empty(),
        serde_json::Value::Array(items) => items.is_empty(),
        serde_json::Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
