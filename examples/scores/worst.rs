//! `scores worst`: the sessions to look at first.

use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, worst};

use crate::read::{ReadArgs, TimeArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many sessions
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    n: u32,
    /// Worst by what: overall or risk
    #[arg(long, default_value = "overall", value_parser = ["overall", "risk"], value_name = "WHAT")]
    by: String,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    Ok(worst(&args.read.folder()?, &args.read.view(&args.time, None)?, args.n, args.by == "risk"))
}
