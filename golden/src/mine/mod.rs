//! From sessions to records.

mod arguments;
mod assertions;
mod left_out;
mod turn;
pub(crate) mod volatile;
mod words;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use clawgauge_cases::Json;
use clawgauge_scoring::Scorer;
use clawgauge_transcript::{Redactor, SessionKey, Timestamp, Transcript};

use crate::json;
use crate::record::{Record, SCHEMA_VERSION, normal_request};

use assertions::Asked;
pub use left_out::{LeftOut, MineReport};
use turn::{Candidate, Judged};

/// Which turns to keep. The default keeps every good turn with at least one tool call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MineOptions {
    /// Fewest tool calls of a turn that ran and came to an end. Default 1; with 0 plain answers are kept, too.
    pub min_tools: usize,
    /// Lowest overall score of the session, 0 to 1.
    pub min_score: Option<f64>,
    /// Highest risk that the session failed, 0 to 100, as [`clawgauge_scoring::Risk`] says it.
    pub max_risk: Option<f64>,
    /// Tools that the turn must all have called; other names of the same tool count.
    pub tools: Vec<String>,
    /// Only sessions of this agent.
    pub agent: Option<String>,
    /// Only turns begun at or after this time; one whose begin is not known is left out.
    pub since: Option<Timestamp>,
    /// Only turns begun before this time; one whose begin is not known is left out.
    pub until: Option<Timestamp>,
    /// Skill files of the workspace, such as `skills/mysql_sre.md`, for `skill_triggered`.
    pub skills: Vec<String>,
    /// One record for each session, with all its good turns, instead of one for each turn.
    pub whole_sessions: bool,
    /// Bounds.
    pub limits: MineLimits,
}

/// Bounds of mining.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MineLimits {
    /// Records held. Default 100,000.
    pub records: usize,
    /// Occurrences of one request that are compared. Default 40.
    pub occurrences: usize,
    /// Bytes of all results of a turn that are searched for the words of its answer. Default 256 KiB.
    pub result_bytes: usize,
    /// Output words asserted for a turn. Default 5.
    pub words: usize,
}

impl Default for MineLimits {
    fn default() -> Self {
        Self { records: 100_000, occurrences: 40, result_bytes: 256 << 10, words: 5 }
    }
}

impl Default for MineOptions {
    fn default() -> Self {
        Self {
            min_tools: 1,
            min_score: None,
            max_risk: None,
            tools: Vec::new(),
            agent: None,
            since: None,
            until: None,
            skills: Vec::new(),
            whole_sessions: false,
            limits: MineLimits::default(),
        }
    }
}

/// A session to mine, and what is known around it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Source<'t> {
    /// The session.
    pub transcript: &'t Transcript<'t>,
    /// Its key.
    pub key: Option<&'t str>,
    /// Its agent; else the one in the key.
    pub agent: Option<&'t str>,
    /// Its id; else the one of its header.
    pub session_id: Option<&'t str>,
    /// Its overall score, 0 to 1. Where it is needed and not given, the session is scored with the default profile.
    pub score: Option<f64>,
    /// Its risk of having failed, 0 to 100. Where it is needed and not given, the default profile says it.
    pub risk: Option<f64>,
}

impl<'t> Source<'t> {
    /// A session of which nothing else is known.
    #[must_use]
    pub const fn new(transcript: &'t Transcript<'t>) -> Self {
        Self { transcript, key: None, agent: None, session_id: None, score: None, risk: None }
    }

    /// The same with a session key.
    #[must_use]
    pub const fn with_key(mut self, key: Option<&'t str>) -> Self {
        self.key = key;
        self
    }

    /// The same with an agent.
    #[must_use]
    pub const fn with_agent(mut self, agent: Option<&'t str>) -> Self {
        self.agent = agent;
        self
    }

    /// The same with an id.
    #[must_use]
    pub const fn with_session_id(mut self, id: Option<&'t str>) -> Self {
        self.session_id = id;
        self
    }

    /// The same with a score, 0 to 1.
    #[must_use]
    pub const fn with_score(mut self, score: Option<f64>) -> Self {
        self.score = score;
        self
    }

