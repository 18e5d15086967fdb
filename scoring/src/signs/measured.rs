//! The signs that were measured to tell failure from success.

use std::fmt;
use std::str::FromStr;

use clawgauge_transcript::Effect;
use hashbrown::{HashMap, HashSet};

use super::flags::{self, Flag};
use super::last_text::{LastText, last_substantive};
use super::phrases::said;
use super::prose::{self, Held};
use super::session::{Answer, Session, answer};
use super::text::{Sentence, Words, sentences};
use crate::effort::Work;
use crate::error::Error;
use crate::evidence::Evidence;
use crate::profile::named;
use crate::rules::{Lexicon, Matchers};

/// What a person wanted of a session: in the one a refusal is often right, in the other it never is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionKind {
    /// Something done: the person wrote fewer messages than [`dialogue_messages`](crate::rules::Limits::dialogue_messages).
    Task,
    /// A conversation.
    Dialogue,
}

impl SessionKind {
    /// The name used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Task => "task",
            Self::Dialogue => "dialogue",
        }
    }
}

impl fmt::Display for SessionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The name of a sign.
///
/// The risk ratios say how often measured runs with the sign failed, against those without: on public runs of chat with tools,
/// multi-turn interfaces, code and terminal, and search ([`Risk`](crate::Risk) has the figures of all signs together).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SignName {
    /// Results that are errors and have no later result of the same tool that is none, as a share of all results; 1 from a
    /// quarter on. Of a call that was not stored its result counts. Risk ratio 1.33.
    UnresolvedErrors,
    /// In a task: no changing call worked. It does not apply where none is seen to have worked but a call that was not stored may
    /// have. Risk ratio 1.26.
    NoSuccessfulChange,
    /// No tool was called: no call is stored, nor the result of one. Risk ratio 1.25.
    NoCalls,
    /// The share of the agent's messages that say it tries again; 1 from half on. Measured as a part of the whole only.
    Retries,
    /// In a task: the share of sentences in the last substantive text that say something could not be done; 1 from 0.3 on. In a
    /// dialogue a refusal is often right. Risk ratio 1.22.
    Inability,
    /// In a task: the last substantive text hedges. Risk ratio 1.16.
    Hedge,
    /// In a task: the last substantive text apologises. Risk ratio 1.35.
    Apology,
    /// Calls that were made before, as a share of all calls; 1 from 0.3 on. In a task only when nothing was changed since: a test
    /// that is run again after an edit repeats nothing. Looking after a command in the background never does. Risk ratio in chats
    /// 1.55; in code, with repeats after an edit among them, 1.01.
    RepeatedCalls,
    /// How much the agent wrote, as a percentile of the user's own sessions. Needs a [`Baseline`](crate::Baseline). Measured as a
    /// part of the whole only.
    LongText,
    /// How many calls it made, likewise; calls that were not stored are counted by their results.
    ManyCalls,
}

impl SignName {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::UnresolvedErrors,
        Self::NoSuccessfulChange,
        Self::NoCalls,
        Self::Retries,
        Self::Inability,
        Self::Hedge,
        Self::Apology,
        Self::RepeatedCalls,
        Self::LongText,
        Self::ManyCalls,
    ];

    /// What it says, in a few words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::UnresolvedErrors => "errors that nothing put right",
            Self::NoSuccessfulChange => "no change that worked",
            Self::NoCalls => "no tool was called",
            Self::Retries => "the agent says that it tries again",
            Self::Inability => "the last text says that something could not be done",
            Self::Hedge => "the last text hedges",
            Self::Apology => "the last text apologises",
            Self::RepeatedCalls => "calls made again",
            Self::LongText => "more text than usual",
            Self::ManyCalls => "more calls than usual",
        }
    }

    /// How often the measured runs with the sign failed, against those without. `None`: it was measured as a part of the
    /// whole only.
    #[must_use]
    pub const fn risk_ratio(self, kind: SessionKind) -> Option<f64> {
        match (self, kind) {
            (Self::UnresolvedErrors, _) => Some(1.33),
            (Self::NoSuccessfulChange, _) => Some(1.26),
            (Self::NoCalls, _) => Some(1.25),
            (Self::Inability, _) => Some(1.22),
            (Self::Hedge, _) => Some(1.16),
            (Self::Apology, _) => Some(1.35),
            // Measured in chats. In code it was 1.01, with tests that are run again after an edit among the repeats, which are not
            // counted here.
            (Self::RepeatedCalls, SessionKind::Dialogue) => Some(1.55),
            (Self::RepeatedCalls, SessionKind::Task)
            | (Self::Retries | Self::LongText | Self::ManyCalls, _) => None,
        }
    }

    /// The name used in files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnresolvedErrors => "unresolved-errors",
            Self::NoSuccessfulChange => "no-successful-change",
            Self::NoCalls => "no-calls",
            Self::Retries => "retries",
            Self::Inability => "inability",
            Self::Hedge => "hedge",
            Self::Apology => "apology",
            Self::RepeatedCalls => "repeated-calls",
            Self::LongText => "long-text",
            Self::ManyCalls => "many-calls",
        }
    }
}

