//! Many texts that are searched together, and what was found, remembered.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// What stands behind each text where they are searched together.
const END: char = '\0';

/// Texts in one piece, so that one search goes through all of them.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    /// All texts, each with [`END`] behind it.
    joined: String,
    /// Where each begins in `joined`.
    starts: Vec<usize>,
}

impl Texts {
    pub(crate) fn push(&mut self, text: &str) {
        self.starts.push(self.joined.len());
        self.joined.push_str(text);
        self.joined.push(END);
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    fn get(&self, at: usize) -> Option<&str> {
        let start = *self.starts.get(at)?;
        let next = self.starts.get(at + 1).copied().unwrap_or(self.joined.len());
        self.joined.get(start..next)?.strip_suffix(END)
    }

    /// The indices of the texts that contain `needle`, in order. O(all texts).
    pub(crate) fn with(&self, needle: &str) -> Vec<usize> {
        if needle.contains(END) {
            return (0..self.len()).filter(|&at| self.get(at).is_some_and(|t| t.contains(needle))).collect();
        }
        let finder = memchr::memmem::Finder::new(needle);
        let mut found = Vec::new();
        let mut next = 0;
        while let Some(&start) = self.starts.get(next) {
            let Some(place) = self.joined.as_bytes().get(start..).and_then(|rest| finder.find(rest)) else {
                break;
            };
            let at = self.starts.partition_point(|begin| *begin <= start + place).saturating_sub(1);
            found.push(at);
            next = at + 1;
        }
        found
    }
}

/// Values by text, each made once: many cases ask for the same patterns.
#[derive(Debug)]
pub(crate) struct Memo<T> {
    known: RefCell<HashMap<String, Arc<T>>>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { known: RefCell::default() }
    }
}

impl<T> Memo<T> {
    /// The value of `key`, made by `make` when it is asked for the first time.
    pub(crate) fn get(&self, key: &str, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(known) = self.known.borrow().get(key) {
            return Arc::clone(known);
        }
        let made = Arc::new(make());
        self.known.borrow_mut().insert(key.to_owned(), Arc::clone(&made));
        made
    }
}
