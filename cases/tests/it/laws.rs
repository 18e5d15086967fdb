//! Properties. `PROPTEST_CASES` raises their number.

use clawgauge_cases::{
    Assertion, Attempt, Case, CaseResult, Checker, Format, LoadOptions, Plan, Run, Semantics, Status,
    StepPattern, Suite, Trajectory, TrajectoryMode, TrajectorySpec, flap_rate, pass_at_k, pass_hat_k, wilson,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "exec"]).prop_map(str::to_owned)
}

/// Calls with their message number: not decreasing, so some run in parallel.
fn calls(most: usize) -> impl Strategy<Value = Vec<(String, u8, bool)>> {
    prop::collection::vec((name(), 0_u8..3, any::<bool>()), 0..=most)
}

fn trajectory(calls: &[(String, u8, bool)]) -> Trajectory {
    let pairs =
        calls.iter().map(|(name, n, _)| (name.clone(), json!({"n": n, "command": format!("cmd {n}")})));
    let mut out = Trajectory::from_calls(pairs, "the answer is 42");
    let mut message = 0;
    for (step, (_, _, same)) in out.steps.iter_mut().zip(calls) {
        if !same {
            message += 1;
        }
        step.message = message;
    }
    // Messages are numbered from 0 and there is one for each number.
    out.messages.resize(message + 1, out.messages.first().cloned().unwrap_or_default());
    out
}

fn patterns(most: usize) -> impl Strategy<Value = Vec<StepPattern>> {
    prop::collection::vec((name(), prop::option::of(0_u8..3)), 0..=most).prop_map(|list| {
        list.into_iter()
            .map(|(name, n)| {
                let args =
                    n.map(|n| json!({"n": n})).and_then(|v| v.as_object().cloned()).unwrap_or_default();
                StepPattern::tool(name).with_args(args)
            })
            .collect()
    })
}

fn fits(pattern: &StepPattern, call: &(String, u8, bool)) -> bool {
    pattern.tool.as_deref() == Some(call.0.as_str())
        && pattern.args.get("n").is_none_or(|n| *n == json!(call.1))
}

/// Whether some order of the parallel calls has the patterns as a subsequence: all ways are tried.
fn brute_force(patterns: &[StepPattern], calls: &[(String, u8, bool)], messages: &[usize]) -> bool {
    fn go(
        patterns: &[StepPattern],
        left: &[usize],
        calls: &[(String, u8, bool)],
        messages: &[usize],
    ) -> bool {
        let Some((first, rest)) = patterns.split_first() else { return true };
        for at in 0..left.len() {
            let call = left[at];
            if fits(first, &calls[call]) {
                // What comes after: calls of later messages, and the others of the same one.
                let next: Vec<usize> =
                    left.iter().copied().filter(|&c| c != call && messages[c] >= messages[call]).collect();
                if go(rest, &next, calls, messages) {
                    return true;
                }
            }
        }
        false
    }
    go(patterns, &(0..calls.len()).collect::<Vec<_>>(), calls, messages)
}

