//! Requests on disk until the backend has taken them: written before they are sent, removed after.
//!
//! One file a request, numbered; a file appears whole or not at all. What was sent and not yet removed when the program was
//! killed is sent again: ids are stable, so the backend sees it once.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A queue of one destination.
#[derive(Debug)]
pub(crate) struct Spool {
    folder: PathBuf,
    max_bytes: u64,
    next: u64,
}

impl Spool {
    /// Opens the queue, making its folder.
    pub(crate) fn open(folder: &Path, max_bytes: u64) -> Result<Self, String> {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut spool = Self { folder: folder.to_owned(), max_bytes, next: 1 };
        spool.next = spool.waiting()?.last().map_or(1, |(number, _)| number + 1);
        Ok(spool)
    }

    /// What waits, oldest first.
    pub(crate) fn waiting(&self) -> Result<Vec<(u64, PathBuf)>, String> {
        let entries =
            fs::read_dir(&self.folder).map_err(|error| format!("{}: {error}", self.folder.display()))?;
        let mut found: Vec<(u64, PathBuf)> = entries
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                let number = path.file_name()?.to_str()?.strip_suffix(".otlp")?.parse().ok()?;
                Some((number, path))
            })
            .collect();
        found.sort();
        Ok(found)
    }

    /// Adds a request. When the queue grows beyond its bound the oldest requests go; returns how many.
    pub(crate) fn push(&mut self, body: &[u8]) -> Result<usize, String> {
        let mut dropped = 0;
        let mut waiting = self.waiting()?;
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |data| data.len());
        let mut total: u64 = waiting.iter().map(|(_, path)| size(path)).sum();
        while !waiting.is_empty() && total.saturating_add(body.len() as u64) > self.max_bytes {
            let (_, oldest) = waiting.remove(0);
            total = total.saturating_sub(size(&oldest));
            fs::remove_file(&oldest).map_err(|error| format!("{}: {error}", oldest.display()))?;
            dropped += 1;
        }
        let path = self.folder.join(format!("{:012}.otlp", self.next));
        self.next += 1;
        let write = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(body)?;
            file.as_file().sync_all()?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(dropped)
    }

    /// A request as it was written.
    pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
        fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Takes a request off the queue.
    pub(crate) fn remove(path: &Path) -> Result<(), String> {
        fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))
    }
}
