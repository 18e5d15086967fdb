//! Private locations that only some sessions may touch.

use std::fmt;

use serde_json::Value;

use super::guard_path::{Path, shell_words};

/// Parameters that hold text to be written or said, where a path is a mention and not a use.
const PROSE: [&str; 9] =
    ["content", "text", "message", "body", "newText", "oldText", "new_string", "old_string", "prompt"];
/// Parameters that name the folder a command runs in.
const FOLDERS: [&str; 3] = ["workdir", "cwd", "working_directory"];
/// Channels whose session keys end in a conversation id that a caller can choose.
const OPEN_CHANNELS: [&str; 2] = ["benchgen", "clawgauge"];
/// Nesting that is looked into; below it the call is refused while the guard is on.
const MAX_DEPTH: usize = 64;

/// Refuses tool calls that name a private path, unless the session is allowed to.
///
/// Deny by default: without an allowed fragment nobody may. Paths are compared by whole components after resolving
/// `..`, `//`, `/./`, quotes, escapes, `~`, `$HOME`, `cd` and the working folder of the call; wildcards count as what
/// they could match; `/` means everything. **It is a guard rail, not a sandbox**: it reads the parameters of a call
/// and cannot see symbolic links, variables set elsewhere or what a script does. Hostile users need a separate
/// gateway.
///
/// ```
/// use clawgauge_relay_proto::Guard;
/// use serde_json::json;
/// let guard = Guard::new(["/srv/private"], ["agent:main:main"], None);
/// let call = json!({"command": "cat /srv/x/../private/a"});
/// assert!(guard.check("agent:main:benchgen:direct:c1", Some(&call)).is_some());
/// assert!(guard.check("agent:main:main", Some(&call)).is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Guard {
    paths: Vec<(String, Path)>,
    allow: Vec<Vec<String>>,
    home: Option<String>,
}

/// A refused call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The private path as the settings name it.
    pub path: String,
    /// The session that asked; empty when unknown.
    pub session_key: String,
}

impl fmt::Display for Refusal {
    /// The log line: the operator has to see which session asked.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "private data guard: refused a tool call of session {:?} (private path {})",
            self.session_key, self.path
        )
    }
}

impl Refusal {
    /// What the model is told. It does not name the path: the user at the other end may read it.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        "This location is private and not available in this chat. Do not try another way to reach it; tell the user \
         that it is not available here."
    }
}

impl Guard {
    /// A guard for these paths and allowed fragments of session keys. `home` is the home directory of the gateway's
    /// user; without it `~` may be any home. Empty paths and fragments are dropped; no paths: the guard is off.
    pub fn new(
        paths: impl IntoIterator<Item = impl AsRef<str>>,
        allow: impl IntoIterator<Item = impl AsRef<str>>,
        home: Option<String>,
    ) -> Self {
        let paths = paths
            .into_iter()
            .filter_map(|path| {
                let name = Self::normalise(path.as_ref())?;
                Some((name, Path::read(path.as_ref().trim(), home.as_deref())))
            })
            .collect();
        let allow = allow
            .into_iter()
            .map(|fragment| fragment.as_ref().trim().split(':').map(str::to_owned).collect::<Vec<_>>())
            .filter(|parts| parts.iter().any(|part| !part.is_empty()))
            .collect();
        Self { paths, allow, home }
    }

    /// A private path as the settings show it: without `//`, `/./`, `..` and the slash at the end. `None` for a blank
    /// one.
    #[must_use]
    pub fn normalise(path: &str) -> Option<String> {
        let path = path.trim();
        (!path.is_empty()).then(|| Path::read(path, None).to_string()).filter(|path| !path.is_empty())
    }

