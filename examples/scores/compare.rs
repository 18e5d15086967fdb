//! `scores compare A B`: did it get better?

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clawgauge_scoring::Filter;
use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, Folder, Set, compare, parse_time};

use crate::read::{self, ReadArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The first set: a folder, `FROM..TO` (times, either may be left out), `model=NAME`, `agent=NAME`, `channel=NAME`, or several
    /// of these joined with commas
    a: OsString,
    /// The second set
    b: OsString,
    /// Exit with 1 when the second set is worse overall
    #[arg(long)]
    fail_if_worse: bool,
    /// Decides the random samples
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    let (a, b) = (Chosen::read(&args.a, &args.read)?, Chosen::read(&args.b, &args.read)?);
    let common = match (&a.folder, &b.folder) {
        (Some(_), Some(_)) => Folder::default(),
        _ => args.read.folder()?,
    };
    let set = |name: &OsStr, chosen: &'_ Chosen| Set {
        name: name.to_string_lossy().into_owned(),
        folder: &common,
        filter: chosen.filter.clone(),
    };
    let (mut first, mut second) = (set(&args.a, &a), set(&args.b, &b));
    if let Some(folder) = &a.folder {
        first.folder = folder;
    }
    if let Some(folder) = &b.folder {
        second.folder = folder;
    }
    Ok(compare(&first, &second, args.read.profile, args.seed, args.fail_if_worse, args.read.json))
}

/// What a word of the command line names.
struct Chosen {
    folder: Option<Folder>,
    filter: Filter,
}

impl Chosen {
    fn read(word: &OsStr, args: &ReadArgs) -> Result<Self, Stop> {
        let mut chosen = Self { folder: None, filter: args.filter() };
        if Path::new(word).is_dir() {
            chosen.folder = Some(read::folder(Path::new(word))?);
            return Ok(chosen);
        }
        let now = read::now();
        for part in word.to_string_lossy().split(',') {
            if let Some((from, to)) = part.split_once("..") {
                let time = |text: &str| {
                    (!text.is_empty())
                        .then(|| parse_time(text, now, args.utc_offset))
                        .transpose()
                        .map_err(Stop::input)
                };
                (chosen.filter.since, chosen.filter.until) = (time(from)?, time(to)?);
                continue;
            }
            match part.split_once('=') {
                Some(("model", name)) => chosen.filter.model = Some(name.to_owned()),
                Some(("agent", name)) => chosen.filter.agent = Some(name.to_owned()),
                Some(("channel", name)) => chosen.filter.channel = Some(name.to_owned()),
                _ => {
                    return Err(Stop::input(format!(
                        "{part:?} is no folder, no FROM..TO, and no model=, agent= or channel="
                    )));
                }
            }
        }
        Ok(chosen)
    }
}
