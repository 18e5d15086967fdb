//! Session keys: who talks to which agent, over what.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A parsed session key, such as `agent:main:telegram:group:-100123:topic:42`.
///
/// Every text is a key: what follows no known form is kept as [`KeyKind::Named`] or [`KeyKind::Other`]. Two keys are
/// equal when their canonical texts are, which is how OpenClaw compares them: blanks around are cut and letters are
/// lower-cased, except ids that live by their case (Signal groups and Matrix rooms). [`Display`](fmt::Display) prints
/// the canonical text, and parsing that gives an equal key; [`as_written`](Self::as_written) is the text that was
/// parsed, and what serde writes.
///
/// What a key says is asked with predicates, because one key may say several things: `agent:main:cron:j:run:s:heartbeat`
/// is a heartbeat *and* belongs to a cron job. [`kind`](Self::kind) is the most telling one. Markers count only where
/// OpenClaw puts them: a chat peer named `cron:5` or an agent named `subagent` is neither.
///
/// ```
/// use clawgauge_transcript::{KeyKind, SessionKey};
///
/// let key = SessionKey::parse("agent:main:Telegram:group:-100123:topic:42");
/// assert_eq!(key.kind(), KeyKind::Group);
/// assert_eq!((key.agent_id(), key.channel(), key.peer()), (Some("main"), Some("telegram"), Some("-100123")));
/// assert_eq!(key.thread(), Some("42"));
/// assert!(SessionKey::parse("agent:ops:cron:nightly:run:7").is_cron());
/// assert!(!SessionKey::parse("agent:ops:benchgen:direct:cron:7").is_cron());
/// ```
#[derive(Debug, Clone)]
pub struct SessionKey {
    written: String,
    canonical: String,
    parts: Parts,
}

/// The most telling thing a session key says. The first that applies, in the order given here, is the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeyKind {
    /// `<base>:heartbeat`: a heartbeat in a session of its own.
    Heartbeat,
    /// `subagent:<id>`, nested as `subagent:<id>:subagent:<id>`: a child run.
    Subagent,
    /// `cron:<job>:run:<id>`: one run of a scheduled job.
    CronRun,
    /// `cron:<job>`: a scheduled job.
    Cron,
    /// `…:incognito-<id>`: a session that leaves no record by choice.
    Incognito,
    /// `main`: the agent's main session.
    Main,
    /// `[<channel>:[<account>:]]direct:<peer>`: one person.
    Direct,
    /// `<channel>:[<account>:]group:<id>`: a group chat.
    Group,
    /// `<channel>:[<account>:]channel:<id>`: a room.
    Channel,
    /// `<channel>:slash:<user>`: a slash command's own session.
    Slash,
    /// `hook:<id>`: a webhook.
    Hook,
    /// `openai-user:<user>`: the OpenAI-compatible HTTP endpoint.
    OpenaiUser,
    /// `dashboard:<id>`: the control page, or a fork.
    Dashboard,
    /// `explicit:<session id>`: asked for by session id.
    Explicit,
    /// `acp:<id>`, `acp:binding:…`: an editor or another agent over ACP.
    Acp,
    /// `boot:<run id>`: what the agent does at start.
    Boot,
    /// `internal-session-effects:<what>`: the agent looking at its own work; there is no session row.
    InternalEffects,
    /// The unscoped key `global`.
    Global,
    /// The unscoped key `unknown`.
    Unknown,
    /// Anything else: a name that a person or a program chose.
    Named,
    /// Not a key of any form (empty, or `agent:` without an agent or a rest).
    Other,
}

#[derive(Debug, Clone, Default)]
struct Parts {
    agent: Option<String>,
    rest: String,
    base: Option<KeyKind>,
    channel: Option<String>,
    account: Option<String>,
    peer: Option<String>,
    thread: Option<String>,
    cron_job: Option<String>,
    cron_run: Option<String>,
    subagents: Vec<String>,
    heartbeat: bool,
    incognito: bool,
}

