//! `edd gen-cases`: a suite to begin with.

use std::path::PathBuf;

use clawgauge_cases::TEMPLATE;
use clawgauge_support::cases::workspace;
use clawgauge_support::exit;

use crate::{Stop, data, show};

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The file to write; `-` is standard output
    #[arg(long, short, default_value = "cases.yaml")]
    output: PathBuf,
    /// Overwrite a file that is there
    #[arg(long)]
    force: bool,
}

/// Writes the template.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    if args.output.as_os_str() == "-" {
        data(TEMPLATE);
        return Ok(exit::OK);
    }
    if args.output.exists() && !args.force {
        return Err(Stop::no(format!("{} is there already; --force overwrites it", args.output.display())));
    }
    workspace::write_atomically(&args.output, TEMPLATE).map_err(Stop::system)?;
    show(&format!("✓ {} written; it loads, and uses every key\n", args.output.display()));
    Ok(exit::OK)
}
