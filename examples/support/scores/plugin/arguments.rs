//! Numbers on the plugin's command line.

/// The number after the first `name`, read as `parseInt` reads; `None` where the plugin takes its default: no such option, no
/// value, no number, or zero.
pub(super) fn number(args: &[String], name: &str) -> Option<f64> {
    let at = args.iter().position(|arg| arg == name)?;
    parse_int(args.get(at + 1)?).filter(|number| *number != 0.0)
}

/// `parseInt(text, 10)`: blanks, a sign, and the digits that follow.
fn parse_int(text: &str) -> Option<f64> {
    let text = text.trim_start_matches(|c: char| (c.is_whitespace() && c != '\u{85}') || c == '\u{FEFF}');
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let digits = text.get(..end).filter(|digits| !digits.is_empty())?;
    digits.parse::<f64>().ok().map(|number| sign * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_the_plugin_reads_them() {
        let cases = [
            ("7.9", Some(7.0)),
            ("3x", Some(3.0)),
            ("1e3", Some(1.0)),
            ("0x10", Some(0.0)),
            (" +12", Some(12.0)),
            ("-5", Some(-5.0)),
            ("Infinity", None),
            ("", None),
            ("- 5", None),
        ];
        for (text, number) in cases {
            assert_eq!(parse_int(text), number, "{text:?}");
        }
    }
}
