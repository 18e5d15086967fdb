//! OTLP/JSON: ids in hex, 64-bit integers as text, enums as numbers, no defaults, no NaN.

use super::wire::{AttributeValue, Attributes, WireSpan};
use std::io::Write as _;

/// Appends one span.
pub(super) fn span(out: &mut Vec<u8>, span: &WireSpan) {
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
    if !span.events.is_empty() {
        out.extend_from_slice(b",\"events\":[");
        for (index, event) in span.events.iter().enumerate() {
            comma(out, index);
            number(out, "{\"timeUnixNano\":\"", event.time_ns);
            out.extend_from_slice(b"\",\"name\":");
            string(out, &event.name);
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
pub(super) fn prefix(resource: &Attributes, scope: &str, scope_version: &str) -> Vec<u8> {
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

fn attributes(out: &mut Vec<u8>, attributes: &Attributes) {
    out.push(b'[');
    for (index, (key, value)) in attributes.iter().enumerate() {
        comma(out, index);
        out.extend_from_slice(b"{\"key\":");
        string(out, key);
        out.extend_from_slice(b",\"value\":");
        self::value(out, value);
        out.push(b'}');
    }
    out.push(b']');
}

fn value(out: &mut Vec<u8>, value: &AttributeValue) {
    match value {
        AttributeValue::Text(text) => {
            out.extend_from_slice(b"{\"stringValue\":");
            string(out, text);
        }
        AttributeValue::Int(int) => {
            out.extend_from_slice(b"{\"intValue\":\"");
            write(out, format_args!("{int}\""));
        }
        AttributeValue::Float(float) => {
            out.extend_from_slice(b"{\"doubleValue\":");
            // JSON has no word for NaN and the infinities.
            let float = if float.is_finite() { *float } else { 0.0 };
            write(out, format_args!("{}", serde_json::Value::from(float)));
        }
        AttributeValue::Bool(flag) => {
            out.extend_from_slice(b"{\"boolValue\":");
            write(out, format_args!("{flag}"));
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
    write(out, format_args!("{number}"));
}

fn write(out: &mut Vec<u8>, arguments: std::fmt::Arguments<'_>) {
    // Writing to a vector cannot fail.
    out.write_fmt(arguments).unwrap_or_default();
}

fn string(out: &mut Vec<u8>, text: &str) {
    // Writing a text to a vector cannot fail.
    serde_json::to_writer(&mut *out, text).unwrap_or_default();
}

fn hex(out: &mut Vec<u8>, bytes: &[u8]) {
    for byte in bytes {
        out.extend_from_slice(&crate::ids::hex(*byte));
    }
}
