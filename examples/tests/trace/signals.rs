//! What an operator's signals may lose: nothing.

use crate::program::{events, events_file, trace_export};
use crate::server::{Manner, Server};
use clawgauge_support::exit;
use rustix::process::{Pid, Signal, kill_process};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Child, Stdio};

fn kill(child: &Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

#[test]
fn a_live_export_that_is_told_to_stop_sends_what_it_has() {
    let server = Server::start(Manner::Takes);
    let mut command = trace_export(&["events", "-", "--endpoint", &server.url()]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    // The last run has no end yet.
    let text = events(3);
    let (open, _) = text.trim_end().rsplit_once('\n').unwrap();
    input.write_all(open.as_bytes()).unwrap();
    input.write_all(b"\n").unwrap();
    input.flush().unwrap();
    // A tool leaves a second after its end: then everything was read.
    server.seen.wait_until("the first tools leave", |seen| seen.spans.len() >= 3);
    kill(&child, Signal::TERM);
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(exit::OK.into()));
    let mut spans = server.spans();
    spans.sort();
    spans.dedup();
    assert_eq!(spans.len(), 6, "three runs with a tool each, each once");
    drop(input);
}

#[test]
fn a_spool_survives_a_kill_and_drains_to_the_same_ids() {
    // Several requests: a megabyte each.
    const RUNS: u32 = 1_500;
    let folder = tempfile::tempdir().unwrap();
    let file = events_file(folder.path(), RUNS);
    let wanted = {
        let server = Server::start(Manner::Takes);
        let status = trace_export(&["events", &file, "--endpoint", &server.url()]).status().unwrap();
        assert!(status.success());
        server.spans()
    };
    assert_eq!(wanted.len(), 2 * RUNS as usize);

    let spool = folder.path().join("spool");
    let arguments = ["events", &file, "--spool", spool.to_str().unwrap(), "--endpoint"];
    let hanging = Server::start(Manner::Hangs);
    let mut child = trace_export(&[&arguments[..], &[&hanging.url()]].concat()).spawn().unwrap();
    hanging.seen.wait_until("the first request is on its way", |seen| !seen.heads.is_empty());
    kill(&child, Signal::KILL);
    child.wait().unwrap();
    let kept = std::fs::read_dir(spool.join("primary")).unwrap().flatten();
    assert!(kept.filter(|one| one.path().extension().is_some_and(|end| end == "otlp")).count() > 0);

    let server = Server::start(Manner::Takes);
    let status = trace_export(&[&arguments[..], &[&server.url()]].concat()).status().unwrap();
    assert!(status.success());
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for id in server.spans() {
        *counts.entry(id).or_default() += 1;
    }
    let mut wanted = wanted;
    wanted.sort();
    assert_eq!(counts.keys().cloned().collect::<Vec<_>>(), wanted, "exactly the same ids");
    // What was on its way is sent again; ids are stable, so a backend holds it once.
    let twice = counts.values().filter(|count| **count == 2).count();
    assert!(twice > 0 && counts.values().all(|count| *count <= 2), "{twice} of {}", counts.len());
    let left = std::fs::read_dir(spool.join("primary")).unwrap().flatten();
    assert_eq!(left.filter(|one| one.path().extension().is_some_and(|end| end == "otlp")).count(), 0);
}
