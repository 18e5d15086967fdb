//! OTLP/JSON: ids in hex, 64-bit integers as text, enums as numbers, no defaults, no NaN.

use super::wire::{AttributeValue, Attributes, Key, WireSpan};
use std::io::Write as _;

/// Appends one span.
pub(super) fn span(out: &mut Vec<u8>, span: &WireSpan<'_>) {
    out.extend_from_slice(b"{\"traceId\":\"");
    hex(out, span.trace_id.bytes());
    out.extend_from_slice(b"\",\"spanId\":\"");
    hex(out, span.span_id.bytes());
    if let Some(parent) = span.parent_id {
        out.extend_from_slice(b"\",\"parentSpanId\":\"");
        hex(out, parent.bytes());
    }
    out.extend_from_slice(b"\",\"name\":");
    string(out, &span.name);
    number(out, ",\"kind\":", u64::from(span.kind));
    number(out, ",\"startTimeUnixNano\":\"", span.start_ns);
    number(out, "\",\"endTimeUnixNano\":\"", span.end_ns);
    out.extend_from_slice(b"\",\"attributes\":");
    attributes(out, &span.attributes);
    if span.dropped_attributes != 0 {
        number(out, ",\"droppedAttributesCount\":", u64::from(span.dropped_attributes));
    }
    if !span.events.is_empty() {
        out.extend_from_slice(b",\"events\":[");
        for (index, event) in span.events.iter().enumerate() {
            comma(out, index);
            number(out, "{\"timeUnixNano\":\"", event.time_ns);
            out.extend_from_slice(b"\",\"name\":");
            string(out, event.name);
            out.extend_from_slice(b",\"attributes\":");
            attributes(out, &event.attributes);
            out.push(b'}');
        }
        out.push(b']');
    }
    if !span.links.is_empty() {
        out.extend_from_slice(b",\"links\":[");
        for (index, link) in span.links.iter().enumerate() {
            comma(out, index);
            out.extend_from_slice(b"{\"traceId\":\"");
            hex(out, link.trace_id.bytes());
            out.extend_from_slice(b"\",\"spanId\":\"");
            hex(out, link.span_id.bytes());
            out.extend_from_slice(b"\"}");
        }
        out.push(b']');
    }
    if span.status_code != 0 {
        number(out, ",\"status\":{\"code\":", u64::from(span.status_code));
        if let Some(message) = &span.status_message {
            out.extend_from_slice(b",\"message\":");
            string(out, message);
        }
        out.push(b'}');
    }
    out.push(b'}');
}

/// What stands before the spans of a request.
pub(super) fn prefix(resource: &Attributes<'_>, scope: &str, scope_version: &str) -> Vec<u8> {
    let mut out = b"{\"resourceSpans\":[{\"resource\":{\"attributes\":".to_vec();
    attributes(&mut out, resource);
    out.extend_from_slice(b"},\"scopeSpans\":[{\"scope\":{\"name\":");
    string(&mut out, scope);
    out.extend_from_slice(b",\"version\":");
    string(&mut out, scope_version);
    out.extend_from_slice(b"},\"spans\":[");
    out
}

/// What stands behind them.
pub(super) const SUFFIX: &[u8] = b"]}]}]}";

fn attributes(out: &mut Vec<u8>, attributes: &Attributes<'_>) {
    out.push(b'[');
    for (index, (key, value)) in attributes.iter().enumerate() {
        comma(out, index);
        self::key(out, key);
        self::value(out, value);
        out.push(b'}');
    }
    out.push(b']');
}

fn value(out: &mut Vec<u8>, value: &AttributeValue<'_>) {
    match value {
        AttributeValue::Text(text) => {
            out.extend_from_slice(b"{\"stringValue\":");
            string(out, text);
        }
        AttributeValue::Int(int) => {
            out.extend_from_slice(b"{\"intValue\":\"");
            if *int < 0 {
                out.push(b'-');
            }
            decimal(out, int.unsigned_abs());
            out.push(b'"');
        }
        AttributeValue::Float(float) => {
            out.extend_from_slice(b"{\"doubleValue\":");
            // JSON has no word for NaN and the infinities.
            let float = if float.is_finite() { *float } else { 0.0 };
            write(out, format_args!("{}", serde_json::Value::from(float)));
        }
        AttributeValue::Texts(texts) => {
            out.extend_from_slice(b"{\"arrayValue\":{\"values\":[");
            for (index, text) in texts.iter().enumerate() {
                comma(out, index);
                out.extend_from_slice(b"{\"stringValue\":");
                string(out, text);
                out.push(b'}');
            }
            out.extend_from_slice(b"]}");
        }
    }
    out.push(b'}');
}

fn comma(out: &mut Vec<u8>, index: usize) {
    if index > 0 {
        out.push(b',');
    }
}

fn number(out: &mut Vec<u8>, before: &str, number: u64) {
    out.extend_from_slice(before.as_bytes());
    decimal(out, number);
}

/// Digits without the machinery of formatting: a span has at least three of these numbers.
fn decimal(out: &mut Vec<u8>, mut number: u64) {
    let start = out.len();
    loop {
        out.push(b'0' + u8::try_from(number % 10).unwrap_or(0));
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

fn write(out: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    out.write_fmt(arguments).unwrap_or_default();
}

fn key(out: &mut Vec<u8>, key: &Key<'_>) {
    out.extend_from_slice(b"{\"key\":\"");
    out.extend_from_slice(key.name.as_bytes());
    if is_plain(&key.rest) {
        out.extend_from_slice(key.rest.as_bytes());
        out.extend_from_slice(b"\",\"value\":");
    } else {
        let quote = out.len();
        string(out, &key.rest);
        // The two parts are one text: the quote between them goes.
        if quote < out.len() {
            out.remove(quote);
        }
        out.extend_from_slice(b",\"value\":");
    }
}

/// Whether a text stands in JSON as it is. Whole blocks are looked at, which processors do many bytes at a time.
fn is_plain(text: &str) -> bool {
    let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    text.as_bytes().chunks(64).all(|block| !block.iter().fold(false, |found, byte| found | special(byte)))
}

fn string(out: &mut Vec<u8>, text: &str) {
    if is_plain(text) {
        out.push(b'"');
        out.extend_from_slice(text.as_bytes());
        out.push(b'"');
        return;
    }
    // Writing a text to a vector cannot fail.
    serde_json::to_writer(&mut *out, text).unwrap_or_default();
}

fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    out.resize(start + 2 * bytes.len(), b'0');
    let digits = out.get_mut(start..).unwrap_or_default();
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&crate::ids::hex(*byte));
    }
}
