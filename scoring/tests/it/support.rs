//! What several tests share.

use std::collections::BTreeMap;

/// Compares what each case gave with what is expected, and reports all that is wrong at once.
///
/// `differ` names the cases that differ on purpose, each with its reason: one that has stopped differing fails the test too.
pub(crate) fn report(outcomes: Vec<(String, Result<(), String>)>, differ: &[(&str, &str)]) {
    let mut on_purpose: BTreeMap<&str, &str> = differ.iter().copied().collect();
    let mut wrong = Vec::new();
    let count = outcomes.len();
    for (id, outcome) in outcomes {
        match (outcome, on_purpose.remove(id.as_str())) {
            (Ok(()), None) | (Err(_), Some(_)) => {}
            (Ok(()), Some(reason)) => wrong.push(format!("{id}: no longer differs ({reason})")),
            (Err(difference), None) => wrong.push(format!("{id}: {difference}")),
        }
    }
    wrong.extend(on_purpose.keys().map(|id| format!("{id}: listed, but there is no such case")));
    assert!(wrong.is_empty(), "{} of {count} cases are wrong:\n{}", wrong.len(), wrong.join("\n"));
}
