//! Numbers as JavaScript prints and rounds them.

/// The text of `String(x)` in JavaScript: the shortest digits that read back to `x`, with the exponent rules of ECMA-262.
pub(crate) fn js_number(x: f64) -> String {
    if x.is_nan() {
        return "NaN".to_owned();
    }
    if x.is_infinite() {
        return if x > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if x == 0.0 {
        return "0".to_owned();
    }
    let sign = if x < 0.0 { "-" } else { "" };
    let (digits, point) = shortest(x.abs());
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    if (count..=21).contains(&point) {
        return format!("{sign}{digits}{}", zeros(point - count));
    }
    if (1..=21).contains(&point) {
        let (whole, fraction) = split(&digits, point);
        return format!("{sign}{whole}.{fraction}");
    }
    if (-5..=0).contains(&point) {
        return format!("{sign}0.{}{digits}", zeros(-point));
    }
    let (first, rest) = split(&digits, 1);
    let dot = if rest.is_empty() { "" } else { "." };
    format!("{sign}{first}{dot}{rest}e{:+}", point - 1)
}

/// The digits of the shortest decimal that reads back to `x`, and where the decimal point stands, counted from the first digit.
///
/// They are taken from serde_json's text, which between two decimals that are equally short and equally near takes the even one,
/// as JavaScript does; the standard library takes the larger.
fn shortest(x: f64) -> (String, i32) {
    let text = serde_json::to_string(&x).unwrap_or_default();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let before =
        i32::try_from(whole.len()).unwrap_or(0) - i32::try_from(all.len() - digits.len()).unwrap_or(0);
    (digits.trim_end_matches('0').to_owned(), before + exponent.parse().unwrap_or(0))
}

fn zeros(count: i32) -> String {
    "0".repeat(usize::try_from(count).unwrap_or(0))
}

fn split(digits: &str, at: i32) -> (&str, &str) {
    digits.split_at_checked(usize::try_from(at).unwrap_or(0)).unwrap_or((digits, ""))
}

/// `Math.round(x * 100) / 100`: halves go up, and the product is a binary double (`0.575 * 100` is below 57.5).
pub(crate) fn js_round(x: f64) -> f64 {
    let scaled = x * 100.0;
    let floor = scaled.floor();
    let whole = if scaled - floor >= 0.5 { floor + 1.0 } else { floor };
    whole / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_print_as_in_javascript() {
        // Right-hand sides are the examples and limits of ECMA-262 Number::toString.
        for (x, text) in [
            (1.0, "1"),
            (0.5, "0.5"),
            (-0.0, "0"),
            (1e21, "1e+21"),
            (1e20, "100000000000000000000"),
            (123_456.789, "123456.789"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-7, "1.5e-7"),
            // Halfway between ...62 and ...63: Node 22 prints the even one.
            (0.781_959_533_691_406_2, "0.7819595336914062"),
            (639_153_718_948_364.2, "639153718948364.2"),
            (5e-324, "5e-324"),
            (-1.25e300, "-1.25e+300"),
            (9_007_199_254_740_992.0, "9007199254740992"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(js_number(x), text);
        }
    }

    #[test]
    fn rounding_is_on_binary_doubles() {
        assert_eq!(js_round(23.0 / 40.0), 0.57);
        assert_eq!(js_round(1.0 / 8.0), 0.13);
        assert_eq!(js_round(29.0 / 200.0), 0.14);
        assert_eq!(js_round(1.0 / 200.0), 0.01);
    }
}
