//! The time that OpenClaw writes into envelopes: `Mon 2026-05-04 09:01:10 GMT+2`, `2026-01-18T05:19Z`, ...

use chrono::{Datelike, NaiveDate, Weekday};

/// A time as it is written in an envelope header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// A weekday stands before the date.
    pub(super) weekday: bool,
    /// That weekday is the one of the date.
    pub(super) weekday_fits: bool,
    /// A zone (`UTC`, `PST`, `GMT+2`, `+02:00`, `Europe/Vienna`, `Z`) follows the time.
    pub(super) zone: bool,
}

impl Stamp {
    /// Reads a text that is a stamp from its first to its last byte.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut tokens = text.split(' ');
        let mut token = tokens.next()?;
        let weekday = weekday(token);
        if weekday.is_some() {
            token = tokens.next()?;
        }
        let (date, mut zone, clock) = match token.split_once('T') {
            Some((date, clock)) => (date, false, clock),
            None => (token, false, tokens.next()?),
        };
        let clock = match clock.strip_suffix('Z') {
            Some(clock) => {
                zone = true;
                clock
            }
            None => clock,
        };
        let date = NaiveDate::parse_from_str(date, "%Y-%m-%d").ok().filter(|_| date.len() == 10)?;
        if !is_clock(clock) {
            return None;
        }
        if let Some(name) = tokens.next() {
            if zone || !is_zone(name) {
                return None;
            }
            zone = true;
        }
        if tokens.next().is_some() {
            return None;
        }
        Some(Self { weekday: weekday.is_some(), weekday_fits: weekday == Some(date.weekday()), zone })
    }

    /// Splits `header` into what stands before a final stamp and the stamp's text.
    pub(super) fn at_end(header: &str) -> Option<(&str, &str, Self)> {
        let mut found = None;
        let mut at = header.len();
        for _ in 0..4 {
            at = super::text::before(header, at).rfind(' ')?;
            let tail = super::text::after(header, at + 1);
            if let Some(stamp) = Self::parse(tail) {
                found = Some((super::text::before(header, at), tail, stamp));
            } else if found.is_some() {
                break;
            }
            if at == 0 {
                break;
            }
        }
        found
    }

    /// The stamp can stand alone in front of a message. Without a weekday it may as well be a pasted log line.
    pub(super) fn stands_alone(self) -> bool {
        self.weekday && (self.zone || self.weekday_fits)
    }
}

fn weekday(token: &str) -> Option<Weekday> {
    Some(match token {
        "Mon" => Weekday::Mon,
        "Tue" => Weekday::Tue,
        "Wed" => Weekday::Wed,
        "Thu" => Weekday::Thu,
        "Fri" => Weekday::Fri,
        "Sat" => Weekday::Sat,
        "Sun" => Weekday::Sun,
        _ => return None,
    })
}

fn is_clock(text: &str) -> bool {
    let mut parts = text.split(':');
    let two = |part: Option<&str>, below: u32| {
        part.is_some_and(|digits| {
            digits.len() == 2
                && digits.bytes().all(|byte| byte.is_ascii_digit())
                && digits.parse::<u32>().is_ok_and(|n| n < below)
        })
    };
    if !two(parts.next(), 24) || !two(parts.next(), 60) {
        return false;
    }
    match parts.next() {
        None => true,
        Some(seconds) => {
            let seconds = match seconds.split_once('.') {
                Some((whole, part)) if part.bytes().all(|byte| byte.is_ascii_digit()) => whole,
                Some(_) => return false,
                None => seconds,
            };
            two(Some(seconds), 61) && parts.next().is_none()
        }
    }
}

fn is_zone(name: &str) -> bool {
    if name.len() > 40 {
        return false;
    }
    if let Some((area, place)) = name.split_once('/') {
        return area.starts_with(|c: char| c.is_ascii_uppercase())
            && area.chars().all(|c| c.is_ascii_alphabetic())
            && !place.is_empty()
            && place.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '/'));
    }
    let offset_at = name.find(['+', '-']).unwrap_or(name.len());
    let letters = super::text::before(name, offset_at);
    let offset = super::text::after(name, offset_at);
    let letters_fit = letters.len() <= 5 && letters.bytes().all(|byte| byte.is_ascii_uppercase());
    let offset_fits = offset.is_empty() || is_offset(super::text::after(offset, 1));
    letters_fit && offset_fits && !name.is_empty() && (letters.len() >= 2 || offset.len() >= 3)
}

fn is_offset(digits: &str) -> bool {
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, Some(minutes)),
        None if digits.len() == 4 => (super::text::before(digits, 2), Some(super::text::after(digits, 2))),
        None => (digits, None),
    };
    let number = |text: &str| {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten()
    };
    (1..=2).contains(&hours.len())
        && number(hours).is_some_and(|hours| hours <= 14)
        && minutes.is_none_or(|minutes| minutes.len() == 2 && number(minutes).is_some_and(|m| m < 60))
}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn every_zone_form_is_read() {
        for good in [
            "Mon 2026-05-04 09:01 UTC",
            "Mon 2026-05-04 09:01 GMT+2",
            "Mon 2026-05-04 09:01 GMT-3",
            "Mon 2026-05-04 09:01 GMT+5:30",
            "Mon 2026-05-04 09:01:10 PST",
            "Mon 2026-05-04 09:01 +02:00",
            "Mon 2026-05-04 09:01 Europe/Vienna",
            "Mon 2026-05-04 09:01 America/Argentina/Buenos_Aires",
            "Mon 2026-05-04T09:01Z",
            "2026-01-18T05:19Z",
            "2026-05-04 10:00 UTC",
        ] {
            assert!(Stamp::parse(good).is_some_and(|stamp| stamp.zone), "{good}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for bad in [
            "",
            "Mon",
            "Mon 2026-05-04",
            "Mon 2026-13-04 09:01 UTC",
            "Mon 2026-05-04 24:01 UTC",
            "Mon 2026-05-04 9:01 UTC",
            "Mon 2026-05-04 09:01 call Bob",
            "Mon 2026-05-04 09:01 utc",
            "monday 2026-05-04 09:01",
        ] {
            assert_eq!(Stamp::parse(bad), None, "{bad}");
        }
    }
}
