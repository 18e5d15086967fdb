//! Changing a suite file without touching what a person wrote: new text is put in, nothing else moves.

use crate::error::{Error, ErrorKind};
use crate::json::Json;
use crate::limits::Limits;
use crate::load::{Data, Format, Node, parse_json, yaml_tree};

fn fault(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Edit, message)
}

fn tree(text: &str, format: Format) -> Result<Node, Error> {
    let limits = Limits::default();
    let parsed = match format {
        Format::Yaml => yaml_tree(text, &limits)?,
        Format::Json | Format::Jsonl => parse_json(text, &limits)?,
    };
    Ok(parsed.root)
}

fn cases(root: &Node) -> Option<&Node> {
    match &root.value {
        Data::Array(_) => Some(root),
        Data::Object(pairs) => pairs.iter().find(|(key, _)| key.name == "cases").map(|(_, node)| node),
        _ => None,
    }
}

/// A case as a block of YAML or, indented, of JSON: keys as written, values as JSON.
fn block(case: &Json, indent: &str) -> Result<String, Error> {
    let pairs = case.as_object().filter(|p| !p.is_empty()).ok_or_else(|| fault("a case is an object"))?;
    let mut out = String::new();
    for (at, (key, value)) in pairs.iter().enumerate() {
        let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let key = if plain { key.clone() } else { Json::from(key.as_str()).compact() };
        let lead = if at == 0 { format!("{indent}- ") } else { format!("{indent}  ") };
        out.push_str(&format!("{lead}{key}: {}\n", value.compact()));
    }
    Ok(out)
}

/// The line ending that a text uses.
fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Puts a case at the end of a suite, as [`append_cases`] does.
///
/// # Errors
/// As [`append_cases`].
pub fn append_case(text: &str, format: Format, case: &Json) -> Result<String, Error> {
    append_cases(text, format, std::slice::from_ref(case))
}

/// Puts cases at the end of a suite. Every byte of `text` stays as it is; only a missing line end before the first new
/// case is added. Reads the text twice, however many cases are new: O(text + cases).
///
/// # Errors
/// [`ErrorKind::Edit`] if there is no list of cases to add to, or if the result would not be what was asked for (it is
/// read again to be sure); syntax errors of `text`.
pub fn append_cases(text: &str, format: Format, new: &[Json]) -> Result<String, Error> {
    if new.is_empty() {
        return Ok(text.to_owned());
    }
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let nl = newline(body);
    let out = match format {
        Format::Jsonl => {
            let gap = if body.is_empty() || body.ends_with('\n') { "" } else { nl };
            let lines: String = new.iter().map(|case| case.compact() + nl).collect();
            return Ok(format!("{mark}{body}{gap}{lines}"));
        }
        Format::Json | Format::Yaml => {
            let root = tree(body, format)?;
            let list = cases(&root).ok_or_else(|| fault("the suite has no `cases`"))?;
            let before = match &list.value {
                Data::Array(items) => items.iter().map(Node::to_json).collect::<Vec<_>>(),
                Data::Null => Vec::new(),
                _ => return Err(fault("`cases` is no list")),
            };
            let out = insert(body, list, new, nl)?;
            verify(&out, format, &before, new)?;
            out
        }
    };
    Ok(format!("{mark}{out}"))
}

