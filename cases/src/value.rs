//! Comparing arguments by JSON value.

use serde_json::{Number, Value};

use crate::assertion::ArgsMatch;
use crate::text::contains_folded;

/// Whether two numbers have the same value: `2` equals `2.0`; integers beyond 2^53 are compared exactly.
pub(crate) fn same_number(a: &Number, b: &Number) -> bool {
    if let (Some(x), Some(y)) = (a.as_i64(), b.as_i64()) {
        return x == y;
    }
    if let (Some(x), Some(y)) = (a.as_u64(), b.as_u64()) {
        return x == y;
    }
    if a.is_f64() || b.is_f64() {
        return a.as_f64() == b.as_f64();
    }
    false
}

/// Deep equality by value; texts exactly, objects without regard to the order of keys.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(x), Value::Number(y)) => same_number(x, y),
        (Value::Array(x), Value::Array(y)) => x.len() == y.len() && x.iter().zip(y).all(|(p, q)| same(p, q)),
        (Value::Object(x), Value::Object(y)) => {
            x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

/// Whether an actual argument is what was expected.
///
/// Texts match by case-insensitive substring (`*` alone is any value), unless the mode is exact. Objects may have
/// further keys unless the mode is exact; lists are compared item by item.
pub(crate) fn matches(expected: &Value, actual: &Value, mode: ArgsMatch) -> bool {
    if mode == ArgsMatch::Ignore {
        return true;
    }
    if expected.as_str() == Some("*") {
        return true;
    }
    if mode == ArgsMatch::Exact {
        return match (expected, actual) {
            (Value::Array(x), Value::Array(y)) => {
                x.len() == y.len() && x.iter().zip(y).all(|(p, q)| matches(p, q, mode))
            }
            (Value::Object(x), Value::Object(y)) => {
                x.len() == y.len() && x.iter().all(|(k, v)| y.get(k).is_some_and(|w| matches(v, w, mode)))
            }
            _ => same(expected, actual),
        };
    }
    match (expected, actual) {
        (Value::String(want), Value::String(have)) => contains_folded(have, want),
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(p, q)| matches(p, q, mode))
        }
        (Value::Object(x), Value::Object(y)) => {
            x.iter().all(|(k, v)| y.get(k).is_some_and(|w| matches(v, w, mode)))
        }
        _ => same(expected, actual),
    }
}
