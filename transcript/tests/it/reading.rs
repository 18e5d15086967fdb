//! Bytes to entries: damage of every kind, and what it may cost.

use clawgauge_transcript::{Limits, LineDecoder, ProblemKind, Timestamp, Transcript};
use serde_json::{Value, json};

use crate::support::{Check, answers, file, header, ids, problems, says, user, with};

/// Bytes, the ids that are read from them, and what is reported.
fn expect_each(cases: &[(&str, Vec<u8>, &str, &str)]) {
    let mut check = Check::default();
    for (name, bytes, want_ids, want_problems) in cases {
        let transcript = Transcript::from_slice(bytes);
        check.case(name);
        check.eq("ids", ids(&transcript), *want_ids);
        check.eq("problems", problems(transcript.report()), *want_problems);
        for entry in transcript.entries() {
            let at = usize::try_from(entry.offset()).unwrap();
            check.eq("bytes", bytes.get(at..at + entry.bytes().len()), Some(entry.bytes()));
        }
    }
    check.done();
}

/// A short row of each kind that the cases are made of.
struct Rows {
    head: String,
    u1: String,
    a1: String,
    u2: String,
}

fn rows() -> Rows {
    Rows {
        head: header().to_string(),
        u1: user("u1", Value::Null, "one").to_string(),
        a1: says("a1", "u1", "first").to_string(),
        u2: user("u2", "a1", "two").to_string(),
    }
}

#[test]
fn a_torn_row_costs_no_complete_one() {
    let Rows { head, u1, a1, u2 } = rows();
    let torn = &a1[..a1.len() / 2];
    let case = |name: &'static str, text: String, ids: &'static str, problems: &'static str| {
        (name, text.into_bytes(), ids, problems)
    };
    expect_each(&[
        case("then appended", format!("{head}\n{u1}\n{torn}{u2}\n"), "s u1 u2", "recovered_suffix@3"),
        case(
            "then appended twice",
            format!("{head}\n{torn}{torn}{u1}\n{u2}\n"),
            "s u1 u2",
            "recovered_suffix@2",
        ),
        case(
            "torn between complete ones",
            format!("{head}\n{u1}{torn}{u2}\n"),
            "s u1 u2",
            "recovered_suffix@2",
        ),
        case(
            "appended and torn again",
            format!("{head}\n{torn}{u1}{torn}"),
            "s u1",
            "recovered_suffix@2 torn_tail@2",
        ),
        case(
            "the same with a line end",
            format!("{head}\n{torn}{u1}{torn}\n{u2}\n"),
            "s u1 u2",
            "recovered_suffix@2 malformed@2",
        ),
        case("appended without a line end", format!("{head}\n{torn}{u1}"), "s u1", "recovered_suffix@2"),
        case("a torn header", format!("{}{head}\n{u1}\n", &head[..20]), "s u1", "recovered_suffix@1"),
        case(
            "the end of a row whose beginning is lost",
            format!("{}\n{head}\n{u1}\n", &u2[30..]),
            "s u1",
            "malformed@1",
        ),
        case(
            "and a complete one after it",
            format!("{head}\n{}{u1}\n", &u2[30..]),
            "s u1",
            "recovered_suffix@2",
        ),
        case("the beginning of a word", format!("{head}\n{u1}\ntru"), "s u1", "torn_tail@3"),
        case("what may be the beginning of a number", format!("{head}\n{u1}\n12"), "s u1", "torn_tail@3"),
        case("only a brace", format!("{head}\n{u1}\n{{"), "s u1", "torn_tail@3"),
        case("only a brace in the middle", format!("{head}\n{{\n{u1}\n"), "s u1", "malformed@2"),
    ]);
}

