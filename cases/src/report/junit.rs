//! JUnit XML, as CI systems read it.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::runs::{CaseResult, Run};
use crate::text::quote;
use crate::verdict::Status;

impl Run {
    /// JUnit XML: one suite for each type, one test for each case. Errored cases are errors, unchecked ones skipped.
    /// Times come from the attempts. Texts pass the redactor; characters that XML forbids are left out.
    #[must_use]
    pub fn to_junit(&self) -> String {
        let mut report = Report::new("clawgauge");
        for (eval_type, results) in self.by_type() {
            let mut suite = TestSuite::new(eval_type.as_str());
            for result in results {
                suite.add_test_case(test(result));
            }
            report.add_test_suite(suite);
        }
        report.to_string().unwrap_or_default()
    }
}

fn test(result: &CaseResult) -> TestCase {
    let shown = result.representative();
    let lines: Vec<String> =
        shown.map(|a| a.checks.iter().flat_map(crate::Check::to_lines).collect()).unwrap_or_default();
    let first = shown
        .and_then(|a| a.failures.first().cloned().or_else(|| a.error.as_ref().map(|e| quote(e, 300))))
        .unwrap_or_default();
    let status = match result.status() {
        Status::Passed => TestCaseStatus::success(),
        Status::Unchecked => {
            let mut skipped = TestCaseStatus::skipped();
            skipped.set_message("nothing is asserted");
            skipped
        }
        Status::Failed | Status::Errored => {
            let (kind, word) = if result.status() == Status::Failed {
                (NonSuccessKind::Failure, "failed")
            } else {
                (NonSuccessKind::Error, "errored")
            };
            let mut status = TestCaseStatus::non_success(kind);
            status.set_message(first).set_type(word);
            if !lines.is_empty() {
                status.set_description(lines.join("\n"));
            }
            status
        }
    };
    let mut test = TestCase::new(result.id.clone(), status);
    test.set_classname(format!("openclaw.{}", result.eval_type.as_str()));
    let seconds: f64 =
        result.attempts.iter().map(|a| a.duration_s).filter(|d| d.is_finite() && *d >= 0.0).sum();
    if let Ok(time) = std::time::Duration::try_from_secs_f64(seconds) {
        test.set_time(time);
    }
    let warnings = result.warnings();
    if !warnings.is_empty() {
        test.set_system_out(warnings.join("\n"));
    }
    test
}
