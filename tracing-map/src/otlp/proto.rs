//! OTLP protobuf, written by hand: a dozen fields of six messages.

use super::wire::{AttributeValue, Attributes, Event, WireSpan};
use crate::span::Link;

/// Appends one span as field 2 (`spans`) of a `ScopeSpans`.
pub(super) fn span(out: &mut Vec<u8>, span: &WireSpan<'_>) {
    message(out, 2, |out| {
        bytes(out, 1, span.trace_id.bytes());
        bytes(out, 2, span.span_id.bytes());
        if let Some(parent) = span.parent_id {
            bytes(out, 4, parent.bytes());
        }
        bytes(out, 5, span.name.as_bytes());
        int(out, 6, u64::from(span.kind));
        fixed64(out, 7, span.start_ns);
        fixed64(out, 8, span.end_ns);
        attributes(out, 9, &span.attributes);
        if span.dropped_attributes != 0 {
            int(out, 10, u64::from(span.dropped_attributes));
        }
        for event in &span.events {
            message(out, 11, |out| self::event(out, event));
        }
        for link in span.links {
            message(out, 13, |out| self::link(out, *link));
        }
        if span.status_code != 0 {
            message(out, 15, |out| {
                if let Some(text) = &span.status_message {
                    bytes(out, 2, text.as_bytes());
                }
                int(out, 3, u64::from(span.status_code));
            });
        }
    });
}

/// The scope: field 1 of a `ScopeSpans`.
pub(super) fn scope(name: &str, version: &str) -> Vec<u8> {
    let mut out = Vec::new();
    message(&mut out, 1, |out| {
        bytes(out, 1, name.as_bytes());
        bytes(out, 2, version.as_bytes());
    });
    out
}

/// The resource: field 1 of a `ResourceSpans`.
pub(super) fn resource(list: &Attributes<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    message(&mut out, 1, |out| attributes(out, 1, list));
    out
}

/// A whole request around the encoded spans.
pub(super) fn request(resource: &[u8], scope: &[u8], spans: &[u8]) -> Vec<u8> {
    let scope_spans = scope.len() + spans.len();
    let scope_field = 1 + varint_len(scope_spans as u64) + scope_spans;
    let resource_spans = resource.len() + scope_field;
    let mut out = Vec::with_capacity(resource_spans + 16);
    tag(&mut out, 1, 2);
    varint(&mut out, resource_spans as u64);
    out.extend_from_slice(resource);
    tag(&mut out, 2, 2);
    varint(&mut out, scope_spans as u64);
    out.extend_from_slice(scope);
    out.extend_from_slice(spans);
    out
}

fn event(out: &mut Vec<u8>, event: &Event<'_>) {
    fixed64(out, 1, event.time_ns);
    bytes(out, 2, event.name.as_bytes());
    attributes(out, 3, &event.attributes);
}

fn link(out: &mut Vec<u8>, link: Link) {
    bytes(out, 1, link.trace_id.bytes());
    bytes(out, 2, link.span_id.bytes());
}

fn attributes(out: &mut Vec<u8>, field: u32, attributes: &Attributes<'_>) {
    for (key, value) in attributes {
        message(out, field, |out| {
            tag(out, 1, 2);
            varint(out, key.len() as u64);
            out.extend_from_slice(key.name.as_bytes());
            out.extend_from_slice(key.rest.as_bytes());
            message(out, 2, |out| self::value(out, value));
        });
    }
}

fn value(out: &mut Vec<u8>, value: &AttributeValue<'_>) {
    match value {
        AttributeValue::Text(text) => bytes(out, 1, text.as_bytes()),
        AttributeValue::Int(number) => int(out, 3, number.cast_unsigned()),
        AttributeValue::Float(number) => {
            tag(out, 4, 1);
            out.extend_from_slice(&number.to_le_bytes());
        }
        AttributeValue::Texts(texts) => message(out, 5, |out| {
            for text in texts {
                message(out, 1, |out| bytes(out, 1, text.as_bytes()));
            }
        }),
    }
}

