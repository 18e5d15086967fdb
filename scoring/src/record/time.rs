//! Times as the plugin's runtime reads them.

use chrono::{DateTime, FixedOffset, NaiveDate, NaiveDateTime, TimeZone, Utc};

use crate::json::Value;

/// `new Date(value)`: an ISO text or epoch milliseconds. A text with a time but no offset is local time, `offset` seconds east of
/// UTC; a date alone is UTC. Other forms, which runtimes may read each in its own way, are unknown.
pub(crate) fn js_time(value: &Value, offset: i32) -> Option<DateTime<Utc>> {
    if let Value::Number(number) = value {
        return millis(number.value);
    }
    let text = value.as_js_str()?.to_str();
    let text = text.as_ref();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(date.and_hms_opt(0, 0, 0)?.and_utc());
    }
    let local = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"]
        .iter()
        .find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?;
    Some(FixedOffset::east_opt(offset)?.from_local_datetime(&local).single()?.to_utc())
}

#[allow(clippy::cast_possible_truncation, reason = "the range is checked")]
fn millis(value: f64) -> Option<DateTime<Utc>> {
    // The largest time a JavaScript date holds.
    (value.abs() <= 8.64e15).then(|| DateTime::from_timestamp_millis(value.trunc() as i64)).flatten()
}
