//! The one place where quoted text passes the redactor.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

const PATTERNS: [&str; 4] = [
    // Keys with a known beginning (API keys, access tokens, chat tokens).
    r"\b(?:sk-(?:ant-|proj-|or-)?|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|npm_|hf_|eyJ[A-Za-z0-9_-]{8,}\.eyJ)[A-Za-z0-9_\-./+=]{8,}",
    // Credentials in a header or an address.
    r"(?i)\b(?:bearer|basic)\s+[A-Za-z0-9_\-./+=:]{8,}",
    r"://[^\s/@:]+:[^\s/@]+@",
    // name = value, where the name says that it is a secret
    r#"(?i)\b[\w-]*(?:api[_-]?key|secret|token|passw(?:or)?d|authorization)[\w-]*["']?\s*[:=]\s*["']?[^\s"',;]{6,}"#,
];

static SET: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(PATTERNS).ok());
static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| PATTERNS.iter().filter_map(|p| Regex::new(p).ok()).collect());

/// `text` with what looks like a secret replaced by `[redacted]`. O(n).
pub(crate) fn redact(text: &str) -> Cow<'_, str> {
    if SET.as_ref().is_some_and(|set| !set.is_match(text)) {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_owned();
    for pattern in EACH.iter() {
        out = pattern.replace_all(&out, "[redacted]").into_owned();
    }
    Cow::Owned(out)
}
