//! `edd run`: grade a recorded session, or ask the agent and grade what it does.

mod attempts;
mod suites;
mod trace;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use clawgauge_cases::{Attempt, Case, CaseResult, Comparison, EvalType, ExitPolicy, Run, Status, Suite};
use clawgauge_support::cases::workspace;
use clawgauge_support::exit;

use crate::{Stop, show, tell};
use attempts::Source;

/// The options.
#[derive(clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Args {
    /// A suite: YAML, JSON, or JSONL golden records; may be given several times
    #[arg(long, num_args = 1.., conflicts_with_all = ["quickstart", "case"])]
    cases: Vec<PathBuf>,
    /// Six cases to try an agent with
    #[arg(long, conflicts_with = "case")]
    quickstart: bool,
    /// One case on the command line: its message
    #[arg(long, value_name = "MESSAGE")]
    case: Option<String>,
    /// For --case: tools that must be called
    #[arg(long, num_args = 1.., requires = "case")]
    expect_tools: Vec<String>,
    /// For --case: tools that must be called in this order
    #[arg(long, num_args = 1.., requires = "case")]
    expect_tools_ordered: Vec<String>,
    /// For --case: commands that must be run
    #[arg(long, num_args = 1.., requires = "case")]
    expect_commands: Vec<String>,
    /// For --case: commands that must be run in this order
    #[arg(long, num_args = 1.., requires = "case")]
    expect_commands_ordered: Vec<String>,
    /// For --case: texts that must be in the answer
    #[arg(long, num_args = 1.., requires = "case")]
    expect_output_contains: Vec<String>,
    /// For --case: texts that must be in plan or thinking
    #[arg(long, num_args = 1.., requires = "case")]
    expect_plan_contains: Vec<String>,
    /// For --case: tools that must not be called
    #[arg(long, num_args = 1.., requires = "case")]
    forbidden_tools: Vec<String>,
    /// For --case: commands that must not be run
    #[arg(long, num_args = 1.., requires = "case")]
    forbidden_commands: Vec<String>,

    /// Only cases with one of these tags
    #[arg(long, num_args = 1..)]
    tags: Vec<String>,
    /// Only these cases
    #[arg(long, num_args = 1..)]
    case_id: Vec<String>,
    /// Only golden records that were reviewed and approved
    #[arg(long)]
    only_approved: bool,

    /// Grade a recorded session: its file
    #[arg(long, value_name = "FILE", conflicts_with = "session")]
    transcript: Option<PathBuf>,
    /// Grade a recorded session: its id below the state folder
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Where OpenClaw keeps its state; else OPENCLAW_STATE_DIR, else ~/.openclaw
    #[arg(long)]
    state_dir: Option<PathBuf>,
    /// Check the suite only; with --session or --transcript, grade that session
    #[arg(long)]
    dry_run: bool,

    /// The agent, unless a case names one
    #[arg(long, default_value = "main")]
    agent: String,
    /// Run the agent in the program instead of the gateway
    #[arg(long)]
    local: bool,
    /// The agent program. {agent}, {session_key} and {message} are replaced; without {message} the arguments of
    /// `openclaw agent` are added
    #[arg(long, default_value = "openclaw agent")]
    agent_cmd: String,
    /// Seconds an attempt may take, unless a case says so
    #[arg(long, value_name = "S", default_value_t = 120.0, allow_negative_numbers = true, value_parser = seconds)]
    timeout_s: f64,
    /// Attempts at each case, instead of what the cases say
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pass_at_k: Option<u32>,
    /// Attempts at one time
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    jobs: u32,
    /// Begin no further case after a failed one
    #[arg(long)]
    fail_fast: bool,
    /// Begin no further attempt once the known cost has reached this, in US dollars
    #[arg(long, value_name = "USD", allow_negative_numbers = true, value_parser = dollars)]
    max_cost: Option<f64>,

    /// An earlier report to compare with
    #[arg(long)]
    baseline: Option<PathBuf>,
    /// Write the report as JSON, in openclaw-edd's shape
    #[arg(long, value_name = "FILE")]
    output_json: Option<PathBuf>,
    /// Write the report as one HTML page
    #[arg(long, value_name = "FILE")]
    output_html: Option<PathBuf>,
    /// Write the report as JUnit XML
    #[arg(long, value_name = "FILE")]
    output_junit: Option<PathBuf>,
    /// Write the report as Markdown
    #[arg(long, value_name = "FILE")]
    output_md: Option<PathBuf>,
    /// End with one line: PASS 3/3 (100.0%)
    #[arg(long)]
    summary_line: bool,
    /// Print what the agent did in each case
    #[arg(long)]
    show_trace: bool,
    /// A failed capability case fails the run
    #[arg(long)]
    fail_capability: bool,
    /// A case that asserts nothing is bad input
    #[arg(long, visible_alias = "strict")]
    fail_unchecked: bool,
    /// Do not note where openclaw-edd would differ
    #[arg(long)]
    no_compare: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    number.ok_or_else(|| "a number of seconds above 0 is needed".to_owned())
}

