//! Who began a turn, and the words that a person typed.

use clawgauge_transcript::{Block, SessionKey, Turn, TypedLimits, UserOrigin};

use super::prose::prose;
use super::text::Words;

/// Who began a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A person.
    Person,
    /// The agent went on by itself, a program told it how something it had started ended, or the same message was handed to
    /// it again: still the same request.
    Continuation,
    /// A schedule, a heartbeat, the start of a session, a command to the gateway: no request of a person to the agent.
    Machine,
}

/// What a person wrote.
#[derive(Debug, Clone)]
pub(crate) struct PersonWords<'t> {
    pub(crate) words: Words<'t>,
    /// The text with all that the person did not type in this message taken out, byte for byte as long.
    pub(crate) typed: String,
    /// It is one message: not several that had waited and were handed over together.
    pub(crate) is_one: bool,
}

/// Who began a turn, with what is known of it.
#[derive(Debug)]
pub(super) struct Spoken<'t> {
    pub(super) origin: Origin,
    /// What the user row says of itself, where there is one.
    pub(super) user: Option<UserOrigin>,
    pub(super) person: Option<PersonWords<'t>>,
}

/// Classifies a turn; the words only when a person began it.
pub(super) fn read_turn<'t>(turn: &Turn<'t>, key: Option<&SessionKey>) -> Spoken<'t> {
    let nobody = Spoken { origin: Origin::Continuation, user: None, person: None };
    let Some((entry, message)) = turn.user.zip(turn.user_message()) else {
        return nobody;
    };
    let blocks = message.blocks().filter_map(|block| match block {
        Block::Text(text) => Some(text),
        _ => None,
    });
    let words = Words::new(entry, blocks);
    let Some(said) = turn.speaker(words.text(), key.map(SessionKey::as_written)) else {
        return nobody;
    };
    let origin = match said.origin() {
        _ if said.is_retry() => Origin::Continuation,
        UserOrigin::Person | UserOrigin::Queued => Origin::Person,
        UserOrigin::SystemEvent | UserOrigin::InterSession => Origin::Continuation,
        _ => Origin::Machine,
    };
    let user = Some(said.origin());
    if origin != Origin::Person {
        return Spoken { origin, user, person: None };
    }
    // What somebody else wrote and the person forwarded is not the person's own.
    let own = if said.envelope().forwarded_from.is_some() { &[] } else { said.parts() };
    let typed = prose(words.text(), own, &TypedLimits::default());
    let is_one = said.origin() == UserOrigin::Person;
    drop(said);
    Spoken { origin, user, person: Some(PersonWords { words, typed, is_one }) }
}