fn check(trajectory: &Trajectory, assertion: Assertion) -> bool {
    Checker::new(trajectory).check(&Case::new("a", "m").with(assertion), Semantics::Clawgauge).passed()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ordered_matching_agrees_with_trying_everything(steps in patterns(4), calls in calls(6)) {
        prop_assume!(!steps.is_empty());
        let done = trajectory(&calls);
        let messages: Vec<usize> = done.steps.iter().map(|s| s.message).collect();
        let found = check(&done, Assertion::ToolsOrdered { steps: steps.clone(), strict: false });
        prop_assert_eq!(found, brute_force(&steps, &calls, &messages));
    }

    #[test]
    fn pairing_agrees_with_trying_everything(steps in patterns(4), calls in calls(6)) {
        prop_assume!(!steps.is_empty());
        // All calls in one message: order does not matter, so the oracle for order is one for pairing.
        let flat: Vec<_> = calls.iter().map(|(n, a, _)| (n.clone(), *a, true)).collect();
        let done = trajectory(&flat);
        let messages = vec![0; flat.len()];
        prop_assert_eq!(check(&done, Assertion::Tools(steps.clone())), brute_force(&steps, &flat, &messages));
    }

    #[test]
    fn unrelated_calls_do_not_break_what_passes(steps in patterns(3), calls in calls(6), at in 0_usize..7) {
        prop_assume!(!steps.is_empty());
        let before = trajectory(&calls);
        let mut more = calls.clone();
        more.insert(at.min(calls.len()), ("unrelated".to_owned(), 9, false));
        let after = trajectory(&more);
        // A call between two parallel ones would make them two messages; that is another trajectory.
        prop_assume!(calls.get(at.min(calls.len())).is_none_or(|c| !c.2));
        for mode in [TrajectoryMode::Superset, TrajectoryMode::Ordered] {
            let assertion = || Assertion::Trajectory(vec![spec(mode, &steps)]);
            prop_assert!(!check(&before, assertion()) || check(&after, assertion()), "{:?}", mode);
        }
        for assertion in [
            Assertion::Tools(steps.clone()),
            Assertion::ToolsOrdered { steps: steps.clone(), strict: false },
            Assertion::Commands(vec!["cmd 1".to_owned()]),
            Assertion::CommandsOrdered(vec!["cmd 0".to_owned(), "cmd 1".to_owned()]),
        ] {
            prop_assert!(!check(&before, assertion.clone()) || check(&after, assertion));
        }
    }

    #[test]
    fn reports_round_trip(rows in prop::collection::vec((".{0,12}", prop::collection::vec(0_u8..3, 1..4)), 0..5)) {
        let results = rows.iter().enumerate().map(|(at, (text, attempts))| {
            let mut case = Case::new(format!("c{at}{text}"), text.clone());
            case.pass_at_k = u32::try_from(attempts.len()).unwrap();
            let attempts = attempts.iter().map(|kind| match kind {
                0 => Attempt::recorded(true, vec![]),
                1 => Attempt::recorded(false, vec![format!("failed: {text}")]),
                _ => Attempt::errored("no program", 0.5),
            });
            CaseResult::new(&case, attempts.collect())
        });
        let run = Run::new(results.collect());
        let text = run.to_json();
        let back = Run::from_json(&text).unwrap();
        prop_assert_eq!(back.to_json(), text);
        prop_assert_eq!(&back, &run);
    }

    #[test]
    fn renderings_never_fail_and_escape(text in ".{0,40}") {
        let mut attempt = Attempt::recorded(false, vec![text.clone()]);
        attempt.final_output = format!("<script>{text}</script>");
        attempt.error = Some(text.clone());
        let run = Run::new(vec![CaseResult::new(&Case::new(format!("<b>{text}"), format!("<i>{text}")), vec![attempt])]);
        let html = run.to_html("t");
        prop_assert!(!html.contains("<script") && !html.contains("<b>") && !html.contains("<i>"));
        prop_assert!(!run.to_junit().is_empty());
        prop_assert!(!run.to_markdown().is_empty() && !run.to_text().is_empty());
    }

    #[test]
    fn applying_twice_changes_nothing_more(texts in prop::collection::vec(("[a-c]{1,2}", ".{0,20}", any::<bool>()), 0..6), start in ".{0,60}") {
        let items: Vec<Value> = texts.iter().map(|(id, text, skill)| json!({
            "case": id, "check": "c", "failure": "f", "text": format!("- {text}"),
            "file": if *skill { format!("skills/{id}.md") } else { "TOOLS.md".to_owned() },
            "kind": if *skill { "skill" } else { "tool_rule" },
        })).collect();
        let suggestions = clawgauge_cases::Suggestion::read_all(&Value::Array(items).to_string()).unwrap();
        let first = Plan::of(&suggestions, &|file| (file == "TOOLS.md").then(|| start.clone()));
        let read = |file: &str| {
            first.edits.iter().find(|e| e.file == file).map(|e| e.after.clone())
                .or_else(|| (file == "TOOLS.md").then(|| start.clone()))
        };
        let second = Plan::of(&suggestions, &read);
        prop_assert!(second.edits.is_empty(), "{:?}", second.edits);
        for edit in &first.edits {
            if let Some(before) = &edit.before {
                prop_assert!(edit.after.len() > before.len());
            }
        }
    }

    #[test]
    fn no_suite_text_panics(text in ".{0,80}", shape in 0_u8..4) {
        let text = match shape {
            0 => text,
            1 => format!("cases:\n  - id: a\n    message: m\n    {text}"),
            2 => format!("{{\"cases\": [{text}]}}"),
            _ => format!("{{\"id\": \"g\", \"conversation\": [{text}]}}"),
        };
        for format in [Format::Json, Format::Jsonl, Format::Yaml] {
            drop(Suite::parse(&text, format, &LoadOptions::default()));
        }
    }

    #[test]
    fn no_command_panics(command in ".{0,60}", pattern in ".{0,12}") {
        let done = Trajectory::from_calls([("exec", json!({"command": command}))], "");
        for mode in ["shell", "substring"] {
            let suite = json!({"command_match": mode, "cases": [{"id": "a", "message": "m", "expect_commands": [pattern], "forbidden_commands": [pattern], "expect_commands_ordered": [pattern, pattern], "expect_actions": [pattern]}]});
            let suite = Suite::parse(&suite.to_string(), Format::Json, &LoadOptions::default()).unwrap();
            let verdict = Checker::new(&done).comparing(true).check(&suite.cases[0], suite.semantics);
            // What is expected and what is forbidden cannot both hold.
            prop_assert!(verdict.checks[0].passed != verdict.checks[1].passed);
        }
    }

    #[test]
    fn estimates_are_shares(n in 0_u32..60, c in 0_u32..60, k in 0_u32..60) {
        prop_assume!(c <= n);
        let (any, all) = (pass_at_k(n, c, k), pass_hat_k(n, c, k));
        prop_assert_eq!(any.is_some(), k >= 1 && k <= n);
        if let (Some(any), Some(all)) = (any, all) {
            prop_assert!((0.0..=1.0).contains(&any) && (0.0..=1.0).contains(&all) && all <= any + 1e-12);
        }
        if let Some((low, high)) = wilson(c, n) {
            let rate = f64::from(c) / f64::from(n);
            prop_assert!(0.0 <= low && low <= rate && rate <= high && high <= 1.0);
        }
    }
}