impl SessionKey {
    /// Parses any text. O(n), a handful of small allocations.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let trimmed = text.trim();
        let segments: Vec<&str> = trimmed.split(':').collect();
        let parts = parse_parts(&segments);
        let canonical = match (&parts.agent, parts.base) {
            (Some(agent), _) => format!("agent:{agent}:{}", parts.rest),
            (None, Some(KeyKind::Other)) => trimmed.to_lowercase(),
            (None, _) => parts.rest.clone(),
        };
        // Lower-casing looks at neighbours (a final sigma): the parts are cut from the canonical text, not beside it.
        let segments: Vec<&str> = canonical.split(':').collect();
        let parts = parse_parts(&segments);
        Self { written: text.to_owned(), canonical, parts }
    }

    /// The canonical text: trimmed, lower-cased except for ids that live by their case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.canonical
    }

    /// The text that was parsed, unchanged.
    #[must_use]
    pub fn as_written(&self) -> &str {
        &self.written
    }

    /// The most telling thing the key says.
    #[must_use]
    pub fn kind(&self) -> KeyKind {
        if self.is_heartbeat() {
            KeyKind::Heartbeat
        } else if self.is_subagent() {
            KeyKind::Subagent
        } else if self.parts.cron_run.is_some() {
            KeyKind::CronRun
        } else if self.is_cron() {
            KeyKind::Cron
        } else if self.parts.incognito {
            KeyKind::Incognito
        } else {
            self.base_kind()
        }
    }

    /// The kind of the conversation below heartbeat, cron, subagent and incognito markers: `agent:main:main:heartbeat`
    /// has the base [`KeyKind::Main`].
    #[must_use]
    pub fn base_kind(&self) -> KeyKind {
        self.parts.base.unwrap_or(KeyKind::Other)
    }

    /// The agent's id; `None` for keys without a scope.
    #[must_use]
    pub fn agent_id(&self) -> Option<&str> {
        self.parts.agent.as_deref()
    }

    /// What follows `agent:<id>:`, canonical; the whole key where there is no scope.
    #[must_use]
    pub fn rest(&self) -> &str {
        &self.parts.rest
    }

    /// The chat channel (`telegram`, `slack`, `benchgen`, ...), where the key names one.
    #[must_use]
    pub fn channel(&self) -> Option<&str> {
        self.parts.channel.as_deref()
    }

    /// The account on the channel, where the key names one.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        self.parts.account.as_deref()
    }

    /// The other side: the person of a direct chat, the group, the room, the HTTP user, or the id after the marker of
    /// the other kinds (webhook, dashboard, explicit session, ...).
    #[must_use]
    pub fn peer(&self) -> Option<&str> {
        self.parts.peer.as_deref()
    }

    /// The thread or topic inside the chat.
    #[must_use]
    pub fn thread(&self) -> Option<&str> {
        self.parts.thread.as_deref()
    }

    /// The id of the scheduled job.
    #[must_use]
    pub fn cron_job(&self) -> Option<&str> {
        self.parts.cron_job.as_deref()
    }

    /// The id of the job's run (a session id, or epoch milliseconds in older versions).
    #[must_use]
    pub fn cron_run(&self) -> Option<&str> {
        self.parts.cron_run.as_deref()
    }

    /// The ids of nested subagents, outermost first; the length is the depth.
    #[must_use]
    pub fn subagents(&self) -> &[String] {
        &self.parts.subagents
    }

    /// Whether the key belongs to a scheduled job, a run of one, or something below it.
    #[must_use]
    pub fn is_cron(&self) -> bool {
        self.parts.cron_job.is_some()
    }

    /// Whether the key belongs to a child run of another agent session.
    #[must_use]
    pub fn is_subagent(&self) -> bool {
        !self.parts.subagents.is_empty()
    }

    /// Whether the key is an isolated heartbeat. Heartbeats inside a person's session do not show in the key.
    #[must_use]
    pub fn is_heartbeat(&self) -> bool {
        self.parts.heartbeat
    }

    /// Whether the key is a webhook's. Since 2026.9 webhooks have cron keys.
    #[must_use]
    pub fn is_hook(&self) -> bool {
        self.base_kind() == KeyKind::Hook
    }

    /// Whether the session asked to leave no record.
    #[must_use]
    pub fn is_incognito(&self) -> bool {
        self.parts.incognito
    }

    /// Whether the key is a chat over a channel: direct, group, room or slash command.
    #[must_use]
    pub fn is_chat(&self) -> bool {
        matches!(self.base_kind(), KeyKind::Direct | KeyKind::Group | KeyKind::Channel | KeyKind::Slash)
    }

    /// Whether the key says that no person started the conversation: cron, subagent, heartbeat, webhook, boot and
    /// internal work.
    #[must_use]
    pub fn is_machine_made(&self) -> bool {
        self.is_cron()
            || self.is_subagent()
            || self.is_heartbeat()
            || matches!(self.base_kind(), KeyKind::Hook | KeyKind::Boot | KeyKind::InternalEffects)
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical)
    }
}

