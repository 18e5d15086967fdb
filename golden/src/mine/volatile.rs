//! Values that are different the next time: times, ids, temporary paths, placeholders.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// Shapes of such values. Each alternative is one kind.
static SHAPES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?x)",
        r"<[A-Z][A-Z0-9_]*(?:_\d+)?>",                                                     // a placeholder of the redactor
        r"|\b\d{4}-\d\d-\d\d(?:[T\ _]\d\d[:-]\d\d(?:[:-]\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?",
        r"|\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b",                                        // a time of day
        r"|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+(?:\d{1,2}\s+)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*(?:\s+\d{1,4})?",
        r"|\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
        r"|(?:/private)?/(?:tmp|var/tmp|var/folders|dev/shm)/[^\s\x22'`;|&)]+",
        r"|(?i:[a-z]:\\[^\s\x22']*\\temp\\[^\s\x22']+)",
        r"|\$\{?TMPDIR\}?[^\s\x22'`;|&)]*",
        r"|\b1[0-9]{9}(?:\d{3})?\b",                                                       // epoch seconds or milliseconds
        r"|\b(?i:pid)[\ =:]+\d+",
        r"|\b(?:0x)?(?:[0-9a-f]*[a-f][0-9a-f]*[0-9][0-9a-f]*|[0-9a-f]*[0-9][0-9a-f]*[a-f][0-9a-f]*)\b", // hexadecimal
        r"|\b[A-Za-z]{1,12}[_-][A-Za-z0-9]{12,}\b",                                        // an id with a prefix
    ))
    .ok()
});

/// The volatile places of a text. A value that the request itself names is no such place: it comes again.
pub(crate) fn places(text: &str, request: &str) -> Vec<Range<usize>> {
    let Some(shapes) = SHAPES.as_ref() else { return Vec::new() };
    let found = shapes.find_iter(text).filter(|found| {
        let value = found.as_str();
        let placeholder = value.starts_with('<');
        // Seven digits and letters are a short commit; fewer are a word of code.
        let hex = value.bytes().all(|b| b.is_ascii_hexdigit());
        let prefixed =
            value.contains(['_', '-']) && value.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
        let random = !prefixed || value.bytes().any(|b| b.is_ascii_digit());
        (placeholder || !request.contains(value)) && (!hex || value.len() >= 7) && random
    });
    found.map(|found| found.range()).collect()
}

/// Whether a text holds a volatile value.
pub(crate) fn is_volatile(text: &str, request: &str) -> bool {
    !places(text, request).is_empty()
}

/// Whether an argument's name says that its value is made anew each time.
pub(crate) fn is_volatile_name(name: &str) -> bool {
    let name: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    matches!(
        name.as_str(),
        "id" | "pid"
            | "sessionid"
            | "runid"
            | "requestid"
            | "traceid"
            | "callid"
            | "toolcallid"
            | "messageid"
            | "timestamp"
            | "now"
            | "nonce"
            | "uuid"
            | "cursor"
            | "offset"
            | "etag"
            | "idempotencykey"
    )
}

/// The longest piece of a text between its volatile places, without a flag or sign that only led to one; `None` when
/// nothing worth naming is left.
pub(crate) fn stable_piece<'t>(text: &'t str, places: &[Range<usize>]) -> Option<&'t str> {
    let mut best = "";
    let mut at = 0;
    let ends =
        places.iter().map(|place| (place.start, place.end, true)).chain([(text.len(), text.len(), false)]);
    for (start, end, cut) in ends {
        let piece = text.get(at..start).unwrap_or_default();
        let piece = trim(piece, at > 0, cut);
        if piece.chars().count() > best.chars().count() {
            best = piece;
        }
        at = end;
    }
    (best.chars().count() >= 3 && best.chars().any(char::is_alphanumeric)).then_some(best)
}

const LEADS: [char; 16] = ['=', '>', '<', '|', '&', ';', ':', ',', '"', '\'', '`', '(', ')', '{', '}', '\\'];

fn trim(piece: &str, cut_before: bool, cut_behind: bool) -> &str {
    let mut piece = piece.trim();
    if cut_before {
        piece = piece.trim_start_matches(|c: char| c.is_whitespace() || LEADS.contains(&c));
    }
    if !cut_behind {
        return piece;
    }
    loop {
        let before = piece;
        piece = piece.trim_end_matches(|c: char| c.is_whitespace() || LEADS.contains(&c));
        if let Some(start) = piece.rfind(char::is_whitespace)
            && piece.get(start..).is_some_and(|word| word.trim_start().starts_with('-'))
        {
            piece = piece.get(..start).unwrap_or_default();
        }
        if piece == before {
            return piece;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(text: &str) -> Option<&str> {
        stable_piece(text, &places(text, ""))
    }

    #[test]
    fn times_ids_and_temporary_paths_are_cut_out_with_their_flags() {
        assert_eq!(piece("count ferns --at 2026-05-04T09:00:02Z --tmp /tmp/x8fk2"), Some("count ferns"));
        assert_eq!(piece("git show 1a2b3c4d5 --stat"), Some("git show"));
        assert_eq!(piece("cat /home/<USER_1>/notes/plan.md"), Some("/notes/plan.md"));
        assert_eq!(piece("550e8400-e29b-41d4-a716-446655440000"), None);
        assert_eq!(
            piece("curl -s http://localhost:8080/health"),
            Some("curl -s http://localhost:8080/health")
        );
    }

    #[test]
    fn what_the_request_names_comes_again() {
        let text = "report --day 2026-05-04";
        assert!(places(text, "the report of 2026-05-04, please").is_empty());
        assert_eq!(places(text, "the report of today").len(), 1);
    }

    #[test]
    fn ordinary_words_are_stable() {
        for text in ["decade", "facade", "accede", "npm run build-production", "feed_back", "face"] {
            assert!(!is_volatile(text, ""), "{text}");
        }
    }
}
