//! The table of sessions that `scores` and `scores score` print.

use chrono::FixedOffset;
use clawgauge_scoring::{Dimension, Judged, Scorecard};
use clawgauge_transcript::{Timestamp, one_line};
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use unicode_width::UnicodeWidthStr as _;

use super::session::{Scored, skip_text};

/// One line a session: id, when, turns, the four scores, overall and risk; effort where any session has a history to be
/// compared with. A session that is not scored says why.
#[must_use]
pub fn table(sessions: &[Scored], offset: FixedOffset) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    let mut header =
        vec!["session", "when", "turns", "accuracy", "complete", "autonomy", "consistent", "overall"];
    let effort = |session: &Scored| match &session.card {
        Judged::Scored(card) => card.effort().number(),
        Judged::Skipped(_) => None,
    };
    let with_effort = sessions.iter().any(|session| effort(session).is_some());
    if with_effort {
        header.push("effort");
    }
    header.push("risk");
    table.set_header(header);
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for session in sessions {
        if let Judged::Scored(card) = &session.card {
            let mut row =
                vec![short_id(&session.id), minute(session.when, offset), session.turns.to_string()];
            row.extend(Dimension::ALL.map(|dimension| number(card.score(dimension).number())));
            row.push(number(card.overall.number()));
            if with_effort {
                row.push(number(effort(session)));
            }
            row.push(
                card.risk.as_ref().map_or_else(|| "n/a".to_owned(), |risk| format!("{:.0}", risk.value)),
            );
            table.add_row(row);
        }
    }
    let mut text = String::new();
    for line in table.to_string().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let column = sessions.iter().map(|session| short_id(&session.id).width()).max().unwrap_or(0);
    for session in sessions {
        if let Judged::Skipped(reason) = &session.card {
            let (id, when) = (short_id(&session.id), minute(session.when, offset));
            let blanks = " ".repeat(column.saturating_sub(id.width()));
            text.push_str(&format!(" {id}{blanks}  {when}  {}\n", skip_text(*reason)));
        }
    }
    text
}

/// The session with the lowest overall score.
#[must_use]
pub fn worst(sessions: &[Scored]) -> Option<(&Scored, &Scorecard)> {
    let scored = sessions.iter().filter_map(|session| match &session.card {
        Judged::Scored(card) => Some((session, card)),
        Judged::Skipped(_) => None,
    });
    scored.filter(|(_, card)| card.overall.number().is_some()).min_by(|(_, a), (_, b)| {
        let overall = |card: &Scorecard| card.overall.number().unwrap_or(1.0);
        overall(a).total_cmp(&overall(b))
    })
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.2}"))
}

/// The beginning of an id by which people tell sessions apart; ids that differ only at their end keep it.
fn short_id(id: &str) -> String {
    match id.get(..8) {
        Some(short) if id.len() == 36 && id.is_ascii() => {
            let end = id.get(32..).unwrap_or("");
            format!("{short}..{end}")
        }
        _ => one_line(id).chars().take(24).collect(),
    }
}

fn minute(when: Option<Timestamp>, offset: FixedOffset) -> String {
    let time = when.and_then(Timestamp::to_chrono);
    time.map_or_else(
        || "unknown time    ".to_owned(),
        |t| t.with_timezone(&offset).format("%Y-%m-%d %H:%M").to_string(),
    )
}
