//! What was appended to a file since the last look.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{StoreError, StoreErrorKind};
use super::files::open_regular;

/// How much of a file's end is read, at first, to find where its last complete line ends.
const WINDOW: u64 = 4 << 10;

/// And at most: a longer line is none that counts.
const MAX_WINDOW: u64 = 64 << 20;

/// Most bytes taken in one look; the rest comes with the next.
const MAX_STEP: u64 = 16 << 20;

/// Follows a file that grows: each look gives the bytes that came since the last one.
///
/// A file that became shorter, or that was replaced by another one under its name, begins again from its start, and
/// [`Tail::read`] says so.
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    offset: u64,
    identity: Option<Identity>,
}

/// What makes a file the same one, whatever its name.
type Identity = (u64, u64);

/// What one look at a file gave.
#[derive(Default)]
#[non_exhaustive]
pub struct TailRead {
    /// The bytes that came.
    pub bytes: Vec<u8>,
    /// Whether they begin at the file's start although it had been read before: the file is another one, or was cut.
    pub restarted: bool,
    /// Whether the file holds more already: one look takes at most 16 MiB.
    pub more: bool,
}

impl fmt::Debug for TailRead {
    /// How much came; never content.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TailRead")
            .field("bytes", &self.bytes.len())
            .field("restarted", &self.restarted)
            .field("more", &self.more)
            .finish()
    }
}

impl Tail {
    /// From the file's start.
    #[must_use]
    pub fn from_start(path: &Path) -> Self {
        Self { path: path.to_owned(), offset: 0, identity: None }
    }

    /// From the end of the last complete line that is there now: a line that is being written will come whole. Also
    /// gives that line, without its line feed; nothing, where no complete line stands in the last 64 MiB.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn from_end(path: &Path) -> Result<(Self, Vec<u8>), StoreError> {
        let (mut file, metadata) = open_regular(path)?;
        let (offset, last) =
            last_line_end(&mut file, metadata.len()).map_err(|error| StoreError::io(path, &error))?;
        Ok((Self { path: path.to_owned(), offset, identity: identity(&metadata) }, last))
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Looks. A file that is not there has nothing new.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn read(&mut self) -> Result<TailRead, StoreError> {
        match self.read_there() {
            Err(error) if error.kind() == StoreErrorKind::NotFound => Ok(TailRead::default()),
            other => other,
        }
    }

    fn read_there(&mut self) -> Result<TailRead, StoreError> {
        let failed = |error: io::Error| StoreError::io(&self.path, &error);
        let metadata = fs::metadata(&self.path).map_err(failed)?;
        if metadata.is_file() && metadata.len() == self.offset && identity(&metadata) == self.identity {
            return Ok(TailRead::default());
        }
        let (mut file, _) = open_regular(&self.path)?;
        // Of the file that is open: another one may have taken its name since.
        let metadata = file.metadata().map_err(failed)?;
        let identity = identity(&metadata);
        let replaced = self.identity.is_some() && identity != self.identity;
        let restarted = self.offset > 0 && (replaced || metadata.len() < self.offset);
        let offset = if restarted { 0 } else { self.offset };
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.take(MAX_STEP).read_to_end(&mut bytes))
            .map_err(failed)?;
        self.identity = identity;
        self.offset = offset + bytes.len() as u64;
        Ok(TailRead { restarted, more: metadata.len() > self.offset, bytes })
    }
}

/// Where the last complete line ends, and that line.
fn last_line_end(file: &mut File, length: u64) -> io::Result<(u64, Vec<u8>)> {
    let mut window = WINDOW;
    loop {
        let start = length.saturating_sub(window);
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        file.take(length - start).read_to_end(&mut bytes)?;
        let mut ends = memchr::memrchr_iter(b'\n', &bytes);
        if let Some(end) = ends.next() {
            let before = ends.next().map(|at| at + 1);
            if let Some(begin) = before.or((start == 0).then_some(0)) {
                let line = bytes.get(begin..end).unwrap_or(&[]).to_vec();
                return Ok((start + end as u64 + 1, line));
            }
        }
        if start == 0 {
            return Ok((0, Vec::new()));
        }
        if window >= MAX_WINDOW {
            return Ok((
                memchr::memrchr(b'\n', &bytes).map_or(length, |end| start + end as u64 + 1),
                Vec::new(),
            ));
        }
        window = window.saturating_mul(4);
    }
}

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> Option<Identity> {
    None
}
