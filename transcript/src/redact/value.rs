//! What a value looks like: where it ends, whether it is only a reference, a mask or a word.

/// The byte at an index, 0 beyond the end.
pub(super) fn byte(text: &[u8], at: usize) -> u8 {
    text.get(at).copied().unwrap_or(0)
}

/// The last place up to `at` where no character is cut.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().take(4).find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// Where a run of bytes of a class that begins at `from` ends, at most `max` bytes later.
pub(super) fn run(text: &[u8], from: usize, class: impl Fn(u8) -> bool, max: usize) -> usize {
    let rest = text.get(from..text.len().min(from.saturating_add(max))).unwrap_or_default();
    from + rest.iter().position(|&b| !class(b)).unwrap_or(rest.len())
}

/// A value that stands for another: a variable, a template, a call, a placeholder, a masked value.
pub(super) fn is_reference(value: &str) -> bool {
    is_masked(value) || is_template(value) || is_call(value) || is_pattern(value) || stands_in(value)
}

fn is_masked(value: &str) -> bool {
    let all = |c: char| matches!(c, '*' | 'x' | 'X' | '.' | '-' | '_' | '#' | '?' | '0' | '•');
    ["…", "...", "***", "•••"].iter().any(|mask| value.contains(mask)) || value.chars().all(all)
}

fn is_template(value: &str) -> bool {
    const STARTS: [&str; 14] = [
        "{{",
        "{%",
        "%(",
        "process.env",
        "os.environ",
        "os.getenv",
        "env.",
        "env:",
        "ENV[",
        "secrets.",
        "vault:",
        "op://",
        "keyring:",
        "file:",
    ];
    // `\${TOKEN}` in text with escapes.
    let value = value.trim_start_matches('\\');
    let enclosed = [('<', '>'), ('[', ']'), ('%', '%'), ('{', '}')]
        .iter()
        .any(|(open, close)| value.len() > 2 && value.starts_with(*open) && value.ends_with(*close));
    enclosed
        || (value.starts_with('$') && is_variable(value))
        || STARTS.iter().any(|start| value.starts_with(start))
}

/// A regular expression that looks for the value.
fn is_pattern(value: &str) -> bool {
    [".*", "[A-Z", "[a-z", "[0-9", "[^", "\\w", "\\S", "\\d"].iter().any(|piece| value.contains(piece))
}

/// `$NAME`, `${NAME}`, `$(command)`, `$1`; not a password that happens to start with a dollar sign.
fn is_variable(value: &str) -> bool {
    let name = value.trim_start_matches('$');
    name.starts_with(['{', '('])
        || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
}

