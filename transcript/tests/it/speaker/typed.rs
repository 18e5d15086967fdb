//! What a person typed, without what they pasted.

use clawgauge_transcript::{NotTyped, TypedLimits, TypedText, typed_text};

use super::report;

fn typed(text: &str) -> String {
    let pieces: Vec<&str> =
        typed_text(text).pieces().map(str::trim).filter(|piece| !piece.is_empty()).collect();
    pieces.join("|")
}

#[test]
fn pasted_pieces_do_not_count() {
    let mut failures = Vec::new();
    for (name, text, left) in [
        ("fence", "log:\n```\nno, wrong\n```\nwhy?", "log:|why?"),
        ("fence, language", "```text\nno\n```", ""),
        ("fence, tilde", "~~~\nno\n```\nstill\n~~~\nyes", "yes"),
        ("fence, open", "log:\n```\nno\nwrong", "log:"),
        ("fence, longer", "````\n```\nno\n````\nyes", "yes"),
        ("fence, flattened", "what is ```no, wrong\nagain``` here", "what is|here"),
        ("element", "see\n<log>\nno, wrong\n</log>\nwhy?", "see|why?"),
        ("element, attributes", "<doc id=\"1\">\nno\n</doc>", ""),
        ("code span", "what does `wrong` mean", "what does|mean"),
        ("code span, double", "`` no ` wrong `` yes", "yes"),
        ("code span, open", "a stray ` tick and more", "a stray ` tick and more"),
        ("block quote", "> you forgot\n>> twice\n\nsummarise", "summarise"),
        ("block quote, escaped", "&gt; no\nyes", "yes"),
        ("quotes", "he said \"no, that is wrong\" to me", "he said|to me"),
        ("quotes, curly", "he said “no” to me", "he said|to me"),
        ("quotes, German", "er sagte „nein, falsch“ zu mir", "er sagte|zu mir"),
        ("quotes, French", "il dit « non » ici", "il dit|ici"),
        ("quotes, Chinese", "他说「不对」然后走了", "他说|然后走了"),
        ("quotes, straight after Chinese", "他说\"不对\"然后", "他说|然后"),
        ("quotes, single", "the button 'no, cancel' is gone", "the button|is gone"),
        ("apostrophes", "don't do that, it isn't right", "don't do that, it isn't right"),
        ("inches", "a 5\" disk and a 3\" tape", "a 5\" disk and a 3\" tape"),
        ("stray quote", "that \"is wrong", "that \"is wrong"),
        ("quotes over a paragraph", "a \"b\n\nc\" d", "a \"b\n\nc\" d"),
        ("address", "see https://x.org/wrong?no=1 please", "see|please"),
        (
            "log lines",
            "it says\n2026-05-04T09:01:10Z ERROR wrong checksum\n2026-05-04T09:01:11Z retry\nwhy?",
            "it says|why?",
        ),
        ("log, one line", "ERROR: you forgot the label\nwhat is that", "what is that"),
        ("log, brackets", "[2026-05-04 09:01:10] no\nhelp", "help"),
        ("npm", "npm WARN deprecated: no longer maintained", ""),
        (
            "python",
            "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\n    wrong()\nNameError: wrong\n\nfix it",
            "fix it",
        ),
        (
            "java",
            "java.lang.IllegalStateException: no\n    at a.B.c(B.java:12)\n    at a.B.d(B.java:13)\nfix",
            "fix",
        ),
        ("rust", "error[E0425]: wrong\n --> src/main.rs:12:5\n  |\nfix", "fix"),
        ("shell", "$ make\nmake: no rule\nwhy", "make: no rule\nwhy"),
        (
            "diff",
            "diff --git a/x b/x\n@@ -1,2 +1,2 @@\n- let no = wrong();\n+ let yes = right();\nok?",
            "ok?",
        ),
        ("json", "{\n  \"wrong\": true,\n  \"no\": 1\n}\nparse it", "parse it"),
        ("code", "fn a() {\n    no();\n    wrong();\n}\nwhat is it", "what is it"),
        ("one code line", "call no(); then stop", "call no(); then stop"),
        (
            "licence",
            "is this ok?\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy\n\nno limitation, actually\n\nTHE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND",
            "is this ok?",
        ),
        ("plain", "no, that is wrong", "no, that is wrong"),
        (
            "list",
            "- no, the first is wrong\n- the second too\n- and the third",
            "- no, the first is wrong\n- the second too\n- and the third",
        ),
        (
            "list, indented",
            "do this:\n    - no wrong dates\n    - a subject\n    1. and a number",
            "do this:\n    - no wrong dates\n    - a subject\n    1. and a number",
        ),
        (
            "plain lines",
            "no.\nthat is wrong.\ntry again.\nplease.",
            "no.\nthat is wrong.\ntry again.\nplease.",
        ),
        ("empty", "", ""),
    ] {
        let found = typed(text);
        if found != left {
            failures.push(format!("{name}: {found:?}, expected {left:?}"));
        }
    }
    report(&failures);
}

#[test]
fn a_long_paragraph_is_pasted() {
    let paste = "this is no typed text, it is wrong to count it. ".repeat(40);
    let text = format!("summarise this\n\n{paste}\n\nin two lines");
    assert_eq!(typed(&text), "summarise this|in two lines");
    assert!(typed_text(&text).excluded().iter().any(|(_, why)| *why == NotTyped::TooLong));
}

#[test]
fn of_a_long_message_the_ends_count() {
    let middle: String =
        (0..40).map(|n| format!("paragraph {n} says no and {}\n\n", "word ".repeat(40))).collect();
    let text = format!("compare these\n\n{middle}and tell me which is best");
    assert_eq!(typed(&text), "compare these|and tell me which is best");
}

#[test]
fn limits_can_be_set() {
    let mut limits = TypedLimits::default();
    limits.paragraph = 10;
    let text = "short\n\nmuch longer than ten";
    let typed: Vec<&str> = TypedText::with_limits(text, &limits).pieces().map(str::trim).collect();
    assert_eq!(typed, ["short"]);
}
