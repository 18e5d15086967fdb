//! Where the programs find sessions: paths given by hand, or OpenClaw's state folder.

use std::path::PathBuf;
use std::time::Duration;

use clawgauge_transcript::{Limits, SessionInfo, Store, Transcript, Watch, one_line};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::scores::Session;

/// Which sessions to read.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Sources {
    /// Session files or folders; `-` reads one session from standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Where OpenClaw keeps its state, when no path is given [default: $OPENCLAW_STATE_DIR or ~/.openclaw]
    #[arg(long, value_name = "DIR")]
    state_dir: Option<PathBuf>,
}

impl Sources {
    /// One file or folder.
    #[must_use]
    pub fn of_path(path: PathBuf) -> Self {
        Self { paths: vec![path], state_dir: None }
    }

    /// These files and folders; OpenClaw's state folder where there are none.
    #[must_use]
    pub const fn of_paths(paths: Vec<PathBuf>) -> Self {
        Self { paths, state_dir: None }
    }

    /// A state folder, or the usual one.
    #[must_use]
    pub fn of_state(state_dir: Option<PathBuf>) -> Self {
        Self { paths: Vec::new(), state_dir }
    }

    /// Whether paths were given by hand.
    #[must_use]
    pub const fn has_paths(&self) -> bool {
        !self.paths.is_empty()
    }

    /// Whether standard input was asked for.
    #[must_use]
    pub fn is_stdin(&self) -> bool {
        matches!(self.paths.as_slice(), [path] if path.as_os_str() == "-")
    }

    /// Lists the sessions.
    ///
    /// # Errors
    /// A message for a person when no folder is known.
    pub fn open(&self) -> Result<Store, String> {
        if self.paths.is_empty() {
            return Ok(Store::open(&self.state_dir()?));
        }
        let given = self.paths.iter().chain(&self.state_dir);
        Ok(Store::from_paths(given, Limits::default()))
    }

    /// The paths given by hand that are no sessions, each with the reason. What lies unused in a named folder is none of
    /// them: the store's coverage tells it.
    #[must_use]
    pub fn unusable(&self, store: &Store) -> Vec<String> {
        let skipped = store.coverage().skipped.iter().filter(|skipped| self.paths.contains(&skipped.path));
        skipped.map(|skipped| one_line(&skipped.to_string()).into_owned()).collect()
    }

    /// Follows the sessions.
    ///
    /// # Errors
    /// A message for a person when no folder is known.
    pub fn watch(&self, from_start: bool) -> Result<Watch, String> {
        if self.paths.is_empty() {
            return Ok(Watch::open(&self.state_dir()?, from_start));
        }
        let given = self.paths.iter().chain(&self.state_dir);
        Ok(Watch::from_paths(given, from_start, Limits::default()))
    }

    fn state_dir(&self) -> Result<PathBuf, String> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let home = || {
            std::env::home_dir()
                .filter(|home| !home.as_os_str().is_empty())
                .map(|home| home.join(".openclaw"))
        };
        let found = self.state_dir.clone().or_else(|| set("OPENCLAW_STATE_DIR")).or_else(home);
        found.ok_or_else(|| "no home folder is known; give --state-dir".to_owned())
    }
}

/// A session that the store read, with what the listing knows of it.
#[must_use]
pub fn session<'a>(info: &SessionInfo, transcript: Transcript<'a>) -> Session<'a> {
    let key = info.key();
    Session {
        id: info.id().to_owned(),
        agent: info.agent().map(str::to_owned).or_else(|| key.as_ref()?.agent_id().map(str::to_owned)),
        channel: key.as_ref().and_then(|key| key.channel().map(str::to_owned)),
        key,
        duration_ms: None,
        transcript,
    }
}

/// A bar on standard error, for a person at a terminal and only when it takes longer than a second.
#[must_use]
pub fn progress(sessions: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(sessions as u64), ProgressDrawTarget::stderr_with_hz(5));
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} sessions, {eta} left") {
        bar.set_style(style);
    }
    bar.set_elapsed(Duration::ZERO);
    bar
}