/// A message of a length that is not known yet. Nearly all are shorter than 128 bytes or a few kilobytes: the length is
/// written in place and the content moved when it needs more than one byte.
fn message(out: &mut Vec<u8>, field: u32, write: impl FnOnce(&mut Vec<u8>)) {
    tag(out, field, 2);
    let at = out.len();
    out.push(0);
    write(out);
    let length = (out.len() - at - 1) as u64;
    let mut encoded = [0_u8; 10];
    let size = encode_varint(&mut encoded, length);
    let encoded = encoded.get(..size).unwrap_or_default();
    let end = out.len();
    out.extend_from_slice(encoded.get(1..).unwrap_or_default());
    out.copy_within(at + 1..end, at + size);
    if let Some(place) = out.get_mut(at..at + size) {
        place.copy_from_slice(encoded);
    }
}

fn bytes(out: &mut Vec<u8>, field: u32, bytes: &[u8]) {
    tag(out, field, 2);
    varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn int(out: &mut Vec<u8>, field: u32, value: u64) {
    tag(out, field, 0);
    varint(out, value);
}

fn fixed64(out: &mut Vec<u8>, field: u32, value: u64) {
    tag(out, field, 1);
    out.extend_from_slice(&value.to_le_bytes());
}

fn tag(out: &mut Vec<u8>, field: u32, wire_type: u32) {
    varint(out, u64::from(field << 3 | wire_type));
}

fn varint(out: &mut Vec<u8>, value: u64) {
    let mut encoded = [0_u8; 10];
    let size = encode_varint(&mut encoded, value);
    out.extend_from_slice(encoded.get(..size).unwrap_or_default());
}

fn varint_len(value: u64) -> usize {
    encode_varint(&mut [0_u8; 10], value)
}

/// Seven bits a byte, the low ones first. Returns how many bytes were used.
#[allow(clippy::cast_possible_truncation, reason = "masked to seven bits")]
fn encode_varint(out: &mut [u8; 10], mut value: u64) -> usize {
    for (index, byte) in out.iter_mut().enumerate() {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            *byte = low;
            return index + 1;
        }
        *byte = low | 0x80;
    }
    10
}

/// Reads `ExportTraceServiceResponse`: rejected spans and the message; `None` when the bytes are no such message.
pub(super) fn read_response(body: &[u8]) -> Option<(i64, String)> {
    let mut rejected = 0;
    let mut text = String::new();
    for (field, value) in fields(body)? {
        if let (1, FieldValue::Bytes(partial)) = (field, value) {
            for (field, value) in fields(partial)? {
                match (field, value) {
                    (1, FieldValue::Int(count)) => rejected = count.cast_signed(),
                    (2, FieldValue::Bytes(message)) => text = String::from_utf8_lossy(message).into_owned(),
                    _ => {}
                }
            }
        }
    }
    Some((rejected, text))
}

enum FieldValue<'a> {
    Int(u64),
    Bytes(&'a [u8]),
    Other,
}

fn fields(mut body: &[u8]) -> Option<Vec<(u64, FieldValue<'_>)>> {
    let mut list = Vec::new();
    while !body.is_empty() {
        let key = take_varint(&mut body)?;
        let value = match key & 7 {
            0 => FieldValue::Int(take_varint(&mut body)?),
            1 => {
                body = body.get(8..)?;
                FieldValue::Other
            }
            2 => {
                let length = usize::try_from(take_varint(&mut body)?).ok()?;
                let bytes = body.get(..length)?;
                body = body.get(length..)?;
                FieldValue::Bytes(bytes)
            }
            5 => {
                body = body.get(4..)?;
                FieldValue::Other
            }
            _ => return None,
        };
        list.push((key >> 3, value));
    }
    Some(list)
}

fn take_varint(body: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = body.split_first()?;
        *body = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
