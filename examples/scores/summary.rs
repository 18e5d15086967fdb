//! `scores summary`: mean scores of the last days.

use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, summary};

use crate::read::{ReadArgs, TimeArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many days to look back
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    days: u32,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    Ok(summary(&args.read.folder()?, &args.read.view(&args.time, Some(args.days))?))
}
