//! JSON as JavaScript sees it: ordered objects, doubles, strings of UTF-16 units that need not pair up.
//!
//! `serde_json::Value` sorts keys and refuses lone surrogates; a score file has to survive being read and written, and the
//! compatible profile compares calls by the text that `JSON.stringify` would give.

mod number;
mod serialize;
mod string;
mod text;
mod value;

pub(crate) use number::{js_number, js_round};
pub(crate) use string::JsStr;
pub(crate) use text::{Style, write_compact, write_pretty};
pub(crate) use value::{JsonError, Number, Object, Value, array_elements, object_fields, parse, parse_raw};
