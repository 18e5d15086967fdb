//! Secrets that the shape of JSON gives away, and where else they are quoted.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use clawgauge_cases::Json;
use clawgauge_transcript::{Redaction, Redactor};

/// Secrets that are looked for elsewhere.
const MOST: usize = 64;

/// Values that any name of a secret or of a telephone makes one, and that say nothing by themselves.
const PROBES: [&str; 2] = ["Zq7xP2m9Lw4Tk8Rv", "4155550123"];

/// Keys below the name of a secret that hold it: `{"password": {"value": "..."}}`.
const HOLDERS: [&str; 6] = ["value", "val", "plain", "plaintext", "content", "data"];

/// Keys that name what stands beside them: `{"name": "DB_PASSWORD", "value": "..."}`.
const NAMING: [&str; 5] = ["name", "key", "header", "variable", "env"];

/// What the names in some JSON say: which are names of secrets, and which secrets stand under them.
pub(crate) struct Known<'r> {
    redactor: &'r Redactor,
    /// The longest first: one that is a piece of another must not be taken out of it.
    secrets: BTreeSet<(Reverse<usize>, String)>,
    names: BTreeMap<String, bool>,
}

impl<'r> Known<'r> {
    pub(crate) const fn new(redactor: &'r Redactor) -> Self {
        Self { redactor, secrets: BTreeSet::new(), names: BTreeMap::new() }
    }

    /// Remembers the secrets that stand under their names.
    pub(crate) fn learn(&mut self, json: &Json) {
        let mut scratch = self.redactor.begin();
        self.walk(&mut json.clone(), None, &mut scratch);
    }

    /// Redacts what names give away, and the known secrets wherever they are quoted. Whether anything changed.
    pub(crate) fn redact(&mut self, json: &mut Json, redaction: &mut Redaction<'_>) -> bool {
        let named = self.walk(json, None, redaction);
        self.sweep(json, redaction) || named
    }

    /// A text without the known secrets.
    pub(crate) fn text<'t>(&self, text: Cow<'t, str>, redaction: &mut Redaction<'_>) -> Cow<'t, str> {
        let mut text = text;
        for (_, secret) in &self.secrets {
            if let Some(changed) = without(&text, secret, redaction) {
                text = Cow::Owned(changed);
            }
        }
        text
    }

    /// Whether a value under this name is looked at as a secret.
    fn tells(&mut self, name: &str) -> bool {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let mut scratch = self.redactor.begin();
        let tells = PROBES.iter().any(|probe| matches!(scratch.field(name, probe), Cow::Owned(_)));
        self.names.insert(name.to_owned(), tells);
        tells
    }

    fn walk(&mut self, json: &mut Json, name: Option<&str>, redaction: &mut Redaction<'_>) -> bool {
        match json {
            Json::String(text) => {
                let Some(name) = name else { return false };
                let Cow::Owned(changed) = redaction.field(name, text) else { return false };
                self.remember(text, &changed);
                *text = changed;
                true
            }
            Json::Number(number) => {
                let Some(name) = name else { return false };
                let number = number.to_string();
                let digits = number.trim_start_matches('-');
                // A short number is a count, whatever it is called.
                if digits.len() < 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return false;
                }
                let Cow::Owned(changed) = redaction.field(name, digits) else { return false };
                self.remember(digits, &changed);
                *json = Json::String(changed);
                true
            }
            Json::Array(items) => {
                let mut changed = false;
                for item in items {
                    changed |= self.walk(item, name, redaction);
                }
                changed
            }
            Json::Object(pairs) => {
                let named = pairs.iter().find_map(|(key, value)| {
                    NAMING.contains(&key.as_str()).then(|| value.as_str().map(str::to_owned)).flatten()
                });
                let named = named.filter(|named| self.tells(named));
                let mut changed = false;
                for (key, value) in pairs {
                    let holds = HOLDERS.contains(&key.as_str());
                    let below = if holds { named.as_deref().or(name) } else { None };
                    changed |= match below {
                        Some(below) => self.walk(value, Some(below), redaction),
                        None => self.under(key, value, redaction),
                    };
                }
                changed
            }
            Json::Null | Json::Bool(_) => false,
        }
    }

    /// A value under a key of its own.
    fn under(&mut self, key: &str, value: &mut Json, redaction: &mut Redaction<'_>) -> bool {
        if self.tells(key) {
            return self.walk(value, Some(key), redaction);
        }
        // `passwords` is a list of them. Numbers under such a name are counted or are the model's (`tokens`).
        let single = key.strip_suffix('s').filter(|single| self.tells(single));
        match (value, single) {
            (Json::Array(items), Some(single)) => {
                let mut changed = false;
                for item in items {
                    let below = if matches!(item, Json::Number(_)) { None } else { Some(single) };
                    changed |= self.walk(item, below, redaction);
                }
                changed
            }
            (value, _) => self.walk(value, None, redaction),
        }
    }

    /// Remembers a secret that is replaced as a whole and that no other text is likely to hold by chance.
    fn remember(&mut self, secret: &str, placeholder: &str) {
        let chars = secret.chars().count();
        let odd = !secret.chars().all(char::is_alphabetic);
        let whole = placeholder.starts_with("<SECRET") && placeholder.ends_with('>');
        if whole && self.secrets.len() < MOST && (chars >= 10 || (chars >= 6 && odd)) {
            self.secrets.insert((Reverse(secret.len()), secret.to_owned()));
        }
    }

    fn sweep(&self, json: &mut Json, redaction: &mut Redaction<'_>) -> bool {
        match json {
            Json::String(text) => match self.text(Cow::Borrowed(text), redaction) {
                Cow::Owned(changed) => {
                    *text = changed;
                    true
                }
                Cow::Borrowed(_) => false,
            },
            Json::Array(items) => {
                let mut changed = false;
                for item in items {
                    changed |= self.sweep(item, redaction);
                }
                changed
            }
            Json::Object(pairs) => {
                let mut changed = false;
                for (key, value) in pairs {
                    if let Cow::Owned(other) = self.text(Cow::Borrowed(key), redaction) {
                        *key = other;
                        changed = true;
                    }
                    changed |= self.sweep(value, redaction);
                }
                changed
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => false,
        }
    }
}

/// The text with a placeholder for each place where the secret stands by itself; `None` where it does not.
fn without(text: &str, secret: &str, redaction: &mut Redaction<'_>) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices(secret) {
        let end = at + secret.len();
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let behind = text.get(end..).and_then(|tail| tail.chars().next());
        if [before, behind].into_iter().flatten().any(char::is_alphanumeric) {
            continue;
        }
        out.push_str(text.get(copied..at).unwrap_or_default());
        out.push_str(&redaction.field("password", secret));
        copied = end;
    }
    if copied == 0 {
        return None;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Some(out)
}
