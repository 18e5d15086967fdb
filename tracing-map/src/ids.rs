//! Trace and span ids: hashes of what they name, so that exporting again changes nothing in a backend.

use sha2::{Digest, Sha256};
use std::fmt;

/// A trace id: 16 bytes, never all zero. Prints as 32 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId([u8; 16]);

/// A span id: 8 bytes, never all zero. Prints as 16 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId([u8; 8]);

macro_rules! id {
    ($name:ident, $len:literal) => {
        impl $name {
            /// The bytes, as OTLP carries them.
            #[must_use]
            pub fn bytes(&self) -> &[u8; $len] {
                &self.0
            }

            /// Reads an id from hex digits of either case, dashes allowed; `None` for another length, other characters,
            /// or all zeros (which W3C calls invalid).
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let mut bytes = [0_u8; $len];
                if text.len() == $len * 2 {
                    // The form that gateways write.
                    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
                        let [high, low] = pair else { return None };
                        *byte = digit(*high)? << 4 | digit(*low)?;
                    }
                    return (bytes != [0; $len]).then_some(Self(bytes));
                }
                let mut digits = text.bytes().filter(|byte| *byte != b'-');
                for byte in &mut bytes {
                    *byte = digit(digits.next()?)? << 4 | digit(digits.next()?)?;
                }
                (digits.next().is_none() && bytes != [0; $len]).then_some(Self(bytes))
            }

            fn from_digest(digest: &[u8]) -> Self {
                let mut bytes = [0_u8; $len];
                for (byte, from) in bytes.iter_mut().zip(digest) {
                    *byte = *from;
                }
                if bytes == [0; $len] {
                    bytes = [1; $len];
                }
                Self(bytes)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut digits = [b'0'; $len * 2];
                for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
                    pair.copy_from_slice(&hex(byte));
                }
                f.write_str(std::str::from_utf8(&digits).unwrap_or_default())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

id!(TraceId, 16);
id!(SpanId, 8);

/// The ids of one run's spans. Each is SHA-256 over a version, the session, the run and the part, every field with its
/// length before it, so that no two different lists of fields hash alike.
///
/// ```
/// use clawgauge_tracing_map::RunIds;
///
/// let ids = RunIds::new("sess-1", "run-1");
/// assert_eq!(ids.trace(), RunIds::new("sess-1", "run-1").trace());
/// assert_ne!(ids.tool("call_0", 1), ids.tool("call_0", 2));
/// assert_eq!(ids.trace().to_string().len(), 32);
/// ```
#[derive(Clone)]
pub struct RunIds {
    base: Sha256,
    trace: TraceId,
    root: SpanId,
}

impl RunIds {
    /// The ids of the run `run` in the session `session` (its id; its key where there is no id). About one microsecond.
    #[must_use]
    pub fn new(session: &str, run: &str) -> Self {
        let mut base = Sha256::new();
        for field in ["clawgauge/trace/1", session, run] {
            feed(&mut base, field);
        }
        let trace = TraceId::from_digest(&base.clone().finalize());
        let root = derive(&base, &["run"]);
        Self { base, trace, root }
    }

    /// The trace.
    #[must_use]
    pub fn trace(&self) -> TraceId {
        self.trace
    }

    /// The root span: the run.
    #[must_use]
    pub fn root(&self) -> SpanId {
        self.root
    }

    /// The `ordinal`-th context of the run, from 1.
    #[must_use]
    pub fn context(&self, ordinal: u32) -> SpanId {
        derive(&self.base, &["context", &ordinal.to_string()])
    }

    /// The `occurrence`-th call, from 1, with this tool call id; gateways reuse call ids across attempts.
    #[must_use]
    pub fn tool(&self, call_id: &str, occurrence: u32) -> SpanId {
        derive(&self.base, &["tool", call_id, &occurrence.to_string()])
    }

    /// The `ordinal`-th model answer of the run, from 1, over all attempts: answers are what a session stores.
    #[must_use]
    pub fn answer(&self, ordinal: u32) -> SpanId {
        derive(&self.base, &["answer", &ordinal.to_string()])
    }

    /// The `ordinal`-th failed model call, from 1, after which the run went on: a session does not store these.
    #[must_use]
    pub fn failed_call(&self, ordinal: u32) -> SpanId {
        derive(&self.base, &["failed", &ordinal.to_string()])
    }

    /// The failed model call that ended the run: a session stores it as its error row.
    #[must_use]
    pub fn final_failure(&self) -> SpanId {
        derive(&self.base, &["failed", "last"])
    }
}

impl fmt::Debug for RunIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunIds").field("trace", &self.trace).field("root", &self.root).finish()
    }
}

/// The value of a hex digit of either case.
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// A byte as two lower-case hex digits.
pub(crate) fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}

fn feed(hash: &mut Sha256, field: &str) {
    hash.update((field.len() as u64).to_be_bytes());
    hash.update(field.as_bytes());
}

fn derive(base: &Sha256, fields: &[&str]) -> SpanId {
    let mut hash = base.clone();
    for field in fields {
        feed(&mut hash, field);
    }
    SpanId::from_digest(&hash.finalize())
}

/// A session, user or tag value that every backend accepts: at most 200 printable ASCII characters; anything else is
/// replaced by a hash that is equal on every run. `None` for an empty value and for the placeholders `unknown` and
/// `redacted`, which name nobody.
#[must_use]
pub fn portable_id(raw: &str) -> Option<String> {
    let trimmed = raw.trim();
    if trimmed.is_empty()
        || trimmed.eq_ignore_ascii_case("unknown")
        || trimmed.eq_ignore_ascii_case("redacted")
    {
        return None;
    }
    if raw.len() <= 200 && raw.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return Some(raw.to_owned());
    }
    let digest = Sha256::digest(raw.as_bytes());
    let mut id = String::from("sha256-");
    for byte in digest.iter().take(16) {
        id.extend(hex(*byte).map(char::from));
    }
    Some(id)
}
