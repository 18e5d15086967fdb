//! What is in force, and where it came from.

use clawgauge_support::settings::{Flags, TraceSettings};
use serde_json::{Value, json};

fn resolve(flags: &Flags<'_>, config: &Value, env: &[(&str, &str)]) -> TraceSettings {
    let env = |name: &str| env.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    TraceSettings::resolve(flags, Some(config), &env).unwrap()
}

fn line<'a>(settings: &'a TraceSettings, name: &str) -> &'a str {
    let start = format!("{name}: ");
    let found = settings.lines().iter().find_map(|line| line.strip_prefix(&start));
    found.unwrap_or_else(|| panic!("no {name} in {:?}", settings.lines()))
}

#[test]
fn command_line_config_environment_default_each_value_on_its_own() {
    let env = [
        ("BENCHGEN_BASE_URL", "https://env.example"),
        ("BENCHGEN_PUBLIC_KEY", "pk-of-the-environment"),
        ("BENCHGEN_SECRET_KEY", "sk-of-the-environment"),
        ("CLAWGAUGE_RELEASE", "7"),
    ];
    let config =
        json!({"baseUrl": "https://config.example", "publicKey": "pk-of-the-config", "secretKey": "  "});
    let flags = Flags { endpoint: Some("https://flag.example"), ..Flags::default() };
    for (flags, config, wanted) in [
        (&flags, &config, "https://flag.example (command line)"),
        (&Flags::default(), &config, "https://config.example (config)"),
        (&Flags::default(), &json!({"baseUrl": ""}), "https://env.example (environment)"),
    ] {
        assert_eq!(line(&resolve(flags, config, &env), "baseUrl"), wanted);
    }
    let nothing = resolve(&Flags::default(), &Value::Null, &[("BENCHGEN_BASE_URL", " ")]);
    assert_eq!(line(&nothing, "baseUrl"), "https://traces.benchgen.com (default)");
    assert_eq!(line(&nothing, "publicKey"), "not set");

    let settings = resolve(&flags, &config, &env);
    assert_eq!(line(&settings, "publicKey"), "pk-*** (config)");
    assert_eq!(line(&settings, "secretKey"), "sk-*** (environment)", "a blank value is not set");
    assert_eq!(line(&settings, "release"), "7 (environment)");
    assert_eq!(line(&settings, "serviceName"), "openclaw (default)");
    assert_eq!(settings.primary.secret_key(), Some("sk-of-the-environment"));
    let said = format!("{settings:?}");
    assert!(!said.contains("sk-of-the-environment"), "{said}");
}

#[test]
fn the_chat_and_the_private_paths_stand_beside_them() {
    let config = json!({"chat": {"enabled": "false"}, "privateData": {"paths": ["/srv/secret"]}});
    let settings =
        resolve(&Flags::default(), &config, &[("BENCHGEN_PRIVATE_ALLOW_SESSIONS", "agent:main:main")]);
    assert_eq!(line(&settings, "chat.enabled"), "false (config)");
    assert_eq!(line(&settings, "privateData.paths"), "/srv/secret (config)");
    assert_eq!(line(&settings, "privateData.allowSessions"), "agent:main:main (environment)");
}

#[test]
fn an_address_without_a_host_is_refused_and_not_repeated() {
    let flags = Flags { endpoint: Some("https://user:word@"), ..Flags::default() };
    let error = TraceSettings::resolve(&flags, None, &|_| None).unwrap_err();
    assert!(!error.contains("word"), "{error}");
    let flags = Flags { endpoint: Some("https://user:word@t.example/p?key=k"), ..Flags::default() };
    let settings = TraceSettings::resolve(&flags, None, &|_| None).unwrap();
    assert_eq!(line(&settings, "baseUrl"), "https://t.example/p (command line)");
}

/// The recorded rows of kind `mirror`, read as the programs read settings.
#[test]
fn a_mirror_is_read_from_config_and_environment() {
    // Marked as surprises of the recording: a text `false`, one host written twice, a label that backends refuse.
    const DIFFERS: [&str; 3] = ["relay-out-298", "relay-out-302", "relay-out-306"];
    let rows = include_str!("../../../tracing-map/tests/fixtures/vectors/mirror.jsonl");
    let mut problems = Vec::new();
    for row in rows.lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let (id, input, expected) = (row["id"].as_str().unwrap(), &row["input"], &row["expected"]);
        // A primary always has an address here.
        let Some(base) = input["primary"]["baseUrl"].as_str() else { continue };
        let mut config = input["config"].clone();
        config["baseUrl"] = base.into();
        config["publicKey"] = input["primary"]["publicKey"].clone();
        let env = input["env"].as_object().unwrap();
        let env = |name: &str| env.get(name).and_then(Value::as_str).map(str::to_owned);
        let settings = TraceSettings::resolve(&Flags::default(), Some(&config), &env).unwrap();
        let agrees = match &settings.mirror {
            Ok(mirror) => expected["description"] == mirror.describe().as_str(),
            Err(_) => expected["enabled"] == false,
        };
        if agrees == DIFFERS.contains(&id) {
            problems.push(format!("{id} {}: {:?}, not {expected}", row["note"], settings.mirror));
        }
        let shown = settings.lines().join("\n");
        if shown.contains("sk-1") || shown.contains("sk-2") {
            problems.push(format!("{id}: a secret is shown: {shown}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