impl PartialEq for SessionKey {
    fn eq(&self, other: &Self) -> bool {
        self.canonical == other.canonical
    }
}

impl Eq for SessionKey {}

impl PartialOrd for SessionKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SessionKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.canonical.cmp(&other.canonical)
    }
}

impl std::hash::Hash for SessionKey {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.canonical.hash(state);
    }
}

impl From<&str> for SessionKey {
    fn from(text: &str) -> Self {
        Self::parse(text)
    }
}

impl From<String> for SessionKey {
    fn from(text: String) -> Self {
        Self::parse(&text)
    }
}

impl Serialize for SessionKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.written)
    }
}

impl<'de> Deserialize<'de> for SessionKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from(String::deserialize(deserializer)?))
    }
}

fn is(segment: &str, word: &str) -> bool {
    segment.eq_ignore_ascii_case(word)
}

fn lower(segments: &[&str]) -> String {
    segments.join(":").to_lowercase()
}

fn parse_parts(segments: &[&str]) -> Parts {
    let mut parts = Parts::default();
    let rest = match segments {
        [first, agent, rest @ ..]
            if is(first, "agent") && !agent.is_empty() && rest.iter().any(|s| !s.is_empty()) =>
        {
            parts.agent = Some(agent.to_lowercase());
            rest
        }
        [first, ..] if is(first, "agent") => {
            parts.rest = lower(segments);
            parts.base = Some(KeyKind::Other);
            return parts;
        }
        [""] => {
            parts.base = Some(KeyKind::Other);
            return parts;
        }
        rest => rest,
    };
    parse_rest(rest, &mut parts);
    parts
}

/// Fills everything below the agent. The canonical rest is the lower-cased text, but for an id kept by case.
fn parse_rest(segments: &[&str], parts: &mut Parts) {
    if let [only] = segments
        && parts.agent.is_none()
    {
        parts.base = if is(only, "global") {
            Some(KeyKind::Global)
        } else if is(only, "unknown") {
            Some(KeyKind::Unknown)
        } else {
            None
        };
    }
    parts.rest = lower(segments);
    if parts.base.is_some() {
        return;
    }
    if let Some(chat) = Chat::of(segments) {
        return chat.fill(segments, parts);
    }
    match segments {
        [first] if is(first, "main") => parts.base = Some(KeyKind::Main),
        [first, tail @ ..] if is(first, "main") => {
            parts.base = Some(KeyKind::Main);
            markers(tail, parts);
        }
        // A user name is free text: nothing in it is a marker but the heartbeat's at the end.
        [first, user @ ..] if is(first, "openai-user") && !user.is_empty() => {
            parts.base = Some(KeyKind::OpenaiUser);
            let user = heartbeat_at_end(user, parts);
            parts.peer = Some(lower(user));
        }
        [first, binding, id @ ..] if is(first, "acp") && is(binding, "binding") && !id.is_empty() => {
            parts.base = Some(KeyKind::Acp);
            let id = heartbeat_at_end(id, parts);
            parts.peer = Some(format!("binding:{}", lower(id)));
        }
        [first, id, tail @ ..] if !id.is_empty() && marked_kind(first).is_some() => {
            parts.base = marked_kind(first);
            parts.peer = Some(id.to_lowercase());
            parts.incognito = is_incognito(id);
            markers(tail, parts);
        }
        _ => {
            parts.base = Some(KeyKind::Named);
            markers(segments, parts);
        }
    }
}

/// Kinds that are a word and an id at the start of the rest.
fn marked_kind(word: &str) -> Option<KeyKind> {
    const TABLE: [(&str, KeyKind); 6] = [
        ("hook", KeyKind::Hook),
        ("dashboard", KeyKind::Dashboard),
        ("explicit", KeyKind::Explicit),
        ("acp", KeyKind::Acp),
        ("boot", KeyKind::Boot),
        ("internal-session-effects", KeyKind::InternalEffects),
    ];
    TABLE.iter().find(|(name, _)| is(word, name)).map(|&(_, kind)| kind)
}

fn is_incognito(segment: &str) -> bool {
    segment.get(..10).is_some_and(|start| is(start, "incognito-"))
}

/// Cuts a `heartbeat` marker off the end, unless nothing would be left.
fn heartbeat_at_end<'a, 's>(segments: &'a [&'s str], parts: &mut Parts) -> &'a [&'s str] {
    match segments {
        [id @ .., last] if !id.is_empty() && is(last, "heartbeat") => {
            parts.heartbeat = true;
            id
        }
        all => all,
    }
}

