//! Notes, placeholders and descriptions of attachments.

use super::text::{after, first_line, paragraph_end};

/// `[media attached: ...]` and its relatives, a line of their own.
pub(super) fn is_note(line: &str) -> bool {
    let line = line.trim();
    line.ends_with(']')
        && (line.starts_with("[media attached: ")
            || line
                .strip_prefix("[media attached ")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            || line.starts_with("[media unavailable: ")
            || line.starts_with("[Image: source: ")
            || line == "[User sent media without caption]")
}

/// `<media:image>`, `<media:document> (2 files)`.
pub(super) fn is_placeholder(line: &str) -> bool {
    let Some(rest) = line.trim().strip_prefix("<media:") else {
        return false;
    };
    let Some((kind, tail)) = rest.split_once('>') else {
        return false;
    };
    let tail = tail.trim();
    !kind.is_empty()
        && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && (tail.is_empty() || tail.starts_with('(') && tail.ends_with(')'))
}

/// `[Audio]`, `[Image 1/2]`, ... with a description under it: the bytes up to the words, which are the person's text,
/// else the transcript of what they said. A described picture without text has none.
pub(super) fn understood(text: &str) -> Option<usize> {
    let (line, skip) = first_line(text);
    let inner = line.trim_end().strip_prefix('[')?.strip_suffix(']')?;
    let (kind, count) = inner.split_once(' ').unwrap_or((inner, ""));
    let counted =
        count.is_empty() || count.split('/').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    if !matches!(kind, "Audio" | "Image" | "Video") || !counted {
        return None;
    }
    let (label, more) = first_line(after(text, skip));
    match label.trim_end() {
        "User text:" if has_user_text(after(text, skip)) => Some(skip),
        "Transcript:" => Some(skip + more),
        "Description:" => Some(paragraph_end(text)),
        _ => None,
    }
}

/// The `User text:` at the head of `text` is followed by what was understood of the media.
pub(super) fn has_user_text(text: &str) -> bool {
    section(text).is_some()
}

/// Where the description or transcript behind the person's text begins.
pub(super) fn section(text: &str) -> Option<usize> {
    ["\nTranscript:\n", "\nDescription:\n", "\n[Audio", "\n[Image", "\n[Video"]
        .into_iter()
        .filter_map(|mark| text.find(mark))
        .min()
}
