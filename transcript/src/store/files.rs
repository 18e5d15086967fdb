//! Sessions that are files: listing a folder, and reading one.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::decode::LineParser;
use crate::entry::{Entry, EntryType};
use crate::file_name::{FileKind, FileName};
use crate::import::{Importer, TrajectoryFile, importers};
use crate::index::SessionIndex;
use crate::limits::Limits;
use crate::raw::RawJson;
use crate::time::Timestamp;
use crate::transcript::Transcript;

use super::coverage::Coverage;
use super::error::{StoreError, StoreErrorKind};
use super::info::{Era, Lineage, Place, SessionInfo, SessionKind};

/// How much of a file the listing reads: the header and the first entry.
const HEAD_BYTES: u64 = 8 << 10;

/// How much it reads where the first row is longer.
const LONG_HEAD_BYTES: u64 = 1 << 20;

/// Longest sessions index that is read: a large one has 1 MB.
const MAX_INDEX_BYTES: u64 = 256 << 20;

/// Largest file that is read as a whole; of a larger one the lines are copied out one by one.
const MAX_BUFFERED_BYTES: u64 = 1 << 30;

/// Largest file that is read as a whole although its rows stand apart from it, and largest archive once decoded: a frame
/// can claim any size.
pub(crate) const MAX_ARCHIVE_BYTES: u64 = 1 << 30;

/// One folder with session files.
pub(crate) struct Folder<'a> {
    pub(crate) path: &'a Path,
    pub(crate) agent: Option<&'a Arc<str>>,
    pub(crate) holds: Holds,
}

/// What a folder's files are to the database beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Sessions,
    /// Everything in it was imported into the database.
    Imported,
    /// Everything in it was moved out of the database.
    Cold,
}

