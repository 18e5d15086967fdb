//! `scores check`: fail when the mean scores are too low.

use clap::error::ErrorKind;
use clap::{CommandFactory as _, value_parser};
use clawgauge_scoring::PerDimension;
use clawgauge_support::Stop;
use clawgauge_support::scores::{Answer, Least, check};

use crate::Cli;
use crate::read::{ReadArgs, TimeArgs};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The least mean overall score, 0 to 1
    #[arg(long, value_name = "X", value_parser = share)]
    min_overall: Option<f64>,
    /// The least mean accuracy
    #[arg(long, value_name = "X", value_parser = share)]
    min_accuracy: Option<f64>,
    /// The least mean completeness
    #[arg(long, value_name = "X", value_parser = share)]
    min_completeness: Option<f64>,
    /// The least mean autonomy
    #[arg(long, value_name = "X", value_parser = share)]
    min_autonomy: Option<f64>,
    /// The least mean consistency
    #[arg(long, value_name = "X", value_parser = share)]
    min_consistency: Option<f64>,
    /// The most that the mean risk of failure may be, 0 to 100
    #[arg(long, value_name = "X", value_parser = points)]
    max_risk: Option<f64>,
    /// The least share of sessions that ended well
    #[arg(long, value_name = "X", value_parser = share)]
    min_success_rate: Option<f64>,
    /// The least number of sessions
    #[arg(long, value_name = "N")]
    min_sessions: Option<u64>,
    /// How many days to look back
    #[arg(long, default_value_t = 7, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    days: u32,
    #[command(flatten)]
    time: TimeArgs,
    #[command(flatten)]
    read: ReadArgs,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|x| (0.0..=1.0).contains(x))
        .ok_or_else(|| "a number from 0 to 1 is needed".to_owned())
}

fn points(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|x| (0.0..=100.0).contains(x))
        .ok_or_else(|| "a number from 0 to 100 is needed".to_owned())
}

pub(crate) fn run(args: &Args) -> Result<Answer, Stop> {
    let least = Least {
        overall: args.min_overall,
        dimensions: PerDimension {
            accuracy: args.min_accuracy,
            completeness: args.min_completeness,
            autonomy: args.min_autonomy,
            consistency: args.min_consistency,
        },
        most_risk: args.max_risk,
        success_rate: args.min_success_rate,
        sessions: args.min_sessions,
    };
    if least.is_empty() {
        // A check that asks nothing would always pass.
        Cli::command()
            .error(ErrorKind::MissingRequiredArgument, "give at least one --min-... option or --max-risk")
            .exit();
    }
    Ok(check(&args.read.folder()?, &args.read.view(&args.time, Some(args.days))?, &least))
}
