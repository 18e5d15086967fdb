//! `scores score`: how good were these sessions?

use std::io::Read as _;

use clawgauge_scoring::Judged;
use clawgauge_support::Stop;
use clawgauge_support::exit;
use clawgauge_support::scores::{
    Answer, ChosenScorer, History, Saved, Scored, ScoresFolder, Session, findings, table, worst_session,
};
use clawgauge_support::sessions::{self, Sources};
use clawgauge_transcript::{RedactionLevel, Redactor, SessionInfo, Store, Transcript, one_line};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::read::{self, RulesArgs, ScoresDir, utc};

/// So many sessions are handed out at a time: each core holds one of them, so this is only how often progress is told.
const AT_A_TIME: usize = 256;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: Sources,
    /// Only this agent
    #[arg(long)]
    agent: Option<String>,
    /// Keep the records, one file a session; sessions that did not change are not scored again
    #[arg(long)]
    save: bool,
    #[command(flatten)]
    dir: ScoresDir,
    #[command(flatten)]
    rules: RulesArgs,
    /// JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    if args.sources.is_stdin() {
        return standard_input(args);
    }
    let store = args.sources.open()?;
    let folder =
        args.save.then(|| args.dir.path().and_then(|path| ScoresFolder::create(&path))).transpose()?;
    let with = With { scorer: args.rules.scorer()?, history: args.history()?, folder };
    let wanted = |session: &&SessionInfo| {
        session.counts() && args.agent.as_deref().is_none_or(|agent| session.agent() == Some(agent))
    };
    let listed: Vec<&SessionInfo> = store.sessions().iter().filter(wanted).collect();
    let mut run = Run::default();
    let progress = sessions::progress(listed.len());
    for some in listed.chunks(AT_A_TIME) {
        // One place for the bytes of a file, used again for the next.
        let score = |buffer: &mut Vec<u8>, session: &&SessionInfo| one(&store, session, &with, buffer);
        let done: Vec<_> = some.par_iter().map_init(Vec::new, score).collect();
        for (session, done) in some.iter().zip(done) {
            run.take(session, done);
        }
        progress.inc(some.len() as u64);
    }
    progress.finish_and_clear();
    run.compare_with_each_other(&with)?;
    let mut answer = if args.json { run.json() } else { run.text(&store)? };
    if listed.is_empty() {
        answer.note(format_args!("scores: no session to score; what was looked at:"));
        for line in store.coverage().to_string().lines() {
            answer.note(format_args!("  {}", one_line(line)));
        }
        answer.exit = exit::NOTHING;
        return Ok(answer);
    }
    for skipped in &store.coverage().skipped {
        answer.note(format_args!("scores: {}; passed over", one_line(&skipped.to_string())));
    }
    answer.stderr.push_str(&run.notes);
    if run.failed > 0 {
        answer.exit = exit::IO;
    } else if !args.sources.unusable(&store).is_empty() {
        answer.exit = exit::USAGE;
    }
    Ok(answer)
}

enum Done {
    Unchanged,
    Scored { scored: Box<Scored>, saved: bool, problems: Vec<String> },
    Failed(String),
}

/// What sessions are scored with.
struct With {
    scorer: ChosenScorer,
    /// How much work the sessions were whose records are kept.
    history: History,
    /// Where records are to be kept.
    folder: Option<ScoresFolder>,
}

impl Args {
    fn history(&self) -> Result<History, String> {
        // Without a home there is no folder, and nothing to compare with.
        let path = self.dir.path();
        path.map_or_else(|_| Ok(History::default()), |path| Ok(History::of(read::folder(&path)?.iter())))
    }
}

fn one(store: &Store, info: &SessionInfo, with: &With, buffer: &mut Vec<u8>) -> Done {
    let source = source_of(info, &with.scorer);
    if with.folder.as_ref().is_some_and(|folder| folder.is_current(info.id(), &source)) {
        return Done::Unchanged;
    }
    let transcript = match store.read_in(info, buffer) {
        Ok(transcript) => transcript,
        Err(error) => return Done::Failed(error.to_string()),
    };
    let problems = transcript.report().to_string_lines();
    let session = sessions::session(info, transcript);
    let mut scored = match session.score(&with.scorer) {
        Ok(scored) => scored,
        Err(error) => return Done::Failed(error),
    };
    scored.set_effort(&with.scorer, &with.history);
    let mut saved = false;
    if let (Some(folder), Some(record)) = (&with.folder, &mut scored.record) {
        record.set_source(&source);
        match folder.save(record.clone(), None) {
            Ok(Saved::Written(_)) => saved = true,
            Ok(Saved::Unchanged) => {}
            Err(error) => return Done::Failed(error),
        }
    }
    Done::Scored { scored: Box::new(scored), saved, problems }
}

/// Names the state of a session: when it changes, the session is scored again.
fn source_of(info: &SessionInfo, scorer: &ChosenScorer) -> String {
    let size = info
        .entries()
        .map_or_else(|| format!("{}B", info.bytes().unwrap_or(0)), |rows| format!("{rows} rows"));
    let updated = info.updated_at().map_or_else(String::new, |time| time.to_string());
    format!("{size} {updated} rules {}", scorer.name())
}