impl Folder<'_> {
    /// Lists the folder's sessions. What cannot be listed is in the coverage.
    pub(crate) fn list(&self, sessions: &mut Vec<SessionInfo>, coverage: &mut Coverage) {
        let entries = match fs::read_dir(self.path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => return coverage.skip_error(&StoreError::io(self.path, &error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            match entry {
                Ok(entry) => names.push(entry.file_name()),
                Err(error) => coverage.skip_error(&StoreError::io(self.path, &error)),
            }
        }
        names.sort();
        let index_text = self.read_index(&names, coverage);
        let index = index_text.as_deref().and_then(|text| {
            let index = SessionIndex::parse(text);
            if index.is_none() {
                coverage.skip(&self.path.join("sessions.json"), StoreErrorKind::Damaged, "no JSON object");
            }
            index
        });
        let folder: Arc<Path> = Arc::from(self.path);
        for name in &names {
            self.add(&folder, name, index.as_ref(), sessions, coverage);
        }
    }

    fn read_index(&self, names: &[std::ffi::OsString], coverage: &mut Coverage) -> Option<String> {
        names.iter().find(|name| *name == "sessions.json")?;
        let path = self.path.join("sessions.json");
        match read_regular(&path, MAX_INDEX_BYTES) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => {
                coverage.skip_error(&error);
                None
            }
        }
    }

    fn add(
        &self,
        folder: &Arc<Path>,
        name: &OsStr,
        index: Option<&SessionIndex<'_>>,
        sessions: &mut Vec<SessionInfo>,
        coverage: &mut Coverage,
    ) {
        let text = name.to_string_lossy();
        let parsed = FileName::parse(&text);
        let by_content = parsed.kind == FileKind::Other && text.ends_with(".jsonl");
        if parsed.kind == FileKind::Trajectory && !parsed.compressed {
            coverage.sidecar(parsed.kind.name());
            sessions.extend(self.trajectory(folder, name, parsed));
            return;
        }
        if !parsed.kind.is_transcript() && !by_content {
            if parsed.kind != FileKind::Other {
                coverage.sidecar(parsed.kind.name());
            }
            return;
        }
        let path = self.path.join(name);
        match self.describe(folder, name, parsed) {
            Ok(Some(mut session)) => {
                if let Some(index) = index {
                    describe_by_index(&mut session, index);
                }
                coverage.file(Era::Jsonl);
                sessions.push(session);
            }
            Ok(None) if by_content => coverage.sidecar("other"),
            Ok(None) => coverage.skip(&path, StoreErrorKind::NotASession, not_a_session(&path)),
            Err(error) => coverage.skip_error(&error),
        }
    }

    /// A trajectory: a session of its own only when no transcript is left.
    fn trajectory(&self, folder: &Arc<Path>, name: &OsStr, parsed: FileName<'_>) -> Option<SessionInfo> {
        let metadata = fs::metadata(self.path.join(name)).ok().filter(Metadata::is_file)?;
        Some(SessionInfo {
            id: parsed.session_id?.into(),
            key: None,
            agent: self.agent.cloned(),
            era: Era::Jsonl,
            kind: SessionKind::Trajectory,
            place: Place::TrajectoryLines,
            folder: Arc::clone(folder),
            file: name.into(),
            database: 0,
            generation: None,
            started: None,
            updated: modified(&metadata),
            entries: None,
            bytes: Some(metadata.len()),
            status: None,
            lineage: None,
            first_entry: None,
            superseded_by: None,
            archive_name: None,
        })
    }

    /// What the file's name, its first rows and its metadata say; `None` when it holds no session.
    fn describe(
        &self,
        folder: &Arc<Path>,
        name: &OsStr,
        parsed: FileName<'_>,
    ) -> Result<Option<SessionInfo>, StoreError> {
        let path = self.path.join(name);
        let (file, metadata) = open_regular(&path)?;
        let head;
        if parsed.compressed {
            head = compressed_head(file);
        } else {
            let bytes = read_head(file).map_err(|error| StoreError::io(&path, &error))?;
            head = Head::of(&bytes);
            // Only a header makes a session of a file whose name is none; an empty file is a session without rows.
            let known =
                if parsed.kind == FileKind::Other { head.header } else { head.rows || bytes.is_empty() };
            // What comes behind a head that says nothing, only reading will tell.
            let is_whole = (bytes.len() as u64) < HEAD_BYTES;
            if !known && (parsed.kind == FileKind::Other || is_whole || foreign(&bytes).is_some()) {
                return Ok(None);
            }
        }
        let kind = match parsed.kind {
            FileKind::Reset => SessionKind::Reset,
            FileKind::Deleted => SessionKind::Deleted,
            FileKind::Backup => SessionKind::Backup,
            FileKind::Checkpoint => SessionKind::Checkpoint,
            FileKind::Migrated => SessionKind::Migrated,
            _ if self.holds == Holds::Imported => SessionKind::Migrated,
            _ if self.holds == Holds::Cold => SessionKind::Cold,
            _ => SessionKind::Live,
        };
        let text = name.to_string_lossy();
        let from_name = parsed.session_id.unwrap_or(&text);
        // A checkpoint has an id of its own in its header; it is a copy of the session in its name.
        let id = match head.id {
            Some(id) if kind != SessionKind::Checkpoint => id,
            _ => from_name.to_owned(),
        };
        let lineage = Lineage { fork_source_id: head.parent_session, ..Lineage::default() };
        Ok(Some(SessionInfo {
            id: id.into(),
            key: None,
            agent: self.agent.cloned(),
            era: Era::Jsonl,
            kind,
            place: if parsed.compressed { Place::CompressedLines } else { Place::Lines },
            folder: Arc::clone(folder),
            file: name.into(),
            database: 0,
            generation: None,
            started: head.started,
            updated: parsed.time.filter(|_| kind != SessionKind::Live).or_else(|| modified(&metadata)),
            entries: None,
            bytes: Some(metadata.len()),
            status: None,
            lineage: lineage.boxed(),
            first_entry: head.first_entry,
            superseded_by: None,
            archive_name: None,
        }))
    }
}

/// The first rows of a file: of a long first row all, if it is not very long.
fn read_head(mut file: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD_BYTES).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == HEAD_BYTES && !bytes.contains(&b'\n') {
        file.take(LONG_HEAD_BYTES - HEAD_BYTES).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Lists one file that was named by hand.
pub(crate) fn list_file(path: &Path, sessions: &mut Vec<SessionInfo>, coverage: &mut Coverage) {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return coverage.skip(path, StoreErrorKind::WrongKindOfFile, "no file name");
    };
    let folder = Folder { path: parent, agent: None, holds: Holds::Sessions };
    let text = name.to_string_lossy();
    let mut parsed = FileName::parse(&text);
    if !parsed.kind.is_transcript() {
        // A person who names a file means it.
        parsed.kind = FileKind::Session;
    }
    match folder.describe(&Arc::from(parent), name, parsed) {
        Ok(Some(session)) => {
            coverage.file(Era::Jsonl);
            sessions.push(session);
        }
        Ok(None) => coverage.skip(path, StoreErrorKind::NotASession, not_a_session(path)),
        Err(error) => coverage.skip_error(&error),
    }
}