fn spec(mode: TrajectoryMode, steps: &[StepPattern]) -> TrajectorySpec {
    let mut spec = TrajectorySpec::default();
    spec.mode = mode;
    spec.steps = steps.to_vec();
    spec
}

/// pass@k by its meaning: the share of k-subsets of the attempts that hold a pass.
#[test]
fn pass_at_k_is_the_share_of_subsets() {
    for n in 1..=8_u32 {
        for c in 0..=n {
            for k in 1..=n {
                let subsets: Vec<u32> = (0..1_u32 << n).filter(|s| s.count_ones() == k).collect();
                let passes = |s: &&u32| (**s & ((1 << c) - 1)) != 0;
                let all = |s: &&u32| (**s & ((1 << c) - 1)).count_ones() == k;
                let share = |count: usize| count as f64 / subsets.len() as f64;
                assert!(
                    (pass_at_k(n, c, k).unwrap() - share(subsets.iter().filter(passes).count())).abs() < 1e-9
                );
                assert!(
                    (pass_hat_k(n, c, k).unwrap() - share(subsets.iter().filter(all).count())).abs() < 1e-9
                );
            }
        }
    }
    assert_eq!(flap_rate(&[true]), None);
    assert_eq!(flap_rate(&[true, false, true]), Some(1.0));
    assert_eq!(flap_rate(&[true, true, false]), Some(0.5));
}

#[test]
fn public_types_cross_threads() {
    fn ok<T: Send + Sync>() {}
    ok::<(Suite, Case, Trajectory, Run, clawgauge_cases::Verdict, clawgauge_cases::Error, Status)>();
}

/// What a program prepares on one thread, it may use on another.
#[test]
fn a_checker_can_be_sent() {
    fn sent<T: Send>() {}
    sent::<Checker<'static>>();
}
