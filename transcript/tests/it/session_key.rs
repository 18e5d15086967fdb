//! Every form of section 3 of the formats document, keys seen in real runs, and look-alikes.

use clawgauge_transcript::{KeyKind, SessionKey};
use proptest::prelude::*;

#[test]
fn kinds() {
    use KeyKind::*;
    let rows = [
        ("agent:main:main", Main),
        ("AGENT:Main:MAIN", Main),
        ("main", Main),
        ("agent:main:main:thread:17", Main),
        ("agent:main:main:heartbeat", Heartbeat),
        ("agent:ops:incident-42", Named),
        ("agent:main:plain", Named),
        ("agent:main:webchat:u1", Named),
        ("incident-42", Named),
        ("agent:main:subagent:b6217948-1f79-4381-8b55-c3bf7cf9b286", Subagent),
        ("agent:main:Subagent:7f", Subagent),
        ("subagent:7f", Subagent),
        ("agent:main:subagent:a:subagent:b", Subagent),
        ("agent:main:cron:nightly:subagent:b", Subagent),
        ("agent:main:cron:nightly", Cron),
        ("cron:nightly", Cron),
        ("Cron:nightly", Cron),
        ("agent:main:cron:j:run:1796038984436", CronRun),
        ("agent:main:cron:j:run:s:heartbeat", Heartbeat),
        ("agent:main:hook:3f2c", Hook),
        ("hook:3f2c", Hook),
        ("agent:main:openai-user:alice", OpenaiUser),
        ("agent:main:openai-user:team:cron:7", OpenaiUser),
        ("agent:main:dashboard:9c0f3e42", Dashboard),
        ("agent:main:dashboard:incognito-9c0f3e42", Incognito),
        ("agent:main:incognito-9c0f3e42", Incognito),
        ("agent:main:internal-session-effects:skill-workshop-review_b750c21", InternalEffects),
        ("agent:main:telegram:direct:12345", Direct),
        ("agent:main:telegram:work:direct:12345", Direct),
        ("agent:main:direct:12345", Direct),
        ("direct:12345", Direct),
        ("agent:main:telegram:dm:12345", Direct),
        ("agent:main:benchgen:direct:agent:main:main", Direct),
        ("agent:main:benchgen:direct:a:b/ü 日本", Direct),
        ("agent:main:telegram:group:-100777", Group),
        ("agent:main:whatsapp:home:group:123@g.us", Group),
        ("agent:main:discord:channel:99", Channel),
        ("agent:main:discord:slash:42", Slash),
        ("agent:main:explicit:508bdf6a-d2fe", Explicit),
        ("agent:main:acp:508bdf6a", Acp),
        ("agent:main:acp:binding:zed:main", Acp),
        ("agent:main:boot:run-1", Boot),
        ("global", Global),
        ("UNKNOWN", Unknown),
        ("agent:main:global", Named),
        ("", Other),
        ("   ", Other),
        ("agent:", Other),
        ("agent:main", Other),
        ("agent:main:", Other),
        ("agent::x", Other),
        // Look-alikes: a marker without an id, an agent or a peer of that name, a word that only begins so.
        ("agent:main:subagent", Named),
        ("agent:main:cron", Named),
        ("agent:main:cron-report", Named),
        ("agent:cron:main", Main),
        ("agent:subagent:main", Main),
        ("agent:main:slack:channel:cron", Channel),
        ("agent:main:telegram:direct:cron:7", Direct),
        ("agent:main:telegram:direct:subagent:7", Direct),
        ("agent:main:heartbeat", Named),
        ("agent:main:cron:direct:x", Cron),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .filter(|(text, kind)| SessionKey::parse(text).kind() != *kind)
        .map(|(text, kind)| format!("{text}: expected {kind:?}, got {:?}", SessionKey::parse(text)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn parts() {
    let key = SessionKey::parse("agent:main:Telegram:Work:group:-100123:topic:42");
    assert_eq!(key.channel(), Some("telegram"));
    assert_eq!(key.account(), Some("work"));
    assert_eq!(key.peer(), Some("-100123"));
    assert_eq!(key.thread(), Some("42"));

    let run = SessionKey::parse("agent:ops:cron:nightly:run:17");
    assert_eq!((run.agent_id(), run.cron_job(), run.cron_run()), (Some("ops"), Some("nightly"), Some("17")));
    assert!(run.is_cron() && run.is_machine_made() && !run.is_subagent());

    let nested = SessionKey::parse("agent:main:subagent:A:subagent:B");
    assert_eq!(nested.subagents(), ["a", "b"]);

    let below_cron = SessionKey::parse("agent:main:cron:nightly:subagent:b");
    assert!(below_cron.is_cron() && below_cron.is_subagent());

    let heartbeat = SessionKey::parse("agent:main:telegram:direct:7:heartbeat");
    assert_eq!((heartbeat.base_kind(), heartbeat.peer()), (KeyKind::Direct, Some("7")));
    assert!(heartbeat.is_heartbeat() && heartbeat.is_chat());

    let conversation = SessionKey::parse("agent:main:benchgen:direct:agent:main:main");
    assert_eq!(conversation.peer(), Some("agent:main:main"));
    assert_eq!(SessionKey::parse("agent:main:openai-user:alice").peer(), Some("alice"));
    assert_eq!(SessionKey::parse("agent:main:slack:channel:c1:thread:1699.12").thread(), Some("1699.12"));
    assert_eq!(SessionKey::parse("agent:main:telegram:direct:thread:5").peer(), Some("thread:5"));
}

#[test]
fn case_is_kept_only_where_ids_live_by_it() {
    let rows = [
        (" agent:Main:Telegram:Direct:AbC ", "agent:main:telegram:direct:abc"),
        ("agent:main:Signal:Group:AbC+/=", "agent:main:signal:group:AbC+/="),
        ("agent:main:signal:direct:AbC", "agent:main:signal:direct:abc"),
        ("agent:main:Matrix:Channel:!RoomId:Example.org", "agent:main:matrix:channel:!RoomId:Example.org"),
        (
            "agent:main:matrix:channel:!RoomId:example.org:THREAD:$EvT",
            "agent:main:matrix:channel:!RoomId:example.org:thread:$EvT",
        ),
        ("agent:main:matrix:direct:@Ann:example.org", "agent:main:matrix:direct:@ann:example.org"),
        ("Global", "global"),
    ];
    for (text, canonical) in rows {
        let key = SessionKey::parse(text);
        assert_eq!(key.to_string(), canonical);
        assert_eq!(key.as_written(), text);
        assert_eq!(key, SessionKey::parse(canonical));
        assert_eq!(serde_json::to_string(&key).unwrap(), serde_json::to_string(text).unwrap());
    }
}

/// Texts that look like keys: known words, ids and noise joined by colons.
fn key_like() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        3 => prop::sample::select(vec![
            "agent", "main", "subagent", "cron", "run", "direct", "group", "channel", "thread", "topic", "heartbeat",
            "signal", "Matrix", "telegram", "hook", "acp", "binding", "openai-user", "incognito-1", "slash", "global",
        ]).prop_map(str::to_owned),
        1 => "[a-zA-Z0-9 ΣİßÜ-]{0,6}",
    ];
    prop::collection::vec(word, 0..9).prop_map(|words| words.join(":"))
}

proptest! {
    #[test]
    fn printing_and_parsing_round_trip(text in prop_oneof![key_like(), any::<String>()]) {
        let key = SessionKey::parse(&text);
        let again = SessionKey::parse(&key.to_string());
        prop_assert_eq!(&again, &key);
        prop_assert_eq!(again.to_string(), key.to_string());
        prop_assert_eq!(again.kind(), key.kind());
        prop_assert_eq!(again.peer().map(str::to_lowercase), key.peer().map(str::to_lowercase));
        prop_assert_eq!(key.as_written(), text);
    }

    #[test]
    fn what_is_put_in_comes_out(agent in "[a-z][a-z0-9_-]{0,8}", channel in "[a-z]{3,9}", peer in "[0-9@.a-z-]{1,12}", thread in "[0-9]{1,6}") {
        prop_assume!(!["main", "cron", "subagent", "hook", "acp", "boot", "explicit", "dashboard", "direct", "group", "dm", "room", "slash", "channel"].contains(&channel.as_str()));
        let key = SessionKey::parse(&format!("agent:{agent}:{channel}:group:{peer}:thread:{thread}"));
        prop_assert_eq!(key.agent_id(), Some(agent.as_str()));
        prop_assert_eq!(key.channel(), Some(channel.as_str()));
        prop_assert_eq!(key.peer(), Some(peer.as_str()));
        prop_assert_eq!(key.thread(), Some(thread.as_str()));
        prop_assert!(!key.is_cron() && !key.is_subagent());
    }
}
