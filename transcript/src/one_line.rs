//! Text of a session where it must not act.

use std::borrow::Cow;

/// The text as one line that does nothing to a terminal or a log.
///
/// Line breaks and tabs become blanks. Other control characters, and the marks that change the direction of writing
/// (by which a line can be made to read otherwise than it is), become U+FFFD. One character stays one character.
///
/// O(n); borrows when there is nothing to replace.
///
/// ```
/// use clawgauge_transcript::one_line;
///
/// assert_eq!(one_line("rm -rf\n\u{1b}[8m /"), "rm -rf \u{fffd}[8m /");
/// assert_eq!(one_line("Zoë 🙂"), "Zoë 🙂");
/// ```
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| replacement(c).is_some()) {
        Cow::Owned(text.chars().map(|c| replacement(c).unwrap_or(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

const fn replacement(c: char) -> Option<char> {
    match c {
        '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some(' '),
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some('\u{fffd}'),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Some('\u{fffd}')
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_is_replaced_and_no_other() {
        for c in '\0'..='\u{ffff}' {
            let (text, marks) =
                (c.to_string(), "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}");
            let acts = c.is_control()
                || matches!(c, '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}')
                || marks.contains(c);
            assert_eq!(one_line(&text) != text, acts, "{:?}", c);
        }
    }
}
