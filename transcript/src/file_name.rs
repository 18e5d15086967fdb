//! What a file in a sessions folder is, by its name alone.

use std::collections::BTreeSet;

use crate::time::Timestamp;

/// What kind of file a name announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// `<id>.jsonl`: a live session.
    Session,
    /// `<id>.jsonl.reset.<time>`: what a session was before it was reset.
    Reset,
    /// `<id>.jsonl.deleted.<time>`: a deleted session.
    Deleted,
    /// `<id>.jsonl.bak…`, `….bak.<time>`, `….pre-doctor-…-repair-….bak`: a copy that a program made before it changed
    /// the file.
    Backup,
    /// `<id>.checkpoint.<id>.jsonl`, archived or not: a copy made before a compaction.
    Checkpoint,
    /// `<id>.jsonl.migrated`: the original of a session that was imported into a database.
    Migrated,
    /// `<id>.trajectory.jsonl`, archived or not: the runtime's own events of a session.
    Trajectory,
    /// `<id>.trajectory-path.json`: where the trajectory is.
    TrajectoryPointer,
    /// `….lock`: a program is, or was, at work.
    Lock,
    /// `sessions.json`: which session key leads to which session.
    Index,
    /// `openclaw-agent.sqlite`: an agent's database.
    Database,
    /// Anything else.
    Other,
}

impl FileKind {
    /// The stable name, for example `trajectory_pointer`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Reset => "reset",
            Self::Deleted => "deleted",
            Self::Backup => "backup",
            Self::Checkpoint => "checkpoint",
            Self::Migrated => "migrated",
            Self::Trajectory => "trajectory",
            Self::TrajectoryPointer => "trajectory_pointer",
            Self::Lock => "lock",
            Self::Index => "index",
            Self::Database => "database",
            Self::Other => "other",
        }
    }

    /// Whether the file holds the rows of a session.
    #[must_use]
    pub const fn is_transcript(self) -> bool {
        matches!(
            self,
            Self::Session | Self::Reset | Self::Deleted | Self::Backup | Self::Checkpoint | Self::Migrated
        )
    }
}

/// A file name taken apart. Borrows the name; `O(length)`, no allocation.
///
/// Only names that OpenClaw gives are told apart; a name says what a file claims to be, never what is in it.
///
/// ```
/// use clawgauge_transcript::{FileKind, FileName};
///
/// let name = FileName::parse("0a1b2c3d-aaaa-4aaa-8aaa-000000000001.jsonl.reset.2026-04-10T10-11-13.502Z");
/// assert_eq!(name.kind, FileKind::Reset);
/// assert_eq!(name.session_id, Some("0a1b2c3d-aaaa-4aaa-8aaa-000000000001"));
/// assert_eq!(name.time.unwrap().to_string(), "2026-04-10T10:11:13.502Z");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileName<'a> {
    /// What the name announces.
    pub kind: FileKind,
    /// The session it belongs to.
    pub session_id: Option<&'a str>,
    /// When it was archived or, where the session's own name begins with a time, started.
    pub time: Option<Timestamp>,
    /// Whether the content is compressed (`.zst`).
    pub compressed: bool,
}

/// Files that stand beside sessions, end in `.jsonl` and hold none.
const NOT_SESSIONS: &[&str] =
    &["config-audit", "commands", "command-log", "events", "hooks", "audit", "runs", "log"];

/// Endings of names of such files.
const NOT_SESSION_ENDINGS: &[&str] =
    &["-audit", "_audit", "-log", "_log", "-events", "-history", "-queue", ".log"];

impl<'a> FileName<'a> {
    /// Classifies a name (without folders).
    #[must_use]
    pub fn parse(name: &'a str) -> Self {
        let (bare, compressed) = match name.strip_suffix(".zst") {
            Some(bare) => (bare, true),
            None => (name, false),
        };
        let found = archive(bare).or_else(|| sidecar(bare)).or_else(|| session(bare));
        let (kind, session_id, time) = found.unwrap_or((FileKind::Other, None, None));
        Self { kind, session_id, time, compressed }
    }
}

/// Which of these files hold content of their own, so that each session counts once.
///
/// Live sessions count, and what was there before a reset (another part of the same session). A deleted or migrated
/// original counts when no live session has its id, and of several the first one by name. Backups and checkpoints
/// are copies and never count. The answer is parallel to `names`; `O(n log n)`.
#[must_use]
pub fn counted_files(names: &[FileName<'_>]) -> Vec<bool> {
    let live = names.iter().filter(|name| name.kind == FileKind::Session);
    let mut seen: BTreeSet<&str> = live.filter_map(|name| name.session_id).collect();
    let mut counted = Vec::with_capacity(names.len());
    for name in names {
        counted.push(match name.kind {
            FileKind::Session | FileKind::Reset => true,
            FileKind::Deleted | FileKind::Migrated => name.session_id.is_none_or(|id| seen.insert(id)),
            _ => false,
        });
    }
    counted
}

type Found<'a> = (FileKind, Option<&'a str>, Option<Timestamp>);