/// Why a file with a session's name is none; one of another runtime is named.
fn not_a_session(path: &Path) -> String {
    let file = open_regular(path).ok().map(|(file, _)| file);
    let head = file.and_then(|file| read_head(file).ok()).unwrap_or_default();
    match foreign(&head) {
        Some(name) => format!("no row of a session in it; it looks like {name}"),
        None => "no row of a session in it".to_owned(),
    }
}

/// The other runtime's form that a file begins with.
fn foreign(head: &[u8]) -> Option<&'static str> {
    importers().into_iter().find(|importer| importer.recognises(head)).map(Importer::name)
}

fn describe_by_index(session: &mut SessionInfo, index: &SessionIndex<'_>) {
    let Some(entry) = index.by_session(&session.id) else {
        return;
    };
    session.key = Some(entry.key.as_str().into());
    if session.kind == SessionKind::Live {
        session.updated = entry.updated_at.or(session.updated);
        session.status = entry.status.as_deref().map(Into::into);
    }
    let text = |name: &str| entry.json.get(name).and_then(RawJson::text).map(std::borrow::Cow::into_owned);
    let mut lineage = session.lineage.take().map(|lineage| *lineage).unwrap_or_default();
    lineage.spawned_by = text("spawnedBy");
    lineage.parent_session_key = text("parentSessionKey");
    session.lineage = lineage.boxed();
}

/// What the first rows say.
#[derive(Default)]
struct Head {
    header: bool,
    rows: bool,
    id: Option<String>,
    started: Option<Timestamp>,
    parent_session: Option<String>,
    first_entry: Option<u64>,
}

impl Head {
    fn of(bytes: &[u8]) -> Self {
        let mut head = Self::default();
        let mut parser = LineParser::new(Limits::default());
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            let (line, ended) = match line.strip_suffix(b"\n") {
                Some(line) => (line, true),
                None => (line, false),
            };
            parser.line(line, ended, &mut |entry| {
                if head.first_entry.is_none() {
                    head.take(&entry);
                }
            });
            if head.first_entry.is_some() {
                break;
            }
        }
        head
    }

    fn take(&mut self, entry: &Entry<'_>) {
        let text = |name: &str| entry.get(name).and_then(RawJson::text).map(std::borrow::Cow::into_owned);
        if entry.entry_type() == EntryType::Session && !self.header {
            self.header = true;
            self.id = text("id").filter(|id| !id.is_empty());
            self.parent_session = text("parentSession");
        }
        self.rows |= entry.entry_type() != EntryType::Unknown;
        self.started = self.started.or_else(|| entry.timestamp());
        if entry.entry_type() != EntryType::Session {
            self.first_entry = fingerprint(entry);
        }
    }
}

/// What tells an entry and its copies from all others: its id and the time it was written. `None` without an id, and
/// for headers, which name a session and count for nothing.
pub(crate) fn fingerprint(entry: &Entry<'_>) -> Option<u64> {
    if entry.entry_type() == EntryType::Session {
        return None;
    }
    let id = entry.id().filter(|id| !id.is_empty())?;
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    entry.timestamp().map(Timestamp::millis).hash(&mut hasher);
    Some(hasher.finish())
}

/// The fingerprint of the first entry of an archive, by its first bytes.
#[cfg(feature = "sqlite")]
pub(crate) fn first_entry(bytes: &[u8], compressed: bool) -> Option<u64> {
    let head = if compressed { compressed_head(bytes) } else { Head::of(bytes) };
    head.first_entry
}

/// The head of a compressed file: nothing, where it cannot be decoded; reading will tell.
#[cfg(feature = "zstd")]
fn compressed_head(source: impl Read) -> Head {
    Head::of(&crate::zstd::prefix(source))
}

#[cfg(not(feature = "zstd"))]
fn compressed_head(_: impl Read) -> Head {
    Head::default()
}

/// Reads a session's file.
pub(crate) fn read(session: &SessionInfo, limits: Limits) -> Result<Transcript<'static>, StoreError> {
    let path = session.path();
    match session.place {
        Place::TrajectoryLines => trajectory(&path, &read_regular(&path, MAX_ARCHIVE_BYTES)?, limits),
        Place::CompressedLines => decode_archive(&path, &read_regular(&path, MAX_ARCHIVE_BYTES)?, limits),
        _ => {
            let (file, _) = open_regular(&path)?;
            Transcript::read(BufReader::with_capacity(64 << 10, file), limits)
                .map_err(|error| StoreError::io(&path, &error))
        }
    }
}