fn insert(body: &str, list: &Node, new: &[Json], nl: &str) -> Result<String, Error> {
    let Data::Array(items) = &list.value else {
        return Err(fault("`cases` is empty; write `cases: []` first"));
    };
    let start = list.at.start.ok_or_else(|| fault("the place of `cases` is not known"))?;
    let flow = body.get(start..).is_some_and(|rest| rest.starts_with('['));
    if flow {
        let close = closing_bracket(body, start).ok_or_else(|| fault("the end of `cases` was not found"))?;
        let head = body.get(..close).unwrap_or_default();
        let tail = body.get(close..).unwrap_or_default();
        let kept = head.trim_end_matches([' ', '\t', '\r', '\n']);
        let gap = head.get(kept.len()..).unwrap_or_default();
        let comma = if items.is_empty() || kept.ends_with(',') { "" } else { "," };
        // On lines of their own, new items stand like the last one.
        let several = if gap.contains('\n') {
            let last = items.last().and_then(|i| i.at.start).unwrap_or(start);
            let line_start = body.get(..last).and_then(|b| b.rfind('\n')).map_or(0, |i| i + 1);
            let line = body.get(line_start..).unwrap_or_default();
            format!("{nl}{}", " ".repeat(indent_of(line)))
        } else {
            " ".to_owned()
        };
        let lead = if items.is_empty() && !gap.contains('\n') { "" } else { &*several };
        let new = new.iter().map(Json::compact).collect::<Vec<_>>().join(&format!(",{several}"));
        return Ok(format!("{kept}{comma}{lead}{new}{gap}{tail}"));
    }
    // Block style: after the last item, before what follows.
    let first = items.first().ok_or_else(|| fault("the list of cases is empty"))?;
    let mut lines: Vec<&str> = body.split_inclusive('\n').collect();
    let dash = lines
        .get(..first.at.line)
        .unwrap_or_default()
        .iter()
        .rev()
        .find(|l| l.trim_start().starts_with('-'))
        .map(|l| indent_of(l))
        .ok_or_else(|| fault("the first case was not found"))?;
    let last = items.last().map_or(first.at.line, |i| i.at.line);
    let mut stop = last;
    for (at, line) in lines.iter().enumerate().skip(last) {
        let blank = line.trim().is_empty();
        if !blank && indent_of(line) <= dash {
            break;
        }
        if !blank {
            stop = at + 1;
        }
    }
    let indent = " ".repeat(dash);
    let block =
        new.iter().map(|case| block(case, &indent)).collect::<Result<String, Error>>()?.replace('\n', nl);
    let before: String = lines.drain(..stop.min(lines.len())).collect();
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { nl };
    Ok(format!("{before}{gap}{block}{}", lines.concat()))
}

/// The bracket that closes the one at `start`, with regard to quotes and comments.
fn closing_bracket(body: &str, start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    let mut comment = false;
    let mut before = ' ';
    for (offset, c) in body.get(start..)?.char_indices() {
        if comment {
            comment = c != '\n';
        } else if let Some(q) = quote {
            if escaped {
                escaped = false;
            } else if c == '\\' && q == '"' {
                escaped = true;
            } else if c == q {
                quote = None;
            }
        } else {
            match c {
                // An apostrophe inside a plain word is no quote.
                '"' | '\'' if !before.is_alphanumeric() => quote = Some(c),
                '#' if before.is_whitespace() => comment = true,
                '[' | '{' => depth += 1,
                ']' | '}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(start + offset);
                    }
                }
                _ => {}
            }
        }
        before = c;
    }
    None
}

fn verify(out: &str, format: Format, before: &[Json], new: &[Json]) -> Result<(), Error> {
    let root = tree(out, format).map_err(|e| fault(format!("the changed file cannot be read: {e}")))?;
    let now: Vec<Json> = match cases(&root).map(|n| &n.value) {
        Some(Data::Array(items)) => items.iter().map(Node::to_json).collect(),
        _ => Vec::new(),
    };
    let kept = now.len() == before.len() + new.len()
        && now.iter().zip(before).all(|(a, b)| a == b)
        && now.iter().skip(before.len()).zip(new).all(|(a, b)| a.to_value() == b.to_value());
    if kept { Ok(()) } else { Err(fault("the file cannot be changed without changing what is there")) }
}

