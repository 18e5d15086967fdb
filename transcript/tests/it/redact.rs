//! Redaction: what is found, what is left alone, and that nothing on a list of secrets survives anywhere.

use std::borrow::Cow;
use std::sync::LazyLock;

use clawgauge_transcript::{Redaction, RedactionErrorKind, RedactionLevel, RedactionPolicy, Redactor};
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) fn secrets() -> &'static Redactor {
    static SECRETS: LazyLock<Redactor> = LazyLock::new(|| Redactor::of_level(RedactionLevel::Secrets));
    &SECRETS
}

pub(crate) fn personal() -> &'static Redactor {
    static PERSONAL: LazyLock<Redactor> = LazyLock::new(|| Redactor::of_level(RedactionLevel::Personal));
    &PERSONAL
}

/// Compares all rows and names every one that differs.
pub(crate) fn check(redactor: &Redactor, rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(text, expected)| {
            let got = redactor.text(text);
            (got != *expected).then(|| format!("{text:?}\n  expected {expected:?}\n  got      {got:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} differ:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Secrets that are known by themselves, wherever they stand.
const VENDOR_SECRETS: &[&str] = &[
    "sk-EXAMPLE-NOT-A-REAL-KEY-0000ABCD",
    "sk-FAKEFAKEFAKEFAKEFAKE0001",
    "sk-proj-FAKEfakeFAKEfakeFAKE_0002-x",
    "sk-ant-api03-FAKEFAKEFAKEFAKEFAKE-0003",
    "ghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0005",
    "github_pat_FAKEFAKEFAKE0006_fakefakefakefake",
    "glpat-FAKEFAKEFAKEFAKE0007",
    "AKIAFAKEFAKEFAKE0008",
    "AIzaFAKEFAKEFAKEFAKEFAKEFAKEFAKEFAK0009",
    "xoxb-000000000000-FAKEFAKE0010",
    "npm_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0011",
    "hf_FAKEFAKEFAKEFAKEFAKEFAKEFAKE0012",
    "SG.FAKEFAKEFAKEFAKE0013ab.FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0013",
    "sk_live_FAKEFAKE0014",
    "whsec_FAKEFAKEFAKEFAKE0015",
    "123456789:AAFAKEFAKEFAKEFAKEFAKEFAKEFAKEF0016",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJGQUtFMDAxNyJ9.FAKEFAKEFAKE0017",
    "dop_v1_0018001800180018001800180018001800180018001800180018001800180018",
];

/// Personal data that is known by itself.
const PERSONAL_DATA: &[&str] = &[
    "fake.person+x@mail.example.invalid",
    "4111 1111 1111 1111",
    "5555-5555-5555-4444",
    "378282246310005",
    "DE89 3704 0044 0532 0130 00",
    "GB82WEST12345698765432",
    "+49 30 1234567",
    "+4915112345678",
    "(212) 555-0147",
    "198.51.100.23",
    "2001:db8::8a2e:370:7334",
];

#[test]
fn secrets_are_found() {
    check(
        secrets(),
        &[
            // By their name
            ("OPENAI_API_KEY=sk-EXAMPLE-NOT-A-REAL-KEY-0000ABCD", "OPENAI_API_KEY=<SECRET_1>"),
            ("export DB_PASSWORD=hunter2\nNAME=x", "export DB_PASSWORD=<SECRET_1>\nNAME=x"),
            ("DB_PASSWORD='two words'", "DB_PASSWORD='<SECRET_1>'"),
            ("A=1\nDB_PASSWORD=p@ss&w0rd;<x\nB=2", "A=1\nDB_PASSWORD=<SECRET_1>\nB=2"),
            (
                r#"{text: "DB_PASSWORD=hunter2\nAPI_KEY=FAKE0004"}"#,
                r#"{text: "DB_PASSWORD=<SECRET_1>\nAPI_KEY=<SECRET_2>"}"#,
            ),
            (
                "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "AWS_SECRET_ACCESS_KEY=<SECRET_1>",
            ),
            ("password: hunter2", "password: <SECRET_1>"),
            ("Passwort: geheim99", "Passwort: <SECRET_1>"),
            ("密码：abc12345", "密码：<SECRET_1>"),
            ("db:\n  password: correcthorse\n  port: 5432", "db:\n  password: <SECRET_1>\n  port: 5432"),
            ("the password is hunter2.", "the password is <SECRET_1>."),
            ("The password for the lamp is hunter2, ok?", "The password for the lamp is <SECRET_1>, ok?"),
            ("use token Zx9Qw3Er7Ty1Ui5Op2As", "use token <SECRET_1>"),
            ("apiKey: 'demo-key'", "apiKey: '<SECRET_1>'"),
            ("const clientSecret = \"FAKE0020x\";", "const clientSecret = \"<SECRET_1>\";"),
            ("login --password hunter2 --user ann", "login --password <SECRET_1> --user ann"),
            ("login --token=FAKE0021 --user ann", "login --token=<SECRET_1> --user ann"),
            (
                "https://example.invalid/?api_key=FAKE0022&page=2",
                "https://example.invalid/?api_key=<SECRET_1>&page=2",
            ),
            (r#"text {\"password\":\"hunter2\",\"a\":1}"#, r#"text {\"password\":\"<SECRET_1>\",\"a\":1}"#),
            // Headers
            (
                "curl -H 'Authorization: Bearer FAKE.TOKEN.0002' https://u:pw0003@example.invalid/x",
                "curl -H 'Authorization: Bearer <SECRET_1>' https://u:<SECRET_2>@example.invalid/x",
            ),
            ("Authorization: Basic dTpwdzAwMDM=", "Authorization: Basic <SECRET_1>"),
            ("authorization: FAKETOKEN0023", "authorization: <SECRET_1>"),
            ("X-Api-Key: FAKE0024", "X-Api-Key: <SECRET_1>"),
            ("Cookie: sid=FAKE0025; theme=dark\nAccept: */*", "Cookie: <SECRET_1>\nAccept: */*"),
            ("Set-Cookie: sid=FAKE0025; Path=/", "Set-Cookie: <SECRET_1>"),
            (
                "curl -su ann:x -u ann:hunter2 https://example.invalid",
                "curl -su ann:x -u ann:<SECRET_1> https://example.invalid",
            ),
            ("sshpass -p hunter2 ssh ann@lampbox", "sshpass -p <SECRET_1> ssh ann@lampbox"),
            (
                "machine example.invalid login ann password letme1n",
                "machine example.invalid login ann password <SECRET_1>",
            ),
            (r#"{"user":"ann","pass":"hunter2"}"#, r#"{"user":"ann","pass":"<SECRET_1>"}"#),
            ("Server=db;Pwd=hunter2;Uid=a", "Server=db;Pwd=<SECRET_1>;Uid=a"),
            ("send Bearer abcdef1234567890", "send Bearer <SECRET_1>"),
            // URLs
            ("postgres://app:pw/0#3@db.example.invalid/x", "postgres://app:<SECRET_1>@db.example.invalid/x"),
            ("redis://:pw0026@cache:6379", "redis://:<SECRET_1>@cache:6379"),
            (
                "https://FAKEFAKEFAKEFAKE0027@example.invalid/r.git",
                "https://<SECRET_1>@example.invalid/r.git",
            ),
            // Glued to other letters, at the end of a sentence, between marks
            ("xxxxghp_FAKEFAKEFAKEFAKEFAKEFAKEFAKEFAKE0005", "xxxx<SECRET_1>"),
            ("Key sk-FAKEFAKEFAKEFAKEFAKE0001.", "Key <SECRET_1>."),
            // Equal values, equal placeholders
            (
                "PASSWORD=hunter2 TOKEN=lamp1234 PASSWORD=hunter2",
                "PASSWORD=<SECRET_1> TOKEN=<SECRET_2> PASSWORD=<SECRET_1>",
            ),
            // A placeholder that is there already keeps its number
            ("<SECRET_1> and PASSWORD=hunter2", "<SECRET_1> and PASSWORD=<SECRET_2>"),
        ],
    );
}

#[test]
fn private_keys_go_as_a_whole() {
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIFAKEFAKE+/=\nFAKE0030\n-----END RSA PRIVATE KEY-----";
    let redactor = secrets();
    assert_eq!(redactor.text(&format!("a {key} b")), "a <SECRET_1> b");
    let escaped = key.replace('\n', "\\n");
    assert_eq!(redactor.text(&format!("text \"{escaped}\"")), "text \"<SECRET_1>\"");
    let cut = key.split("-----END").next().unwrap();
    assert_eq!(redactor.text(cut).trim_end(), "<SECRET_1>");
    let public = key.replace("RSA PRIVATE", "PUBLIC");
    assert_eq!(redactor.text(&public), public);
}

/// Longer than what is looked at to decide, with characters of several bytes at every place a limit may cut.
#[test]
fn long_secrets_go_as_a_whole() {
    for length in [4_000, 4_096, 5_000, 30_000] {
        for shift in ["", "a"] {
            let value = format!("hunter2{shift}{}", "é9".repeat(length / 3));
            let texts = [
                format!("password=\"{value}\" next"),
                format!("PASSWORD={value} next"),
                format!("Authorization: Basic {value} next"),
                format!("Cookie: a=b; session={value}\nnext"),
                format!("the password is {value} next"),
            ];
            for text in texts {
                let redacted = secrets().text(&text);
                assert!(!redacted.contains('é') && redacted.ends_with("next"), "{}", text.get(..30).unwrap());
            }
        }
    }
    let token = "eyab12-".repeat(2_000);
    assert_eq!(secrets().text(&format!("Bearer {token}x next")), "Bearer <SECRET_1> next");
}

/// Names upon names, each of which has all the rest as its value.
#[test]
fn texts_of_nothing_but_names_take_linear_time() {
    for piece in [
        "Authorization: Basic ",
        "password=",
        "token=",
        "Cookie: ",
        "key: ",
        "api_key=\"a b ",
        "mysql ",
        "mysql -p\"",
        "mysql \"",
        "echo \"a | sudo -S ",
        "| chpasswd ",
        "<password>",
        "<password ",
        "| password |",
        "mnemonic abandon ",
        "seed phrase ",
        "c2st",
        "api key ",
        "\u{200b}a",
        "%40a.example",
        "$6$abc",
        "nvapi-",
        "$argon2i$",
        "password \"value\": \"",
        "ssn 078-05-1120 ",
        "a1:b2:c3:",
    ] {
        let text = piece.repeat(60_000 / piece.len());
        let once = secrets().text(&text);
        assert_eq!(secrets().text(&once), once, "{piece}");
    }
}

#[test]
fn what_only_looks_like_a_secret_is_left_alone() {
    let texts = [
        // Ids, hashes, prices, models, paths
        "runId=5a45cce0-0292-4f2c-81ba-5f5c78da3491 conn=85f89e35…804e id=2:4a41da99-2…2890",
        "token count 4467, totalTokens 8827, cost 0.0012436500000000002, $0.02",
        "commit 9c0f3e42724fa1857d8e8a3def4e93aa11223344 sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "chatcmpl-demo00190 call_7_0_exec tool_search_code:call_1:exec:1",
        "model claude-sonnet-4-5-20250929, gpt-4.1-mini-2025-04-14, m-alpha",
        "/home/user/.openclaw/agents/main/sessions/2e56.jsonl and /etc/passwd",
        "task-0123456789abcdef0123456789abcdef disk-usage-report-2026-11-30-final-copy",
        "sk-loading-indicator-wrapper-2 risk-assessment-of-the-whole-project-2026",
        "agent:main:cron:5a45cce0-0292-4f2c-81ba-5f5c78da3491:run:1796038984436",
        r#"{"sessionKey":"agent:main:main","idempotencyKey":"run-abort-1:user","actionKey":"exec:9c0f3e42"}"#,
        r#"{"tokensBefore":15827,"maxTokens":4096,"key":"value","public_key":"ssh-ed25519 AAAAC3Nza user@box"}"#,
        r#"{"pass":"12 of 14","pass_rate":"0.5x1","first_pass":"2026"}"#,
        r#"{"errorCode":"invalid_api_key","errorMessage":"401 Incorrect API key provided"}"#,
        r#"{"auth_mode": "token", "auth_method": "token", "auth": {"mode": "token"}}"#,
        "lampxoxp-1000000000 risk-or-reward-analysis-of-2026 task-ant-colony-optimization-v2 desk-proj-plan-for-spring-3",
        "nextPageToken: CAUQAA1234567890 cursor_token=abc123def456",
        // References and masks
        "API_KEY=$OPENAI_API_KEY PASSWORD=${DB_PASSWORD} TOKEN=$(cat token) X_TOKEN=%TOKEN%",
        "apiKey: process.env.OPENAI_API_KEY, password = os.environ[\"PW\"], secret=<your-secret>, token={{ token }}",
        "OPENAI_API_KEY=sk-pro…ABCD\nDB_PASSWORD=***\nAWS_SECRET_ACCESS_KEY=wJalrX…EKEY",
        "password = getPassword() token = request.token; secret: Secret; password: string",
        "Authorization: Bearer $TOKEN, Authorization: Bearer <token>, authorization: required",
        "https://u:$PASS@example.invalid https://$USER:${PASS}@example.invalid http://example.invalid:8080/a@b",
        "git clone git@github.com:lantern/lamp.git",
        "echo 'PASSWORD=' && grep -o 'PASSWORD=[A-Z0-9]*' .env",
        "bearer tokens, the bearer of news, a cookie=, cookies: many, Token expired, password reset",
        "adduser --disabled-password --gecos '' ann",
        "the secret is that nobody reads it; the key is under the mat; a token of love",
        "PWD=/app OLDPWD=/root HOSTNAME=x",
        "sudo -u ann: ls && date -u +%H:%M",
        "password=/run/secrets/db_password",
        "monkey=banana1234567 keyboard: qwerty12345 tokenizer=cl100k_base2",
    ];
    let redactor = secrets();
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|text| match redactor.text(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some(format!("{text}\n  {changed}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn personal_data_is_found() {
    check(
        personal(),
        &[
            ("mail fake.person@example.invalid, please", "mail <EMAIL_1>, please"),
            ("Fake.Person@Example.invalid = fake.person@example.invalid", "<EMAIL_1> = <EMAIL_1>"),
            ("mailto:a@b.example?subject=x", "mailto:<EMAIL_1>?subject=x"),
            ("müller@bücher.example", "<EMAIL_1>"),
            ("call +49 (30) 123 45 67 or 212-555-0147", "call <PHONE_1> or <PHONE_2>"),
            ("Tel. 030/1234567", "Tel. <PHONE_1>"),
            ("card 4111 1111 1111 1111, 4111-1111-1111-1111", "card <CARD_1>, <CARD_1>"),
            ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN <IBAN_1>."),
            ("saved in /home/fakeuser/keys", "saved in /home/<USER_1>/keys"),
            ("/Users/fake.user and C:\\Users\\fakeuser\\x", "/Users/<USER_1> and C:\\Users\\<USER_2>\\x"),
            (r#"x "C:\\Users\\fakeuser\\x""#, r#"x "C:\\Users\\<USER_1>\\x""#),
            ("file:///home/fakeuser", "file:///home/<USER_1>"),
            ("ssh fakeuser@lampbox:~/x", "ssh <USER_1>@<HOST_1>:~/x"),
            ("fakeuser@lampbox:~$ ls", "<USER_1>@<HOST_1>:~$ ls"),
            ("http://lampbox:8080/x https://db.lamp.internal/", "http://<HOST_1>:8080/x https://<HOST_2>/"),
            ("hostname: lampbox", "hostname: <HOST_1>"),
            ("from 198.51.100.23:443 and [2001:db8::8a2e:370:7334]", "from <IP_1>:443 and [<IP_2>]"),
            ("https://example.invalid/a?code=FAKE0040&x=1", "https://example.invalid/a?code=<SECRET_1>&x=1"),
            ("https://u:pw0003@example.invalid", "https://u:<SECRET_1>@example.invalid"),
        ],
    );
}

#[test]
fn what_only_looks_personal_is_left_alone() {
    let texts = [
        "at 1796037300428, seq 3308, ids 1234567890123456 and 900719925474099267",
        "version 1.2.3.4-rc1, pkg==11.3.3.83, pkg>=1.2.3.4, v10.0.0.1, 127.0.0.1:8080, 0.0.0.0, ::1, 11:03:59.135+00:00, 2026-11-30",
        "git@github.com:lantern/lamp.git, npm i @scope/pkg@1.2.3, openclaw@2026.9.6",
        "std::fmt::Display a::b c1::d2 key:value dead:beef",
        "https://example.invalid/home/page /api/users/7 ~/.local/share media://inbound/x.png http://localhost:3000",
        "GB82WEST12345698765433 4111111111111112 DE893704004405320130001",
        "5a45cce0-0292-4f2c-81ba-5f5c78da3491 2125550147 0.2125550147 100-200-300",
    ];
    let redactor = personal();
    let wrong: Vec<String> = texts
        .iter()
        .filter_map(|text| match redactor.text(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(changed) => Some(format!("{text}\n  {changed}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_json_fields_tell() {
    let redactor = personal();
    let text = r#"{"API_KEY":"FAKE0004","password":"correct horse", "list":["--password","letmein","-v"],
        "headers":{"Authorization":["Bearer nope"],"Cookie":"sid=FAKE"},"env":[{"name":"DB_PASSWORD","value":"lamp"}],
        "hostname":"lampbox","phone":"030 1234567","card":4111111111111111,"inner":"{\"secret\": \"a\\\"b c\"}","n":1.50}"#;
    let expected = r#"{"API_KEY":"<SECRET_1>","password":"<SECRET_2>", "list":["--password","<SECRET_3>","-v"],
        "headers":{"Authorization":["Bearer <SECRET_4>"],"Cookie":"<SECRET_5>"},"env":[{"name":"DB_PASSWORD","value":"<SECRET_6>"}],
        "hostname":"<HOST_1>","phone":"<PHONE_1>","card":"<CARD_1>","inner":"{\"secret\": \"<SECRET_7>\"}","n":1.50}"#;
    let mut redaction = redactor.begin();
    assert_eq!(redaction.json(text).unwrap(), expected);
    assert_eq!(redaction.report().kinds["SECRET"].values, 7);

    let mut value: Value = serde_json::from_str(text).unwrap();
    let mut redaction = redactor.begin();
    redaction.value(&mut value);
    let kinds = |redaction: &Redaction<'_>| {
        redaction.report().kinds.iter().map(|(k, c)| (k.clone(), c.places)).collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(&redaction),
        [("CARD".into(), 1), ("HOST".into(), 1), ("PHONE".into(), 1), ("SECRET".into(), 7)]
    );
    assert_eq!(redactor.begin().json("{broken"), None);
}

#[test]
fn field_case_62_nothing_of_it_leaves() {
    let text = include_str!("../fixtures/62-redaction-at-export.jsonl");
    let redactor = personal();
    let mut redaction = redactor.begin();
    let out: Vec<String> = text.lines().map(|line| redaction.json(line).unwrap().into_owned()).collect();
    let out = out.join("\n");
    for secret in ["0001", "TOKEN.0002", "pw0003", "FAKE0004", "KE0005", "fake.person", "fakeuser"] {
        // The ids and times of the rows hold digits, too.
        let rest = out.replace("00:00:0001", "");
        assert!(
            !rest.contains(secret) || secret == "0001" && !rest.contains("FAKE0001"),
            "{secret} survives"
        );
    }
    assert!(!out.contains("FAKE"), "{out}");
    let counts: Vec<(&str, u64)> =
        redaction.report().kinds.iter().map(|(kind, count)| (kind.as_str(), count.places)).collect();
    assert_eq!(counts, [("EMAIL", 1), ("SECRET", 5), ("USER", 1)]);
    let mut again = redactor.begin();
    for line in out.lines() {
        assert!(matches!(again.json(line), Some(Cow::Borrowed(_))), "{line}");
    }
}

#[test]
fn recorded_data_is_left_alone() {
    let redactor = secrets();
    let wrong: Vec<String> = include_str!("../fixtures/redact-clean.jsonl")
        .lines()
        .filter_map(|line| {
            let mut redaction = redactor.begin();
            let as_json = matches!(redaction.json(line), Some(Cow::Owned(_)));
            let as_text = matches!(redaction.text(&format!("> {line}")), Cow::Owned(_));
            (as_json || as_text).then(|| line.to_owned())
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn recorded_fakes_are_found_and_masks_left() {
    let redactor = secrets();
    let mut redaction = redactor.begin();
    for line in include_str!("../fixtures/redact-fakes.jsonl").lines() {
        let out = redaction.json(line).unwrap().into_owned();
        for fake in ["hunter2", "sk-EXAMPLE", "wJalrXUt"] {
            assert!(!out.contains(fake), "{fake} survives in {out}");
        }
        assert_eq!(out.matches("sk-pro…ABCD").count(), line.matches("sk-pro…ABCD").count());
        assert_eq!(out.matches("***").count(), line.matches("***").count());
        for kept in
            ["call_126_1_exec", "5e8ffa37-a077-486b-83b8-50eb12c4f2ad", "/home/user/.openclaw/workspace/main"]
        {
            assert_eq!(out.matches(kept).count(), line.matches(kept).count());
        }
    }
    assert_eq!(redaction.report().kinds["SECRET"].values, 3);
}

#[test]
fn a_user_extends_the_policy() {
    let policy = |text: &str| serde_json::from_str::<RedactionPolicy>(text).unwrap();
    let redactor = policy(
        r#"{"known":[{"value":"moonbeam"},{"value":"moonbeam lamp","label":"PRODUCT"}],"rules":[{"label":"TICKET","pattern":"[A-Z]+-[0-9]+|[0-9]{2}"}],
            "keep":["LAMP-1"]}"#,
    )
    .compile()
    .unwrap();
    check(
        &redactor,
        &[
            ("moonbeam, the moonbeam lamp, Moonbeam", "<SECRET_1>, the <PRODUCT_1>, Moonbeam"),
            ("LAMP-1 LAMP-2 <TICKET_12> 34", "LAMP-1 <TICKET_13> <TICKET_12> <TICKET_14>"),
        ],
    );
    assert!(!format!("{:?}", policy(r#"{"known":[{"value":"moonbeam"}]}"#)).contains("moonbeam"));
    let kind = |text: &str| policy(text).compile().unwrap_err().kind();
    assert_eq!(kind(r#"{"rules":[{"label":"A","pattern":"("}]}"#), RedactionErrorKind::Pattern);
    assert_eq!(kind(r#"{"rules":[{"label":"A","pattern":"x*"}]}"#), RedactionErrorKind::Pattern);
    assert_eq!(kind(r#"{"rules":[{"label":"a b","pattern":"x"}]}"#), RedactionErrorKind::Label);
}

#[test]
fn the_report_and_debug_show_no_value() {
    let redactor = secrets();
    let mut redaction = redactor.begin();
    assert_eq!(
        redaction.text("PASSWORD=hunter2 PASSWORD=hunter2"),
        "PASSWORD=<SECRET_1> PASSWORD=<SECRET_1>"
    );
    assert_eq!(serde_json::to_string(redaction.report()).unwrap(), r#"{"SECRET":{"places":2,"values":1}}"#);
    assert!(!format!("{redaction:?}{redactor:?}").contains("hunter2"));
}

#[test]
fn lone_surrogates_and_deep_nesting_do_not_hide_a_secret() {
    let redactor = secrets();
    let text = r#"{"a":"\ud83d DB_PASSWORD=hunter2"}"#;
    assert_eq!(redactor.begin().json(text).unwrap(), r#"{"a":"\ud83d DB_PASSWORD=<SECRET_1>"}"#);
    let mut nested = "sk-FAKEFAKEFAKEFAKEFAKE0001".to_owned();
    for _ in 0..12 {
        nested = serde_json::to_string(&[nested]).unwrap();
    }
    assert!(!redactor.text(&nested).contains("0001"));
    let deep = format!("{}\"sk-FAKEFAKEFAKEFAKEFAKE0001\"{}", "[".repeat(2000), "]".repeat(2000));
    assert!(!redactor.text(&deep).contains("0001"));
}

/// Words around a secret, with the marks that stand between.
fn around() -> impl Strategy<Value = (String, String)> {
    let mark = prop::sample::select(vec![
        " ", "\n", "\"", "'", "(", ")", ", ", ": ", "=", "\t", "`", "|", "[", "<", ">", "\\n", "",
    ]);
    let words = prop::sample::select(vec![
        "",
        "key",
        "use this",
        "token",
        "the lamp",
        "password",
        "é",
        "日本",
        "🦀",
        "x=1",
        "{\"a\":1}",
        "see /tmp/x",
        "--flag",
        "::",
    ]);
    (words.clone(), mark.clone(), mark, words).prop_map(|(before, open, close, after)| {
        // A mark on each side, else it is another word.
        let (open, close) =
            (if open.is_empty() { " " } else { open }, if close.is_empty() { " " } else { close });
        (format!("{before}{open}"), format!("{close}{after}"))
    })
}

/// Puts a text somewhere: as a field, a key, an item, inside JSON inside a string, deeper.
fn placed(text: String) -> impl Strategy<Value = Value> {
    Just(Value::String(text)).prop_flat_map(|leaf| {
        prop::collection::vec(0..7u8, 0..5).prop_map(move |steps| {
            steps.into_iter().fold(leaf.clone(), |value, step| match (step, &value) {
                (0, _) => json!({"text": value, "n": 1}),
                (1, _) => json!(["a", value, null]),
                (2, Value::String(text)) => json!({ text.clone(): "value" }),
                (3, _) => json!({"arguments": value.to_string()}),
                (4, _) => json!({"content": [{"type": "text", "text": serde_json::to_string_pretty(&value).unwrap()}]}),
                (5, Value::String(text)) => Value::String(format!("so: {text}")),
                _ => json!({"details": {"aggregated": value, "cost": 0.02}}),
            })
        })
    })
}

proptest! {
    #[test]
    fn no_secret_survives_anywhere(
        (secret, value) in (prop::sample::select(VENDOR_SECRETS), around())
            .prop_flat_map(|(secret, (before, after))| (Just(secret), placed(format!("{before}{secret}{after}")))),
    ) {
        let redactor = secrets();
        let text = value.to_string();
        let out = redactor.begin().json(&text).unwrap().into_owned();
        prop_assert!(!out.contains(secret), "{out}");
        prop_assert!(serde_json::from_str::<Value>(&out).is_ok());
        let quoted = format!("> {text}");
        prop_assert!(!redactor.text(&quoted).contains(secret));
        let mut parsed = value;
        redactor.begin().value(&mut parsed);
        prop_assert!(!parsed.to_string().contains(secret));
    }

    #[test]
    fn no_personal_data_survives_anywhere(
        (datum, value) in (prop::sample::select(PERSONAL_DATA), prop::sample::select(vec![" ", "\n", "(", ", ", "\""]))
            .prop_flat_map(|(datum, mark)| (Just(datum), placed(format!("so{mark}{datum}{mark}so")))),
    ) {
        let redactor = personal();
        let out = redactor.begin().json(&value.to_string()).unwrap().into_owned();
        prop_assert!(!out.contains(datum), "{out}");
        let mut parsed = value;
        redactor.begin().value(&mut parsed);
        prop_assert!(!parsed.to_string().contains(datum));
    }

    #[test]
    fn redacting_twice_equals_once(pieces in prop::collection::vec(prop_oneof![
        prop::sample::select(VENDOR_SECRETS).prop_map(str::to_owned),
        prop::sample::select(PERSONAL_DATA).prop_map(str::to_owned),
        prop::sample::select(vec![
            "password=", "token: ", "\"secret\":\"", "Authorization: Bearer ", "https://u:", "@", "<SECRET_1>", "<", ">", "\"", "'", "\\", "\n",
            " ", "=", "/home/", "hunter2", "+49", "4111", "{", "}", "--password ", "Cookie: a=", "-----BEGIN PRIVATE KEY-----", "?code=", "é", "::",
            "mysql -p", "redis-cli -a ", "echo ", " | sudo -S", "curl -u a:", "<password>", "</password>", "**Password:** `", "| Password | ", " |",
            "with password '", "das Passwort ist ", "密码是 ", "$6$", "private key 0x", "mnemonic: ", "abandon ability able about above absent absorb abstract absurd abuse access accident ",
            "c2stcHJvai1GQUtFRkFLRUZBS0VGQUtFRkFLRTAwMDE=", "\u{200b}", "ada%40example.org", "SSN 078-05-1120", "00:1a:2b:3c:4d:5e", "\"name\":\"password\",\"value\":\"",
            "hostname=", "DE89", "3704", "[", "]", ",", ":",
        ]).prop_map(str::to_owned),
        "[a-zA-Z0-9@.:/=_ -]{0,12}",
    ], 0..12)) {
        let text = pieces.concat();
        for redactor in [secrets(), personal()] {
            let once = redactor.text(&text).into_owned();
            prop_assert_eq!(redactor.text(&once), once.as_str());
            let wrapped = json!({"a": text, text.clone(): [text]});
            let once = redactor.begin().json(&wrapped.to_string()).unwrap().into_owned();
            prop_assert_eq!(redactor.begin().json(&once).unwrap(), once.as_str());
        }
    }

    #[test]
    fn any_text_is_safe(text in any::<String>()) {
        for redactor in [secrets(), personal()] {
            let once = redactor.text(&text).into_owned();
            prop_assert_eq!(redactor.text(&once), once.as_str());
        }
    }

    #[test]
    fn ids_hashes_and_prices_stay(hex in "[0-9a-f]{32}", price in 0.0..1e6f64, n in any::<u64>(), word in "lamp[a-z]{0,8}") {
        let uuid = format!("{}-{}-{}-{}-{}", &hex.get(..8).unwrap(), &hex.get(8..12).unwrap(), &hex.get(12..16).unwrap(), &hex.get(16..20).unwrap(), &hex.get(20..).unwrap());
        let text = json!({"runId": uuid, "id": hex, "sha256": format!("{hex}{hex}"), "cost": price, "totalTokens": n, "token_count": n,
            "sessionKey": format!("agent:main:{word}"), "path": format!("/srv/{word}/{hex}"), "model": format!("{word}-{n}"), "callId": format!("{uuid}:model:1")}).to_string();
        prop_assert_eq!(secrets().begin().json(&text).unwrap(), text.as_str());
        let sentence = format!("run {uuid} with {word} token {n}, key {hex}, cost ${price}, {word}: {hex}");
        prop_assert_eq!(secrets().text(&sentence), sentence.as_str());
    }
}

/// Shows what is replaced in the files named in `CLAWGAUGE_REDACT_FILES`, line by line.
#[test]
#[ignore = "by hand, over data outside of the repository"]
fn show_what_is_replaced() {
    let level = if std::env::var("CLAWGAUGE_REDACT_LEVEL").is_ok_and(|level| level == "2") {
        RedactionLevel::Personal
    } else {
        RedactionLevel::Secrets
    };
    let redactor = Redactor::of_level(level);
    for file in std::env::var("CLAWGAUGE_REDACT_FILES").unwrap().split('\n').filter(|file| !file.is_empty()) {
        let Ok(text) = std::fs::read_to_string(file) else {
            continue;
        };
        let started = std::time::Instant::now();
        let mut redaction = redactor.begin();
        for (number, line) in text.lines().enumerate() {
            let new = redaction.json(line).unwrap_or_else(|| redaction.text(line));
            if let Cow::Owned(new) = new {
                for (old, new) in differences(line, &new) {
                    println!("{file}:{}: {old} => {new}", number + 1);
                }
                assert_eq!(redactor.begin().json(&new).unwrap_or_else(|| redactor.text(&new)), new.as_str());
            }
            let plain = redactor.text(&format!("line {line}")).into_owned();
            if plain.len() != line.len() + 5 {
                for (old, new) in differences(line, plain.trim_start_matches("line ")) {
                    println!("{file}:{}: plain {old} => {new}", number + 1);
                }
            }
        }
        if !redaction.report().is_empty() {
            println!("{file}: {:?} {:?}", redaction.report(), started.elapsed());
        }
    }
}

/// Time this thread spent on a processor: a busy machine does not count.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// Prints the speed over the files named in `CLAWGAUGE_REDACT_FILES`.
#[test]
#[ignore = "by hand, in the release profile"]
fn show_speed() {
    let files = std::env::var("CLAWGAUGE_REDACT_FILES").unwrap();
    let texts: Vec<String> = files.lines().filter_map(|file| std::fs::read_to_string(file).ok()).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    for (name, redactor) in [("secrets", secrets()), ("personal", personal())] {
        for as_json in [false, true] {
            let started = cpu_seconds();
            let mut redaction = redactor.begin();
            let mut changed = 0;
            for line in texts.iter().flat_map(|text| text.lines()) {
                let new =
                    if as_json { redaction.json(line) } else { None }.unwrap_or_else(|| redaction.text(line));
                changed += usize::from(matches!(new, Cow::Owned(_)));
            }
            let speed = bytes as f64 / 1e6 / (cpu_seconds() - started);
            println!(
                "{name}, json {as_json}: {speed:.0} MB/s, {changed} lines changed, {:?}",
                redaction.report()
            );
        }
    }
}

/// What stands where the two texts differ, with a little before it.
fn differences(old: &str, new: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let (mut old, mut new) = (old.chars().collect::<Vec<_>>(), new.chars().collect::<Vec<_>>());
    old.reverse();
    new.reverse();
    let mut before = String::new();
    while let (Some(&x), Some(&y)) = (old.last(), new.last()) {
        if y != '<' || x == '<' {
            before.push(x);
            old.pop();
            new.pop();
            continue;
        }
        let mut placeholder = String::new();
        while let Some(c) = new.pop() {
            placeholder.push(c);
            if c == '>' {
                break;
            }
        }
        let mut value = String::new();
        let after: Vec<char> = new.iter().rev().take(6).copied().collect();
        while !old.is_empty() && (after.is_empty() || !old.iter().rev().take(after.len()).eq(&after)) {
            value.extend(old.pop());
        }
        let tail: String = before.chars().rev().take(25).collect::<Vec<_>>().into_iter().rev().collect();
        out.push((format!("{tail}[{value}]"), placeholder));
    }
    out
}
