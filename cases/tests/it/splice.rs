//! Changing a file leaves what a person wrote byte for byte.

use clawgauge_cases::{ErrorKind, Format, Json, LoadOptions, Suite, append_case, append_cases, set_key};

fn case(text: &str) -> Json {
    serde_json::from_str(text).unwrap()
}

const NEW: &str = r#"{"id": "new", "message": "say: \"hi\" # no", "expect_tools": ["exec"], "expect_tool_args": {"exec": {"n": 1}}}"#;

/// Everything of `before` is in `after`, in order, with one piece put in.
fn is_spliced(before: &str, after: &str) {
    let head = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let tail = before[head..].bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
    assert_eq!(head + tail, before.len(), "only one piece is new:\n{after}");
}

#[test]
fn a_case_is_appended() {
    let files = [
        (Format::Yaml, "# head\ncases:\n  - id: a   # keep\n    message: m\n\n# tail\nother: 1\n"),
        (Format::Yaml, "cases:\n- id: a\n  message: |\n    many\n\n    lines\n"),
        (Format::Yaml, "cases:\n  - {id: a, message: m}"),
        (Format::Yaml, "cases: [{id: a, message: it's}]  # flow\n"),
        (Format::Yaml, "cases: []\n"),
        (Format::Yaml, "- id: a\n  message: m\n"),
        (Format::Yaml, "cases:\r\n  - id: a\r\n    message: m\r\n"),
        (
            Format::Yaml,
            "base: &b {agent: x}\ncases:\n    - <<: *b\n      id: a\n      message: m\nsemantics: clawgauge\n",
        ),
        (Format::Json, "{\n  \"cases\": [\n    {\"id\": \"a\", \"message\": \"]\"}\n  ],\n  \"x\": 1\n}\n"),
        (Format::Json, "{\"cases\":[]}"),
        (Format::Json, "\u{feff}[{\"id\": \"a\", \"message\": \"m\"}]"),
        (Format::Jsonl, "{\"id\":\"a\",\"message\":\"m\"}"),
        (Format::Jsonl, "\n{\"id\":\"a\",\"message\":\"m\"}\n"),
    ];
    for (format, before) in files {
        let after = append_case(before, format, &case(NEW)).unwrap_or_else(|e| panic!("{before}: {e}"));
        is_spliced(before, &after);
        let suite =
            Suite::parse(&after, format, &LoadOptions::default()).unwrap_or_else(|e| panic!("{after}\n{e}"));
        let last = suite.cases.last().unwrap();
        assert_eq!((last.id.as_str(), last.message.as_str()), ("new", "say: \"hi\" # no"), "{after}");
        // Several at once are what one after another is.
        let other = r#"{"id": "newer", "message": "m"}"#;
        let both = append_cases(before, format, &[case(NEW), case(other)]).unwrap();
        is_spliced(before, &both);
        let one_by_one = append_case(&after, format, &case(other)).unwrap();
        let read = |text: &str| Suite::parse(text, format, &LoadOptions::default()).unwrap();
        let written = |suite: Suite| suite.cases.iter().map(|c| c.as_written().clone()).collect::<Vec<_>>();
        assert_eq!(written(read(&both)), written(read(&one_by_one)), "{both}");
        assert_eq!(append_cases(before, format, &[]).unwrap(), before);
        if before.contains("\r\n") {
            assert!(!after.replace("\r\n", "").contains('\n'), "line ends stay: {after:?}");
        }
    }
}

#[test]
fn a_key_is_set() {
    let files = [
        (
            Format::Yaml,
            "cases:\n  - id: a # one\n    message: m\n  - id: b\n    message: m\n",
            "approved: true\n",
        ),
        (Format::Yaml, "cases:\n  - {id: a, message: m, approved: false}  # x\n", "approved: true"),
        (Format::Json, "{\"cases\": [{\"id\": \"a\", \"message\": \"m\"}]}", "\"approved\": true"),
        (Format::Jsonl, "{\"id\": \"z\"}\n{\"id\": \"a\", \"approved\": null}\n", "\"approved\": true"),
    ];
    for (format, before, piece) in files {
        let after = set_key(before, format, "a", "approved", &Json::Bool(true))
            .unwrap_or_else(|e| panic!("{before}: {e}"));
        assert!(after.contains(piece), "{after}");
        let without = after.replace(" true", "").replace(" false", "");
        assert!(without.len() < after.len());
        for comment in ["# one", "# x"] {
            assert_eq!(before.contains(comment), after.contains(comment));
        }
    }
    let none = set_key("cases: [{id: b, message: m}]", Format::Yaml, "a", "x", &Json::Null).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Edit);
    let block = "cases:\n  - id: a\n    message: m\n    tags:\n      - x\n";
    assert_eq!(set_key(block, Format::Yaml, "a", "tags", &Json::Null).unwrap_err().kind(), ErrorKind::Edit);
}

#[test]
fn a_compact_value_is_json_and_yaml_on_one_line() {
    let text = "{\"z\": [], \"a\": {}, \"é\\n\": [1, 2.50, -0.0, true, null, \"\\\"q: \\u0001\"], \"n\": [[{}], {\"k\": [{\"l\": \"\"}]}]}";
    let json = case(text);
    assert_eq!(json.compact(), text.replace("2.50", "2.5"));
    assert_eq!(case(&json.compact()), json);
    assert_eq!(["x", "\u{2028}"].map(|t| Json::from(t).compact()), ["\"x\"", "\"\u{2028}\""]);
}
