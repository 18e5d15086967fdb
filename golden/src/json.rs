//! Small helpers over JSON that keeps its order.

use clawgauge_cases::Json;

/// An object of these pairs.
pub(crate) fn object<const N: usize>(pairs: [(&str, Json); N]) -> Json {
    Json::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A list of texts.
pub(crate) fn texts<S: Into<String>>(items: impl IntoIterator<Item = S>) -> Json {
    Json::Array(items.into_iter().map(|text| Json::String(text.into())).collect())
}

/// The text of a value as people read it: a string without quotes, anything else as JSON.
pub(crate) fn plain(json: &Json) -> String {
    json.as_str().map_or_else(|| json.compact(), str::to_owned)
}

/// The value behind a key, to be changed.
pub(crate) fn get_mut<'j>(json: &'j mut Json, key: &str) -> Option<&'j mut Json> {
    match json {
        Json::Object(pairs) => pairs.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value),
        _ => None,
    }
}

/// Takes a key away.
pub(crate) fn remove(json: &mut Json, key: &str) {
    if let Json::Object(pairs) = json {
        pairs.retain(|(name, _)| name != key);
    }
}

/// At most `chars` characters of a text.
pub(crate) fn cut(text: &str, chars: usize) -> &str {
    text.char_indices().nth(chars).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
