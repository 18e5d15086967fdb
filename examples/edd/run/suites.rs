//! The cases of a run: from files, from the program, from the command line.

use std::path::Path;

use clawgauge_cases::{Case, Error, Format, Json, LoadOptions, QUICKSTART, Suite};

use super::Args;
use crate::Stop;

/// A suite and the pattern files that its cases name.
pub(super) struct Loaded {
    pub(super) suite: Suite,
    /// What is odd in the files, each with the name of its file.
    pub(super) warnings: Vec<String>,
    /// Name and text.
    pub(super) files: Vec<(String, String)>,
}

impl Loaded {
    fn without_files(suite: Suite) -> Self {
        let warnings = suite.warnings.iter().map(ToString::to_string).collect();
        Self { suite, warnings, files: Vec::new() }
    }
}

fn located(path: &Path, fault: &Error) -> Stop {
    let name = path.display();
    if fault.diagnostics().is_empty() {
        return Stop::input(format!("{name}: {fault}"));
    }
    let lines: Vec<String> = fault.diagnostics().iter().map(|d| format!("{name}:{d}")).collect();
    Stop::input(format!("the suite cannot be used\n{}", lines.join("\n")))
}

pub(super) fn load(args: &Args) -> Result<Loaded, Stop> {
    let options = LoadOptions::default().approved_only(args.only_approved);
    if args.quickstart {
        let suite =
            Suite::parse(QUICKSTART, Format::Yaml, &options).map_err(|e| Stop::input(e.to_string()))?;
        return Ok(Loaded::without_files(suite));
    }
    if let Some(message) = &args.case {
        return on_the_command_line(args, message, &options);
    }
    if args.cases.is_empty() {
        return Err(Stop::input("name the cases: --cases FILE, --quickstart, or --case MESSAGE"));
    }
    let mut suites = Vec::new();
    let mut warnings = Vec::new();
    let mut files = Vec::new();
    for path in &args.cases {
        let bytes = std::fs::read(path).map_err(|e| Stop::input(format!("{}: {e}", path.display())))?;
        let format = Format::of_name(&path.to_string_lossy());
        let suite = Suite::from_bytes(&bytes, format, &options).map_err(|e| located(path, &e))?;
        warnings.extend(suite.warnings.iter().map(|warning| format!("{}:{warning}", path.display())));
        for case in &suite.cases {
            files.extend(pattern_file(path, case)?);
        }
        suites.push(suite);
    }
    let suite = Suite::merge(suites).map_err(|e| Stop::input(e.to_string()))?;
    Ok(Loaded { suite, warnings, files })
}

/// A pattern file lies next to its suite, or where the program runs.
fn pattern_file(suite: &Path, case: &Case) -> Result<Option<(String, String)>, Stop> {
    let Some(name) = &case.action_patterns_file else { return Ok(None) };
    let beside = suite.parent().map(|folder| folder.join(name));
    for path in beside.into_iter().chain([Path::new(name).to_owned()]) {
        if let Ok(text) = std::fs::read_to_string(&path) {
            return Ok(Some((name.clone(), text)));
        }
    }
    Err(Stop::input(format!("case {}: the pattern file {name} was not found", case.id)))
}

fn on_the_command_line(args: &Args, message: &str, options: &LoadOptions) -> Result<Loaded, Stop> {
    let mut case = serde_json::json!({"id": "cli_case", "message": message, "agent": args.agent});
    let lists = [
        ("expect_tools", &args.expect_tools),
        ("expect_tools_ordered", &args.expect_tools_ordered),
        ("expect_commands", &args.expect_commands),
        ("expect_commands_ordered", &args.expect_commands_ordered),
        ("expect_output_contains", &args.expect_output_contains),
        ("expect_plan_contains", &args.expect_plan_contains),
        ("forbidden_tools", &args.forbidden_tools),
        ("forbidden_commands", &args.forbidden_commands),
    ];
    for (key, list) in lists {
        if !list.is_empty()
            && let Some(slot) = case.as_object_mut()
        {
            slot.insert(key.to_owned(), serde_json::json!(list));
        }
    }
    let text = Json::from(&serde_json::json!({ "cases": [case] })).compact();
    let suite = Suite::parse(&text, Format::Json, options).map_err(|e| Stop::input(e.to_string()))?;
    Ok(Loaded::without_files(suite))
}
