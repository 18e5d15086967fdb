//! `edd watch`: what the agent does, as it does it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use clawgauge_support::output;
use clawgauge_support::sessions::Sources;
use clawgauge_support::telling::Telling;
use clawgauge_transcript::{Entry, Fresh, LogLine, ReadReport, Tail, ToolCall, Transcript};
use serde_json::json;

use crate::artifacts::save;
use crate::home::{checked_id, folder};
use crate::sessions::log_files;
use crate::{Format, Stop, data, show, tell};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: Sources,
    /// Only this session, by its id or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Also what is there already
    #[arg(long)]
    from_start: bool,
    /// Also what the model thought and said beside its calls
    #[arg(long)]
    plan: bool,
    /// Write what tools give out to ~/.openclaw_eval/artifacts/<session>/
    #[arg(long)]
    save_artifacts: bool,
    /// Go on in the background
    #[arg(long)]
    daemon: bool,
    /// Where the background process leaves its number
    #[arg(long, value_name = "FILE", requires = "daemon")]
    pid_file: Option<PathBuf>,
    /// Where the background process writes [default: ~/.openclaw_eval/watch.log]
    #[arg(long, value_name = "FILE", requires = "daemon")]
    daemon_log: Option<PathBuf>,
    /// How often to look
    #[arg(long, value_name = "MS", default_value_t = 500)]
    interval_ms: u64,
    /// Text, or one JSON object a line
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(args: &Args, log_dir: Option<&Path>) -> Result<u8, Stop> {
    if args.daemon {
        return detach(args);
    }
    let (stop, stopped) = mpsc::channel();
    let _set = ctrlc::set_handler(move || {
        let _gone = stop.send(());
    });
    let mut watch = args.sources.watch(args.from_start).map_err(Stop::input)?;
    let mut screen = Screen::new(args);
    let mut logs = Logs::new(&crate::log_dir(log_dir, &args.sources), args.from_start);
    tell("watching; Ctrl-C ends it\n");
    let mut told: BTreeSet<String> = BTreeSet::new();
    loop {
        for fresh in watch.poll() {
            screen.entry(fresh)?;
        }
        screen.look()?;
        // A log says less than a transcript: only sessions that have none are told from it.
        for (id, line) in logs.poll() {
            screen.log(&id, &line);
        }
        for problem in watch.take_problems() {
            if told.insert(problem.to_string()) {
                tell(&format!("{problem}\n"));
            }
        }
        if output::is_closed() {
            break;
        }
        match stopped.recv_timeout(Duration::from_millis(args.interval_ms.max(1))) {
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            _ => break,
        }
    }
    for fresh in watch.poll() {
        screen.entry(fresh)?;
    }
    screen.look()?;
    screen.finish();
    Ok(0)
}

/// Starts this program again, without a terminal, and says which process it is.
fn detach(args: &Args) -> Result<u8, Stop> {
    let failed = |what: &Path, error: std::io::Error| Stop::system(format!("{}: {error}", what.display()));
    let log = match &args.daemon_log {
        Some(log) => log.clone(),
        None => folder("watch.log")?,
    };
    if let Some(parent) = log.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
    }
    let file =
        OpenOptions::new().create(true).append(true).open(&log).map_err(|error| failed(&log, error))?;
    let again = file.try_clone().map_err(|error| failed(&log, error))?;
    let program = std::env::current_exe().map_err(|error| failed(Path::new("edd"), error))?;
    let mut skip = false;
    let rest = std::env::args_os().skip(1).filter(|argument| {
        let text = argument.to_string_lossy();
        let this = std::mem::take(&mut skip);
        skip = text == "--pid-file" || text == "--daemon-log";
        !(this
            || skip
            || text == "--daemon"
            || text.starts_with("--pid-file=")
            || text.starts_with("--daemon-log="))
    });
    let mut command = Command::new(&program);
    command.args(rest).stdin(Stdio::null()).stdout(file).stderr(again);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let child = command.spawn().map_err(|error| failed(&program, error))?;
    if let Some(path) = &args.pid_file {
        std::fs::write(path, format!("{}\n", child.id())).map_err(|error| failed(path, error))?;
    }
    show(&format!("watching as process {}, writing to {}\n", child.id(), log.display()));
    Ok(0)
}

/// What was shown of each session, so that nothing is shown twice.
struct Screen<'a> {
    args: &'a Args,
    telling: Telling,
    sessions: BTreeMap<String, Session>,
    last: Option<String>,
}

#[derive(Default)]
struct Session {
    name: String,
    entries: Vec<Entry<'static>>,
    changed: bool,
    /// Turns whose request was shown, by their entry.
    asked: BTreeSet<String>,
    answered: BTreeSet<String>,
    /// Calls that were shown, by entry and place in it.
    calls: BTreeSet<(String, usize)>,
    saved: usize,
}

impl<'a> Screen<'a> {
    fn new(args: &'a Args) -> Self {
        Self { args, telling: Telling::new(args.plan), sessions: BTreeMap::new(), last: None }
    }

    fn wants(&self, id: &str) -> bool {
        self.args.session.as_deref().is_none_or(|wanted| id.starts_with(wanted))
    }

    fn entry(&mut self, fresh: Fresh) -> Result<(), Stop> {
        if !self.wants(&fresh.session_id) {
            return Ok(());
        }
        let session = self.sessions.entry(fresh.session_id.to_string()).or_default();
        session.name = fresh.session_key.as_deref().unwrap_or(&fresh.session_id).to_owned();
        session.entries.push(fresh.entry);
        session.changed = true;
        Ok(())
    }