    /// Whether there is anything to guard.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.paths.is_empty()
    }

    /// The refusal of a call with these parameters by this session, or nothing. The first private path of the
    /// settings that is hit is named. O(length of the parameters · paths).
    #[must_use]
    pub fn check(&self, session_key: &str, params: Option<&Value>) -> Option<Refusal> {
        let params = params.filter(|params| !params.is_null())?;
        if self.paths.is_empty() || self.allows(session_key) {
            return None;
        }
        let mut named = Named { paths: Vec::new(), folders: self.folders(params) };
        let complete = named.collect(params, None, self.home.as_deref(), 0);
        let hit = self.paths.iter().find(|(_, private)| {
            private.is_root() || !complete || named.paths.iter().any(|path| path.lies_in(private))
        });
        hit.map(|(name, _)| Refusal { path: name.clone(), session_key: session_key.to_owned() })
    }

    /// Whether a session may touch private paths.
    ///
    /// A fragment counts only as a run of whole components of the key, and never inside the conversation id of a chat
    /// session, which a caller can choose; the whole key always counts.
    #[must_use]
    pub fn allows(&self, session_key: &str) -> bool {
        if session_key.is_empty() {
            return false;
        }
        let parts: Vec<&str> = session_key.split(':').collect();
        let trusted = match parts.as_slice() {
            ["agent", _, channel, ..] if OPEN_CHANNELS.contains(channel) => parts.get(..4).unwrap_or(&parts),
            _ => &parts,
        };
        self.allow.iter().any(|fragment| {
            *fragment == parts
                || trusted.windows(fragment.len()).any(|run| run.iter().zip(fragment).all(|(a, b)| a == b))
        })
    }

    fn folders(&self, params: &Value) -> Vec<Path> {
        FOLDERS
            .iter()
            .filter_map(|name| params.get(name)?.as_str())
            .map(|folder| Path::read(folder.trim(), self.home.as_deref()))
            .collect()
    }
}

/// Every path that a call could mean.
#[derive(Debug)]
struct Named {
    paths: Vec<Path>,
    folders: Vec<Path>,
}

impl Named {
    /// `false` when the parameters are nested too deep to be looked through.
    fn collect(&mut self, value: &Value, name: Option<&str>, home: Option<&str>, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        match value {
            Value::String(text) => {
                self.text(text, name.is_some_and(|name| PROSE.contains(&name)), home);
                true
            }
            Value::Array(items) => items.iter().all(|item| self.collect(item, name, home, depth + 1)),
            Value::Object(fields) => fields.iter().all(|(key, value)| {
                self.text(key, false, home);
                self.collect(value, Some(key), home, depth + 1)
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => true,
        }
    }

    fn text(&mut self, text: &str, prose: bool, home: Option<&str>) {
        self.add(text.trim(), home);
        if prose {
            return;
        }
        let words = shell_words(text);
        for pair in words.windows(2) {
            if let [cd, folder] = pair
                && matches!(cd.as_str(), "cd" | "pushd" | "chdir" | "-C" | "--directory")
            {
                self.add_folder(&Path::read(folder, home));
            }
        }
        for word in &words {
            self.add(word, home);
            // `--file=/p`, `/p:/mnt`, `@/p`, `if=/p`, and options with the path glued on: `-I/p`.
            for piece in word.split([':', ',', '=']) {
                self.add(piece, home);
            }
            for (at, c) in word.char_indices() {
                if matches!(c, '=' | ':' | ',' | '@' | '`' | '(' | '{') {
                    self.add(word.get(at + 1..).unwrap_or_default(), home);
                }
            }
            if word.starts_with('-')
                && let Some(at) = word.find(['/', '~'])
            {
                self.add(word.get(at..).unwrap_or_default(), home);
            }
        }
    }

    fn add_folder(&mut self, folder: &Path) {
        let seen: Vec<Path> = self.folders.iter().filter_map(|from| folder.seen_from(from)).collect();
        self.folders.push(folder.clone());
        self.folders.extend(seen);
        // A handful is what a command has; more only multiplies the work.
        self.folders.truncate(32);
    }

    fn add(&mut self, text: &str, home: Option<&str>) {
        if text.is_empty() {
            return;
        }
        let path = Path::read(text.trim_end_matches(['`', ')', '}', ',', ';']), home);
        if path.is_relative() {
            let seen: Vec<Path> = self.folders.iter().filter_map(|folder| path.seen_from(folder)).collect();
            self.paths.extend(seen);
        }
        self.paths.push(path);
    }
}
