//! The agent program: its command line, running it within a time, and what it answers.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How the agent program is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentCommand {
    /// Program and arguments. `{agent}`, `{session_key}` and `{message}` are replaced; without `{message}` the arguments
    /// of `openclaw agent` are added.
    pub words: Vec<String>,
    /// `--local`: the agent runs in the program, not in the gateway.
    pub local: bool,
}

impl AgentCommand {
    /// Splits a command line at blanks, with quotes as a shell has them.
    ///
    /// # Errors
    /// An open quote, and an empty command line.
    pub fn parse(text: &str, local: bool) -> Result<Self, String> {
        let mut words = Vec::new();
        let mut word: Option<String> = None;
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '\'' | '"' => {
                    let word = word.get_or_insert_default();
                    loop {
                        match chars.next() {
                            None => return Err(format!("an open {c} in --agent-cmd")),
                            Some(end) if end == c => break,
                            Some('\\') if c == '"' => word.extend(chars.next()),
                            Some(other) => word.push(other),
                        }
                    }
                }
                '\\' => word.get_or_insert_default().extend(chars.next()),
                c if c.is_whitespace() => words.extend(word.take()),
                c => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        if words.is_empty() { Err("--agent-cmd is empty".to_owned()) } else { Ok(Self { words, local }) }
    }

    /// The words of one call. A message that begins with a dash is given as `--message=...`, so that it is not taken for
    /// an option.
    #[must_use]
    pub fn call(&self, agent: &str, session_key: &str, message: &str) -> Vec<String> {
        let replaced = |word: &String| {
            // The message last: what it says is not replaced again.
            let word = word.replace("{agent}", agent).replace("{session_key}", session_key);
            word.replace("{message}", message)
        };
        let mut out: Vec<String> = self.words.iter().map(replaced).collect();
        if self.words.iter().any(|w| w.contains("{message}")) {
            return out;
        }
        if self.words.len() == 1 && self.words.first().is_some_and(|w| w == "openclaw") {
            out.push("agent".to_owned());
        }
        for word in ["--agent", agent, "--session-key", session_key, "--json"] {
            out.push(word.to_owned());
        }
        if self.local {
            out.push("--local".to_owned());
        }
        if message.starts_with('-') {
            out.push(format!("--message={message}"));
        } else {
            out.push("--message".to_owned());
            out.push(message.to_owned());
        }
        out
    }
}

/// What the agent program answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentAnswer {
    /// The session.
    pub session_id: Option<String>,
    /// The texts it delivered, joined by line feeds.
    pub text: String,
    /// Whether it says that the turn went wrong, and how.
    pub error: Option<String>,
}

impl AgentAnswer {
    /// Reads the output of `openclaw agent --json`: the gateway's shape (`result.meta.agentMeta.sessionId`), the local
    /// one (`meta.agentMeta.sessionId`) and that of `agent exec` (`sessionId`), also after log lines.
    ///
    /// # Errors
    /// There is no JSON object in it, or none that names a session.
    pub fn parse(stdout: &str) -> Result<Self, String> {
        let mut last = None;
        for object in objects(stdout) {
            let answer = Self::of(&object);
            if answer.session_id.is_some() {
                return Ok(answer);
            }
            last = Some(answer);
        }
        match last {
            None => Err("the agent program gave no JSON answer".to_owned()),
            Some(answer) => {
                let why = answer.error.map(|e| format!(": {e}")).unwrap_or_default();
                Err(format!("the answer of the agent program names no session{why}"))
            }
        }
    }

