//! `edd export`: golden records on their way out.

use std::path::{Path, PathBuf};

use clawgauge_golden::{Export, ExportOptions, RecordFile, Split, merge_report};
use clawgauge_support::cases::workspace;
use clawgauge_support::exit;

use crate::mine::{Select, mine, redactor, share};
use crate::{Stop, data, read, tell};

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shape {
    /// One golden record a line
    Jsonl,
    /// A table with a row for each turn
    Csv,
    /// Chat fine-tuning lines in OpenAI's shape, with a card beside them
    Sft,
}

/// The options.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    select: Select,
    /// A file of golden records; without it the sessions of `--from` are mined
    #[arg(long, short, value_name = "FILE")]
    input: Option<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value = "jsonl")]
    format: Shape,
    /// Take answers of passed cases from a run's JSON report
    #[arg(long, value_name = "FILE")]
    merge_report: Option<PathBuf>,
    /// Only records that were approved in a review
    #[arg(long)]
    only_approved: bool,
    /// Share of the records for testing, 0 to 1: they go to a file of their own, by content
    #[arg(long, value_name = "X")]
    test_share: Option<f64>,
    /// The licence that the card names
    #[arg(long, value_name = "SPDX")]
    license: Option<String>,
    /// The file to write; `-` is standard output
    #[arg(long, short, default_value = "-", value_name = "FILE")]
    output: PathBuf,
}

/// Exports.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let test_share = share(args.test_share, "--test-share", 1.0)?;
    if test_share.is_some() && args.output.as_os_str() == "-" {
        return Err(Stop::input("--test-share writes two files: name the first with --output"));
    }
    let card_file = card_file(args)?;
    let redactor = redactor(args.select.policy.as_deref())?;
    let mut file = match &args.input {
        Some(path) => RecordFile::parse(&read(path)?),
        None => {
            let mined = mine(&args.select, &redactor)?;
            tell(&format!("{}\n", mined.report));
            RecordFile::of(mined.records)
        }
    };
    if let Some(problem) = file.problems().first() {
        return Err(Stop::input(format!("{problem}; nothing is exported from a file that is not whole")));
    }
    if let Some(report) = &args.merge_report {
        let merged =
            merge_report(&mut file, &read(report)?).map_err(|error| Stop::input(error.to_string()))?;
        tell(&format!("edd: {} answers taken from the report\n", merged.replaced));
    }
    let options = ExportOptions::default().approved_only(args.only_approved);
    let export =
        Export::new(file.records(), options, &redactor).map_err(|error| Stop::input(error.to_string()))?;
    if export.records().is_empty() {
        tell("edd: there is no record to export\n");
        return Ok(exit::NOTHING);
    }
    let mut card = export.card().with_name("golden", args.license.as_deref());
    match test_share {
        Some(share) => {
            let (train, test) = (export.part(Split::Train, share), export.part(Split::Test, share));
            card = card.with_split(train.records().len(), test.records().len());
            write(&args.output, &text(&train, args.format)?)?;
            write(&beside(&args.output, "test"), &text(&test, args.format)?)?;
        }
        None => write(&args.output, &text(&export, args.format)?)?,
    }
    if let Some(path) = card_file {
        write(&path, &card.to_string())?;
    }
    let (rejected, waiting) = export.held_back();
    tell(&format!(
        "edd: {} records exported, {rejected} rejected and {waiting} unreviewed ones held back, {} values redacted\n",
        export.records().len(),
        export.redactions().total(),
    ));
    Ok(exit::OK)
}

/// Where the card goes: `README.md` beside the data, as hubs of data sets want it. Another project's is not replaced.
fn card_file(args: &Args) -> Result<Option<PathBuf>, Stop> {
    if args.format != Shape::Sft || args.output.as_os_str() == "-" {
        return Ok(None);
    }
    let path = args.output.with_file_name("README.md");
    let ours = || {
        std::fs::read_to_string(&path)
            .is_ok_and(|text| text.starts_with("---\nlicense: ") && text.contains("\n# golden\n"))
    };
    if path.exists() && !ours() {
        let path = path.display();
        return Err(Stop::input(format!(
            "{path} is there already and no card: write into a folder of its own"
        )));
    }
    Ok(Some(path))
}

fn text(export: &Export, shape: Shape) -> Result<String, Stop> {
    match shape {
        Shape::Jsonl => Ok(export.jsonl()),
        Shape::Csv => export.csv().map_err(|error| Stop::system(error.to_string())),
        Shape::Sft => Ok(export.sft()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Stop> {
    if path.as_os_str() == "-" {
        data(text);
        return Ok(());
    }
    workspace::write_atomically(path, text).map_err(Stop::system)
}

/// `data.jsonl` gets `data.test.jsonl` beside it.
fn beside(path: &Path, part: &str) -> PathBuf {
    if path.as_os_str() == "-" {
        return path.to_owned();
    }
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("jsonl");
    path.with_extension(format!("{part}.{ending}"))
}
