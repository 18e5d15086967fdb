//! Points in time as OpenClaw writes them.

use std::fmt;

use chrono::{DateTime, NaiveDateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use crate::raw::RawJson;

/// A point in time, in milliseconds since 1970 (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since 1970.
    #[must_use]
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Milliseconds from `earlier` to `self`, never negative: clocks step back in real files, durations do not.
    #[must_use]
    pub fn millis_since(self, earlier: Self) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }

    /// As a `chrono` time; `None` outside the years that `chrono` knows.
    #[must_use]
    pub fn to_chrono(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_millis(self.0)
    }

    /// Reads a text: RFC 3339 with any offset, the same without an offset (taken as UTC), or digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(time) = parse_plain_utc(text) {
            return Some(time);
        }
        if let Ok(time) = DateTime::parse_from_rfc3339(text) {
            return Some(Self(time.timestamp_millis()));
        }
        for format in ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"] {
            if let Ok(time) = NaiveDateTime::parse_from_str(text, format) {
                return Some(Self(time.and_utc().timestamp_millis()));
            }
        }
        if text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return text.parse().ok().and_then(Self::from_number);
        }
        None
    }

    /// Reads a number: at least 1e11 is milliseconds, at least 1e8 seconds, anything smaller is no time.
    #[must_use]
    pub fn from_number(number: f64) -> Option<Self> {
        let millis = if (1e11..1e16).contains(&number) {
            number
        } else if (1e8..1e11).contains(&number) {
            number * 1000.0
        } else {
            return None;
        };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the range above fits 64 bits; parts of a millisecond go"
        )]
        Some(Self(millis.round() as i64))
    }

    /// Reads a JSON value: a text or a number as above.
    #[must_use]
    pub fn from_json(value: RawJson<'_>) -> Option<Self> {
        match value.text() {
            Some(text) => Self::parse(&text),
            None => value.as_f64().and_then(Self::from_number),
        }
    }
}

impl fmt::Display for Timestamp {
    /// ISO 8601 in UTC with milliseconds, as OpenClaw writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_chrono() {
            Some(time) => f.write_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            None => write!(f, "{}", self.0),
        }
    }
}

/// `2026-11-30T11:51:02.353Z`, the form of nearly every row, without the general parser's cost.
fn parse_plain_utc(text: &str) -> Option<Timestamp> {
    let &[
        y0,
        y1,
        y2,
        y3,
        b'-',
        m0,
        m1,
        b'-',
        d0,
        d1,
        b'T',
        h0,
        h1,
        b':',
        i0,
        i1,
        b':',
        s0,
        s1,
        b'.',
        f0,
        f1,
        f2,
        b'Z',
    ] = text.as_bytes()
    else {
        return None;
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i64, |n, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))
    };
    let (year, month, day) = (number(&[y0, y1, y2, y3])?, number(&[m0, m1])?, number(&[d0, d1])?);
    let (hour, minute, second) = (number(&[h0, h1])?, number(&[i0, i1])?, number(&[s0, s1])?);
    let millis = number(&[f0, f1, f2])?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if year < 1970 || !(1..=month_days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days since 1970 by the civil-calendar formula with years that begin in March.
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = y * 365 + y / 4 - y / 100 + y / 400 + (m * 153 + 2) / 5 + day - 1 - 719_468;
    Some(Timestamp(((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_one_time() {
        for text in [
            "2026-05-04T09:00:01.000Z",
            "2026-05-04T09:00:01Z",
            "2026-05-04T11:00:01+02:00",
            "2026-05-04T09:00:01",
            "2026-05-04 09:00:01",
            "1777885201000",
            "1777885201",
        ] {
            assert_eq!(Timestamp::parse(text), Some(Timestamp(1_777_885_201_000)), "{text}");
        }
        for text in ["yesterday", "", "12", "2026-13-01T00:00:00.000Z", "2026-02-29T00:00:00.000Z"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_short_cut_agrees_with_chrono_on_every_day() {
        let mut day = DateTime::from_timestamp(0, 0).unwrap();
        while day.timestamp() < 7_000_000_000 {
            let text = day.to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(parse_plain_utc(&text), Some(Timestamp(day.timestamp_millis())), "{text}");
            day += chrono::TimeDelta::milliseconds(86_400_000 + 12_345_678);
        }
    }

    #[test]
    fn durations_are_never_negative() {
        assert_eq!(Timestamp(5).millis_since(Timestamp(9)), 0);
        assert_eq!(Timestamp(i64::MAX).millis_since(Timestamp(i64::MIN)), u64::try_from(i64::MAX).unwrap());
    }
}