impl fmt::Display for SignName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SignName {
    type Err = Error;

    /// Reads a name as [`SignName::as_str`] writes it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownName`](crate::ErrorKind::UnknownName) for any other text; the message lists the names.
    fn from_str(text: &str) -> Result<Self, Error> {
        named("sign", &Self::ALL, |one| one.as_str(), text)
    }
}

/// One sign in one session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Sign {
    /// Which one.
    pub name: SignName,
    /// How strong, from 0 (not there) to 1. `None`: it does not apply to this session.
    pub strength: Option<f64>,
    /// What was found, in the order of the session, at most [`max_evidence`](crate::rules::Limits::max_evidence).
    pub evidence: Vec<Evidence>,
}

impl Sign {
    /// A sign of this strength, brought into 0 to 1; not a number becomes "does not apply".
    #[must_use]
    pub fn new(name: SignName, strength: Option<f64>, evidence: Vec<Evidence>) -> Self {
        let strength =
            strength.filter(|strength| !strength.is_nan()).map(|strength| strength.clamp(0.0, 1.0));
        Self { name, strength, evidence }
    }
}

/// All signs of one session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Signs {
    /// Whether it is a task or a dialogue.
    pub kind: SessionKind,
    /// The signs, in the order of [`SignName`].
    pub all: Vec<Sign>,
    /// What to show and not to score, in the order of [`FlagName`](crate::FlagName).
    pub flags: Vec<Flag>,
    /// How much the agent wrote and did.
    pub work: Work,
}

impl Signs {
    /// Signs that were read otherwise than by a [`Scorer`](crate::Scorer). They are put in order; of several with one name the first
    /// stays.
    #[must_use]
    pub fn new(kind: SessionKind, mut all: Vec<Sign>, mut flags: Vec<Flag>, work: Work) -> Self {
        all.sort_by_key(|sign| sign.name);
        all.dedup_by_key(|sign| sign.name);
        flags.sort_by_key(|flag| flag.name);
        flags.dedup_by_key(|flag| flag.name);
        Self { kind, all, flags, work }
    }

    /// How strong a sign is; `None` when it does not apply.
    #[must_use]
    pub fn strength(&self, name: SignName) -> Option<f64> {
        self.all.iter().find(|sign| sign.name == name)?.strength
    }
}

/// Reads all signs. `O(n)`.
pub(crate) fn read(session: &Session<'_>, matchers: &Matchers) -> Signs {
    let kind = session.kind(matchers);
    let answers = session.answers();
    let reader = Reader { session, matchers, answers: &answers, task: kind == SessionKind::Task };
    let last = last_substantive(matchers, session.conversation.steps().rev().map(answer)).map(LastText::new);
    // In a dialogue none of the words in it is a sign.
    let told = last.as_ref().filter(|_| reader.task).map(|last| (last, last.sentences()));
    let told = told.as_ref();
    let Messages { retries, chars, call_as_text } = reader.messages();
    let mut all = vec![
        reader.unresolved_errors(),
        reader.no_successful_change(),
        reader.no_calls(),
        retries,
        reader.inability(told),
        reader.in_last(SignName::Hedge, &matchers.hedges, told, "the last text hedges"),
        reader.in_last(SignName::Apology, &matchers.apologies, told, "the last text apologises"),
        reader.repeated_calls(),
    ];
    for sign in &mut all {
        sign.evidence.truncate(matchers.limits.max_evidence);
    }
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let work = Work { chars: count(chars), calls: count(answers.len()) };
    let flags = flags::read(session, matchers, kind, last.as_ref(), answers.last(), call_as_text);
    Signs { kind, all, flags, work }
}

/// What the messages of the agent hold.
struct Messages {
    retries: Sign,
    /// Characters without code, quotes and addresses.
    chars: usize,
    call_as_text: Option<Evidence>,
}

