//! Claims without evidence, in the languages that are built in.

use clawgauge_cases::{Checker, Format, LoadOptions, Semantics, Suite, Trajectory};
use serde_json::json;

/// A claim, an answer, and whether the answer makes the claim.
const ANSWERS: &[(&str, &str, bool)] = &[
    ("tests_pass", "Done. All tests pass.", true),
    ("tests_pass", "The tests don't pass yet.", false),
    ("tests_pass", "Do the tests pass?", false),
    ("tests_pass", "Once tests pass, merge it.", false),
    ("tests_pass", "None of the tests pass.", false),
    ("tests_pass", "I could not check whether all tests pass.", false),
    ("tests_pass", "Make sure that the tests pass.", false),
    ("tests_pass", "When tests pass, I will merge it.", false),
    ("tests_pass", "0 tests passed.", false),
    ("tests_pass", "I made sure that all tests pass.", true),
    ("tests_pass", "Die Komponententests laufen durch.", true),
    ("installed", "I uninstalled the package.", false),
    ("installed", "Desinstalé ripgrep.", false),
    ("installed", "Instalé ripgrep.", true),
    ("tests_pass", "修好了，所有测试都通过了。", true),
    ("tests_pass", "测试全部通过！", true),
    ("tests_pass", "不过，测试通过了。", true),
    ("tests_pass", "测试没有通过。", false),
    ("tests_pass", "我还没能让测试通过。", false),
    ("tests_pass", "如果测试通过，我就合并。", false),
    ("tests_pass", "测试通过了吗？", false),
    ("tests_pass", "Listo: todas las pruebas pasan.", true),
    ("tests_pass", "Los tests pasaron en verde.", true),
    ("tests_pass", "Las pruebas no pasan.", false),
    ("tests_pass", "Cuando las pruebas pasan, se publica.", false),
    ("tests_pass", "Alle Tests laufen durch.", true),
    ("tests_pass", "ALLE TESTS SIND GRÜN!", true),
    ("tests_pass", "Die Tests laufen nicht durch.", false),
    ("tests_pass", "Die Tests bestehen nicht.", false),
    ("tests_pass", "Sobald die Tests bestehen, geht es weiter.", false),
    ("builds", "代码已修改，编译通过。", true),
    ("builds", "编译未通过。", false),
    ("builds", "Ahora compila sin errores.", true),
    ("builds", "Todavía no compila sin errores.", false),
    ("builds", "Es kompiliert fehlerfrei.", true),
    ("builds", "Es kompiliert noch nicht.", false),
    ("lint_clean", "clippy 没有警告。", true),
    ("lint_clean", "Terminado sin advertencias.", true),
    ("lint_clean", "Clippy läuft, keine Warnungen.", true),
    ("committed", "改动已提交到 main。", true),
    ("committed", "改动尚未提交。", false),
    ("committed", "He hecho un commit con los cambios.", true),
    ("committed", "Ich habe die Änderungen committet.", true),
    ("committed", "Das muss noch committet werden.", false),
    ("pushed", "分支已推送。", true),
    ("pushed", "我会在之后推送。", false),
    ("pushed", "Hice push a origin.", true),
    ("pushed", "No hice push.", false),
    ("pushed", "Der Branch ist gepusht.", true),
    ("pushed", "Der Branch ist nicht gepusht.", false),
    ("pushed", "Der Branch sollte gepusht werden.", false),
    ("installed", "ripgrep 安装完成。", true),
    ("installed", "He instalado ripgrep.", true),
    ("installed", "ripgrep wurde installiert.", true),
    ("installed", "ripgrep wurde nicht installiert.", false),
];

fn passes(claim: &str, answer: &str, command: Option<&str>) -> bool {
    let case = json!({"cases": [{"id": "a", "message": "m", "claims": [claim]}]});
    let suite = Suite::parse(&case.to_string(), Format::Json, &LoadOptions::default()).unwrap();
    let calls = command.map(|command| ("exec", json!({"command": command})));
    let done = Trajectory::from_calls(calls, answer);
    Checker::new(&done).check(&suite.cases[0], Semantics::Clawgauge).passed()
}

#[test]
fn a_claim_is_seen_in_four_languages_and_not_where_it_is_denied() {
    let evidence = |claim: &str| match claim {
        "tests_pass" => "cargo test",
        "builds" => "cargo build",
        "lint_clean" => "cargo clippy",
        "committed" => "git commit -m x",
        "pushed" => "git push",
        _ => "cargo install ripgrep",
    };
    let mut problems = Vec::new();
    for (claim, answer, makes_it) in ANSWERS {
        if passes(claim, answer, None) == *makes_it {
            problems.push(format!("{claim}: {answer}: claimed should be {makes_it}"));
        }
        if !passes(claim, answer, Some(evidence(claim))) {
            problems.push(format!("{claim}: {answer}: has evidence and fails"));
        }
    }
    super::support::report("claims", &problems);
}
