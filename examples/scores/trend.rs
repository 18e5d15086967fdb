//! `scores trend`: mean scores by day, as a table or a drawing.

use std::path::PathBuf;

use clawgauge_scoring::Trend;
use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, chart, trend};

use crate::read::{ReadArgs, TimeArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many days to look back
    #[arg(long, default_value_t = 30, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,
    /// Draw it into this file too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    let (folder, view) = (args.read.folder()?, args.read.view(&args.time, Some(args.days))?);
    let mut answer = trend(&folder, &view);
    if let Some(path) = &args.svg {
        let days = Trend::of(folder.iter(), view.profile, view.offset, &view.narrowed());
        if days.days().next().is_none() {
            return Err(Stop::nothing("there is nothing to draw"));
        }
        let svg = chart(&days, &format!("Score trend, {} ({})", view.period.title(), view.profile))?;
        std::fs::write(path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
        answer.note(format_args!("scores: drawn into {}", path.display()));
    }
    Ok(answer)
}
