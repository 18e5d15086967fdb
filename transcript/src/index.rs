//! The sessions index that stands beside session files.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::raw::RawJson;
use crate::time::Timestamp;

/// `sessions.json`: which session key each session id belongs to, and where the session came from.
///
/// Session files name no key; without this file the key is unknown. Token and cost counters in it describe the last
/// run only and are not offered. Parsing is linear in the text.
///
/// ```
/// use clawgauge_transcript::SessionIndex;
///
/// let index = SessionIndex::parse(r#"{"agent:main:main":{"sessionId":"s1","chatType":"direct"}}"#).unwrap();
/// assert_eq!(index.by_session("s1").unwrap().key, "agent:main:main");
/// assert!(index.by_session("s2").is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct SessionIndex<'a> {
    entries: Vec<IndexEntry<'a>>,
    by_session: BTreeMap<String, usize>,
}

/// One session key and what the index says about it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexEntry<'a> {
    /// The session key.
    pub key: String,
    /// The session that the key leads to now.
    pub session_id: Option<Cow<'a, str>>,
    /// The file's name, without the folders it had on the machine that wrote it.
    pub file_name: Option<String>,
    /// When the session was last written to.
    pub updated_at: Option<Timestamp>,
    /// `done`, `failed`, `killed`, `timeout`, `running`, ... as written.
    pub status: Option<Cow<'a, str>>,
    /// `direct`, `group`, ... as written.
    pub chat_type: Option<Cow<'a, str>>,
    /// The channel that the conversation is held over.
    pub channel: Option<Cow<'a, str>>,
    /// The person-given or generated label.
    pub label: Option<Cow<'a, str>>,
    /// The key of the session that started this one.
    pub spawned_by: Option<Cow<'a, str>>,
    /// Everything, as it stands.
    pub json: RawJson<'a>,
}

impl<'a> SessionIndex<'a> {
    /// Reads an index; `None` when the text is no JSON object.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let json = RawJson::parse(text.trim_start_matches('\u{feff}')).filter(|json| json.is_object())?;
        let mut index = Self::default();
        for (key, value) in json.fields() {
            index.add(IndexEntry::new(key, value));
        }
        Some(index)
    }

    fn add(&mut self, entry: IndexEntry<'a>) {
        let place = self.entries.len();
        if let Some(id) = &entry.session_id {
            self.by_session.insert(id.clone().into_owned(), place);
        }
        if let Some(id) =
            entry.file_name.as_deref().and_then(|name| name.split_once(".jsonl")).map(|(id, _)| id)
        {
            self.by_session.entry(id.to_owned()).or_insert(place);
        }
        self.entries.push(entry);
    }

    /// All entries in order of the file.
    #[must_use]
    pub fn entries(&self) -> &[IndexEntry<'a>] {
        &self.entries
    }

    /// The entry of a session id.
    #[must_use]
    pub fn by_session(&self, id: &str) -> Option<&IndexEntry<'a>> {
        self.by_session.get(id).and_then(|&place| self.entries.get(place))
    }
}

impl<'a> IndexEntry<'a> {
    fn new(key: String, json: RawJson<'a>) -> Self {
        // Entries are long, and there are many: two walks for all fields.
        let [session_id, file, updated_at, status, chat_type, channel, last_channel] = json.get_all([
            "sessionId",
            "sessionFile",
            "updatedAt",
            "status",
            "chatType",
            "channel",
            "lastChannel",
        ]);
        let [label, display_name, spawned_by, parent_key, origin, delivery] = json.get_all([
            "label",
            "displayName",
            "spawnedBy",
            "parentSessionKey",
            "origin",
            "deliveryContext",
        ]);
        let text = |value: Option<RawJson<'a>>| value.and_then(RawJson::text);
        let nested = |outer: Option<RawJson<'a>>, name: &str| outer?.get(name)?.text();
        let file_name = text(file).map(|path| path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned());
        Self {
            key,
            session_id: text(session_id),
            file_name: file_name.filter(|name| !name.is_empty()),
            updated_at: updated_at.and_then(Timestamp::from_json),
            status: text(status),
            chat_type: text(chat_type).or_else(|| nested(origin, "chatType")),
            channel: text(channel)
                .or_else(|| text(last_channel))
                .or_else(|| nested(delivery, "channel"))
                .or_else(|| nested(origin, "provider")),
            label: text(label).or_else(|| text(display_name)),
            spawned_by: text(spawned_by).or_else(|| text(parent_key)),
            json,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_leads_to_the_key_too() {
        let text = r#"{"agent:main:main":{"sessionId":"local-1","sessionFile":"/home/user/x/0a1b.jsonl","lastChannel":"webchat"},
            "agent:main:b":null}"#;
        let index = SessionIndex::parse(text).unwrap();
        assert_eq!(index.by_session("0a1b").unwrap().key, "agent:main:main");
        assert_eq!(index.by_session("local-1").unwrap().channel.as_deref(), Some("webchat"));
        assert_eq!(index.entries().len(), 2);
        assert!(SessionIndex::parse("[]").is_none());
        assert!(SessionIndex::parse("{").is_none());
    }
}
