//! Times as the plugin's runtime reads them.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, SecondsFormat, TimeZone, Utc};

use crate::json::Value;

/// Beyond these years either way a time is unknown: nearer to the last one that [`DateTime`] holds, a day in another offset is none.
const MOST_YEARS: u32 = 262_000;

/// `new Date(value)`: an ISO text or epoch milliseconds. A text with a time but no offset is local time, `offset` seconds east of
/// UTC; a date alone is UTC. Other forms, which runtimes may read each in its own way, are unknown.
pub(crate) fn js_time(value: &Value, offset: i32) -> Option<DateTime<Utc>> {
    let time = match value {
        Value::Number(number) => millis(number.value),
        Value::String(text) => read(&text.to_str(), offset),
        _ => None,
    };
    time.filter(|time| time.year().unsigned_abs() <= MOST_YEARS)
}

fn read(text: &str, offset: i32) -> Option<DateTime<Utc>> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    // Years past 9999 and before 0, which RFC 3339 does not know, have a sign.
    if text.starts_with(['+', '-'])
        && let Ok(time) = text.parse::<DateTime<FixedOffset>>()
    {
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

/// `toISOString()`: milliseconds, and six digits with a sign for years that four do not hold.
pub(super) fn iso_text(time: DateTime<Utc>) -> String {
    match time.year() {
        0..=9999 => time.to_rfc3339_opts(SecondsFormat::Millis, true),
        year => {
            let sign = if year < 0 { '-' } else { '+' };
            format!("{sign}{:06}{}", year.unsigned_abs(), time.format("-%m-%dT%H:%M:%S%.3fZ"))
        }
    }
}

#[allow(clippy::cast_possible_truncation, reason = "the range is checked")]
fn millis(value: f64) -> Option<DateTime<Utc>> {
    // The largest time a JavaScript date holds.
    (value.abs() <= 8.64e15).then(|| DateTime::from_timestamp_millis(value.trunc() as i64)).flatten()
}
