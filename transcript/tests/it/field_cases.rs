//! Inputs made after public bug reports, each with the right answer (`fixtures/field-cases`).

use clawgauge_transcript::{Block, Limits, LineDecoder, Outcome, ProblemKind, Role, Transcript, UsageTotals};
use serde_json::Value;

use crate::support::{Check, fixture, fixtures_in, ids, outline, problems};

/// What is expected of a case: all ids in order, the problems, and the outline of the conversation.
struct Expected {
    case: &'static str,
    ids: &'static str,
    problems: &'static str,
    outline: &'static [&'static str],
}

const LAMPS: &[&str] = &["turn a1 stop \"There are 7 lamps.\"", "  a2: exec#c1=ok@a3", "  a4:"];

const CASES: &[Expected] = &[
    Expected {
        case: "01-truncated-last-line",
        ids: "sess-lantern a1 a2 a3 a4",
        problems: "torn_tail@6",
        outline: LAMPS,
    },
    Expected {
        case: "02-malformed-middle-line",
        ids: "sess-lantern a1 a2 a3 a4",
        problems: "malformed@3",
        outline: LAMPS,
    },
    Expected {
        case: "04-non-object-lines",
        ids: "sess-lantern a1  a2 a3 a4",
        problems: "malformed@3 non_object@4 non_object@5 non_object@6 non_object@7 missing_type@8",
        outline: LAMPS,
    },
    // a4 hangs on a3, which is not there: it continues at a2.
    Expected {
        case: "05-raw-control-chars",
        ids: "sess-lantern a1 a2 a4",
        problems: "control_char@3 malformed@4 malformed@5",
        outline: &["turn a1 stop \"There are 7 lamps.\"", "  a2: exec#c1=no_result", "  a4:"],
    },
    Expected { case: "07-bom-and-crlf", ids: "sess-lantern a1 a2 a3 a4", problems: "bom@1", outline: LAMPS },
    Expected {
        case: "08-invalid-utf8",
        ids: "sess-lantern a1 a2 a3 a4",
        problems: "invalid_utf8@5",
        outline: &[
            "turn a1 stop \"There are 7 \u{fffd}\u{fffd} lamps \u{fffd}.\"",
            "  a2: exec#c1=ok@a3",
            "  a4:",
        ],
    },
    Expected {
        case: "10-unicode-line-separators",
        ids: "sess-lantern a1 a2 a3 a4",
        problems: "",
        outline: LAMPS,
    },
    Expected {
        case: "13-v1-no-ids",
        ids: "sess-lantern  ",
        problems: "",
        outline: &["turn  stop \"Seven.\"", "  :"],
    },
    Expected {
        case: "14-future-version-unknown-types",
        ids: "sess-lantern a1 t1 l1 n1 a2",
        problems: "unsupported_version@1",
        outline: &["turn a1 stop \"hello\"", "  a2:"],
    },
    Expected {
        case: "16-duplicate-entry-rows",
        ids: "sess-lantern a1 a2 a2 a3",
        problems: "duplicate_id@3",
        outline: &["turn a1 stop \"hello there\"", "  a2:", "turn - stop \"bye\"", "  a3:"],
    },
    Expected {
        case: "17-shared-response-id",
        ids: "sess-lantern a1 r0 r1 r2 r3 r4",
        problems: "",
        outline: &[
            "turn a1 stop \"part 0\"",
            "  r0:",
            "turn - stop \"part 1\"",
            "  r1:",
            "turn - stop \"part 2\"",
            "  r2:",
            "turn - stop \"part 3\"",
            "  r3:",
            "turn - stop \"part 4\"",
            "  r4:",
        ],
    },
    Expected {
        case: "20-timestamp-kinds",
        ids: "sess-lantern a1 a2 a3 a4 a5 a6",
        problems: "bad_timestamp@7",
        outline: &[
            "turn a1 stop \"a\"",
            "  a2:",
            "turn - stop \"b\"",
            "  a3:",
            "turn - stop \"c\"",
            "  a4:",
            "turn - stop \"d\"",
            "  a5:",
            "turn - stop \"e\"",
            "  a6:",
        ],
    },
    Expected {
        case: "22-synthetic-user-turns",
        ids: "sess-lantern a1 a2 a3 a4 a5 a6 a7 a8 a9 aa",
        problems: "",
        outline: &[
            "turn a1 stop -",
            "  a2:",
            "turn a3 stop \"List written.\"",
            "  a4:",
            "turn a5 stop -",
            "  a6:",
            "turn a7 stop \"Ferns watered.\"",
            "  a8:",
            "turn a9 stop \"Hello!\"",
            "  aa:",
        ],
    },
    Expected {
        case: "23-channel-envelope",
        ids: "sess-lantern a1 a2 a3 a4",
        problems: "",
        outline: &["turn a1 stop \"Roses pruned.\"", "  a2:", "turn a3 stop \"Kept.\"", "  a4:"],
    },
    Expected {
        case: "25-missing-and-repaired-results",
        ids: "sess-lantern a1 a2 r2 r9 a3",
        problems: "",
        outline: &[
            "turn a1 aborted -",
            "  a2: exec#c1=no_result write#c2=repaired@r2",
            "  a3:",
            "  orphan r9",
        ],
    },
    Expected {
        case: "26-background-exec",
        ids: "sess-lantern a1 a2 r1 a3 r2 a4 r3 a5",
        problems: "",
        outline: &[
            "turn a1 stop \"The build failed.\"",
            "  a2: exec#c1=failed@r1",
            "  a3: process#c2=ok@r2",
            "  a4: process#c3=ok@r3",
            "  a5:",
        ],
    },
    Expected {
        case: "28-multi-text-blocks",
        ids: "sess-lantern a1 a2 r1 a3",
        problems: "",
        outline: &["turn a1 stop \"Total: 7\"", "  a2: read#c1=ok@r1", "  a3:"],
    },
    Expected {
        case: "31-usage-unknown-vs-zero",
        ids: "sess-lantern a1 a2 r1 a3 a4",
        problems: "",
        outline: &["turn a1 stop \"y\"", "  a2: exec#c1=ok@r1", "  a3:", "turn - stop \"z\"", "  a4:"],
    },
    Expected {
        case: "32-usage-shapes",
        ids: "sess-lantern a1 a2 a3 a4 a5",
        problems: "",
        outline: &[
            "turn a1 stop \"a\"",
            "  a2:",
            "turn - stop \"b\"",
            "  a3:",
            "turn - stop \"c\"",
            "  a4:",
            "turn - stop \"d\"",
            "  a5:",
        ],
    },
    Expected {
        case: "46-timestamp-ties",
        ids: "sess-lantern a1 m0 n0 m1 n1 m2 n2 m3 n3",
        problems: "",
        outline: &[
            "turn a1 unfinished -",
            "  m0: open#c0=ok@n0",
            "  m1: paint#c1=ok@n1",
            "  m2: close#c2=ok@n2",
            "  m3: lock#c3=ok@n3",
        ],
    },
    Expected {
        case: "55-final-output-selection",
        ids: "sess-lantern a1 a2 a3 a4 r1 a5",
        problems: "",
        outline: &[
            "turn a1 stop \"FIRST ANSWER\"",
            "  a2:",
            "turn a3 length \"Second answer: 12 ferns.\"",
            "  a4: note#c1=ok@r1",
            "  a5:",
        ],
    },
];