#[test]
fn a_missing_line_end_costs_no_row() {
    let Rows { head, u1, a1, u2 } = rows();
    let case = |name: &'static str, text: String, ids: &'static str, problems: &'static str| {
        (name, text.into_bytes(), ids, problems)
    };
    expect_each(&[
        case("two rows", format!("{head}\n{u1}{a1}\n{u2}\n"), "s u1 a1 u2", "glued_rows@2"),
        case("with a blank between", format!("{head}\n{u1} {a1}\n{u2}\n"), "s u1 a1 u2", "glued_rows@2"),
        case("the header too", format!("{head}{u1}{a1}{u2}"), "s u1 a1 u2", "glued_rows@1"),
        case("carriage returns only", format!("{head}\r{u1}\r{a1}\r{u2}\r"), "s u1 a1 u2", "glued_rows@1"),
        case("and a torn tail", format!("{head}\n{u1}{}", &a1[..40]), "s u1", "torn_tail@2"),
        case(
            "an unknown type",
            format!("{head}\n{{\"type\":\"x\",\"id\":\"x1\"}}{u1}\n"),
            "s x1 u1",
            "glued_rows@2",
        ),
        // Not rows: nothing says that they are more than rubbish.
        case("objects without a type", format!("{head}\n{{}}{{\"a\":1}}\n{u1}\n"), "s u1", "malformed@2"),
        case("rows in an array", format!("{head}\n[{u1},{a1}]\n{u2}\n"), "s u2", "non_object@2"),
        case("rubbish after a row", format!("{head}\n{u1};\n{u2}\n"), "s u2", "malformed@2"),
    ]);
}

#[test]
fn rows_inside_of_rows_are_no_rows() {
    let Rows { head, u1, a1, u2 } = rows();
    // A result that quotes another session, torn.
    let quoting = with(
        answers("r1", "a1", "c1", "x"),
        "message.details",
        json!({"rows": [
        serde_json::from_str::<Value>(&u1).unwrap(),
        serde_json::from_str::<Value>(&a1).unwrap(),
    ], "after": 1}),
    )
    .to_string();
    let cut = quoting.find("\"after\"").or_else(|| quoting.find("]")).unwrap();
    expect_each(&[
        ("whole", format!("{head}\n{quoting}\n{u2}\n").into_bytes(), "s r1 u2", ""),
        ("torn", format!("{head}\n{}\n{u2}\n", &quoting[..cut]).into_bytes(), "s u2", "malformed@2"),
        (
            "torn and appended",
            format!("{head}\n{}{u2}\n", &quoting[..cut]).into_bytes(),
            "s u2",
            "recovered_suffix@2",
        ),
    ]);
}

#[test]
fn the_header_may_be_missing_or_come_again() {
    let Rows { head, u1, a1, u2 } = rows();
    let newer = with(header(), "version", json!(9)).to_string();
    let case = |name: &'static str, text: String, ids: &'static str, problems: &'static str| {
        (name, text.into_bytes(), ids, problems)
    };
    expect_each(&[
        case("missing", format!("{u1}\n{a1}\n"), "u1 a1", "missing_header@1"),
        case("late", format!("{u1}\n{head}\n{a1}\n"), "u1 s a1", "missing_header@1"),
        case("broken", format!("{}\n{u1}\n", &head[..30]), "u1", "malformed@1 missing_header@2"),
        case("twice", format!("{head}\n{u1}\n{head}\n{u2}\n"), "s u1 s u2", "extra_header@3"),
        case("newer", format!("{newer}\n{u1}\n"), "s u1", "unsupported_version@1"),
        case("only", format!("{head}\n"), "s", ""),
        case("nothing", String::new(), "", ""),
        case("blank lines", "\n\r\n \t\n\n".to_owned(), "", ""),
    ]);
    let text = format!("{u1}\n{a1}\n");
    let transcript = Transcript::from_str(&text);
    assert_eq!((transcript.session_id(), transcript.version(), transcript.cwd()), (None, None, None));
    assert_eq!(transcript.started_at(), Timestamp::parse("2026-05-04T09:00:01.000Z"));
    assert!(!transcript.report().has_loss());
}