fn dollars(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0);
    number.ok_or_else(|| "a number from 0 on is needed".to_owned())
}

/// Runs the cases.
pub(crate) fn run(args: &Args) -> Result<u8, Stop> {
    let loaded = suites::load(args)?;
    let mut suite = loaded.suite;
    for warning in &loaded.warnings {
        tell(&format!("edd: {warning}\n"));
    }
    if suite.skipped_unreviewed > 0 {
        tell(&format!("ℹ {} records are not reviewed and were left out\n", suite.skipped_unreviewed));
    }
    let wanted = |case: &Case| {
        (args.tags.is_empty() || case.tags.iter().any(|t| args.tags.contains(t)))
            && (args.case_id.is_empty() || args.case_id.contains(&case.id))
    };
    let unknown: Vec<&String> =
        args.case_id.iter().filter(|id| !suite.cases.iter().any(|c| c.id == **id)).collect();
    for id in unknown {
        tell(&format!("edd: there is no case `{id}`\n"));
    }
    suite.cases.retain(wanted);
    if suite.cases.is_empty() {
        return Err(Stop::nothing("no case matched"));
    }
    let outputs = [&args.output_json, &args.output_html, &args.output_junit, &args.output_md];
    for path in outputs.into_iter().flatten() {
        can_write(path)?;
    }
    let baseline = args.baseline.as_ref().map(|path| crate::diff::report(path)).transpose()?;
    let source = Source::of(args)?;
    if source.is_none() && args.dry_run {
        show(&format!(
            "{} cases are well formed. Nothing was run and nothing was graded: this is no pass.\n",
            suite.cases.len()
        ));
        let unchecked: Vec<&str> =
            suite.cases.iter().filter(|c| c.is_unchecked()).map(|c| c.id.as_str()).collect();
        if !unchecked.is_empty() {
            show(&format!("They assert nothing: {}\n", unchecked.join(", ")));
        }
        return Ok(if args.fail_unchecked && !unchecked.is_empty() { exit::USAGE } else { exit::OK });
    }
    let source = match source {
        Some(source) => source,
        None => Source::asking(args)?,
    };
    if let Some(k) = args.pass_at_k {
        for case in &mut suite.cases {
            case.pass_at_k = k;
        }
    }
    if source.is_recorded() {
        // One recorded session is one attempt, however many a case asks for.
        for case in &mut suite.cases {
            case.pass_at_k = 1;
        }
    }
    let total = suite.cases.len();
    let results = all(args, &suite, &source, &loaded.files);
    let left_out = total - results.len();
    let run = Run::new(results);
    print(args, &run);
    if left_out > 0 {
        show(&format!("{left_out} cases were not begun (--fail-fast or --max-cost)\n"));
    }
    if let Some(before) = &baseline {
        show(&format!("\n📊 Baseline comparison\n{}", Comparison::of(before, &run).to_text()));
    }
    let title = "Agent cases";
    let written = [
        (&args.output_json, run.to_json()),
        (&args.output_html, run.to_html(title)),
        (&args.output_junit, run.to_junit()),
        (&args.output_md, run.to_markdown()),
    ];
    for (path, text) in written {
        if let Some(path) = path {
            workspace::write_atomically(path, &text).map_err(Stop::system)?;
            show(&format!("✓ {} written\n", path.display()));
        }
    }
    if args.summary_line {
        show(&format!("{}\n", run.summary_line()));
    }
    let policy = ExitPolicy::new().capability(args.fail_capability).unchecked(args.fail_unchecked);
    Ok(match run.exit_code(policy) {
        // Cases that a limit kept from being run are no pass.
        exit::OK if left_out > 0 => exit::IO,
        code => code,
    })
}