    fn of(json: &Value) -> Self {
        let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str).filter(|s| !s.is_empty());
        let session_id = ["/result/meta/agentMeta/sessionId", "/meta/agentMeta/sessionId", "/sessionId"]
            .into_iter()
            .find_map(text)
            .map(str::to_owned);
        let payloads =
            ["/result/payloads", "/payloads"].into_iter().find_map(|p| json.pointer(p)?.as_array());
        let texts: Vec<&str> =
            payloads.into_iter().flatten().filter_map(|p| p.get("text").and_then(Value::as_str)).collect();
        let failed =
            text("/status").is_some_and(|s| s != "ok") || json.get("ok") == Some(&Value::Bool(false));
        let error =
            ["/error/message", "/error", "/summary", "/status"].into_iter().find_map(text).filter(|_| failed);
        Self { session_id, text: texts.join("\n"), error: error.map(str::to_owned) }
    }
}

/// JSON objects at the beginnings of lines. At most 200 beginnings are tried.
fn objects(text: &str) -> Vec<Value> {
    let mut out = Vec::new();
    let mut from = 0;
    for _ in 0..200 {
        let Some(rest) = text.get(from..) else { break };
        let at_line = rest.len() - rest.trim_start().len();
        let Some(rest) = rest.get(at_line..).filter(|r| !r.is_empty()) else { break };
        let mut next = from + at_line;
        if rest.starts_with('{') {
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
            if let Some(Ok(value)) = stream.next() {
                next += stream.byte_offset();
                out.push(value);
            }
        }
        // On to the next line.
        let skipped = text.get(next..).and_then(|r| r.find('\n')).map_or(text.len(), |i| next + i + 1);
        from = skipped;
    }
    out
}

/// What came of running a program.
#[derive(Debug)]
pub struct Finished {
    /// What it wrote.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// How it ended; `None` if it was stopped.
    pub status: Option<ExitStatus>,
    /// How long it took.
    pub took: Duration,
}

/// How long a program that was asked to stop may take to do so.
pub const GRACE: Duration = Duration::from_secs(5);

/// Runs a program in a process group of its own. After `timeout` the whole group is asked to stop (SIGTERM), and killed
/// after [`GRACE`].
///
/// # Errors
/// The program cannot be started.
pub fn run(words: &[String], timeout: Duration) -> Result<Finished, String> {
    let (program, arguments) = words.split_first().ok_or("no program")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    let started = Instant::now();
    let mut child = command.spawn().map_err(|e| format!("{program}: {e}"))?;
    let stdout = collect(child.stdout.take());
    let stderr = collect(child.stderr.take());
    let status = wait(&mut child, timeout);
    if status.is_none() {
        stop(&mut child);
    }
    // A grandchild that left the group may keep the pipe open; what came so far is enough.
    let patience = Duration::from_secs(2);
    Ok(Finished {
        stdout: stdout.recv_timeout(patience).unwrap_or_default(),
        stderr: stderr.recv_timeout(patience).unwrap_or_default(),
        status,
        took: started.elapsed(),
    })
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> mpsc::Receiver<String> {
    /// More than any answer; a program that writes without end must not fill the memory.
    const MOST: u64 = 64 << 20;
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            let mut pipe = pipe;
            // What is beyond the limit is read and dropped, so that the program does not wait for us.
            if pipe.by_ref().take(MOST).read_to_end(&mut bytes).is_ok() {
                let _dropped = std::io::copy(&mut pipe, &mut std::io::sink());
            }
        }
        let _gone = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receive
}

fn wait(child: &mut Child, timeout: Duration) -> Option<ExitStatus> {
    let deadline = Instant::now() + timeout;
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if Instant::now() >= deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn stop(child: &mut Child) {
    signal(child, false);
    if wait(child, GRACE).is_none() {
        signal(child, true);
        let _reaped = child.wait();
    } else {
        // The leader is gone; others of its group that ignored the request are not left behind.
        signal(child, true);
    }
}

#[cfg(unix)]
fn signal(child: &mut Child, hard: bool) {
    use rustix::process::{Pid, Signal, kill_process_group};
    let signal = if hard { Signal::KILL } else { Signal::TERM };
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _gone = kill_process_group(group, signal);
    }
}

#[cfg(not(unix))]
fn signal(child: &mut Child, _hard: bool) {
    let _gone = child.kill();
}