fn case(name: &str) -> Vec<u8> {
    fixture(&format!("field-cases/{name}.jsonl"))
}

#[test]
fn what_is_read_and_what_is_reported() {
    let mut check = Check::default();
    for expected in CASES {
        let bytes = case(expected.case);
        let transcript = Transcript::from_slice(&bytes);
        check.case(expected.case);
        check.eq("ids", ids(&transcript), expected.ids);
        check.eq("problems", problems(transcript.report()), expected.problems);
        check.eq("outline", outline(&transcript.conversation()), expected.outline.join("\n"));
        check.eq("session", transcript.session_id().as_deref(), Some("sess-lantern"));
        check.eq("folder", transcript.cwd().as_deref(), Some("/srv/lantern"));
    }
    check.done();
    let jsonl = fixtures_in("field-cases").into_iter().filter(|name| name.ends_with(".jsonl"));
    let listed: Vec<String> = CASES.iter().map(|expected| format!("{}.jsonl", expected.case)).collect();
    assert_eq!(jsonl.collect::<Vec<_>>(), listed, "every file is a case");
}

#[test]
fn case_01_the_torn_tail_is_where_the_complete_lines_end() {
    let bytes = case("01-truncated-last-line");
    let transcript = Transcript::from_slice(&bytes);
    let complete = bytes.iter().rposition(|&b| b == b'\n').unwrap() as u64 + 1;
    let problem = &transcript.report().problems[0];
    assert_eq!((problem.kind, problem.offset), (ProblemKind::TornTail, complete));
    assert_eq!(transcript.report().count(ProblemKind::Malformed), 0);
    assert!(transcript.report().has_loss());
}

