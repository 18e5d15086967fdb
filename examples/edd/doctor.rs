//! `edd doctor`: what is on the disk, in which era, what is damaged or doubled, and which numbers do not add up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clawgauge_support::sessions::{Sources, progress};
use clawgauge_transcript::{Coverage, Entry, SessionKind};
use serde::Serialize;

use crate::{Format, Stop, data, show};

/// Most sessions named one by one of each kind of finding.
const NAMED: usize = 20;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    sources: Sources,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What reading everything found.
#[derive(Debug, Default, Serialize)]
struct Findings {
    coverage: Coverage,
    /// Entries that were read, each once.
    entries: u64,
    /// Entries that a rewind, a branch switch or a fork copied: they count once.
    repeated: u64,
    /// Sessions of which nothing could be read, with the reason.
    unreadable: Vec<String>,
    /// Sessions with rows that could not be read.
    damaged: Vec<Damage>,
    /// What was remarked in rows that were read, by kind.
    remarks: BTreeMap<String, u64>,
    /// Model answers whose token counts do not add up.
    usage_does_not_add_up: Vec<String>,
    /// Model answers whose usage is not known.
    usage_unknown: u64,
    /// Entries that only a backup or a checkpoint has: something was lost from the session itself.
    only_in_copies: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Damage {
    session: String,
    path: PathBuf,
    problems: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let store = args.sources.open().map_err(Stop::input)?;
    let mut findings = Findings { coverage: store.coverage().clone(), ..Findings::default() };
    for (path, _) in &mut findings.coverage.roots {
        *path = readable(path);
    }
    for skipped in &mut findings.coverage.skipped {
        skipped.path = readable(&skipped.path);
    }
    let bar = progress(store.sessions().len());
    for reading in store.readings() {
        bar.inc(1);
        match reading {
            Ok(reading) => findings.take(&reading),
            Err(error) => findings.unreadable.push(error.to_string()),
        }
    }
    bar.finish_and_clear();
    for copy in store.sessions() {
        if matches!(copy.kind(), SessionKind::Backup | SessionKind::Checkpoint)
            && let Some(original) = copy.superseded_by().and_then(|at| store.sessions().get(at))
            && let (Ok(copied), Ok(session)) = (store.read(copy), store.read(original))
        {
            let there: std::collections::BTreeSet<_> =
                session.entries().iter().filter_map(Entry::id).collect();
            let lost = copied.entries().iter().filter(|entry| entry.type_name() != "session");
            let lost = lost.filter_map(Entry::id).filter(|id| !there.contains(id)).count();
            if lost > 0 {
                findings.only_in_copies.push(format!("{}: {lost} entries", copy.path().display()));
            }
        }
    }
    match args.format {
        Format::Json => data(&format!("{}\n", serde_json::to_string_pretty(&findings).unwrap_or_default())),
        Format::Text => show(&findings.text()),
    }
    Ok(u8::from(!findings.is_well()))
}

/// The path as text can show it: JSON has no other.
fn readable(path: &Path) -> PathBuf {
    PathBuf::from(path.to_string_lossy().into_owned())
}

impl Findings {
    fn take(&mut self, reading: &clawgauge_transcript::Reading<'_>) {
        let (session, transcript) = (reading.session, &reading.transcript);
        self.repeated += reading.repeated.len() as u64;
        let report = transcript.report();
        for (kind, count) in report.counts() {
            *self.remarks.entry(kind.name().to_owned()).or_insert(0) += count;
        }
        if report.has_loss() {
            self.damaged.push(Damage {
                session: session.id().to_owned(),
                path: readable(&session.path()),
                problems: report.to_string_lines().into_iter().take(NAMED).collect(),
            });
        }
        for (index, entry) in transcript.entries().iter().enumerate() {
            if reading.is_repeated(index) {
                continue;
            }
            self.entries += 1;
            let Some(message) = entry.message().filter(|message| message.raw_usage().is_some()) else {
                continue;
            };
            match message.usage().and_then(clawgauge_transcript::Usage::reported) {
                None => self.usage_unknown += 1,
                Some(usage) if usage.adds_up() == Some(false) => {
                    self.usage_does_not_add_up.push(format!("{} line {}", session.id(), entry.line()));
                }
                Some(_) => {}
            }
        }
    }

    fn is_well(&self) -> bool {
        self.coverage.is_complete() && self.unreadable.is_empty() && self.damaged.is_empty()
    }

    fn text(&self) -> String {
        let mut text = self.coverage.to_string();
        text += &format!("{} entries read", self.entries);
        if self.repeated > 0 {
            text += &format!(", {} more are copies of them in other sessions", self.repeated);
        }
        text.push('\n');
        for line in &self.unreadable {
            text += &format!("unreadable: {line}\n");
        }
        for damage in self.damaged.iter().take(NAMED) {
            text += &format!("damaged: {}\n", damage.path.display());
            for problem in &damage.problems {
                text += &format!("    {problem}\n");
            }
        }
        for (what, list) in [
            ("only a copy has them", &self.only_in_copies),
            ("token counts do not add up", &self.usage_does_not_add_up),
        ] {
            for line in list.iter().take(NAMED) {
                text += &format!("{what}: {line}\n");
            }
            if list.len() > NAMED {
                text += &format!("{what}: {} more\n", list.len() - NAMED);
            }
        }
        for (kind, count) in &self.remarks {
            text += &format!("{kind}: {count}\n");
        }
        if self.usage_unknown > 0 {
            let answers = if self.usage_unknown == 1 { "answer" } else { "answers" };
            text += &format!("usage not reported: {} {answers}\n", self.usage_unknown);
        }
        text += if self.is_well() { "all of it was read\n" } else { "some of it could not be read\n" };
        text
    }
}