/// Sets a key of a case (or of a golden record, in JSONL) to a value. A scalar or a flow value that is there is
/// replaced; a key that is not there is put after the `id`. Everything else stays byte for byte.
///
/// # Errors
/// [`ErrorKind::Edit`] if there is no such case, if the old value is a block of several lines, or if the result would not
/// be what was asked for; syntax errors of `text`.
pub fn set_key(text: &str, format: Format, id: &str, key: &str, value: &Json) -> Result<String, Error> {
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    if format == Format::Jsonl {
        let mut out = String::from(mark);
        let mut found = false;
        for line in body.split_inclusive('\n') {
            let root = if found || line.trim().is_empty() { None } else { tree(line, Format::Json).ok() };
            match root.filter(|r| field(r, "id").and_then(Node::scalar_text) == Some(id)) {
                Some(root) => {
                    found = true;
                    out.push_str(&replace(line, &root, key, value, Format::Json)?);
                }
                None => out.push_str(line),
            }
        }
        return if found { Ok(out) } else { Err(fault(format!("there is no record with the id {id:?}"))) };
    }
    let root = tree(body, format)?;
    let items = match cases(&root).map(|n| &n.value) {
        Some(Data::Array(items)) => items.as_slice(),
        _ => &[],
    };
    let case = items
        .iter()
        .find(|c| field(c, "id").and_then(Node::scalar_text) == Some(id))
        .ok_or_else(|| fault(format!("there is no case with the id {id:?}")))?;
    let out = replace(body, case, key, value, format)?;
    let changed = tree(&out, format).map_err(|e| fault(format!("the changed file cannot be read: {e}")))?;
    let mut wanted = root.to_json();
    edit_json(&mut wanted, id, key, value);
    if changed.to_json().to_value() != wanted.to_value() {
        return Err(fault("the file cannot be changed without changing what is there"));
    }
    Ok(format!("{mark}{out}"))
}

fn edit_json(root: &mut Json, id: &str, key: &str, value: &Json) {
    let list = match root {
        Json::Array(items) => Some(items),
        Json::Object(pairs) => pairs.iter_mut().find(|(k, _)| k == "cases").and_then(|(_, v)| match v {
            Json::Array(items) => Some(items),
            _ => None,
        }),
        _ => None,
    };
    let is = |c: &Json| match c.get("id") {
        Some(Json::String(s)) => s == id,
        Some(other) => other.compact() == id,
        None => false,
    };
    if let Some(case) = list.into_iter().flatten().find(|c| is(c)) {
        case.set(key, value.clone());
    }
}

fn field<'n>(node: &'n Node, key: &str) -> Option<&'n Node> {
    match &node.value {
        Data::Object(pairs) => pairs.iter().rev().find(|(k, _)| k.name == key).map(|(_, v)| v),
        _ => None,
    }
}

fn replace(text: &str, case: &Node, key: &str, value: &Json, format: Format) -> Result<String, Error> {
    let range = |node: &Node| node.at.start.zip(node.at.end);
    if let Some((start, end)) = field(case, key).and_then(range) {
        let old = text.get(start..end).ok_or_else(|| fault("the place of the value is not known"))?;
        let block = format == Format::Yaml
            && old.trim_end().contains('\n')
            && !old.starts_with(['[', '{', '"', '\'']);
        if block || old.starts_with(['|', '>', '&', '*', '!']) {
            return Err(fault(format!("`{key}` is a block of several lines or an alias; change it by hand")));
        }
        let old = old.trim_end();
        let head = text.get(..start).unwrap_or_default();
        let tail = text.get(start + old.len()..).unwrap_or_default();
        let gap = if old.is_empty() && head.ends_with(':') { " " } else { "" };
        return Ok(format!("{head}{gap}{}{tail}", value.compact()));
    }
    let id = field(case, "id").ok_or_else(|| fault("the case has no id"))?;
    let (_, end) = range(id).ok_or_else(|| fault("the place of the id is not known"))?;
    let case_start = case.at.start.unwrap_or(0);
    let flow = format != Format::Yaml || text.get(case_start..).is_some_and(|rest| rest.starts_with('{'));
    let head = text.get(..end).unwrap_or_default();
    if flow {
        let tail = text.get(end..).unwrap_or_default();
        let key = Json::from(key).compact();
        return Ok(format!("{head}, {key}: {}{tail}", value.compact()));
    }
    // On a line of its own below the id, as far in as the other keys.
    let Data::Object(pairs) = &case.value else { return Err(fault("a case is an object")) };
    let column = pairs.first().map_or(1, |(k, _)| k.at.column);
    let line_end = text.get(end..).and_then(|rest| rest.find('\n')).map_or(text.len(), |i| end + i + 1);
    let head = text.get(..line_end).unwrap_or_default();
    let tail = text.get(line_end..).unwrap_or_default();
    let nl = newline(text);
    let gap = if head.ends_with('\n') { "" } else { nl };
    Ok(format!("{head}{gap}{}{key}: {}{nl}{tail}", " ".repeat(column.saturating_sub(1)), value.compact()))
}
