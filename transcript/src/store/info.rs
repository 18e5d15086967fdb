//! What is known of a session without reading it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::session_key::SessionKey;
use crate::time::Timestamp;

/// How a session is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Era {
    /// One file a session, one row a line (until 2026.7, and for archives since).
    Jsonl,
    /// Rows of an agent's database (since 2026.8).
    Sqlite,
}

impl Era {
    /// The stable name: `jsonl` or `sqlite`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Sqlite => "sqlite",
        }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a stored session is to the others of the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionKind {
    /// The session itself.
    Live,
    /// What it was before a reset: an earlier part of the same conversation.
    Reset,
    /// It was deleted; this is its archive.
    Deleted,
    /// Its rows were moved out of the database into a compressed file.
    Cold,
    /// The original of a session that was imported into a database.
    Migrated,
    /// A copy made before a program changed the session.
    Backup,
    /// A copy made before a compaction.
    Checkpoint,
    /// Only the runtime's events are left; there is no transcript.
    Trajectory,
}

impl SessionKind {
    /// The stable name, for example `checkpoint`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Reset => "reset",
            Self::Deleted => "deleted",
            Self::Cold => "cold",
            Self::Migrated => "migrated",
            Self::Backup => "backup",
            Self::Checkpoint => "checkpoint",
            Self::Trajectory => "trajectory",
        }
    }

    /// Whether the session can be a session of its own; backups and checkpoints are always copies.
    #[must_use]
    pub const fn can_count(self) -> bool {
        !matches!(self, Self::Backup | Self::Checkpoint)
    }
}

impl fmt::Display for SessionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where in its file a session stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The file is the session: JSONL.
    Lines,
    /// The file is the session: JSONL, compressed.
    CompressedLines,
    /// Rows of `transcript_events`.
    Rows,
    /// A row of `session_transcript_archives`, by its position among them.
    ArchiveRow,
    /// A row of `session_transcript_cold_archives`.
    ColdRow,
    /// The file is a trajectory.
    TrajectoryLines,
    /// Rows of `trajectory_runtime_events`.
    TrajectoryRows,
}

/// Where a session came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lineage {
    /// The session that this one continues.
    pub previous_session_id: Option<String>,
    /// Why it began: `initial`, `reset`, `rollover`, `fork`, `rewind`, `switch`, `recovery`, `compaction`, as written.
    pub reason: Option<String>,
    /// The key of the session that this one hangs below.
    pub parent_session_key: Option<String>,
    /// The key of the session that started this one.
    pub spawned_by: Option<String>,
    /// The key of the session it was forked from.
    pub fork_source_key: Option<String>,
    /// The session it was forked from: its id, or its file where only that is known.
    pub fork_source_id: Option<String>,
    /// The entry at which it was forked.
    pub fork_source_entry: Option<String>,
}

impl Lineage {
    pub(crate) fn boxed(self) -> Option<Box<Self>> {
        (self != Self::default()).then(|| Box::new(self))
    }
}

/// One stored session, as the listing knows it. Small: a few hundred bytes, whatever the session holds.
#[derive(Debug, Clone)]
pub struct SessionInfo {
    pub(crate) id: Box<str>,
    pub(crate) key: Option<Box<str>>,
    pub(crate) agent: Option<Arc<str>>,
    pub(crate) era: Era,
    pub(crate) kind: SessionKind,
    pub(crate) place: Place,
    pub(crate) folder: Arc<Path>,
    pub(crate) file: Box<std::ffi::OsStr>,
    /// Which of the store's databases, for rows.
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "only databases have a number"))]
    pub(crate) database: usize,
    /// Tells rows of the same id in the same table apart.
    #[cfg_attr(not(feature = "sqlite"), expect(dead_code, reason = "only databases have generations"))]
    pub(crate) generation: Option<Box<str>>,
    pub(crate) started: Option<Timestamp>,
    pub(crate) updated: Option<Timestamp>,
    pub(crate) entries: Option<u64>,
    pub(crate) bytes: Option<u64>,
    pub(crate) status: Option<Box<str>>,
    pub(crate) lineage: Option<Box<Lineage>>,
    /// A fingerprint of the first entry: copies of a session share it.
    pub(crate) first_entry: Option<u64>,
    pub(crate) superseded_by: Option<usize>,
    /// The file that an archive row was, or will be, published as.
    pub(crate) archive_name: Option<Box<str>>,
}

impl SessionInfo {
    /// The session's id: its header's, else its file name's.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The session key, where an index or the database names one.
    #[must_use]
    pub fn key(&self) -> Option<SessionKey> {
        self.key.as_deref().map(SessionKey::parse)
    }

    /// The session key as written.
    #[must_use]
    pub fn key_text(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The agent, where the folder or the database names one.
    #[must_use]
    pub fn agent(&self) -> Option<&str> {
        self.agent.as_deref()
    }

    /// How it is stored.
    #[must_use]
    pub const fn era(&self) -> Era {
        self.era
    }

    /// What it is to the others of the same id.
    #[must_use]
    pub const fn kind(&self) -> SessionKind {
        self.kind
    }

    /// Where in its file it stands.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// The file: the session's own, or the database.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.join(&*self.file)
    }

    /// When it began.
    #[must_use]
    pub const fn started_at(&self) -> Option<Timestamp> {
        self.started
    }

    /// When it was last written to: what the index or the database says, else the file's own time.
    #[must_use]
    pub const fn updated_at(&self) -> Option<Timestamp> {
        self.updated
    }

    /// How many rows it has, header included; `None` where only reading would tell (files).
    #[must_use]
    pub const fn entries(&self) -> Option<u64> {
        self.entries
    }

    /// Bytes on the disk, for files and archives.
    #[must_use]
    pub const fn bytes(&self) -> Option<u64> {
        self.bytes
    }

    /// `running`, `done`, `failed`, `killed`, `timeout`, as the index or the database has it.
    #[must_use]
    pub fn status(&self) -> Option<&str> {
        self.status.as_deref()
    }

    /// Where it came from, when that is known.
    #[must_use]
    pub fn lineage(&self) -> Option<&Lineage> {
        self.lineage.as_deref()
    }

    /// The position, among [`Store::sessions`](crate::Store::sessions), of the session that stands for this copy.
    #[must_use]
    pub const fn superseded_by(&self) -> Option<usize> {
        self.superseded_by
    }

    /// Whether it counts as a session of its own: it is no copy, and nothing stands for it.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.superseded_by.is_none() && self.kind.can_count()
    }
}