#[derive(Default)]
struct Run {
    scored: Vec<Scored>,
    unchanged: usize,
    saved: usize,
    failed: usize,
    notes: String,
    /// Effort was told from these sessions alone.
    among_themselves: bool,
}

impl Run {
    fn take(&mut self, info: &SessionInfo, done: Done) {
        match done {
            Done::Unchanged => self.unchanged += 1,
            Done::Failed(error) => {
                self.failed += 1;
                self.note(info, &error);
            }
            Done::Scored { scored, saved, problems } => {
                self.saved += usize::from(saved);
                for problem in problems {
                    self.note(info, &problem);
                }
                self.scored.push(*scored);
            }
        }
    }

    /// Where no records were kept before, the sessions scored now are what each is compared with.
    fn compare_with_each_other(&mut self, with: &With) -> Result<(), String> {
        if !with.history.is_empty() {
            return Ok(());
        }
        let history = History::of(self.scored.iter().filter_map(|scored| scored.record.as_ref()));
        for scored in &mut self.scored {
            if !scored.set_effort(&with.scorer, &history) {
                continue;
            }
            self.among_themselves = true;
            if let (Some(folder), Some(record)) = (&with.folder, &scored.record) {
                folder.save(record.clone(), None)?;
            }
        }
        Ok(())
    }

    fn note(&mut self, info: &SessionInfo, text: &str) {
        self.notes.push_str(&format!("scores: {}: {text}\n", one_line(&info.path().display().to_string())));
    }

    fn text(&mut self, store: &Store) -> Result<Answer, Stop> {
        self.scored.sort_by(|a, b| (a.when, &a.id).cmp(&(b.when, &b.id)));
        let mut text = if self.scored.is_empty() { String::new() } else { table(&self.scored, utc()?) };
        if let Some((worst, card)) = worst_session(&self.scored)
            && let Some(info) = store.find(&worst.id)
            && let Ok(transcript) = store.read(info)
        {
            let redactor = Redactor::of_level(RedactionLevel::Secrets);
            text.push_str(&format!("\nWhy {} is the worst:\n", one_line(&worst.id)));
            text.push_str(&findings(card, &transcript, &redactor, 3));
        }
        let scored = self.scored.iter().filter(|scored| matches!(scored.card, Judged::Scored(_))).count();
        let skipped = self.scored.len() - scored;
        let blank = if text.is_empty() { "" } else { "\n" };
        text.push_str(&format!("{blank}{scored} scored, {skipped} not scored"));
        for (count, what) in [(self.unchanged, "unchanged"), (self.saved, "saved"), (self.failed, "failed")] {
            if count > 0 {
                text.push_str(&format!(", {count} {what}"));
            }
        }
        text.push('\n');
        if self.among_themselves {
            text.push_str("Effort is told among these sessions; with --save, later ones are compared with the records kept.\n");
        }
        Ok(Answer::ok(text))
    }

    fn json(&self) -> Answer {
        // Each session is printed by itself, on all cores: to print them takes about as long as to score short ones.
        let print = |scored: &Scored| format!("    {:#}", session_json(scored)).replace('\n', "\n    ");
        let sessions: Vec<String> = self.scored.par_iter().map(print).collect();
        let sessions = match sessions.as_slice() {
            [] => "[]".to_owned(),
            sessions => format!("[\n{}\n  ]", sessions.join(",\n")),
        };
        let Self { failed, saved, unchanged, .. } = self;
        Answer::ok(format!(
            "{{\n  \"failed\": {failed},\n  \"saved\": {saved},\n  \"sessions\": {sessions},\n  \"unchanged\": {unchanged}\n}}\n"
        ))
    }
}

pub(crate) fn session_json(scored: &Scored) -> Value {
    let record =
        scored.record.as_ref().and_then(|record| serde_json::from_str::<Value>(&record.to_line()).ok());
    let skipped = match &scored.card {
        Judged::Skipped(reason) => Some(reason.as_str()),
        Judged::Scored(_) => None,
    };
    json!({ "sessionId": scored.id, "turns": scored.turns, "skipped": skipped, "record": record })
}

/// A single session as JSONL on standard input.
fn standard_input(args: &Args) -> Result<Answer, Stop> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| format!("standard input: {error}"))?;
    let transcript = Transcript::from_slice(&bytes);
    let id = transcript.session_id().map_or_else(|| "stdin".to_owned(), std::borrow::Cow::into_owned);
    let problems = transcript.report().to_string_lines();
    let session = Session { id, key: None, agent: None, channel: None, duration_ms: None, transcript };
    let scorer = args.rules.scorer()?;
    let mut scored = session.score(&scorer)?;
    scored.set_effort(&scorer, &args.history()?);
    let mut answer = Answer::default();
    if args.save
        && let Some(record) = &scored.record
    {
        ScoresFolder::create(&args.dir.path()?)?.save(record.clone(), None)?;
    }
    answer.stdout = if args.json {
        format!("{:#}\n", session_json(&scored))
    } else {
        let mut text = table(std::slice::from_ref(&scored), utc()?);
        if let Judged::Scored(card) = &scored.card {
            text.push('\n');
            text.push_str(&findings(
                card,
                &session.transcript,
                &Redactor::of_level(RedactionLevel::Secrets),
                3,
            ));
        }
        text
    };
    for problem in problems {
        answer.note(format_args!("scores: standard input: {problem}"));
    }
    Ok(answer)
}
