//! What a score rests on.

use std::borrow::Cow;
use std::ops::Range;

use clawgauge_transcript::{Entry, RawJson, Redactor, ToolTable, Transcript};

/// Where in a session something stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The entry with this id.
    Entry(Box<str>),
    /// The message at this position among the session's messages, counted from 0: hook payloads and version 1 files have
    /// no ids.
    Message(usize),
}

/// One finding behind a score. It holds offsets, not text: a quote is cut from the session on demand and passes the redactor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// The rule that found it, such as `autonomy.en.you-forgot`.
    pub rule: Box<str>,
    /// The entry or message it stands in.
    pub place: Place,
    /// The bytes meant, in the entry's [`raw`](Entry::raw) text (of a message in a list: in the message's JSON text).
    /// `None`: the entry as a whole.
    pub bytes: Option<Range<usize>>,
    /// Why it counts, in a few words and without quoting the session.
    pub reason: Box<str>,
}

impl Evidence {
    /// The entry it points to. `O(entries)`.
    #[must_use]
    pub fn entry<'e, 'a>(&self, transcript: &'e Transcript<'a>) -> Option<&'e Entry<'a>> {
        let entries = transcript.entries();
        match &self.place {
            // Of rows with the same id the last one counts.
            Place::Entry(id) => entries.iter().rev().find(|entry| entry.id().as_deref() == Some(&**id)),
            Place::Message(at) => entries.iter().filter(|entry| entry.message().is_some()).nth(*at),
        }
    }

    /// The words it points to, decoded but **not redacted**: for further reading, never for showing. Of a tool call it is
    /// the call's JSON, of a result alone its message's. `None` when the session does not have them.
    #[must_use]
    pub fn words<'e>(&self, transcript: &'e Transcript<'_>) -> Option<Cow<'e, str>> {
        let entry = self.entry(transcript)?;
        let bytes = self.bytes.clone()?;
        let piece = entry.raw().get(bytes)?;
        if RawJson::parse(piece).is_some_and(RawJson::is_object) || !piece.contains('\\') {
            return Some(Cow::Borrowed(piece));
        }
        let quoted = format!("\"{piece}\"");
        let text = RawJson::parse(&quoted).and_then(RawJson::text).map(Cow::into_owned);
        Some(text.map_or(Cow::Borrowed(piece), Cow::Owned))
    }

    /// The words to be shown: redacted, white space squeezed, at most `max_chars` characters (`…` marks a cut); a tool call as
    /// `exec: ls -la`, a result without its call as `exec: what it said`. Control characters are as they were: who writes to a
    /// terminal takes them out. `None` when the session does not have the words.
    #[must_use]
    pub fn quote(
        &self,
        transcript: &Transcript<'_>,
        redactor: &Redactor,
        max_chars: usize,
    ) -> Option<String> {
        let words = self.words(transcript)?;
        let mut redaction = redactor.begin();
        let redacted = redaction.json(&words).map(Cow::into_owned);
        let redacted = redacted.unwrap_or_else(|| redaction.text(&words).into_owned());
        let redacted = called(&redacted);
        let mut quote = String::new();
        for word in redacted.split_whitespace() {
            if !quote.is_empty() {
                quote.push(' ');
            }
            quote.push_str(word);
        }
        if let Some((end, _)) = quote.char_indices().nth(max_chars) {
            let kept = quote.char_indices().nth(max_chars.saturating_sub(1)).map_or(end, |(at, _)| at);
            quote.truncate(kept);
            quote.push('…');
        }
        Some(quote)
    }
}

/// A tool call as a person reads it: the tool and its command, file, or arguments; a result whose call is not stored: the tool and
/// what it said. Any other words as they are.
fn called(words: &str) -> Cow<'_, str> {
    let Some(json) = RawJson::parse(words).filter(|json| json.is_object()) else {
        return Cow::Borrowed(words);
    };
    // OpenClaw stores calls that another call made as the details of a message.
    let named = [Some(json), json.get("details")].into_iter().flatten().find_map(|call| {
        let name = call.get("name").or_else(|| call.get("toolName"))?;
        Some((call, name.text()?))
    });
    let Some((call, name)) = named else { return Cow::Borrowed(words) };
    let arguments = ["arguments", "input"].into_iter().find_map(|key| call.get(key)?.to_value());
    let what = match &arguments {
        Some(arguments) => {
            let tools = ToolTable::standard();
            let what = tools.command(arguments).or_else(|| tools.path(arguments).map(Cow::Borrowed));
            what.unwrap_or_else(|| Cow::Owned(arguments.to_string()))
        }
        None => Cow::Owned(said(call)),
    };
    if what.is_empty() { name } else { Cow::Owned(format!("{name}: {what}")) }
}

/// The text of a result's message.
fn said(result: RawJson<'_>) -> String {
    let Some(content) = result.get("content") else { return String::new() };
    if let Some(text) = content.text() {
        return text.into_owned();
    }
    let texts = content.items().into_iter().filter_map(|block| block.get("text")?.text());
    texts.collect::<Vec<_>>().join("\n")
}
