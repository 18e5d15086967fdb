//! Is a tool call a retrieval? Decided by whole words of the tool's name.

/// Words that mean retrieval by themselves.
const RETRIEVAL: &[&str] = &[
    "search",
    "websearch",
    "retrieve",
    "retrieval",
    "retriever",
    "rag",
    "vector",
    "embed",
    "embedding",
    "embeddings",
    "semantic",
    "lookup",
    "recall",
    "knowledge",
    "grep",
    "find",
    "index",
    "webfetch",
    "fetchurl",
];

/// Words that mean that something is changed: a name with one of them is no retrieval, whatever else it says.
const CHANGE: &[&str] = &[
    "write", "replace", "delete", "remove", "update", "create", "add", "insert", "set", "put", "save",
    "store", "edit", "move", "rename", "upsert", "append", "patch", "drop", "clear", "reindex", "build",
    "rebuild", "send", "post", "run", "execute",
];

/// Whether a tool with this name retrieves something. Words are split at anything that is no letter or digit, and
/// between a lower-case and an upper-case letter (`WebSearch`). Retrieval are:
/// - names with a word for it (`web_search`, `rag_query`, `knowledge_base`), unless another word says that something is
///   changed (`find_and_replace`);
/// - pairs: `memory get`, `web fetch`, `fetch url`;
/// - `index` alone or with a word that is no object of work (`index_file` makes an index, `index` reads one).
#[must_use]
pub fn is_retrieval(tool_name: &str) -> bool {
    let words = words(tool_name);
    if words.iter().any(|word| CHANGE.contains(&word.as_str())) {
        return false;
    }
    let pair = |first: &str, second: &str| {
        words.windows(2).any(|two| matches!(two, [a, b] if a == first && b == second))
    };
    let verb_index = words.first().is_some_and(|word| word == "index") && words.len() > 1;
    words.iter().any(|word| RETRIEVAL.contains(&word.as_str()) && !(verb_index && word == "index"))
        || pair("memory", "get")
        || pair("web", "fetch")
        || pair("fetch", "url")
}

fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut before_lower = false;
    for c in name.chars() {
        let boundary = !c.is_alphanumeric() || (before_lower && c.is_uppercase());
        if boundary && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before_lower = c.is_lowercase() || c.is_numeric();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::is_retrieval;

    #[test]
    fn whole_words_decide() {
        for yes in [
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
            "memory_search",
            "index",
            "web_fetch",
            "web-fetch",
            "webfetch",
            "fetch_url",
            "fetchurl",
            "find",
            "SEARCH",
            "tool_search",
            "mcp__docs__search",
        ] {
            assert!(is_retrieval(yes), "{yes}");
        }
        for no in [
            "find_and_replace",
            "index_file",
            "memory_write",
            "findings",
            "reindex",
            "drag",
            "storage",
            "fragment",
            "read",
            "exec",
            "browser",
            "image",
            "ls",
            "fetch",
            "research",
            "résearch",
            "searchlight_on",
            "refind",
            "update_index",
            "save_search",
            "",
            "__",
        ] {
            assert!(!is_retrieval(no), "{no}");
        }
    }
}
