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
    let scientific = format!("{:e}", x.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let digits: String = mantissa.chars().filter(|c| *c != '.').collect();
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let count = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    // `point` is where the decimal point stands, counted from the first digit.
    let point = exponent.saturating_add(1);
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
    let plus = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{first}{dot}{rest}e{plus}{}", exponent.unsigned_abs())
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
