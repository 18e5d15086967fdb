//! Small steps of reading a table whose columns differ between versions.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The names of a table's columns; none when there is no such table.
pub(crate) fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
    statement.query_map([table], |row| row.get(0))?.collect()
}

/// A query for columns of the first of these tables that is there (a table had other names in older schemas), with NULL
/// for columns that are not there; `None` without a table.
pub(crate) fn select(
    connection: &Connection,
    tables: &[&str],
    names: &[&str],
) -> rusqlite::Result<Option<String>> {
    for table in tables {
        let there = columns(connection, table)?;
        if !there.is_empty() {
            let has = |name: &str| there.iter().any(|there| there == name);
            let list: Vec<&str> = names.iter().map(|name| if has(name) { name } else { "NULL" }).collect();
            return Ok(Some(format!("SELECT {} FROM {table}", list.join(", "))));
        }
    }
    Ok(None)
}

/// The same for one table, with one more expression at the end.
pub(crate) fn select_with(
    connection: &Connection,
    table: &str,
    names: &[&str],
    expression: &str,
) -> rusqlite::Result<Option<String>> {
    let query = select(connection, &[table], names)?;
    Ok(query.map(|query| query.replacen(" FROM ", &format!(", {expression} FROM "), 1)))
}

pub(crate) fn each(
    connection: &Connection,
    query: Option<String>,
    mut row: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let Some(query) = query else {
        return Ok(());
    };
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    while let Some(next) = rows.next()? {
        row(next)?;
    }
    Ok(())
}

pub(crate) fn number(connection: &Connection, query: &str) -> rusqlite::Result<i64> {
    connection.query_row(query, [], |row| row.get(0))
}

/// A column as text, whatever type it was stored with.
pub(crate) fn text(row: &rusqlite::Row<'_>, index: usize) -> rusqlite::Result<Option<String>> {
    Ok(bytes(row, index)?.map(|bytes| String::from_utf8_lossy(bytes).into_owned()))
}

pub(crate) fn bytes<'r>(row: &'r rusqlite::Row<'_>, index: usize) -> rusqlite::Result<Option<&'r [u8]>> {
    Ok(match row.get_ref(index)? {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => None,
    })
}

pub(crate) fn integer(row: &rusqlite::Row<'_>, index: usize) -> rusqlite::Result<Option<i64>> {
    Ok(match row.get_ref(index)? {
        ValueRef::Integer(value) => Some(value),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a time as a float loses parts of a millisecond only"
        )]
        ValueRef::Real(value) if value.is_finite() && value.abs() < 9e18 => Some(value as i64),
        _ => None,
    })
}
