//! The agent program: its command line and its answers, against what openclaw-edd recorded and real answers.

use std::time::Duration;

use clawgauge_support::cases::agent::{AgentAnswer, AgentCommand, run};
use serde_json::Value;

const VECTORS: &str = include_str!("../fixtures/edd/agent.jsonl");

/// Where we differ on purpose.
const DIFFER: [(&str, &str); 1] = [("agent-10", "log lines before the JSON do not lose the session")];

#[test]
fn session_ids_and_arguments_are_the_recorded_ones() {
    let mut problems = Vec::new();
    let mut differ = Vec::new();
    let mut by_time = 0;
    for line in VECTORS.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap();
        if row["kind"] == "time-window" {
            // Attempts are told apart by a session key of their own and by the request, not by time: there is no window.
            by_time += 1;
            continue;
        }
        let input = &row["input"];
        if input["program_missing"] == true {
            let fault = run(&["/no/such/program".to_owned()], Duration::from_secs(1)).unwrap_err();
            assert!(fault.contains("/no/such/program"), "{fault}");
            continue;
        }
        let found = if input["exit"] == 0 {
            AgentAnswer::parse(input["stdout"].as_str().unwrap()).ok().and_then(|a| a.session_id)
        } else {
            // A program that fails has no answer, whatever it printed.
            None
        };
        let wanted = row["expected"]["session_id"].as_str().map(str::to_owned);
        if found != wanted {
            differ.push(id.to_owned());
        }
        let command = AgentCommand::parse("openclaw", input["local"] == true).unwrap();
        let message = input["message"].as_str().unwrap();
        let words = command.call(input["agent"].as_str().unwrap(), "K", message);
        // Ours name a session key, spell the agent as two words, and guard a message that begins with a dash.
        let ours: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let mut recorded: Vec<String> = serde_json::from_value(row["expected"]["arguments"].clone()).unwrap();
        let agent = recorded.remove(1).trim_start_matches("--agent=").to_owned();
        let mut expected =
            vec!["agent".to_owned(), "--agent".to_owned(), agent, "--session-key".to_owned(), "K".to_owned()];
        expected.extend(recorded.into_iter().skip(1));
        if message.starts_with('-') {
            expected.truncate(expected.len() - 2);
            expected.push(format!("--message={message}"));
        }
        if ours != expected {
            problems.push(format!("{id}: {ours:?}, recorded {expected:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(differ, DIFFER.map(|(id, _)| id));
    assert_eq!(by_time, 10);
}

#[test]
fn command_lines_are_split_as_a_shell_does() {
    let command =
        AgentCommand::parse(r#"ssh host 'a b' "c \"d" {message} --k={session_key} e\ f"#, false).unwrap();
    let words = command.call("main", "K", "say {agent} $x");
    assert_eq!(words, ["ssh", "host", "a b", "c \"d", "say {agent} $x", "--k=K", "e f"]);
    assert!(AgentCommand::parse("a 'b", false).is_err());
    assert!(AgentCommand::parse("  ", false).is_err());
}

#[cfg(unix)]
#[test]
fn a_program_that_takes_too_long_is_stopped_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("child");
    let script = format!("(sleep 300; touch {0}) & echo $! > {0}.pid; wait", mark.display());
    let words = ["sh".to_owned(), "-c".to_owned(), script];
    let done = run(&words, Duration::from_millis(300)).unwrap();
    assert!(done.status.is_none());
    let child = std::fs::read_to_string(format!("{}.pid", mark.display())).unwrap();
    // The child is gone, or about to be reaped by init (a zombie has no command line).
    let line = std::fs::read(format!("/proc/{}/cmdline", child.trim())).unwrap_or_default();
    assert!(line.is_empty(), "the child still runs: {}", String::from_utf8_lossy(&line));
}
