//! openclaw-edd's CSV.

use std::borrow::Cow;

use clawgauge_cases::Json;
use csv::{QuoteStyle, Terminator, WriterBuilder};

use crate::error::{Error, ErrorKind};
use crate::record::Record;

const COLUMNS: [&str; 8] = [
    "id",
    "description",
    "user",
    "golden_tools",
    "golden_output",
    "skill_triggered",
    "session_id",
    "extracted_at",
];

pub(super) fn csv(records: &[Record]) -> Result<String, Error> {
    let fault = |_| Error::new(ErrorKind::Table, "the table could not be written");
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .quote_style(QuoteStyle::Necessary)
        .from_writer(Vec::new());
    writer.write_record(COLUMNS).map_err(fault)?;
    for record in records {
        let metadata = |key: &str| record.metadata(key).and_then(Json::as_str).unwrap_or_default();
        for turn in record.turns() {
            let tools: Vec<&str> = turn.calls().map(|call| call.name()).collect();
            let tools = tools.join(", ");
            let cells = [
                record.id().unwrap_or_default(),
                record.description().unwrap_or_default(),
                turn.user().unwrap_or_default(),
                &tools,
                turn.golden_output().unwrap_or_default(),
                metadata("skill_triggered"),
                metadata("session_id"),
                metadata("extracted_at"),
            ];
            writer.write_record(cells.map(|cell| harmless(cell).into_owned())).map_err(fault)?;
        }
    }
    let bytes =
        writer.into_inner().map_err(|_| Error::new(ErrorKind::Table, "the table could not be written"))?;
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::Table, "the table is not UTF-8"))
}

/// A cell that no spreadsheet takes for a formula: with an apostrophe before `=`, `+`, `-`, `@`, also where white space
/// or a wide form of the sign stands in front.
fn harmless(cell: &str) -> Cow<'_, str> {
    let first = cell
        .trim_start_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}')
        .chars()
        .next();
    let formula = matches!(first, Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠'));
    if formula || cell.starts_with(['\t', '\r']) {
        Cow::Owned(format!("'{cell}"))
    } else {
        Cow::Borrowed(cell)
    }
}
