//! Laws of minimising: what is left holds, no row more can go, and the bound is kept.

use clawgauge_golden::{MineOptions, Minimal, MinimiseLimits, minimise, minimise_for_cases, to_cases};
use clawgauge_transcript::Transcript;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{SessionText, mine, recorded};

fn session(tools: &[usize]) -> String {
    let mut session = SessionText::new("sess-min");
    for turn in tools.chunks(3) {
        session.user("How many ferns?");
        for tool in turn {
            session.calls(&[(["exec", "read", "edit", "grep"][*tool], json!({"path": "ferns"}), "12")]);
        }
        session.answer("There are 12 ferns.");
    }
    session.finish()
}

const fn limits(checks: usize) -> MinimiseLimits {
    MinimiseLimits { checks }
}

/// The rows of which the removal, alone, leaves `holds` true; the header is none of them.
fn removable(
    transcript: &Transcript<'_>,
    minimal: &Minimal,
    holds: impl Fn(&Transcript<'_>) -> bool,
) -> Vec<usize> {
    let rows = minimal.entries.iter().filter(|row| **row > 0);
    rows.filter(|out| {
        let mut less = minimal.clone();
        less.entries.retain(|row| row != *out);
        holds(&Transcript::from_str(&less.to_jsonl(transcript)))
    })
    .copied()
    .collect()
}

proptest! {
    #[test]
    fn what_is_left_holds_and_no_row_more_can_go(
        tools in prop::collection::vec(0_usize..4, 1..9),
        wanted in prop::collection::vec(0_usize..4, 0..4),
        checks in 0_usize..120,
    ) {
        let text = session(&tools);
        let transcript = Transcript::from_str(&text);
        // Rows that must all be there, and in sum enough calls of each tool: not monotone rows, but a real predicate.
        let holds = |part: &Transcript<'_>| {
            let conversation = part.conversation();
            let calls: Vec<String> = conversation
                .turns
                .iter()
                .flat_map(|turn| turn.calls().map(|call| call.name.to_string()).collect::<Vec<_>>())
                .collect();
            wanted.iter().all(|tool| {
                let name = ["exec", "read", "edit", "grep"][*tool];
                let need = wanted.iter().filter(|other| *other == tool).count();
                calls.iter().filter(|call| *call == name).count() >= need
            })
        };
        let mut made = 0;
        let found = minimise(&transcript, limits(checks), |part| {
            made += 1;
            holds(part)
        });
        prop_assert!(made <= checks.max(1), "{made} checks, {checks} allowed");
        let Some(minimal) = found else {
            prop_assert!(!holds(&transcript));
            return Ok(());
        };
        prop_assert_eq!(minimal.checks, made);
        prop_assert!(holds(&Transcript::from_str(&minimal.to_jsonl(&transcript))));
        prop_assert!(minimal.entries.is_sorted() && minimal.entries.first() == Some(&0), "the header stays");
        if minimal.is_minimal {
            prop_assert_eq!(removable(&transcript, &minimal, holds), Vec::<usize>::new());
        } else {
            prop_assert_eq!(made, checks.max(1), "it stops early at the bound only");
        }
    }
}

#[test]
fn a_minimal_recorded_session_is_minimal_for_its_cases() {
    let mut minimal_ones = 0;
    for (path, bytes) in recorded() {
        let transcript = Transcript::from_slice(&bytes);
        for record in mine(&String::from_utf8_lossy(&bytes), MineOptions::default()).records {
            let suite = to_cases([&record]).unwrap();
            let Some(minimal) = minimise_for_cases(&transcript, &suite.cases, limits(400)) else { continue };
            assert!(minimal.checks <= 400);
            let holds = |part: &Transcript<'_>| minimise_for_cases(part, &suite.cases, limits(1)).is_some();
            assert!(holds(&Transcript::from_str(&minimal.to_jsonl(&transcript))), "{}", path.display());
            if minimal.is_minimal {
                minimal_ones += 1;
                let more = removable(&transcript, &minimal, holds);
                assert_eq!(more, [0; 0], "{}: {:?}", path.display(), record.id());
            }
        }
    }
    assert!(minimal_ones > 5, "{minimal_ones}");
}
