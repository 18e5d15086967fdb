//! Which stretch of time a command looks at.

use chrono::{DateTime, FixedOffset, NaiveDate, SecondsFormat, TimeDelta, TimeZone, Utc};
use clawgauge_scoring::Filter;
use clawgauge_scoring::v1::number_text;

/// The last days, or from one time to another.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Period {
    days: Option<f64>,
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
}

impl Period {
    /// The last `days` times 24 hours. What is later than now counts too: clocks differ.
    #[must_use]
    pub const fn days(days: f64) -> Self {
        Self { days: Some(days), since: None, until: None }
    }

    /// From `since` (included) to `until` (not included); without both, all time.
    #[must_use]
    pub const fn between(since: Option<DateTime<Utc>>, until: Option<DateTime<Utc>>) -> Self {
        Self { days: None, since, until }
    }

    /// Whether a time lies in it.
    #[must_use]
    #[allow(
        clippy::cast_precision_loss,
        reason = "milliseconds are counted in doubles, as the plugin does; years may be many"
    )]
    pub fn contains(&self, time: DateTime<Utc>, now: DateTime<Utc>) -> bool {
        let oldest = |days: f64| now.timestamp_millis() as f64 - days * 86_400_000.0;
        self.days.is_none_or(|days| time.timestamp_millis() as f64 >= oldest(days))
            && self.since.is_none_or(|since| time >= since)
            && self.until.is_none_or(|until| time < until)
    }

    /// The same as limits of a filter.
    #[must_use]
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a number of milliseconds; what does not fit is all time"
    )]
    pub fn narrow(&self, filter: &Filter, now: DateTime<Utc>) -> Filter {
        let back = self.days.and_then(|days| {
            now.checked_sub_signed(TimeDelta::try_milliseconds((days * 86_400_000.0) as i64)?)
        });
        Filter { since: back.or(self.since), until: self.until, ..filter.clone() }
    }

    /// For a title: `last 7 days`.
    #[must_use]
    pub fn title(&self) -> String {
        match (self.days, self.since.map(short), self.until.map(short)) {
            (Some(days), _, _) => format!("last {} days", number_text(days)),
            (None, Some(since), Some(until)) => format!("{since} to {until}"),
            (None, Some(since), None) => format!("since {since}"),
            (None, None, Some(until)) => format!("until {until}"),
            (None, None, None) => "all time".to_owned(),
        }
    }

    /// For JSON: `7 days`.
    #[must_use]
    pub fn name(&self) -> String {
        let title = self.title();
        title.strip_prefix("last ").map_or(title.clone(), str::to_owned)
    }

    /// Says that there is nothing in it, without a full stop.
    #[must_use]
    pub fn nothing(&self) -> String {
        match (self.days, self.since.is_some() && self.until.is_some()) {
            (Some(_), _) => format!("No scores in the {}", self.title()),
            (None, true) => format!("No scores from {}", self.title()),
            (None, false) if *self == Self::default() => "No scores found".to_owned(),
            (None, false) => format!("No scores {}", self.title()),
        }
    }
}

fn short(time: DateTime<Utc>) -> String {
    let text = time.to_rfc3339_opts(SecondsFormat::Secs, true);
    text.strip_suffix("T00:00:00Z").map_or(text.clone(), str::to_owned)
}

/// Reads a time: RFC 3339, a date (midnight at `offset`), or `30m`, `12h`, `7d` before now.
///
/// # Errors
/// A sentence for a person.
pub fn parse_time(text: &str, now: DateTime<Utc>, offset: FixedOffset) -> Result<DateTime<Utc>, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.to_utc());
    }
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        let midnight = date.and_hms_opt(0, 0, 0).and_then(|time| offset.from_local_datetime(&time).single());
        return midnight.map(|time| time.to_utc()).ok_or_else(|| format!("{text} has no midnight"));
    }
    let back = text.strip_suffix(['m', 'h', 'd']).and_then(|number| {
        let number: i64 = number.parse().ok().filter(|number| *number >= 0)?;
        let back = match text.chars().last()? {
            'm' => TimeDelta::try_minutes(number)?,
            'h' => TimeDelta::try_hours(number)?,
            _ => TimeDelta::try_days(number)?,
        };
        now.checked_sub_signed(back)
    });
    back.ok_or_else(|| format!("{text:?} is no time: write 2026-03-14, 2026-03-14T10:00:00Z or 7d"))
}

/// Reads an offset from UTC: `Z`, `+02:00`, `-0530` or `+2`.
///
/// # Errors
/// A sentence for a person.
pub fn parse_offset(text: &str) -> Result<FixedOffset, String> {
    let read = || {
        if matches!(text, "Z" | "z" | "UTC") {
            return FixedOffset::east_opt(0);
        }
        let (sign, rest) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text.strip_prefix('+')?),
        };
        let (hours, minutes) = match rest.split_once(':') {
            Some(parts) => parts,
            None => rest.split_at_checked(2).unwrap_or((rest, "")),
        };
        let number = |digits: &str, most: i32| match digits.is_empty() {
            true => Some(0),
            false => digits.parse::<u8>().ok().map(i32::from).filter(|number| *number <= most),
        };
        if hours.is_empty() {
            return None;
        }
        FixedOffset::east_opt(sign * (number(hours, 23)? * 3600 + number(minutes, 59)? * 60))
    };
    read().ok_or_else(|| format!("{text:?} is no offset from UTC: write Z, +02:00 or -05:30"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn offsets() {
        let seconds = |text: &str| parse_offset(text).ok().map(|offset| offset.local_minus_utc());
        assert_eq!(seconds("Z"), Some(0));
        assert_eq!(seconds("+02:00"), Some(7200));
        assert_eq!(seconds("-0530"), Some(-19800));
        assert_eq!(seconds("+2"), Some(7200));
        for bad in ["", "2", "+", "+25:00", "+2:99", "+é", "Europe/Berlin"] {
            assert_eq!(seconds(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn times() {
        let now = time("2026-03-15T12:00:00Z");
        let offset = FixedOffset::east_opt(7200).unwrap();
        let read = |text: &str| parse_time(text, now, offset).ok();
        assert_eq!(read("2026-03-14"), Some(time("2026-03-13T22:00:00Z")));
        assert_eq!(read("2026-03-14T10:00:00+01:00"), Some(time("2026-03-14T09:00:00Z")));
        assert_eq!(read("7d"), Some(time("2026-03-08T12:00:00Z")));
        assert_eq!(read("90m"), Some(time("2026-03-15T10:30:00Z")));
        for bad in ["", "d", "-1d", "yesterday", "99999999999999999d", "é"] {
            assert_eq!(read(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn periods_say_what_they_are() {
        let (a, b) = (Some(time("2026-03-01T00:00:00Z")), Some(time("2026-03-08T10:00:00Z")));
        assert_eq!(Period::days(7.0).title(), "last 7 days");
        assert_eq!(Period::days(7.0).name(), "7 days");
        assert_eq!(Period::between(a, b).nothing(), "No scores from 2026-03-01 to 2026-03-08T10:00:00Z");
        assert_eq!(Period::between(None, b).nothing(), "No scores until 2026-03-08T10:00:00Z");
        assert_eq!(Period::default().nothing(), "No scores found");
    }
}