#[test]
fn case_07_reads_as_the_file_without_mark_and_carriage_returns() {
    let bytes = case("07-bom-and-crlf");
    let plain = String::from_utf8(bytes.clone()).unwrap().replace(['\u{feff}', '\r'], "");
    let (transcript, plain) = (Transcript::from_slice(&bytes), Transcript::from_str(&plain));
    let raw = |transcript: &Transcript<'_>| -> Vec<String> {
        transcript.entries().iter().map(|entry| entry.raw().to_owned()).collect()
    };
    assert_eq!(raw(&transcript), raw(&plain));
    assert!(!transcript.report().has_loss());
    let mut written = Vec::new();
    transcript.write_to(&mut written).unwrap();
    assert_eq!(written, bytes);
}

#[test]
fn case_10_separators_inside_texts_are_text() {
    let bytes = case("10-unicode-line-separators");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    assert_eq!(conversation.turns[0].stored_user_text(), "list\u{2028}the\u{2029}lamps\u{85}please");
}

/// Case 11: a line of 1.2 MB, an image and a text in one result.
#[test]
fn case_11_a_huge_line_is_read_or_reported() {
    let image = "A".repeat(1_200_000);
    let lamps = String::from_utf8(case("02-malformed-middle-line")).unwrap();
    let huge = format!(
        r#"[{{"type":"image","mimeType":"image/png","data":"{image}"}},{{"type":"text","text":"7"}}]"#
    );
    let lines: Vec<String> = lamps
        .lines()
        .filter(|line| line.ends_with('}'))
        .map(|line| line.replace(r#"[{"type":"text","text":"7"}]"#, &huge))
        .collect();
    let text = lines.join("\n") + "\n";
    assert_eq!(lines.len(), 5);

    let transcript = Transcript::from_str(&text);
    assert_eq!(
        (ids(&transcript).as_str(), transcript.report().is_clean()),
        ("sess-lantern a1 a2 a3 a4", true)
    );
    let conversation = transcript.conversation();
    let call = conversation.calls().next().unwrap();
    assert_eq!(call.output(), "7");
    let message = call.result.as_ref().unwrap().entry.message().unwrap();
    let Some(Block::Image(picture)) = message.blocks().next() else { panic!("no picture") };
    assert_eq!(picture.base64_len(), Some(1_200_000));
    assert_eq!(picture.mime_type().as_deref(), Some("image/png"));

    let limits = Limits::default().with_max_line_bytes(1 << 20);
    let transcript = Transcript::from_slice_with(text.as_bytes(), limits);
    assert_eq!(ids(&transcript), "sess-lantern a1 a2 a4");
    assert_eq!(problems(transcript.report()), "oversized_record@4");
    let length = lines[3].len();
    assert_eq!(transcript.report().problems[0].reason, format!("{length} bytes, the limit is 1048576"));
    assert_eq!(transcript.conversation().calls().next().unwrap().outcome, Outcome::NoResult);
}

#[test]
fn case_13_version_one_has_no_ids() {
    let bytes = case("13-v1-no-ids");
    let transcript = Transcript::from_slice(&bytes);
    assert_eq!(transcript.version(), Some(1));
    assert_eq!((transcript.tree().path(), transcript.tree().parent(2)), (&[1, 2][..], Some(1)));
    let conversation = transcript.conversation();
    assert_eq!(conversation.turns[0].stored_user_text(), "how many lamps");
    assert!(conversation.turns[0].steps[0].message.raw_usage().is_none());
}

#[test]
fn case_14_unknown_things_are_kept_in_the_chain() {
    let bytes = case("14-future-version-unknown-types");
    let transcript = Transcript::from_slice(&bytes);
    assert_eq!(transcript.version(), Some(7));
    let tree = transcript.tree();
    assert_eq!(tree.path(), [1, 2, 3, 4, 5]);
    assert!((2..=5).all(|at| tree.parent(at) == Some(at - 1)));
    let unknown = &transcript.entries()[2];
    assert_eq!(unknown.type_name(), "title_change");
    assert_eq!(unknown.get("extra").unwrap().as_str(), r#"{"k":[1,2]}"#);
    let message = transcript.entries()[5].message().unwrap();
    let Some(Block::Unknown(block)) = message.blocks().nth(1) else { panic!("the hologram is lost") };
    assert_eq!(block.as_str(), r#"{"type":"hologram","depth":3}"#);
    let mut written = Vec::new();
    transcript.write_to(&mut written).unwrap();
    assert_eq!(written, bytes);
}

#[test]
fn case_17_all_messages_count() {
    let bytes = case("17-shared-response-id");
    let transcript = Transcript::from_slice(&bytes);
    let assistants = transcript.active().filter(|entry| entry.role() == Some(Role::Assistant));
    assert_eq!(assistants.count(), 5);
}

#[test]
fn case_20_every_kind_of_time_is_read() {
    let bytes = case("20-timestamp-kinds");
    let transcript = Transcript::from_slice(&bytes);
    let times: Vec<i64> = transcript.active().map(|entry| entry.timestamp().unwrap().millis()).collect();
    assert_eq!(times, (1..=6).map(|second| 1_777_885_200_000 + second * 1000).collect::<Vec<_>>());
    let last = transcript.ended_at().unwrap();
    assert_eq!(last.millis_since(transcript.active().next().unwrap().timestamp().unwrap()), 5000);
}

#[test]
fn case_22_silence_is_no_answer() {
    let bytes = case("22-synthetic-user-turns");
    let transcript = Transcript::from_slice(&bytes);
    let silent: Vec<bool> =
        transcript.conversation().turns.iter().map(clawgauge_transcript::Turn::is_silent).collect();
    assert_eq!(silent, [true, false, true, false, false]);
}

#[test]
fn case_22_one_person_spoke_once() {
    let bytes = case("22-synthetic-user-turns");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let mut words = Vec::new();
    for turn in &conversation.turns {
        let stored = turn.stored_user_text();
        let speaker = turn.speaker(&stored, None).unwrap();
        if speaker.is_person_turn() {
            words.push(speaker.words().into_owned());
        }
    }
    assert_eq!(words, ["water the ferns"]);
}

#[test]
fn case_23_the_envelope_is_no_word_of_the_person() {
    let bytes = case("23-channel-envelope");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let texts: Vec<_> = conversation.turns.iter().map(clawgauge_transcript::Turn::stored_user_text).collect();
    let words =
        |turn: usize| conversation.turns[turn].speaker(&texts[turn], None).unwrap().words().into_owned();
    assert_eq!(words(0), "please prune the roses");
    assert_eq!(words(1), texts[1]);
}

#[test]
fn cases_16_17_31_and_32_usage_of_what_counts() {
    let totals = |name: &str| {
        let bytes = case(name);
        let transcript = Transcript::from_slice(&bytes);
        let mut totals = UsageTotals::default();
        for step in transcript.conversation().steps() {
            totals.add(step.message.usage().as_ref());
        }
        totals
    };
    let counts = |totals: &UsageTotals| (totals.calls, totals.reported_calls, totals.input, totals.output);
    assert_eq!(counts(&totals("16-duplicate-entry-rows")), (2, 2, Some(110), Some(12)));
    assert_eq!(counts(&totals("17-shared-response-id")), (5, 5, Some(500), Some(5)));
    let unknown = totals("31-usage-unknown-vs-zero");
    assert_eq!(counts(&unknown), (3, 1, Some(1000), Some(50)));
    assert_eq!((unknown.cost_usd(), unknown.partial()), (Some(0.02), true));
    let shapes = totals("32-usage-shapes");
    assert_eq!((shapes.input, shapes.cache_read, shapes.cache_write), (Some(18), Some(1000), Some(20)));
    assert_eq!(shapes.cost_usd(), Some(0.51));
}

#[test]
fn case_25_orphans_are_reported() {
    let bytes = case("25-missing-and-repaired-results");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let problems = conversation.problems();
    assert_eq!(
        problems.iter().map(|problem| (problem.kind, problem.line)).collect::<Vec<_>>(),
        [(ProblemKind::OrphanResult, 5)]
    );
    let repaired = conversation.calls().nth(1).unwrap();
    assert!(!repaired.outcome.is_failure() && repaired.outcome != Outcome::Ok);
}

#[test]
fn case_26_polls_belong_to_their_command() {
    let bytes = case("26-background-exec");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let calls: Vec<_> = conversation.calls().collect();
    assert_eq!(calls[0].exit_code(), Some(2));
    assert_eq!(
        calls[0].output(),
        "Command still running (session calm-fern, pid 4).\ncompiling 1/2\nlinker: no such lamp\nProcess exited with code 2."
    );
    let polls: Vec<_> =
        calls[0].polls.iter().map(|&at| conversation.call(at).unwrap().id.as_deref()).collect();
    assert_eq!(polls, [Some("c2"), Some("c3")]);
    assert!(
        calls[1..].iter().all(|poll| conversation.call(poll.polls_of.unwrap()).unwrap().id == calls[0].id)
    );
    let commands: Vec<_> = calls
        .iter()
        .filter(|call| call.polls_of.is_none())
        .map(|call| call.argument("command").unwrap())
        .collect();
    assert_eq!(commands[0].text().as_deref(), Some("make lamps"));
    assert_eq!(commands.len(), 1);
}

#[test]
fn case_28_all_blocks_count() {
    let bytes = case("28-multi-text-blocks");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    let step = &conversation.turns[0].steps[0];
    assert_eq!(step.text(), "Part A: lamps.\nPart B: wicks.");
    assert_eq!(step.thinking(), "first thought\nsecond thought");
    assert_eq!(step.calls[0].output(), "alpha\nbeta");
}

#[test]
fn case_29_a_live_file_is_followed() {
    let script: Value = serde_json::from_slice(&fixture("field-cases/29-live-tail.json")).unwrap();
    let chunks: Vec<&str> =
        script["chunks"].as_array().unwrap().iter().map(|chunk| chunk.as_str().unwrap()).collect();
    let mut decoder = LineDecoder::new(Limits::default());
    let mut polls = Vec::new();
    for chunk in &chunks {
        decoder.push(chunk.as_bytes());
        let ids: Vec<String> = std::iter::from_fn(|| decoder.next_entry())
            .map(|entry| entry.id().unwrap().into_owned())
            .collect();
        polls.push(ids.join(" "));
    }
    assert_eq!(polls, ["sess-lantern", "", "a1", ""]);
    assert_eq!(problems(decoder.report()), "malformed@3");
    let before_tail: usize = chunks[..3].iter().map(|chunk| chunk.len()).sum();
    assert_eq!(decoder.consumed(), before_tail as u64);
    let last = decoder.finish().unwrap();
    assert_eq!((last.id().as_deref(), last.line()), (Some("a4"), 4));
    assert_eq!(problems(decoder.report()), "malformed@3");
}

#[test]
fn case_46_durations_are_never_negative() {
    let bytes = case("46-timestamp-ties");
    let transcript = Transcript::from_slice(&bytes);
    let conversation = transcript.conversation();
    assert!(conversation.calls().all(|call| call.duration_ms() == Some(0)));
    let turn = &conversation.turns[0];
    assert_eq!(turn.ended_at().unwrap().millis_since(turn.started_at().unwrap()), 0);
}
