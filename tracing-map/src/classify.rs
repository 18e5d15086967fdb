//! Is a tool call a retrieval? The transcript crate's table of tools decides, by whole words of the name.

use clawgauge_transcript::ToolTable;

/// Whether a tool with this name retrieves something: `web_search`, `memory_get`, `rag_query`; not `find_and_replace`,
/// `index_file`, `memory_write`.
#[must_use]
pub fn is_retrieval(tool_name: &str) -> bool {
    ToolTable::standard().is_retrieval(tool_name)
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