#[test]
fn strange_bytes_cost_at_most_their_line() {
    let Rows { head, u1, a1, u2 } = rows();
    let bytes = |parts: &[&[u8]]| parts.concat();
    let (head, u1, a1, u2) = (head.as_bytes(), u1.as_bytes(), a1.as_bytes(), u2.as_bytes());
    let nul = [0_u8; 64];
    let mark = "\u{feff}".as_bytes();
    let torn = &a1[..40];
    expect_each(&[
        ("a block of NUL", bytes(&[head, b"\n", &nul, b"\n", u1, b"\n"]), "s u1", "malformed@2"),
        ("NUL before a row", bytes(&[head, b"\n", &nul, u1, b"\n"]), "s u1", "recovered_suffix@2"),
        ("NUL at the end", bytes(&[head, b"\n", u1, b"\n", &nul]), "s u1", "torn_tail@3"),
        ("a mark on a later line", bytes(&[head, b"\n", mark, u1, b"\n", u2]), "s u1 u2", "bom@2"),
        ("a mark on an empty line", bytes(&[mark, b"\n", head, b"\n", u1]), "s u1", "bom@1"),
        ("two marks", bytes(&[mark, mark, head, b"\n", u1]), "s u1", "bom@1"),
        ("a mark inside of a line", bytes(&[head, b"\n", u1, mark, a1, b"\n"]), "s a1", "recovered_suffix@2"),
        (
            "a row torn inside of a character",
            bytes(&[head, b"\n{\"type\":\"message\",\"id\":\"\xc3", u1, b"\n"]),
            "s u1",
            "recovered_suffix@2",
        ),
        ("UTF-16", bytes(&[head, b"\n{\0\"\0a\0\"\0:\x001\0}\0\n", u1, b"\n"]), "s u1", "malformed@2"),
        ("latin-1 in a torn tail", bytes(&[head, b"\n", u1, b"\n{\"type\":\"m\xe9"]), "s u1", "torn_tail@3"),
        ("form feed", bytes(&[head, b"\n\x0c\n", u1, b"\n"]), "s u1", "malformed@2"),
        (
            "torn with bad bytes, glued",
            bytes(&[head, b"\n", torn, b"\xff\xfe", u1, u2]),
            "s u1 u2",
            "recovered_suffix@2",
        ),
    ]);
}

#[test]
fn invalid_utf8_is_kept_beside_what_is_read() {
    let line = b"{\"type\":\"message\",\"id\":\"u1\",\"message\":{\"role\":\"user\",\"content\":\"a\xff\xfe\xe2\x82z\"}}";
    let file = [header().to_string().as_bytes(), b"\n", line, b"\r\n"].concat();
    let transcript = Transcript::from_slice(&file);
    assert_eq!(problems(transcript.report()), "invalid_utf8@2");
    let entry = &transcript.entries()[1];
    assert_eq!(entry.message().unwrap().joined_text(), "a\u{fffd}\u{fffd}\u{fffd}z");
    assert_eq!(entry.bytes(), line);
    let mut written = Vec::new();
    transcript.write_to(&mut written).unwrap();
    assert_eq!(written, file);
    // An id with bad bytes is an id all the same.
    let file = b"{\"type\":\"label\",\"id\":\"\xff\",\"parentId\":null}\n";
    assert_eq!(ids(&Transcript::from_slice(file)), "\u{fffd}");
}

#[test]
fn raw_control_characters_read_as_if_escaped() {
    let text = format!(
        "{}\n{{\"type\":\"message\",\"id\":\"u1\",\"message\":{{\"role\":\"user\",\"content\":\"tab\there \u{1}\u{0} back\\\\\tend\"}}}}\n",
        header()
    );
    let transcript = Transcript::from_str(&text);
    assert_eq!(problems(transcript.report()), "control_char@2");
    let entry = &transcript.entries()[1];
    assert_eq!(entry.message().unwrap().joined_text(), "tab\there \u{1}\0 back\\\tend");
    assert_eq!(entry.bytes(), text.lines().nth(1).unwrap().as_bytes());
    // Outside of strings a control character is no JSON.
    let text = format!("{}\n{{\u{1}\"type\":\"label\",\"id\":\"x\"}}\n", header());
    assert_eq!(problems(Transcript::from_str(&text).report()), "malformed@2");
}