/// Reads a file of lines into `buffer`; `None` when it is something else, or too large to stand in memory beside its rows.
pub(crate) fn read_lines<'b>(
    session: &SessionInfo,
    limits: Limits,
    buffer: &'b mut Vec<u8>,
) -> Result<Option<Transcript<'b>>, StoreError> {
    if session.place != Place::Lines {
        return Ok(None);
    }
    let path = session.path();
    let (mut file, metadata) = open_regular(&path)?;
    if metadata.len() > MAX_BUFFERED_BYTES {
        return Ok(None);
    }
    buffer.clear();
    // One more than there is, so that the end is found without growing.
    buffer.reserve(usize::try_from(metadata.len()).unwrap_or(0).saturating_add(1));
    file.read_to_end(buffer).map_err(|error| StoreError::io(&path, &error))?;
    Ok(Some(Transcript::from_slice_with(buffer, limits)))
}

/// A session from the runtime's events of it.
pub(crate) fn trajectory(
    path: &Path,
    bytes: &[u8],
    limits: Limits,
) -> Result<Transcript<'static>, StoreError> {
    let first = TrajectoryFile.sessions(bytes, limits).into_iter().next();
    first.ok_or_else(|| StoreError::new(path, StoreErrorKind::NotASession, "no runtime event in it"))
}

/// Reads a session whose rows a database moved out into `sessions/cold/`.
#[cfg(feature = "sqlite")]
pub(crate) fn read_cold(session: &SessionInfo, limits: Limits) -> Result<Transcript<'static>, StoreError> {
    let agent = session.folder.parent().unwrap_or(&session.folder);
    let name = session.archive_name.as_deref().unwrap_or_default();
    let path = agent.join("sessions").join("cold").join(name);
    if name.is_empty() || name.contains(['/', '\\']) {
        return Err(StoreError::new(
            &session.path(),
            StoreErrorKind::NotFound,
            "an archive row without content",
        ));
    }
    let bytes = read_regular(&path, MAX_ARCHIVE_BYTES)?;
    decode_archive(&path, &bytes, limits)
}

/// A compressed archive's bytes to its session.
#[cfg(feature = "zstd")]
pub(crate) fn decode_archive(
    path: &Path,
    bytes: &[u8],
    limits: Limits,
) -> Result<Transcript<'static>, StoreError> {
    let expected = crate::zstd::Expected::AtMost { limit: MAX_ARCHIVE_BYTES };
    let text = crate::zstd::decode(bytes, expected).map_err(|refused| {
        let kind = if refused.too_large { StoreErrorKind::TooLarge } else { StoreErrorKind::Damaged };
        StoreError::new(path, kind, refused.reason)
    })?;
    Ok(Transcript::from_slice_with(&text, limits).into_owned())
}

/// A compressed archive's bytes to its session.
#[cfg(not(feature = "zstd"))]
pub(crate) fn decode_archive(path: &Path, _: &[u8], _: Limits) -> Result<Transcript<'static>, StoreError> {
    let reason = "compressed, and this build does not decode (feature `zstd`)";
    Err(StoreError::new(path, StoreErrorKind::FeatureOff, reason))
}

/// Opens a file that is one: opening a pipe would wait for its writer.
pub(crate) fn open_regular(path: &Path) -> Result<(File, Metadata), StoreError> {
    let metadata = fs::metadata(path).map_err(|error| StoreError::io(path, &error))?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a folder, not a file" } else { "not a regular file" };
        return Err(StoreError::new(path, StoreErrorKind::WrongKindOfFile, what));
    }
    let file = File::open(path).map_err(|error| StoreError::io(path, &error))?;
    Ok((file, metadata))
}

/// A regular file's bytes, at most `limit`.
pub(crate) fn read_regular(path: &Path, limit: u64) -> Result<Vec<u8>, StoreError> {
    let (file, metadata) = open_regular(path)?;
    if metadata.len() > limit {
        let reason = format!("{} bytes, the limit is {limit}", metadata.len());
        return Err(StoreError::new(path, StoreErrorKind::TooLarge, reason));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0).min(64 << 20));
    file.take(limit).read_to_end(&mut bytes).map_err(|error| StoreError::io(path, &error))?;
    Ok(bytes)
}

pub(crate) fn modified(metadata: &Metadata) -> Option<Timestamp> {
    let since = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
}