/// `getPassword()`, `config.get("x")`, `settings["x"]`.
fn is_call(value: &str) -> bool {
    let name = run(value.as_bytes(), 0, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'), 64);
    name > 0
        && name < value.len()
        && matches!(byte(value.as_bytes(), name), b'(' | b'[')
        && value.ends_with([')', ']', '(', '['])
}

/// `your-api-key`, `YOUR_TOKEN`, `my_password_here`, `insert key`.
fn stands_in(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["your", "insert", "enter", "replace", "redacted", "placeholder", "omitted"]
        .iter()
        .any(|word| lower.starts_with(word) || lower.ends_with(word))
        && !lower.bytes().any(|b| b.is_ascii_digit())
}

/// Words that stand where a value could, and say something about it.
pub(super) fn is_stop_word(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "undefined",
        "empty",
        "redacted",
        "hidden",
        "masked",
        "omitted",
        "secret",
        "string",
        "str",
        "bytes",
        "number",
        "int",
        "bool",
        "boolean",
        "object",
        "array",
        "any",
        "optional",
        "required",
        "missing",
        "invalid",
        "expired",
        "valid",
        "yes",
        "no",
        "on",
        "off",
        "unset",
        "set",
        "default",
        "env",
        "token",
        "password",
        "passwd",
        "key",
        "apikey",
        "api_key",
        "api-key",
        "bearer",
        "basic",
        "digest",
        "oauth",
        "oauth2",
        "jwt",
        "auth",
        "value",
        "text",
        "unknown",
        "incorrect",
        "wrong",
        "not",
        "is",
        "was",
        "are",
        "has",
        "have",
        "and",
        "or",
        "the",
        "a",
        "an",
        "in",
        "for",
        "to",
        "from",
        "of",
        "with",
        "this",
        "that",
        "must",
        "should",
        "can",
        "cannot",
        "will",
        "only",
        "public",
        "private",
        "shared",
        "local",
        "remote",
        "header",
        "cookie",
        "session",
        "file",
        "prompt",
        "ask",
        "test",
        "example",
        "sample",
        "changed",
        "provided",
        "generated",
        "given",
        "found",
        "revoked",
        "rotated",
        "configured",
        "enabled",
        "disabled",
        "authorization",
        "credentials",
        "credential",
        "loopback",
        "self",
        "let",
        "const",
        "var",
        "new",
        "async",
        "await",
        "function",
        "return",
        "static",
        "option",
        "some",
        "vec",
        "int64",
        "uuid",
        "keychain",
        "keyring",
        "vault",
        "pass",
        "sha256",
        "sha1",
        "md5",
        "base64",
        "hex",
        "utf8",
        "utf-8",
        "length",
        "see",
        "ok",
        "n/a",
        "na",
        "tbd",
        "todo",
    ];
    let lower = value.trim_end_matches(['.', ',', ';', ':', '!', '?']).to_ascii_lowercase();
    WORDS.contains(&lower.as_str())
}

/// Words that speak about a password or an option where the password itself could stand.
pub(super) fn is_mention(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "option",
        "flag",
        "argument",
        "arguments",
        "parameter",
        "switch",
        "when",
        "if",
        "instead",
        "then",
        "field",
        "input",
        "box",
        "label",
        "column",
        "policy",
        "manager",
        "reset",
        "type",
        "name",
        "form",
        "grant",
        "protection",
        "protected",
        "hash",
        "hashes",
        "login",
        "change",
        "here",
        "because",
        "so",
        "as",
        "at",
        "by",
        "it",
        "via",
        "asks",
        "means",
        "sets",
        "takes",
    ];
    let word = value.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// `correct-horse-battery`: words that nothing but a passphrase joins.
pub(super) fn is_passphrase(value: &str) -> bool {
    let mut words = value.split('-');
    words.clone().count() >= 3
        && words.all(|word| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_lowercase()))
}

/// Hashes and ids: hexadecimal of a usual length, UUIDs, and what only joins words and numbers.
pub(super) fn is_id(value: &str) -> bool {
    let hex = value.bytes().filter(u8::is_ascii_hexdigit).count();
    let hyphens = value.bytes().filter(|b| *b == b'-').count();
    let uuid = value.len() == 36 && hex == 32 && hyphens == 4;
    let hash = hex == value.len() && matches!(value.len(), 7..=12 | 16 | 32 | 40 | 56 | 64 | 96 | 128);
    let digits = value.bytes().all(|b| b.is_ascii_digit());
    uuid || hash || digits
}

/// Whether a value looks random: long, letters of both cases and digits mixed, many different bytes, not a path.
pub(super) fn is_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    if !(16..=512).contains(&bytes.len()) || value.contains("://") || value.starts_with(['/', '.', '~']) {
        return false;
    }
    let token = bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"-_+/=.".contains(b));
    let count = |class: fn(&u8) -> bool| bytes.iter().filter(|b| class(b)).count();
    let (upper, lower, digits) =
        (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit));
    let slashes = bytes.iter().filter(|b| **b == b'/').count();
    let path = slashes > 0 && bytes.len() != 40;
    token && upper >= 2 && lower >= 2 && digits >= 3 && !path && !is_id(value) && entropy(bytes) >= 3.3
}

/// Shannon entropy in bits a byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = bytes.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum()
}
