//! Corrections and claims of completion, sentence by sentence.

use clawgauge_scoring::{Dimension, Evidence, Judged, Scorecard, Scorer};
use clawgauge_transcript::{RawJson, Transcript};
use serde_json::{Value, json};

fn fixture(name: &str) -> String {
    let path = format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// `(expected, sentence)` of a file of sentences.
fn sentences(name: &str) -> Vec<(bool, String)> {
    let text = fixture(&format!("sentences/{name}.txt"));
    let read = |line: &str| match line.split_at(2) {
        ("+ ", sentence) => (true, sentence.to_owned()),
        ("- ", sentence) => (false, sentence.to_owned()),
        _ => panic!("{name}: {line}"),
    };
    text.lines().filter(|line| !line.is_empty()).map(read).collect()
}

pub(crate) fn score_messages(messages: &Value) -> Judged<Scorecard> {
    let text = messages.to_string();
    let transcript = Transcript::from_messages(RawJson::parse(&text).unwrap());
    Scorer::standard().score(&transcript, None)
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}], "model": "m", "stopReason": "stop"})
}

fn rules(evidence: &[Evidence]) -> String {
    evidence.iter().map(|found| &*found.rule).collect::<Vec<_>>().join(" ")
}

#[test]
fn corrections_and_what_is_none() {
    let mut wrong = Vec::new();
    for language in ["en", "es", "de", "zh"] {
        let all = sentences(&format!("corrections.{language}"));
        for expected in [true, false] {
            assert!(all.iter().filter(|(e, _)| *e == expected).count() >= 20, "{language} {expected}");
        }
        for (expected, sentence) in all {
            let messages =
                json!([user("plant the tulips"), assistant("Planted."), user(&sentence), assistant("OK.")]);
            let card = score_messages(&messages).scored().unwrap();
            let judged = card.dimensions.get(Dimension::Autonomy);
            if (judged.score.number() == Some(0.5)) != expected {
                wrong.push(format!("{language} {expected}: {sentence} [{}]", rules(&judged.evidence)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} sentences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn claims_of_completion_and_what_is_none() {
    let mut wrong = Vec::new();
    for language in ["en", "es", "de", "zh"] {
        let all = sentences(&format!("completion.{language}"));
        for expected in [true, false] {
            assert!(all.iter().filter(|(e, _)| *e == expected).count() >= 20, "{language} {expected}");
        }
        for (expected, sentence) in all {
            let messages =
                json!([user("hello"), assistant("Hello."), user("please do it"), assistant(&sentence)]);
            let card = score_messages(&messages).scored().unwrap();
            let judged = card.dimensions.get(Dimension::Completeness);
            if (judged.score.number() == Some(1.0)) != expected {
                wrong.push(format!(
                    "{language} {expected}: {sentence} {:?} [{}]",
                    judged.score.number(),
                    rules(&judged.evidence)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} sentences:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_the_last_text_is_worth() {
    let (done, unclear, partial, failed) = (1.0, 0.8, 0.5, 0.3);
    let mut wrong = Vec::new();
    for (expected, sentence) in [
        (failed, "I wasn't able to log in to the server."),
        (failed, "I am not able to open that file."),
        (partial, "I wasn't able to complete the task."),
        (failed, "The deployment did not succeed."),
        (failed, "I don't have access to that folder."),
        (failed, "I do not have permission to write there."),
        (done, "Nothing failed; the migration is complete."),
        (done, "None of the tests failed. All done."),
        (done, "The bug is fixed: failures are now retried."),
        (done, "Done. Failures will be logged to errors.txt from now on."),
        (partial, "Everything is done except the deployment."),
        (partial, "All tests pass apart from one."),
        (done, "Everything is done, the deployment too."),
        (done, "Email sent."),
        (done, "Reminder created!"),
        (unclear, "Nothing sent."),
        (unclear, "Mail is sent every day."),
        (failed, "No tengo acceso a la carpeta."),
        (failed, "No tengo permiso para escribir ahí."),
        (partial, "Está arreglado el primero; el segundo sigue fallando."),
        (done, "He reservado el vuelo para el lunes."),
        (done, "Correo enviado."),
        (failed, "No he reservado nada todavía."),
        (partial, "Die ersten beiden sind repariert, der dritte schlägt noch fehl."),
        (failed, "Der Build schlägt weiterhin fehl."),
        (failed, "Ich habe keinen Zugriff auf den Ordner."),
        (failed, "Dafür fehlt mir die Berechtigung."),
        (done, "Die E-Mail ist verschickt."),
        (done, "Ich habe den Flug gebucht."),
        (failed, "没有权限访问。"),
        (failed, "我沒有權限寫入那個資料夾。"),
        (partial, "前两个修好了，第三个还没有。"),
        (partial, "前兩個修好了，第三個還沒。"),
        (unclear, "完成这个需要三天。"),
        (done, "机票订好了。"),
    ] {
        let messages = json!([user("hello"), assistant("Hello."), user("please do it"), assistant(sentence)]);
        let card = score_messages(&messages).scored().unwrap();
        let judged = card.dimensions.get(Dimension::Completeness);
        if judged.score.number() != Some(expected) {
            let (got, found) = (judged.score.number(), rules(&judged.evidence));
            wrong.push(format!("{expected}: {sentence} {got:?} [{found}]"));
        }
    }
    assert!(wrong.is_empty(), "{} sentences:\n{}", wrong.len(), wrong.join("\n"));
}