    /// The same with a risk, 0 to 100.
    #[must_use]
    pub const fn with_risk(mut self, risk: Option<f64>) -> Self {
        self.risk = risk;
        self
    }

    fn agent(&self) -> Option<String> {
        self.agent.map(str::to_owned).or_else(|| SessionKey::parse(self.key?).agent_id().map(str::to_owned))
    }
}

/// Finds the turns worth keeping and makes records of them.
///
/// Feed sessions with [`add`](Self::add), then [`finish`](Self::finish). A turn is worth keeping when a person asked, a
/// model answered, and it ended well; the report counts what was left out, by reason. Turns with the same content
/// (request and shape of tool calls) become one record with a count.
///
/// Everything kept is redacted as it is taken in, before anything is shortened. Assertions are made from what is stable:
/// with several occurrences of a request, what was the same in all of them; with one, what does not look like a time, an
/// id, a temporary path or a redacted value. Each says why it was made, and each holds on the session it came from.
///
/// ```
/// use clawgauge_golden::{MineOptions, Miner, Source};
/// use clawgauge_transcript::{RedactionLevel, Redactor, Timestamp, Transcript};
///
/// let session = concat!(
///     r#"{"type":"session","version":3,"id":"sess-lantern","timestamp":"2026-05-04T09:00:00.000Z"}"#, "\n",
///     r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"how many ferns?"}}"#, "\n",
///     r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","stopReason":"toolUse","content":"#,
///     r#"[{"type":"toolCall","id":"c","name":"exec","arguments":{"command":"count ferns --tmp /tmp/x8"}}]}}"#, "\n",
///     r#"{"type":"message","id":"d","parentId":"b","message":{"role":"toolResult","toolCallId":"c","isError":false,"#,
///     r#""content":[{"type":"text","text":"ferns: 12"}]}}"#, "\n",
///     r#"{"type":"message","id":"e","parentId":"d","message":{"role":"assistant","stopReason":"stop","content":"#,
///     r#"[{"type":"text","text":"There are 12."}]}}"#, "\n",
/// );
/// let transcript = Transcript::from_str(session);
/// let redactor = Redactor::of_level(RedactionLevel::Personal);
/// let mut miner = Miner::new(MineOptions::default(), &redactor);
/// miner.add(&Source::new(&transcript));
/// let mined = miner.finish(Timestamp::from_millis(0));
///
/// assert_eq!(mined.records[0].id(), Some("sess-lan_1"));
/// let turn = mined.records[0].turns().next().unwrap();
/// let asserted: Vec<String> = turn.assertions().map(|a| a.get("type").unwrap().as_str().unwrap().to_owned()).collect();
/// assert_eq!(asserted, ["tool_called", "tool_args", "contains"]);
/// ```
#[derive(Debug)]
pub struct Miner<'r> {
    options: MineOptions,
    redactor: &'r Redactor,
    report: MineReport,
    groups: BTreeMap<String, Group>,
    /// Groups in the order in which they were first seen.
    order: Vec<String>,
    /// What is known of each request.
    asked: BTreeMap<String, Asked>,
}

/// The occurrences of one content.
#[derive(Debug, Default)]
struct Group {
    occurrences: Vec<Conversation>,
    count: u64,
}

/// The turns of one record to be.
#[derive(Debug)]
struct Conversation {
    turns: Vec<Candidate>,
}

/// What mining gave.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mined {
    /// The records, in the order of the sessions.
    pub records: Vec<Record>,
    /// What was looked at and left out.
    pub report: MineReport,
}

impl<'r> Miner<'r> {
    /// A miner. The redactor should be of level [`Personal`](clawgauge_transcript::RedactionLevel::Personal).
    #[must_use]
    pub fn new(options: MineOptions, redactor: &'r Redactor) -> Self {
        Self {
            options,
            redactor,
            report: MineReport::default(),
            groups: BTreeMap::new(),
            order: Vec::new(),
            asked: BTreeMap::new(),
        }
    }