/// `<id>.jsonl.<reason>.<time>[.<32 hex>]`, `.bak…`, `.migrated[.<n>]`.
fn archive(name: &str) -> Option<Found<'_>> {
    let at = name.find(".jsonl.")?;
    let (stem, tail) = (name.get(..at)?, name.get(at + ".jsonl.".len()..)?);
    let id = session_id(stem).0;
    let (reason, rest) = tail.split_once(['.', '-']).unwrap_or((tail, ""));
    let kind = match reason {
        "reset" => FileKind::Reset,
        "deleted" => FileKind::Deleted,
        "bak" | "backup" | "pre" | "orig" | "old" => FileKind::Backup,
        "migrated" | "imported" => FileKind::Migrated,
        "lock" => FileKind::Lock,
        _ if tail.ends_with(".bak") || tail.ends_with('~') => FileKind::Backup,
        _ => return Some((FileKind::Other, id, None)),
    };
    // Archived or not, these are no sessions of their own.
    let (kind, id) = match name.get(..at + ".jsonl".len()).and_then(sidecar) {
        Some((beside, id, _)) if kind.is_transcript() => (beside, id),
        Some((_, id, _)) => (kind, id),
        None => (kind, id),
    };
    Some((kind, id, archive_time(rest)))
}

/// The time in an archive's name, where colons became dashes: `2026-04-10T10-11-13.502Z`, or epoch milliseconds at the
/// end (`bak-<pid>-<ms>`).
fn archive_time(text: &str) -> Option<Timestamp> {
    let digits = text.rsplit('-').next().filter(|digits| digits.len() == 13);
    if let Some(time) = digits.and_then(Timestamp::parse) {
        return Some(time);
    }
    stamp(text)
}

/// `2026-04-10T10-11-13[.502 or -502]Z` at the beginning of a text.
fn stamp(text: &str) -> Option<Timestamp> {
    let end = text.find('Z')?;
    let (date, time) = text.get(..end)?.split_once('T')?;
    let mut parts = time.splitn(3, '-');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?.replace('-', "."));
    Timestamp::parse(&format!("{date}T{hour}:{minute}:{second}Z"))
}

fn sidecar(name: &str) -> Option<Found<'_>> {
    let with_id = |kind, stem| Some((kind, session_id(stem).0, None));
    if name == "sessions.json" {
        return Some((FileKind::Index, None, None));
    }
    if name == "openclaw-agent.sqlite" {
        return Some((FileKind::Database, None, None));
    }
    if let Some(stem) = name.strip_suffix(".trajectory.jsonl") {
        return with_id(FileKind::Trajectory, stem);
    }
    if let Some(stem) = name.strip_suffix(".trajectory-path.json") {
        return with_id(FileKind::TrajectoryPointer, stem);
    }
    if let Some(stem) = name.strip_suffix(".lock") {
        return with_id(FileKind::Lock, stem.strip_suffix(".jsonl").unwrap_or(stem));
    }
    let (stem, _) = name.strip_suffix(".jsonl")?.split_once(".checkpoint.")?;
    with_id(FileKind::Checkpoint, stem)
}

fn session(name: &str) -> Option<Found<'_>> {
    let stem = name.strip_suffix(".jsonl")?;
    let lower = stem.to_ascii_lowercase();
    let not_a_session = stem.is_empty()
        || stem.starts_with('.')
        || NOT_SESSIONS.contains(&lower.as_str())
        || NOT_SESSION_ENDINGS.iter().any(|ending| lower.ends_with(ending));
    if not_a_session {
        return None;
    }
    let (id, time) = session_id(stem);
    Some((FileKind::Session, id, time))
}

/// The id in a session's name: the whole of it, or what follows a time (`<time>_<id>`), or what stands before a topic
/// (`<id>-topic-<n>`).
fn session_id(stem: &str) -> (Option<&str>, Option<Timestamp>) {
    let (stem, time) = match stem.split_once("Z_") {
        Some((time, id)) if !id.is_empty() => {
            let end = time.len() + 1;
            match stem.get(..end).and_then(stamp) {
                Some(time) => (id, Some(time)),
                None => (stem, None),
            }
        }
        _ => (stem, None),
    };
    let id = match stem.split_once("-topic-") {
        Some((id, _)) if is_uuid(id) => id,
        _ => stem,
    };
    ((!id.is_empty()).then_some(id), time)
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}
