//! What the reading commands share: options, the folder, the clock.

use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, Utc};
use clawgauge_scoring::{Filter, Profile};
use clawgauge_support::Stop;
pub(crate) use clawgauge_support::clock::now;
use clawgauge_support::scores::{ChosenScorer, Folder, Period, View, parse_offset, parse_time};

#[derive(clap::Args)]
pub(crate) struct ReadArgs {
    /// The folder with the score files [default: ~/.openclaw/scores]
    #[arg(long, value_name = "DIR")]
    pub(crate) scores_dir: Option<PathBuf>,
    /// Whose numbers: default, or session_scorer_v1 for those of the plugin, in its own layout
    #[arg(long, default_value_t = Profile::Default, value_name = "NAME")]
    pub(crate) profile: Profile,
    /// Only this agent
    #[arg(long)]
    pub(crate) agent: Option<String>,
    /// Only this model
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Only this channel
    #[arg(long)]
    pub(crate) channel: Option<String>,
    /// Which clock says what a day is
    #[arg(long, default_value = "Z", value_name = "+HH:MM", allow_hyphen_values = true, value_parser = parse_offset)]
    pub(crate) utc_offset: FixedOffset,
    /// JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(clap::Args)]
pub(crate) struct TimeArgs {
    /// Not before this time: 2026-03-14, 2026-03-14T10:00:00Z, or 12h, 7d before now
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
}

impl TimeArgs {
    /// The period they name; `days` back (all time for `None`) when they name none.
    fn period(&self, days: Option<u32>, now: DateTime<Utc>, offset: FixedOffset) -> Result<Period, Stop> {
        let read = |text: Option<&String>| {
            text.map(|text| parse_time(text, now, offset)).transpose().map_err(Stop::input)
        };
        let (since, until) = (read(self.since.as_ref())?, read(self.until.as_ref())?);
        if since.zip(until).is_some_and(|(since, until)| since >= until) {
            return Err(Stop::input("--until is not later than --since"));
        }
        Ok(match days {
            Some(days) if since.is_none() && until.is_none() => Period::days(f64::from(days)),
            _ => Period::between(since, until),
        })
    }
}

impl ReadArgs {
    pub(crate) fn filter(&self) -> Filter {
        Filter {
            agent: self.agent.clone(),
            model: self.model.clone(),
            channel: self.channel.clone(),
            ..Filter::default()
        }
    }

    pub(crate) fn view(&self, time: &TimeArgs, days: Option<u32>) -> Result<View, Stop> {
        let now = now();
        Ok(View {
            profile: self.profile,
            period: time.period(days, now, self.utc_offset)?,
            filter: self.filter(),
            now,
            offset: self.utc_offset,
            json: self.json,
        })
    }

    pub(crate) fn folder(&self) -> Result<Folder, Stop> {
        match &self.scores_dir {
            Some(path) if !path.is_dir() => Err(Stop::input(format!("{} is no folder", path.display()))),
            Some(path) => Ok(folder(path)?),
            None => Ok(folder(&default_folder()?)?),
        }
    }
}

/// Where records are kept.
#[derive(clap::Args)]
pub(crate) struct ScoresDir {
    /// The folder for score files; created when it is missing [default: ~/.openclaw/scores]
    #[arg(long, value_name = "DIR")]
    scores_dir: Option<PathBuf>,
}

impl ScoresDir {
    pub(crate) fn path(&self) -> Result<PathBuf, String> {
        self.scores_dir.clone().map_or_else(default_folder, Ok)
    }
}

/// By which rules sessions are scored.
#[derive(clap::Args)]
pub(crate) struct RulesArgs {
    /// Rules as JSON, instead of the default ones; what the file does not name keeps its default
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
}

impl RulesArgs {
    pub(crate) fn scorer(&self) -> Result<ChosenScorer, Stop> {
        let Some(path) = &self.rules else { return Ok(ChosenScorer::default()) };
        let wrong = |error: String| Stop::input(format!("rules {}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        ChosenScorer::of_text(&text).map_err(wrong)
    }

    /// Whether a file is named.
    pub(crate) const fn is_set(&self) -> bool {
        self.rules.is_some()
    }
}

/// The time zone of the universal clock.
pub(crate) fn utc() -> Result<FixedOffset, String> {
    FixedOffset::east_opt(0).ok_or_else(|| "no UTC".to_owned())
}

/// Where the plugin keeps its scores.
pub(crate) fn default_folder() -> Result<PathBuf, String> {
    let home = std::env::home_dir().filter(|home| !home.as_os_str().is_empty());
    Ok(home.ok_or("no home folder is known; give --scores-dir")?.join(".openclaw").join("scores"))
}

/// Reads the score files of a folder. One that does not exist (yet) is empty.
pub(crate) fn folder(path: &Path) -> Result<Folder, String> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Folder::default()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", path.display()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".json") {
            files.push((name, std::fs::read(entry.path()).map_err(|error| error.to_string())));
        }
    }
    Ok(Folder::read(files))
}