/// The last text of a task and its sentences.
type Told<'s, 't> = (&'s LastText<'t>, Vec<Sentence<'s>>);

struct Reader<'s, 't> {
    session: &'s Session<'t>,
    matchers: &'s Matchers,
    answers: &'s [Answer<'s, 't>],
    task: bool,
}

impl Reader<'_, '_> {
    fn unresolved_errors(&self) -> Sign {
        let mut evidence = Vec::new();
        let mut results = 0;
        let mut unresolved = 0;
        let mut later_ok: HashSet<&str> = HashSet::new();
        for answer in self.answers.iter().rev() {
            let (error, ok) = (answer.reading.is_error(), answer.reading.is_ok());
            results += usize::from(error || ok);
            if ok {
                later_ok.insert(answer.tool);
            } else if error && !later_ok.contains(answer.tool) {
                unresolved += 1;
                if evidence.len() < self.matchers.limits.max_evidence {
                    let reason = "failed, and the tool did not work afterwards";
                    evidence.push(self.session.answer_evidence("sign.unresolved-errors", answer, reason));
                }
            }
        }
        evidence.reverse();
        let strength = (results > 0).then(|| share(unresolved, results, 0.25));
        Sign { name: SignName::UnresolvedErrors, strength, evidence }
    }

    fn no_successful_change(&self) -> Sign {
        let fine = || self.answers.iter().filter(|answer| answer.reading.is_ok());
        let worked = fine().any(|answer| answer.effect == Some(Effect::Change));
        // A call that was not stored may have been the change.
        let may_have = !worked && fine().any(|answer| answer.effect.is_none());
        let strength = (self.task && !may_have).then_some(if worked { 0.0 } else { 1.0 });
        Sign { name: SignName::NoSuccessfulChange, strength, evidence: Vec::new() }
    }

    fn no_calls(&self) -> Sign {
        let none = self.answers.is_empty();
        Sign { name: SignName::NoCalls, strength: Some(if none { 1.0 } else { 0.0 }), evidence: Vec::new() }
    }

    /// What is read in every message of the agent.
    fn messages(&self) -> Messages {
        let mut evidence = Vec::new();
        let (mut messages, mut retries, mut chars) = (0, 0, 0);
        let mut call_as_text = None;
        for step in self.session.conversation.steps() {
            messages += 1;
            let words = Words::of_step(step);
            let text = words.text();
            if text.is_empty() {
                continue;
            }
            let held = Held::of(text);
            chars += prose::chars(text, held);
            if call_as_text.is_none() && held.may_be_call() {
                call_as_text = flags::call_as_text(self.session, &words);
            }
            // Of most messages one look tells that none of their sentences can say so.
            if !self.matchers.retries.may_hit(text) {
                continue;
            }
            let prose = prose::of_agent(text);
            let found = sentences(&prose)
                .into_iter()
                .find_map(|sentence| Some((said(&self.matchers.retries, &sentence)?.0, sentence.range())));
            if let Some((id, range)) = found {
                retries += 1;
                if evidence.len() < self.matchers.limits.max_evidence {
                    let rule = format!("sign.retries.{id}");
                    let reason = "the agent says that it tries again";
                    evidence.push(self.session.words_evidence(&rule, &words, range, reason));
                }
            }
        }
        let strength = (messages > 0).then(|| share(retries, messages, 0.5));
        Messages { retries: Sign { name: SignName::Retries, strength, evidence }, chars, call_as_text }
    }

    fn inability(&self, told: Option<&Told<'_, '_>>) -> Sign {
        let mut evidence = Vec::new();
        let strength = told.map(|(last, sentences)| {
            for sentence in sentences {
                let hit = self
                    .matchers
                    .inability
                    .hits(sentence.text)
                    .find(|hit| !self.matchers.not_failure.overlaps(sentence.text, &hit.range));
                if let Some(hit) = hit {
                    let rule = format!("sign.inability.{}", hit.id);
                    let reason = "says that something could not be done";
                    evidence.push(self.session.words_evidence(&rule, &last.words, sentence.range(), reason));
                }
            }
            share(evidence.len(), sentences.len().max(1), 0.3)
        });
        Sign { name: SignName::Inability, strength, evidence }
    }

    fn in_last(&self, name: SignName, lexicon: &Lexicon, told: Option<&Told<'_, '_>>, reason: &str) -> Sign {
        let mut evidence = Vec::new();
        let strength = told.map(|(last, sentences)| {
            for sentence in sentences {
                if let Some((id, _)) = said(lexicon, sentence) {
                    let rule = format!("sign.{}.{id}", name.as_str());
                    evidence.push(self.session.words_evidence(&rule, &last.words, sentence.range(), reason));
                }
            }
            if evidence.is_empty() { 0.0 } else { 1.0 }
        });
        Sign { name, strength, evidence }
    }

    fn repeated_calls(&self) -> Sign {
        let mut evidence = Vec::new();
        // Of each call: how often it was made, and after how many changes the last time.
        let mut seen: HashMap<usize, (usize, usize)> = HashMap::new();
        let (mut calls, mut repeated, mut changes) = (0, 0, 0);
        for (call, facts) in self.session.calls() {
            calls += 1;
            let (times, changes_then) = seen.entry(facts.key).or_insert((0, changes));
            *times += 1;
            let nothing_new = !self.task || *changes_then == changes;
            changes += usize::from(facts.effect == Effect::Change && facts.reading.is_ok());
            *changes_then = changes;
            if *times > 1 && nothing_new && !facts.polls {
                repeated += 1;
                if evidence.len() < self.matchers.limits.max_evidence {
                    let reason = format!("the same call, made {times} times by now");
                    evidence.push(self.session.call_evidence("sign.repeated-calls", call, &reason));
                }
            }
        }
        let strength = (calls > 0).then(|| share(repeated, calls, 0.3));
        Sign { name: SignName::RepeatedCalls, strength, evidence }
    }
}

/// `part / all` as a share of `full`, at most 1.
#[expect(clippy::cast_precision_loss, reason = "counts of calls, messages and sentences in memory")]
fn share(part: usize, all: usize, full: f64) -> f64 {
    (part as f64 / all as f64 / full).min(1.0)
}