    /// Takes in a session. What is kept of it is bounded by [`MineLimits`]; the report counts what was not. O(size of the
    /// session), and once more where [`MineOptions::min_score`] or [`MineOptions::max_risk`] needs a score that the source
    /// does not give.
    pub fn add(&mut self, source: &Source<'_>) {
        self.report.sessions += 1;
        let conversation = source.transcript.conversation();
        let from_session = self.session_reason(source);
        let id =
            source.session_id.map(str::to_owned).or_else(|| source.transcript.session_id().map(String::from));
        let facts = turn::SessionFacts {
            id: id.unwrap_or_else(|| "unknown".to_owned()),
            agent: source.agent().unwrap_or_default(),
            started: source.transcript.header().and_then(clawgauge_transcript::Entry::timestamp),
        };
        let mut session = Vec::new();
        for (at, turn) in conversation.turns.iter().enumerate() {
            self.report.turns += 1;
            let judged = match turn::asked(turn, source.key) {
                Err(reason) => Judged::LeftOut(reason),
                Ok(_) if from_session.is_some() => Judged::LeftOut(from_session.unwrap_or(LeftOut::NoScore)),
                Ok(request) => turn::judge(turn, at, &request, &facts, &self.options, self.redactor),
            };
            match judged {
                Judged::LeftOut(reason) => self.report.leave_out(reason),
                Judged::Bad { reason, request, tools } => {
                    self.report.leave_out(reason);
                    if let Some(asked) = self.asked(&request) {
                        asked.bad_tools.extend(tools);
                    }
                }
                Judged::Good(_) if self.order.len() >= self.options.limits.records => {
                    self.report.leave_out(LeftOut::Limit);
                }
                Judged::Good(candidate) => {
                    self.report.kept += 1;
                    if let Some(asked) = self.asked(&candidate.request) {
                        asked.good += 1;
                        asked.most_calls = asked.most_calls.max(candidate.calls.len());
                    }
                    session.push(*candidate);
                }
            }
        }
        if self.options.whole_sessions {
            if !session.is_empty() {
                self.put(Conversation { turns: session });
            }
        } else {
            for candidate in session {
                self.put(Conversation { turns: vec![candidate] });
            }
        }
    }

    /// What is known of a request; `None` when the limit is reached and it is a new one.
    fn asked(&mut self, request: &str) -> Option<&mut Asked> {
        let request = normal_request(request);
        let room = self.asked.len() < self.options.limits.records;
        match self.asked.entry(request) {
            Entry::Vacant(_) if !room => None,
            entry => Some(entry.or_default()),
        }
    }

    fn put(&mut self, conversation: Conversation) {
        let hash = Record::from_json(json::object([("conversation", bare_turns(&conversation.turns))]))
            .compute_hash();
        let group = self.groups.entry(hash.clone()).or_default();
        if group.count == 0 {
            self.order.push(hash);
        }
        group.count += 1;
        if group.occurrences.len() < self.options.limits.occurrences {
            group.occurrences.push(conversation);
        }
    }

    /// Why no turn of a session can be kept.
    fn session_reason(&self, source: &Source<'_>) -> Option<LeftOut> {
        let options = &self.options;
        if options.agent.is_some() && options.agent != source.agent() {
            return Some(LeftOut::OtherAgent);
        }
        let needs_score = options.min_score.is_some() && source.score.is_none();
        let needs_risk = options.max_risk.is_some() && source.risk.is_none();
        let card = (needs_score || needs_risk)
            .then(|| {
                let key = source.key.map(SessionKey::parse);
                Scorer::standard().score(source.transcript, key.as_ref()).scored()
            })
            .flatten();
        let score = source.score.or_else(|| card.as_ref()?.overall.number());
        let risk = source.risk.or_else(|| Some(card.as_ref()?.risk.as_ref()?.value));
        match (options.min_score, score) {
            (Some(_), None) => return Some(LeftOut::NoScore),
            (Some(least), Some(score)) if score < least => return Some(LeftOut::LowScore),
            _ => {}
        }
        match (options.max_risk, risk) {
            (Some(_), None) => Some(LeftOut::NoRisk),
            (Some(most), Some(risk)) if risk > most => Some(LeftOut::HighRisk),
            _ => None,
        }
    }