/// Reads the markers that may follow (or, in a name, stand between) other segments.
fn markers(mut segments: &[&str], parts: &mut Parts) {
    let mut first = true;
    loop {
        segments = match segments {
            [] => return,
            [word, id, tail @ ..] if is(word, "subagent") && !id.is_empty() => {
                parts.subagents.push(id.to_lowercase());
                tail
            }
            [word, id, run, run_id, tail @ ..]
                if is(word, "cron") && !id.is_empty() && is(run, "run") && !run_id.is_empty() =>
            {
                parts.cron_job = Some(id.to_lowercase());
                parts.cron_run = Some(run_id.to_lowercase());
                tail
            }
            [word, id, tail @ ..] if is(word, "cron") && !id.is_empty() => {
                parts.cron_job = Some(id.to_lowercase());
                tail
            }
            [word, id, tail @ ..] if (is(word, "thread") || is(word, "topic")) && !id.is_empty() => {
                parts.thread = Some(id.to_lowercase());
                tail
            }
            // Alone it is a name that somebody chose.
            [word] if is(word, "heartbeat") && !(first && parts.base == Some(KeyKind::Named)) => {
                parts.heartbeat = true;
                &[]
            }
            [word, tail @ ..] => {
                parts.incognito |= is_incognito(word);
                tail
            }
        };
        first = false;
    }
}

/// Where the parts of a chat key lie: `[channel [account]] kind peer… [thread|topic id…] [heartbeat]`.
struct Chat {
    kind: KeyKind,
    /// Index of the word that names the kind: 0, 1 or 2.
    at: usize,
}

impl Chat {
    fn of(segments: &[&str]) -> Option<Self> {
        let kind_of = |word: &&str| {
            if is(word, "direct") || is(word, "dm") {
                Some(KeyKind::Direct)
            } else if is(word, "group") {
                Some(KeyKind::Group)
            } else if is(word, "channel") || is(word, "room") {
                Some(KeyKind::Channel)
            } else if is(word, "slash") {
                Some(KeyKind::Slash)
            } else {
                None
            }
        };
        let first = segments.first()?;
        let taken = ["main", "subagent", "cron", "openai-user"];
        if taken.iter().any(|word| is(first, word)) || marked_kind(first).is_some() || first.is_empty() {
            return None;
        }
        let has_peer = |at: usize| segments.get(at + 1).is_some_and(|peer| !peer.is_empty());
        (0..=2).find_map(|at| {
            let kind = segments.get(at).and_then(kind_of)?;
            // Without a channel only a direct chat is a key of its own.
            (has_peer(at) && (at > 0 || kind == KeyKind::Direct)).then_some(Self { kind, at })
        })
    }

    fn fill(&self, segments: &[&str], parts: &mut Parts) {
        parts.base = Some(self.kind);
        let (front, tail) = segments.split_at_checked(self.at + 1).unwrap_or((segments, &[]));
        let (channel, account) = match front {
            [channel, account, _] => (Some(channel), Some(account)),
            [channel, _] => (Some(channel), None),
            _ => (None, None),
        };
        parts.channel = channel.map(|text| text.to_lowercase());
        parts.account = account.map(|text| text.to_lowercase());
        let tail = heartbeat_at_end(tail, parts);
        let thread_at = tail
            .windows(2)
            .skip(1)
            .position(|pair| matches!(pair, [word, id] if (is(word, "thread") || is(word, "topic")) && !id.is_empty()))
            .map(|at| at + 1);
        let (peer, thread) = match thread_at.and_then(|at| tail.split_at_checked(at)) {
            Some((peer, [_, thread @ ..])) => (peer, Some(thread)),
            _ => (tail, None),
        };
        let keeps_case = match parts.channel.as_deref() {
            Some("signal") => self.kind == KeyKind::Group,
            Some("matrix") => matches!(self.kind, KeyKind::Channel | KeyKind::Group),
            _ => false,
        };
        let text = |segments: &[&str]| {
            if keeps_case { segments.join(":") } else { lower(segments) }
        };
        parts.peer = Some(text(peer));
        parts.thread = thread.map(text);
        if keeps_case {
            let mut rest = format!("{}:{}", lower(front), text(peer));
            if let (Some(thread), Some(at)) = (&parts.thread, thread_at) {
                let word =
                    tail.get(at).map_or("thread", |word| if is(word, "topic") { "topic" } else { "thread" });
                rest.push_str(&format!(":{word}:{thread}"));
            }
            if parts.heartbeat {
                rest.push_str(":heartbeat");
            }
            parts.rest = rest;
        }
    }
}