    /// Shows what became complete.
    fn look(&mut self) -> Result<(), Stop> {
        let ids: Vec<String> =
            self.sessions.iter().filter(|(_, session)| session.changed).map(|(id, _)| id.clone()).collect();
        for id in ids {
            if let Some(mut session) = self.sessions.remove(&id) {
                session.changed = false;
                let shown = self.session(&id, &mut session, false);
                self.sessions.insert(id, session);
                shown?;
            }
        }
        Ok(())
    }

    /// Shows calls that never got a result.
    fn finish(&mut self) {
        for (id, mut session) in std::mem::take(&mut self.sessions) {
            let _shown = self.session(&id, &mut session, true);
        }
    }

    fn session(&mut self, id: &str, session: &mut Session, ending: bool) -> Result<(), Stop> {
        let entries = std::mem::take(&mut session.entries);
        let transcript = Transcript::from_entries(entries.clone(), ReadReport::default());
        session.entries = entries;
        let conversation = transcript.conversation();
        let count = conversation.turns.len();
        for (at, turn) in conversation.turns.iter().enumerate() {
            let over = at + 1 < count || ending;
            let first = turn.user.or_else(|| turn.steps.first().map(|step| step.entry));
            let mark = first.and_then(Entry::id).map_or_else(|| format!("#{at}"), Into::into);
            if session.asked.insert(mark.clone()) {
                self.line(id, session, "request", &self.telling.request(turn), None);
            }
            let mut pending = false;
            for step in &turn.steps {
                for (place, call) in step.calls.iter().enumerate() {
                    let key = (step.entry.id().map_or_else(String::new, Into::into), place);
                    if session.calls.contains(&key) {
                        continue;
                    }
                    if call.result.is_none() && !over {
                        pending = true;
                        continue;
                    }
                    session.calls.insert(key);
                    self.line(id, session, "call", &self.telling.call(call), Some(call));
                    if self.args.save_artifacts {
                        let saved = save(&folder("artifacts")?.join(checked_id(id)?), session.saved, call)?;
                        session.saved += usize::from(saved);
                    }
                }
            }
            let complete = turn.final_step().is_some_and(|step| step.calls.is_empty()) || over;
            if complete && !pending && session.answered.insert(mark) {
                self.line(id, session, "end", &self.telling.end(turn), None);
            }
        }
        Ok(())
    }

    fn line(&mut self, id: &str, session: &Session, kind: &str, text: &str, call: Option<&ToolCall<'_>>) {
        if self.args.format == Format::Json {
            let mut value = json!({ "kind": kind, "session_id": id, "session": session.name, "text": text });
            if let (Some(call), Some(object)) = (call, value.as_object_mut()) {
                object.insert("tool".to_owned(), json!(call.name));
                object.insert("outcome".to_owned(), json!(call.outcome.name()));
                object.insert("duration_ms".to_owned(), json!(call.duration_ms()));
                object.insert("exit_code".to_owned(), json!(call.exit_code()));
            }
            return data(&format!("{value}\n"));
        }
        if text.is_empty() {
            return;
        }
        if self.last.as_deref() != Some(id) {
            show(&format!("\n─── {} · {id} ───\n", session.name));
            self.last = Some(id.to_owned());
        }
        show(text);
    }

    fn log(&mut self, id: &str, line: &str) {
        let wanted = self.wants(id) && !self.sessions.contains_key(id);
        if wanted && self.args.format == Format::Text {
            show(&format!("log {id}  {line}\n"));
        }
    }
}

/// The gateway's daily logs; a new day is a new file.
struct Logs {
    folder: PathBuf,
    from_start: bool,
    started: bool,
    tails: BTreeMap<PathBuf, (Tail, Vec<u8>)>,
}

impl Logs {
    fn new(folder: &Path, from_start: bool) -> Self {
        let mut logs = Self { folder: folder.to_owned(), from_start, started: false, tails: BTreeMap::new() };
        logs.discover();
        logs.started = true;
        logs
    }

    fn discover(&mut self) {
        for path in log_files(&self.folder) {
            if self.tails.contains_key(&path) {
                continue;
            }
            let tail = if self.from_start || self.started {
                Some(Tail::from_start(&path))
            } else {
                Tail::from_end(&path).ok().map(|(tail, _)| tail)
            };
            if let Some(tail) = tail {
                self.tails.insert(path, (tail, Vec::new()));
            }
        }
    }

    /// Lines that name a session: its id and the text.
    fn poll(&mut self) -> Vec<(String, String)> {
        self.discover();
        let mut found = Vec::new();
        for (tail, pending) in self.tails.values_mut() {
            let Ok(read) = tail.read() else {
                continue;
            };
            if read.restarted {
                pending.clear();
            }
            pending.extend_from_slice(&read.bytes);
            let Some(end) = pending.iter().rposition(|&byte| byte == b'\n') else {
                continue;
            };
            let complete: Vec<u8> = pending.drain(..=end).collect();
            for line in String::from_utf8_lossy(&complete).lines() {
                if let Some(log) = LogLine::parse(line)
                    && let Some(id) = log.session_id
                {
                    found.push((id.into_owned(), log.message.into_owned()));
                }
            }
        }
        found
    }
}
