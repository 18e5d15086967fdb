//! Paths as a shell or a tool would read them, compared by components.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

/// A path without `.`, `..`, doubled slashes and home forms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path {
    root: Root,
    parts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    Absolute,
    Home,
    Relative,
}

impl Path {
    /// Reads one path. `home` is the home directory when known.
    pub(super) fn read(text: &str, home: Option<&str>) -> Self {
        let text: Cow<'_, str> =
            if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfc().collect::<String>()) };
        let text = text.strip_prefix("file://").map_or(text.clone(), |rest| Cow::Owned(percent_decode(rest)));
        let text = text.replace('\\', "/");
        let after_home = ["~", "$HOME", "${HOME}"].iter().find_map(|form| {
            let rest = text.strip_prefix(form)?;
            (rest.is_empty() || rest.starts_with('/')).then_some(rest)
        });
        let (root, rest) = match after_home {
            Some(rest) => (Root::Home, rest),
            None if text.starts_with('/') => (Root::Absolute, text.as_str()),
            None if has_drive(&text) => (Root::Absolute, text.as_str()),
            None => (Root::Relative, text.as_str()),
        };
        let mut path = Self { root, parts: Vec::new() };
        if root == Root::Home
            && let Some(home) = home
        {
            path = Self::read_plain(home);
        }
        // `..` above the start of a home path of unknown place stays, and then matches nothing below home.
        path.push(rest);
        if has_drive(&text) {
            // Windows does not tell letter cases apart.
            for part in &mut path.parts {
                part.make_ascii_lowercase();
            }
        }
        path
    }

    fn read_plain(text: &str) -> Self {
        let mut path = Self { root: Root::Absolute, parts: Vec::new() };
        path.push(text);
        path
    }

    fn push(&mut self, text: &str) {
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    let can_pop = self.parts.last().is_some_and(|last| last != "..");
                    if can_pop {
                        self.parts.pop();
                    } else if self.root != Root::Absolute {
                        self.parts.push(String::from(".."));
                    }
                }
                part => self.parts.push(part.to_owned()),
            }
        }
    }

    /// This relative path seen from a folder.
    pub(super) fn seen_from(&self, folder: &Self) -> Option<Self> {
        if self.root != Root::Relative {
            return None;
        }
        let mut path = folder.clone();
        path.push(&self.parts.join("/"));
        Some(path)
    }

    pub(super) fn is_root(&self) -> bool {
        self.root == Root::Absolute && self.parts.is_empty()
    }

    pub(super) fn is_relative(&self) -> bool {
        self.root == Root::Relative
    }

    /// Whether this path, as named in a call, is `private` or lies below it. Wildcards and unknown variables in a
    /// component stand for any text they could.
    pub(super) fn lies_in(&self, private: &Self) -> bool {
        match (self.root, private.root) {
            (Root::Absolute, Root::Absolute) | (Root::Home, Root::Home) => {
                self.begins_with(0, &private.parts)
            }
            // The home directory is not known: any home may be it.
            (Root::Absolute, Root::Home) => {
                let parts: Vec<&str> = self.parts.iter().map(String::as_str).collect();
                match parts.as_slice() {
                    ["home" | "Users", _, ..] => self.begins_with(2, &private.parts),
                    ["root", ..] => self.begins_with(1, &private.parts),
                    _ => false,
                }
            }
            (Root::Home, Root::Absolute) => {
                match private.parts.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
                    ["home" | "Users", _, rest @ ..] | ["root", rest @ ..] => {
                        let rest: Vec<String> = rest.iter().map(|part| (*part).to_owned()).collect();
                        self.begins_with(0, &rest)
                    }
                    _ => false,
                }
            }
            // A relative private path: below which folder is not known, so anywhere.
            (_, Root::Relative) => {
                let last = self.parts.len().saturating_sub(private.parts.len());
                !private.parts.is_empty() && (0..=last).any(|start| self.begins_with(start, &private.parts))
            }
            (Root::Relative, _) => false,
        }
    }

    fn begins_with(&self, start: usize, private: &[String]) -> bool {
        let own = self.parts.get(start..).unwrap_or_default();
        own.len() >= private.len()
            && own.iter().zip(private).all(|(own, private)| component_matches(own, private))
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let drive = self.parts.first().is_some_and(|part| has_drive(&format!("{part}/")));
        match self.root {
            Root::Absolute if drive => {}
            Root::Absolute => f.write_str("/")?,
            Root::Home if self.parts.is_empty() => f.write_str("~")?,
            Root::Home => f.write_str("~/")?,
            Root::Relative => {}
        }
        f.write_str(&self.parts.join("/"))
    }
}

fn has_drive(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic())
        && chars.next() == Some(':')
        && matches!(chars.next(), Some('/'))
}

/// `*` and an unknown `$VARIABLE` stand for any text, `?` for one character, `[…]` and `{…}` for any.
fn component_matches(named: &str, private: &str) -> bool {
    if named == private {
        return true;
    }
    if !named.contains(['*', '?', '[', '{', '$', '`']) {
        return false;
    }
    let mut pattern: Vec<Option<char>> = Vec::new();
    let mut chars = named.chars();
    while let Some(c) = chars.next() {
        match c {
            '*' => pattern.push(None),
            '?' => pattern.push(Some('?')),
            '[' | '{' => {
                let close = if c == '[' { ']' } else { '}' };
                chars.by_ref().find(|c| *c == close);
                pattern.push(None);
            }
            '$' | '`' => {
                // How long the name of the variable or the command is cannot be known here.
                pattern.push(None);
                break;
            }
            c => pattern.push(Some(c)),
        }
    }
    glob(&pattern, &private.chars().collect::<Vec<_>>())
}

/// Linear-space matching with one backtrack point.
fn glob(pattern: &[Option<char>], text: &[char]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(None) => {
                star = Some((p, t));
                p += 1;
            }
            Some(Some(c)) if *c == '?' || text.get(t) == Some(c) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    p = at + 1;
                    t = from + 1;
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(Option::is_none)
}

fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|pair| std::str::from_utf8(pair).ok());
        match hex.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(decoded) if *byte == b'%' => {
                out.push(decoded);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The words of a shell command with quotes and escapes taken away, and the folders that `cd` goes to.
pub(super) fn shell_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote: Option<char> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.push(c),
            (_, '\\') => word.extend(chars.next().filter(|c| *c != '\n')),
            (None, '\'' | '"') => quote = Some(c),
            (None, c) if c.is_whitespace() || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')') => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, c) => word.push(c),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
