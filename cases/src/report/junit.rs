//! JUnit XML, as CI systems read it.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::runs::{CaseResult, Run};
use crate::text::quote;
use crate::verdict::Status;

impl Run {
    /// JUnit XML: one suite for each type, one test for each case. Errored cases are errors, unchecked ones skipped.
    /// Times come from the attempts, in seconds. Texts pass the redactor; characters that XML forbids are left out. O(size).
    #[must_use]
    pub fn to_junit(&self) -> String {
        let mut report = Report::new("clawgauge");
        let mut whole = Duration::ZERO;
        for (eval_type, results) in self.by_type() {
            let mut suite = TestSuite::new(quote(eval_type.as_str(), 200));
            let mut time = Duration::ZERO;
            for result in results {
                let test = test(result);
                time = time.saturating_add(test.time.unwrap_or_default());
                suite.add_test_case(test);
            }
            suite.set_time(time);
            whole = whole.saturating_add(time);
            report.add_test_suite(suite);
        }
        report.set_time(whole);
        let xml = report.to_string().unwrap_or_default();
        // XML forbids these two as well, and the writer lets them through.
        xml.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
    }
}

fn test(result: &CaseResult) -> TestCase {
    let shown = result.representative();
    let lines = shown.map(super::why).unwrap_or_default();
    let first = shown.and_then(|a| a.failures.first().or(a.error.as_ref()));
    let first = first.map(|text| quote(text, 1000)).unwrap_or_default();
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
    let mut test = TestCase::new(quote(&result.id, 1000), status);
    test.set_classname(format!("openclaw.{}", quote(result.eval_type.as_str(), 200)));
    let seconds: f64 =
        result.attempts.iter().map(|a| a.duration_s).filter(|d| d.is_finite() && *d >= 0.0).sum();
    if let Ok(time) = Duration::try_from_secs_f64(seconds) {
        test.set_time(time);
    }
    let warnings = result.warnings();
    if !warnings.is_empty() {
        test.set_system_out(warnings.join("\n"));
    }
    test
}
