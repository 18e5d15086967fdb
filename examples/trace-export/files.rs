//! The texts of live runs, from OpenClaw's own store.

use crate::send::now_ms;
use clawgauge_tracing_map::{ContentRequest, ContentSource, RunContent, TranscriptSource};
use clawgauge_transcript::Store;
use std::path::{Path, PathBuf};

/// How often the list of sessions is read again for one that is not in it.
const RELIST_MS: i64 = 1_000;

/// A state folder as a source of texts.
pub(crate) struct Texts {
    state_dir: PathBuf,
    store: Store,
    listed_ms: i64,
}

impl Texts {
    pub(crate) fn new(state_dir: &Path) -> Self {
        Self { state_dir: state_dir.to_owned(), store: Store::open(state_dir), listed_ms: now_ms() }
    }
}

impl ContentSource for Texts {
    fn resolve(&mut self, request: &ContentRequest) -> Option<RunContent> {
        let session = request.session_id.as_deref()?;
        if self.store.find(session).is_none() && now_ms().saturating_sub(self.listed_ms) >= RELIST_MS {
            self.store = Store::open(&self.state_dir);
            self.listed_ms = now_ms();
        }
        let transcript = self.store.read(self.store.find(session)?).ok()?;
        TranscriptSource::new(&transcript).run(request.run_id.as_deref(), Some(request.started_ms))
    }
}
