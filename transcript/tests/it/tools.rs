//! Kinds and effects of tools: known names, names judged by their words, command lines.

use clawgauge_transcript::{Effect, ToolKind, ToolName, ToolTable, exit_code_answers, shell_commands};
use proptest::prelude::*;
use serde_json::json;

/// Compares all rows and names every one that differs.
fn check<T: PartialEq + std::fmt::Debug>(rows: &[(&str, T)], of: impl Fn(&str) -> T) {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|(name, expected)| of(name) != *expected)
        .map(|(name, expected)| format!("{name:?}: expected {expected:?}, got {:?}", of(name)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn kinds() {
    use ToolKind::*;
    check(
        &[
            ("exec", Shell),
            ("Bash", Shell),
            ("sh", Shell),
            ("run_command", Shell),
            ("runCommand", Shell),
            ("run-terminal-cmd", Shell),
            ("mcp__box__exec", Shell),
            ("functions.exec", Shell),
            ("terminal__terminal_execute_bash", Shell),
            ("local_shell", Shell),
            ("process", Process),
            ("BashOutput", Process),
            ("read", Read),
            ("ReadFile", Read),
            ("mcp__files__read_file", Read),
            ("ls", Read),
            ("session_status", Read),
            ("get_order_details", Read),
            ("telecom_get_details_by_id", Read),
            ("check_network_status", Read),
            ("fetch_cancel_policy", Fetch),
            ("verify_exchange_policy", Read),
            ("Hugging_Face__get-model-info", Read),
            ("grep", Search),
            ("Glob", Search),
            ("web_search", Search),
            ("WebSearch", Search),
            ("search__web_search", Search),
            ("find_user_id_by_email", Search),
            ("book_search", Search),
            ("rag_query", Search),
            ("web_fetch", Fetch),
            ("webfetch", Fetch),
            ("write", Write),
            ("create_file", Write),
            ("Write_File", Write),
            ("edit", Edit),
            ("find_and_replace", Edit),
            ("search_and_replace", Change),
            ("MultiEdit", Edit),
            ("apply_patch", Edit),
            ("swebench__swebench_str_replace_editor", Edit),
            ("cancel_pending_order", Change),
            ("book_reservation", Change),
            ("return_delivered_order_items", Change),
            ("get_or_create_user", Change),
            ("index_file", Change),
            ("toggle_roaming", Change),
            ("mcp__mail__send_email", Message),
            ("message", Message),
            ("sessions_send", Message),
            ("sessions_spawn", Spawn),
            ("Task", Spawn),
            ("ask_user", Ask),
            ("AskUserQuestion", Ask),
            ("update_plan", Plan),
            ("TodoWrite", Plan),
            ("think", Plan),
            ("tool_call", Meta),
            ("python", Code),
            ("browser", Browser),
            ("storage", Other),
            ("no_such_tool", Other),
            ("findings", Other),
            ("readme", Other),
            ("spreadsheet", Other),
            ("thread", Other),
            ("", Other),
            ("__", Other),
            ("...", Other),
        ],
        |name| ToolTable::standard().kind(name),
    );
}

#[test]
fn retrieval_by_whole_words() {
    let yes = [
        "search",
        "web_search",
        "WebSearch",
        "retrieve_docs",
        "rag",
        "rag_query",
        "vector_db",
        "embed",
        "semantic",
        "lookup",
        "recall",
        "knowledge_base",
        "grep",
        "memory_get",
        "index",
        "web_fetch",
        "web-fetch",
        "webfetch",
        "fetch_url",
        "fetchurl",
        "find",
        "re-search",
        "SEARCH",
    ];
    let no = [
        "drag",
        "storage",
        "reindex",
        "index_file",
        "fetch",
        "findings",
        "read",
        "exec",
        "browser",
        "image",
        "ls",
        "fragment",
        "find_and_replace",
        "memory_store",
    ];
    let wrong: Vec<&str> = yes
        .into_iter()
        .filter(|name| !ToolTable::standard().is_retrieval(name))
        .chain(no.into_iter().filter(|name| ToolTable::standard().is_retrieval(name)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn field_case_58_aliases() {
    let tools = ToolTable::standard();
    let (command, path) = (json!({"command": "npm run check"}), json!({"file_path": "/srv/plan.md"}));
    assert!(tools.same_tool("bash", "exec"));
    assert_eq!(tools.command(&command).as_deref(), Some("npm run check"));
    assert_eq!(tools.argument(&path, "path"), Some(&json!("/srv/plan.md")));
    assert_eq!(tools.path(&path), Some("/srv/plan.md"));

    let exact = ToolTable::exact();
    assert!(!exact.is_shell("bash") && exact.is_shell("exec"));
    assert!(!exact.same_tool("bash", "exec"));
    assert_eq!(exact.argument(&path, "path"), None);
    assert_eq!(exact.path(&path), None);
}

#[test]
fn commands_in_arguments() {
    let tools = ToolTable::standard();
    let rows = [
        (json!({"command": "ls"}), Some("ls")),
        (json!({"cmd": "ls"}), Some("ls")),
        (json!({"script": "ls"}), Some("ls")),
        (json!({"command": ["git", "commit", "-m", "two words"]}), Some("git commit -m 'two words'")),
        (json!({"command": ["bash", "-lc", "npm test && ls"]}), Some("npm test && ls")),
        (json!({"command": ["/bin/sh", "-c", "a 'b'"]}), Some("a 'b'")),
        (json!({"command": ["it's"]}), Some("it's")),
        (json!(["echo", "it's"]), Some(r"echo 'it'\''s'")),
        (json!(r#"{"command":"ls"}"#), Some("ls")),
        (json!("ls -l"), Some("ls -l")),
        (json!({"command": 5}), None),
        (json!({"command": []}), None),
        (json!({"command": ["a", 5]}), None),
        (json!({"path": "x"}), None),
        (json!(null), None),
    ];
    for (arguments, expected) in rows {
        assert_eq!(tools.command(&arguments).as_deref(), expected, "{arguments}");
    }
}

#[test]
fn effects_of_commands() {
    use Effect::*;
    check(
        &[
            ("npm test", Test),
            ("cd app && npm run check", Test),
            ("python -m pytest -q", Test),
            ("python3 tests/run_all.py", Test),
            ("./run_tests.sh", Test),
            ("CI=1 timeout 60 cargo test", Test),
            ("sudo -u ci make check", Test),
            ("bash -lc 'cargo clippy && echo ok'", Test),
            ("go vet ./...", Test),
            ("npx tsc --noEmit", Test),
            ("uv run pytest", Test),
            ("sed -i s/a/b/ x && npm test", Test),
            ("bash -eo pipefail -c 'cargo test | tail'", Test),
            ("pwsh -NoProfile -Command \"cargo test\"", Test),
            ("cmd.exe /c npm test", Test),
            ("npm test > log.txt 2>&1", Test),
            ("echo hi > a.txt", Change),
            ("cat > a.txt <<EOF\nnpm test\nEOF", Change),
            ("sed -i.bak s/a/b/ x", Change),
            ("perl -pi -e s/a/b/ x", Change),
            ("git add . && git commit -m 'run npm test'", Change),
            ("git push", Change),
            ("rm -rf build; ls", Change),
            ("find . -name '*.o' -delete", Change),
            ("find . -type f -exec rm {} +", Change),
            ("pip install x", Change),
            ("curl -X POST https://example.invalid", Change),
            ("npm install", Change),
            ("kubectl apply -f x.yaml", Change),
            ("ls | tee list.txt", Change),
            ("tar xzf a.tgz", Change),
            ("Get-ChildItem | Remove-Item", Change),
            ("cat <<EOF\n$(x)\nEOF\nrm a", Change),
            ("ls -la", Read),
            ("cat a 2>/dev/null | grep b", Read),
            ("git -C repo log --oneline | head", Read),
            ("git branch -a", Read),
            ("git stash list", Read),
            ("curl -s https://example.invalid", Read),
            ("find . -name x", Read),
            ("find . -exec grep -l y {} +", Read),
            ("sed -n 1,5p x", Read),
            ("kubectl get pods -n x", Read),
            ("tar tf a.tar", Read),
            ("echo 'rm -rf /'", Read),
            ("ls # rm x", Read),
            ("command -v rm", Read),
            ("Get-Content a.txt | Select-String b", Read),
            ("echo \"$(date; rm x)\"", Read),
            ("echo \"$(grep \"a; rm x\" b)\"", Read),
            ("echo `date; rm x`", Read),
            ("diff <(sort a) <(sort b)", Read),
            ("cat a; (( n > 3 ))", Read),
            ("for ((i=0; i>9; i--)); do ls; done", Read),
            ("grep -r 'npm test' .", Read),
            ("make lamps", Run),
            ("python main.py", Run),
            ("./start.sh --fast", Run),
            ("cargo build", Run),
            ("cat x && ./deploy", Read),
            ("cd x", Other),
            ("", Other),
            ("# only a comment", Other),
        ],
        |command| ToolTable::standard().command_effect(command),
    );
}

#[test]
fn effects_of_calls() {
    let tools = ToolTable::standard();
    let rows = [
        ("exec", json!({"command": "npm test"}), Effect::Test),
        ("bash", json!({"cmd": "touch a"}), Effect::Change),
        ("exec", json!({}), Effect::Run),
        ("str_replace_editor", json!({"command": "view", "path": "a"}), Effect::Read),
        ("str_replace_editor", json!({"command": "str_replace", "path": "a"}), Effect::Change),
        ("process", json!({"action": "poll"}), Effect::Read),
        ("process", json!({"action": "send-keys"}), Effect::Run),
        ("cron", json!({"action": "list"}), Effect::Read),
        ("cron", json!({"action": "add"}), Effect::Change),
        ("browser", json!({"action": "snapshot"}), Effect::Read),
        ("browser", json!({"action": "click"}), Effect::Change),
        ("run_tests", json!({}), Effect::Test),
        ("get_order", json!({}), Effect::Read),
        ("cancel_order", json!({}), Effect::Change),
        ("sessions_spawn", json!({}), Effect::Run),
        ("ask_user", json!({}), Effect::Other),
        ("no_such_tool", json!(null), Effect::Other),
    ];
    for (name, arguments, expected) in rows {
        assert_eq!(tools.effect(name, &arguments), expected, "{name} {arguments}");
    }
}

#[test]
fn names_split_into_server_and_words() {
    let rows: [(&str, Option<&str>, &[&str]); 7] = [
        ("mcp__github__create_issue", Some("github"), &["create", "issue"]),
        ("github.createIssue", Some("github"), &["create", "issue"]),
        ("HTTPGet", None, &["http", "get"]),
        ("read-file", None, &["read", "file"]),
        ("  Exec ", None, &["exec"]),
        ("__x", None, &["x"]),
        ("résumé_lesen", None, &["résumé", "lesen"]),
    ];
    for (name, server, words) in rows {
        let parsed = ToolName::parse(name);
        assert_eq!(
            (parsed.server(), parsed.words()),
            (server, &*words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()),
            "{name}"
        );
    }
}

#[test]
fn compound_commands_keep_their_order() {
    let commands =
        shell_commands("cd repo && git add . && git commit -m ok; git push\necho \"a; b\" | wc 2>&1 &");
    let words: Vec<String> = commands.iter().map(|command| command.words.join(" ")).collect();
    assert_eq!(words, ["cd repo", "git add .", "git commit -m ok", "git push", "echo a; b", "wc"]);
    let text = "a 'b c' && d";
    let last = &shell_commands(text)[1];
    assert_eq!(text.get(last.range.clone()), Some("d"));
    assert_eq!(shell_commands("if [ -f x ]; then rm x; fi").len(), 3);
    assert_eq!(shell_commands("cat <<'E' | grep y\nrm x; rm z\nE\nls").len(), 3);
}

/// Operators, quotes and brackets inside of what is one word for the shell.
#[test]
fn substitutions_conditions_and_arithmetic_are_words() {
    let rows: [(&str, &[&[&str]]); 10] = [
        ("a \"$(b \"c; d\")\" && e", &[&["a", "$(b \"c; d\")"], &["e"]]),
        // A message as agents write it: quotes that do not pair inside of a here document.
        (
            "git commit -m \"$(cat <<'EOF'\nit's \"done; rm x\nEOF\n)\"; ls",
            &[&["git", "commit", "-m", "$(cat <<'EOF'\nit's \"done; rm x\nEOF\n)"], &["ls"]],
        ),
        ("a $(b # )\n) c", &[&["a", "$(b # )\n)", "c"]]),
        ("A=$(sed -n '/f(/p' b)\nrm c", &[&["A=$(sed -n '/f(/p' b)"], &["rm", "c"]]),
        ("a `b; c` d", &[&["a", "`b; c`", "d"]]),
        ("a ` b; c", &[&["a", "`", "b"], &["c"]]),
        ("diff <(a | b) <(c) | d", &[&["diff", "<(a | b)", "<(c)"], &["d"]]),
        ("[[ a && b > c ]] && d", &[&["[[", "a", "&", "&", "b", ">", "c", "]]"], &["d"]]),
        ("((a > b)) && c", &[&["((a > b))"], &["c"]]),
        ("((a; b); c)", &[&["a"], &["b"], &["c"]]),
    ];
    for (line, expected) in rows {
        let commands = shell_commands(line);
        let words: Vec<&[String]> = commands.iter().map(|command| &*command.words).collect();
        assert_eq!(words, expected, "{line}");
        assert!(commands.iter().all(|command| command.writes_to.is_empty()), "{line}");
    }
}

/// A line of nothing but beginnings, from a session that nobody vouches for: no stack and no patience runs out.
#[test]
fn nesting_without_end_is_harmless() {
    let beginnings = [
        "sudo ",
        "A=1 ",
        "find -exec ",
        "{ ",
        "if ",
        "xargs ",
        "(",
        "((",
        "((\n",
        "$(",
        "`",
        "\"$(",
        "<(",
        "cat <<EOF\n",
        "<<a ",
        "bash -c '",
        "bash -c ",
        "uv run ",
        "> a ",
        "[[ ",
        "[[;",
        "\\`",
    ];
    for beginning in beginnings {
        let line = beginning.repeat(100_000);
        let _ = ToolTable::standard().command_effect(&line);
        let _ = exit_code_answers(&line, 1);
    }
}

#[test]
fn a_user_adds_rows() {
    let mut tools = ToolTable::default();
    tools.kinds.insert("order_pizza".into(), ToolKind::Change);
    tools.aliases.insert("order_pizza".into(), "pizza".into());
    tools.command_keys.push("zeile".into());
    let tools: ToolTable = serde_json::from_str(&serde_json::to_string(&tools).unwrap()).unwrap();
    assert_eq!(tools.kind("orderPizza"), ToolKind::Change);
    assert_eq!(tools.canonical("Order-Pizza"), "pizza");
    assert_eq!(tools.command(&json!({"zeile": "ls"})).as_deref(), Some("ls"));
    assert_eq!(serde_json::from_str::<ToolTable>("{}").unwrap(), ToolTable::default());
}

proptest! {
    #[test]
    fn nothing_panics(name in any::<String>(), command in any::<String>()) {
        let tools = ToolTable::standard();
        let _ = (tools.kind(&name), tools.canonical(&name), tools.is_retrieval(&name));
        let _ = tools.effect(&name, &json!({"command": command, "action": command}));
        for part in shell_commands(&command) {
            prop_assert!(command.get(part.range.clone()).is_some());
        }
    }

    #[test]
    fn shell_noise_does_not_panic(command in "[a-z'\"\\\\$(){}<>|&;#\n -]{0,60}") {
        let _ = ToolTable::standard().command_effect(&command);
        let _ = (exit_code_answers(&command, 1), exit_code_answers(&command, 123));
        prop_assert!(!exit_code_answers(&command, 2));
    }

    #[test]
    fn a_command_does_what_its_piece_of_the_line_does(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "cat", "rm", "cargo test", "if", "then", "cd x", "a=1", " ", " ", " ", ";", "&&", "|", "\n", ">f", "2>e", "2>&1", "<f", "<<E\nE\n",
            "'q'", "\"q\"", "$(ls)", "# c", "(", ")", "\\\n", "5", "bash -c 'rm x'", "&>f", ">/dev/null",
        ]), 0..14),
    ) {
        let line = pieces.concat();
        for part in shell_commands(&line) {
            let alone = ToolTable::standard().command_effect(line.get(part.range.clone()).unwrap());
            prop_assert_eq!(part.effect().unwrap_or(Effect::Other), alone, "{:?} in {:?}", part, &line);
        }
    }

    #[test]
    fn spelling_does_not_matter(words in prop::collection::vec("[a-z]{2,8}", 1..5)) {
        let tools = ToolTable::standard();
        let snake = words.join("_");
        let kebab = words.join("-");
        let camel: String = words.iter().map(|word| { let (head, tail) = word.split_at(1); head.to_uppercase() + tail }).collect();
        prop_assert_eq!(tools.kind(&snake), tools.kind(&kebab));
        prop_assert_eq!(tools.kind(&snake), tools.kind(&camel));
        prop_assert_eq!(tools.kind(&snake), tools.kind(&format!("mcp__zzz__{snake}")));
    }

    #[test]
    fn list_and_text_of_plain_words_are_the_same(words in prop::collection::vec("[a-zA-Z0-9 '\"$;|-]{1,8}", 2..6)) {
        let joined = ToolTable::standard().command(&json!({"command": words})).unwrap().into_owned();
        let plain = words.iter().all(|word| !matches!(word.as_str(), ";" | "|" | "||"));
        prop_assume!(plain && !words[1].starts_with('-'));
        let commands = shell_commands(&joined);
        prop_assert_eq!(commands.len(), 1);
        prop_assert_eq!(&commands[0].words, &words);
    }
}