    /// Makes the records. `now` becomes their `extracted_at`, in UTC to the second. O(kept turns), at most
    /// [`MineLimits::occurrences`] of each content.
    #[must_use]
    pub fn finish(self, now: Timestamp) -> Mined {
        let Self { options, mut report, mut groups, order, asked, .. } = self;
        let mut records = Vec::with_capacity(order.len());
        for hash in order {
            let Some(group) = groups.remove(&hash) else { continue };
            let Some(record) = record(&group, &options, &asked, now) else { continue };
            report.without_assertions +=
                u64::from(record.turns().all(|turn| turn.assertions().next().is_none()));
            records.push(record);
        }
        report.records = records.len() as u64;
        Mined { records, report }
    }
}

/// The turns as far as the content hash reads them.
fn bare_turns(turns: &[Candidate]) -> Json {
    Json::Array(
        turns
            .iter()
            .map(|turn| {
                json::object([
                    ("user", turn.request.as_str().into()),
                    ("golden_tool_sequence", turn.sequence()),
                ])
            })
            .collect(),
    )
}

fn record(
    group: &Group,
    options: &MineOptions,
    asked: &BTreeMap<String, Asked>,
    now: Timestamp,
) -> Option<Record> {
    let first = group.occurrences.first()?;
    let head = first.turns.first()?;
    let mut conversation = Vec::new();
    for (at, turn) in first.turns.iter().enumerate() {
        let all: Vec<&Candidate> = group.occurrences.iter().filter_map(|other| other.turns.get(at)).collect();
        let asked = asked.get(&normal_request(&turn.request));
        let asserts = assertions::make(turn, &all, asked, &options.limits);
        conversation.push(json::object([
            ("turn", turn.number.into()),
            ("user", turn.request.as_str().into()),
            ("golden_tool_sequence", turn.sequence()),
            ("golden_output", turn.answer.as_str().into()),
            ("assert", Json::Array(assertions::that_hold(turn, asserts))),
            ("entry_id", turn.entry_id.clone().map_or(Json::Null, Json::String)),
        ]));
    }
    let short = json::cut(&head.session_id, 8);
    let id =
        if options.whole_sessions { format!("{short}_session") } else { format!("{short}_{}", head.number) };
    let day = head.started.and_then(Timestamp::to_chrono).map(|time| time.format("%Y-%m-%d").to_string());
    let description = match day {
        Some(day) => format!("Extracted from session {short}, {day}"),
        None => format!("Extracted from session {short}"),
    };
    let extracted = now.to_chrono().map(|time| time.format("%Y-%m-%dT%H:%M:%S").to_string());
    let redactions = first.turns.iter().fold(BTreeMap::new(), |mut all: BTreeMap<String, u64>, turn| {
        for (kind, count) in &turn.redactions.kinds {
            *all.entry(kind.clone()).or_default() += count.places;
        }
        all
    });
    let skill = first.turns.iter().find_map(|turn| turn.skill.clone());
    let metadata = json::object([
        ("session_id", head.session_id.as_str().into()),
        ("agent", head.agent.as_str().into()),
        ("extracted_at", extracted.map_or(Json::Null, Json::String)),
        ("skill_triggered", skill.map_or(Json::Null, Json::String)),
        ("golden_output_source", "transcript".into()),
        ("occurrences", group.count.into()),
        (
            "redactions",
            Json::Object(redactions.into_iter().map(|(kind, count)| (kind, count.into())).collect()),
        ),
    ]);
    let mut record = Record::from_json(json::object([
        ("id", id.into()),
        ("description", description.into()),
        ("source", "mined".into()),
        ("tags", json::texts(["mined"])),
        ("conversation", Json::Array(conversation)),
        ("metadata", metadata),
        ("schemaVersion", SCHEMA_VERSION.into()),
    ]));
    record.refresh_hash();
    Some(record)
}