/// A report that cannot be written is found out before the work, not after it.
fn can_write(path: &std::path::Path) -> Result<(), Stop> {
    let folder =
        path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or_else(|| std::path::Path::new("."));
    if !folder.is_dir() {
        return Err(Stop::input(format!("{} is no folder", folder.display())));
    }
    if path.is_dir() {
        return Err(Stop::input(format!("{} is a folder", path.display())));
    }
    tempfile::NamedTempFile::new_in(folder)
        .map(drop)
        .map_err(|e| Stop::input(format!("{} cannot be written: {e}", path.display())))
}

fn print(args: &Args, run: &Run) {
    for result in &run.results {
        show(&result.to_text());
        if args.show_trace {
            for attempt in &result.attempts {
                show(&trace::text(attempt));
            }
        }
        show("\n");
    }
    show(&run.to_text());
}

/// What the threads share.
struct Shared {
    next: AtomicUsize,
    stop: AtomicBool,
    cost: Mutex<f64>,
    done: AtomicUsize,
}

impl Shared {
    fn add_cost(&self, cost: Option<f64>) -> f64 {
        let mut sum = self.cost.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *sum += cost.unwrap_or(0.0);
        *sum
    }
}

/// All results in the order of the suite; cases that were not begun are missing.
fn all(args: &Args, suite: &Suite, source: &Source, files: &[(String, String)]) -> Vec<CaseResult> {
    let shared = Shared {
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        cost: Mutex::new(0.0),
        done: AtomicUsize::new(0),
    };
    let results: Mutex<Vec<(usize, CaseResult)>> = Mutex::new(Vec::new());
    let workers = usize::try_from(args.jobs).unwrap_or(1).min(suite.cases.len()).max(1);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while !shared.stop.load(Ordering::SeqCst) {
                    let at = shared.next.fetch_add(1, Ordering::SeqCst);
                    let Some(case) = suite.cases.get(at) else { break };
                    let result = one(args, suite, case, source, files, &shared);
                    if let Some(result) = result {
                        results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((at, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

fn one(
    args: &Args,
    suite: &Suite,
    case: &Case,
    source: &Source,
    files: &[(String, String)],
    shared: &Shared,
) -> Option<CaseResult> {
    let mut attempts: Vec<Attempt> = Vec::new();
    for number in 1..=case.pass_at_k {
        if args.max_cost.is_some_and(|most| shared.add_cost(None) >= most) {
            shared.stop.store(true, Ordering::SeqCst);
            if attempts.is_empty() {
                return None;
            }
            attempts.push(Attempt::errored("not begun: --max-cost is reached", 0.0));
            continue;
        }
        let attempt = attempts::attempt(args, suite, case, number, source, files);
        shared.add_cost(attempt.cost);
        attempts.push(attempt);
    }
    let result = CaseResult::new(case, attempts);
    let done = shared.done.fetch_add(1, Ordering::SeqCst) + 1;
    if !source.is_recorded() {
        let seconds: f64 = result.attempts.iter().map(|a| a.duration_s).sum();
        tell(&format!(
            "[{done}/{}] {} {} {seconds:.1}s\n",
            suite.cases.len(),
            result.id,
            result.status().as_str()
        ));
    }
    let bad = result.status() == Status::Failed
        && (args.fail_capability || result.eval_type != EvalType::Capability);
    if args.fail_fast && bad {
        shared.stop.store(true, Ordering::SeqCst);
    }
    Some(result)
}
