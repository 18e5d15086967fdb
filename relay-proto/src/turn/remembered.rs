//! Which messages were seen, so that a second delivery does not run a second turn.

use std::collections::{BTreeMap, VecDeque};

use sha2::{Digest as _, Sha256};

use crate::frame::TurnDone;
use crate::id::Id;

type Key = (Id, Id);

/// Bounded memory of named messages. The oldest finished ones are forgotten first.
#[derive(Debug, Clone)]
pub(super) struct Remembered {
    max: usize,
    seen: BTreeMap<Key, Seen>,
    finished: VecDeque<Key>,
}

#[derive(Debug, Clone)]
struct Seen {
    digest: [u8; 32],
    done: Option<Box<TurnDone>>,
}

/// What is known of a delivered message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Delivery {
    /// Never seen.
    First,
    /// Seen, its turn has not ended; the text may be the same or another one.
    Active { same: bool },
    /// Seen, its turn ended so.
    Finished(Box<TurnDone>),
    /// Another message that ended had this id.
    Reused,
}

impl Remembered {
    pub(super) fn new(max: usize) -> Self {
        Self { max, seen: BTreeMap::new(), finished: VecDeque::new() }
    }

    pub(super) fn deliver(&mut self, conversation: &Id, message: &Id, text: &str) -> Delivery {
        let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        let key = (conversation.clone(), message.clone());
        match self.seen.get(&key) {
            Some(Seen { done: None, digest: known }) => Delivery::Active { same: *known == digest },
            Some(seen) if seen.digest != digest => Delivery::Reused,
            Some(Seen { done: Some(done), .. }) => Delivery::Finished(done.clone()),
            None => {
                self.seen.insert(key, Seen { digest, done: None });
                Delivery::First
            }
        }
    }

    /// A message that was not taken after all.
    pub(super) fn forget(&mut self, conversation: &Id, message: &Id) {
        self.seen.remove(&(conversation.clone(), message.clone()));
    }

    pub(super) fn finish(&mut self, done: &TurnDone) {
        let (Some(conversation), Some(message)) = (&done.turn.conversation_id, &done.turn.message_id) else {
            return;
        };
        let key = (conversation.clone(), message.clone());
        if let Some(seen) = self.seen.get_mut(&key)
            && seen.done.is_none()
        {
            seen.done = Some(Box::new(done.clone()));
            self.finished.push_back(key);
        }
        while self.finished.len() > self.max {
            if let Some(oldest) = self.finished.pop_front() {
                self.seen.remove(&oldest);
            }
        }
    }
}