#[test]
fn nesting_beyond_the_limit_costs_its_line() {
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth), "]".repeat(depth));
        format!("{{\"type\":\"custom\",\"id\":\"c{depth}\",\"data\":{open}{close}}}")
    };
    let u1 = user("u1", Value::Null, "one");
    let text = format!("{}\n{}\n{}\n{}\n{u1}\n", header(), nested(119), nested(120), nested(100_000));
    let transcript = Transcript::from_str(&text);
    assert_eq!(ids(&transcript), "s c119 u1");
    assert_eq!(problems(transcript.report()), "too_deep@3 too_deep@4");
    assert!(transcript.report().has_loss());
    assert!(transcript.entries()[1].get("data").unwrap().to_value().is_some());
    let text = format!("{}\n{}\n{u1}\n", header(), "[".repeat(1_000_000));
    assert_eq!(problems(Transcript::from_str(&text).report()), "too_deep@2");
    // In a torn row too.
    let text = format!("{}\n{{\"type\":\"custom\",\"data\":{}{u1}\n", header(), "[".repeat(1000));
    assert_eq!(ids(&Transcript::from_str(&text)), "s u1");
}

#[test]
fn a_line_beyond_the_limit_costs_itself_only() {
    let long = user("long", Value::Null, &"x".repeat(5000)).to_string();
    let short = user("u1", Value::Null, "one").to_string();
    let text = format!("{}\n{long}\n{short}\r\n{long}", header());
    let limits = Limits::default().with_max_line_bytes(1000);
    let transcript = Transcript::from_slice_with(text.as_bytes(), limits);
    assert_eq!(ids(&transcript), "s u1");
    assert_eq!(problems(transcript.report()), "oversized_record@2 oversized_record@4");
    let offsets: Vec<u64> = transcript.report().problems.iter().map(|problem| problem.offset).collect();
    assert_eq!(offsets, [header().to_string().len() as u64 + 1, (text.len() - long.len()) as u64]);
    // A line of exactly the limit is read.
    let limits = Limits::default().with_max_line_bytes(long.len());
    assert_eq!(ids(&Transcript::from_slice_with(text.as_bytes(), limits)), "s long u1 long");
    // And it is never held: with pieces of 64 bytes the decoder keeps no more than the limit and one piece.
    let mut decoder = LineDecoder::new(Limits::default().with_max_line_bytes(1000));
    let mut read = Vec::new();
    for piece in text.as_bytes().chunks(64) {
        decoder.push(piece);
        read.extend(std::iter::from_fn(|| decoder.next_entry()));
    }
    read.extend(std::iter::from_fn(|| decoder.finish()));
    assert_eq!(read.len(), 2);
    assert_eq!(problems(decoder.report()), "oversized_record@2 oversized_record@4");
}

#[test]
fn rows_beyond_the_limit_are_reported_once() {
    let mut limits = Limits::default();
    limits.max_entries = 2;
    let rows: Vec<Value> = (0..5).map(|n| user(&format!("u{n}"), Value::Null, "x")).collect();
    let transcript_text = file(&rows);
    let transcript = Transcript::from_slice_with(transcript_text.as_bytes(), limits);
    assert_eq!(ids(&transcript), "s u0");
    assert_eq!(problems(transcript.report()), "too_many_entries@3");
    assert!(transcript.report().has_loss());
}

#[test]
fn problems_beyond_the_limit_are_counted() {
    let mut limits = Limits::default();
    limits.max_problems = 3;
    let text = format!("{}\n{}", header(), "oops\n".repeat(10));
    let transcript = Transcript::from_slice_with(text.as_bytes(), limits);
    assert_eq!(transcript.report().problems.len(), 3);
    assert_eq!(transcript.report().count(ProblemKind::Malformed), 10);
}

#[test]
fn searching_rows_in_a_long_broken_line_takes_linear_time() {
    // Nearly rows, nested ones, and no end: each of these would take hours if every place were tried to the end.
    let deep = "{\"a\":".repeat(100);
    for piece in [
        "{\"type\":\"message\",\"id\":\"x\",\"a\":[",
        "{\"a\":1},",
        "{",
        "{\"",
        deep.as_str(),
        "{\"a\":\"\u{e9}",
    ] {
        let text = format!("{}\n{}\n", header(), piece.repeat(2_000_000 / piece.len()));
        let transcript = Transcript::from_str(&text);
        assert_eq!(transcript.entries().len(), 1);
        assert!(transcript.report().has_loss());
    }
}
