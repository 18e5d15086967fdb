//! Spans to request bodies of a bounded size.

use super::wire::{AttributeValue, Attributes, Key};
use super::{Format, json, proto};
use crate::convention::{Convention, Names, Stamp, render};
use crate::error::{Error, ErrorKind};
use crate::ids::SpanId;
use crate::span::Span;

/// How large values, spans and requests may be, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodeLimits {
    /// One attribute value. Default 64 KiB.
    pub max_value_bytes: usize,
    /// All attribute values of a span. Default 512 KiB.
    pub max_span_bytes: usize,
    /// One request body. Default 1 MiB.
    pub max_request_bytes: usize,
}

impl Default for EncodeLimits {
    fn default() -> Self {
        Self { max_value_bytes: 65_536, max_span_bytes: 524_288, max_request_bytes: 1_048_576 }
    }
}

/// A span that has to be smaller than this to fit says nothing any more.
const LEAST_SPAN_BYTES: usize = 1_024;

/// One request body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The body.
    pub body: Vec<u8>,
    /// How many spans it holds; never zero.
    pub spans: usize,
}

/// A span before it leaves: may be changed, for example redacted.
pub type Hook = Box<dyn Fn(&mut Span) + Send + Sync>;

/// Collects spans into request bodies. A body leaves when the next span would not fit; [`flush`](Self::flush) gives the
/// rest. The same spans give the same bodies, however they are handed in.
///
/// ```
/// use clawgauge_tracing_map::{Batcher, Convention, Format, Stamp};
///
/// let mut batcher = Batcher::new(Convention::LANGFUSE, Format::Json, Stamp::new("openclaw"));
/// assert!(batcher.flush().is_none()); // never an empty envelope
/// ```
pub struct Batcher {
    names: Names,
    format: Format,
    stamp: Stamp,
    limits: EncodeLimits,
    hook: Option<Hook>,
    prefix: Vec<u8>,
    scope: Vec<u8>,
    /// The span that is being encoded.
    encoded: Vec<u8>,
    pending: Vec<u8>,
    count: usize,
}

impl std::fmt::Debug for Batcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Batcher")
            .field("convention", &self.names.convention())
            .field("format", &self.format)
            .field("pending_spans", &self.count)
            .finish_non_exhaustive()
    }
}

impl Batcher {
    /// A batcher with the default limits.
    #[must_use]
    pub fn new(convention: Convention, format: Format, stamp: Stamp) -> Self {
        Self::with_limits(convention, format, stamp, EncodeLimits::default())
    }

    /// A batcher with other limits.
    #[must_use]
    pub fn with_limits(convention: Convention, format: Format, stamp: Stamp, limits: EncodeLimits) -> Self {
        let names = Names::of(convention);
        let resource = resource(&stamp);
        let (name, version) = ("clawgauge", env!("CARGO_PKG_VERSION"));
        let (prefix, scope) = match format {
            Format::Json => (json::prefix(&resource, name, version), Vec::new()),
            Format::Protobuf => (proto::resource(&resource), proto::scope(name, version)),
        };
        let (encoded, pending) = (Vec::new(), Vec::new());
        Self { names, format, stamp, limits, hook: None, prefix, scope, encoded, pending, count: 0 }
    }

    /// The same with a hook that sees each span before it is encoded: the place to redact.
    #[must_use]
    pub fn with_hook(mut self, hook: Hook) -> Self {
        self.hook = Some(hook);
        self
    }

    /// Takes a span; gives a body when the span did not fit into the one that was growing. A span that alone is larger
    /// than a request, because its texts grow when they are written as JSON, is cut further until it fits.
    ///
    /// # Errors
    /// [`ErrorKind::TooLarge`] when not even its first few attributes fit into a request; the others are not touched.
    pub fn push(&mut self, span: &Span) -> Result<Option<Request>, Error> {
        let mut encoded = std::mem::take(&mut self.encoded);
        self.encode(span, &mut encoded);
        self.encoded = encoded;
        let (overhead, length) = (self.overhead(), self.encoded.len());
        if overhead + length > self.limits.max_request_bytes {
            return Err(too_large(span.span_id, length));
        }
        let separator = usize::from(self.format == Format::Json && self.count > 0);
        let full = overhead + self.pending.len() + separator + length > self.limits.max_request_bytes;
        let request = if full { self.flush() } else { None };
        if self.format == Format::Json && self.count > 0 {
            self.pending.push(b',');
        }
        self.pending.extend_from_slice(&self.encoded);
        self.count += 1;
        Ok(request)
    }

    /// The body with what is left; `None` when nothing is.
    pub fn flush(&mut self) -> Option<Request> {
        if self.count == 0 {
            return None;
        }
        let spans = std::mem::take(&mut self.count);
        let pending = &self.pending;
        let body = match self.format {
            Format::Json => {
                let mut body = Vec::with_capacity(self.prefix.len() + pending.len() + json::SUFFIX.len());
                body.extend_from_slice(&self.prefix);
                body.extend_from_slice(pending);
                body.extend_from_slice(json::SUFFIX);
                body
            }
            Format::Protobuf => proto::request(&self.prefix, &self.scope, pending),
        };
        self.pending.clear();
        Some(Request { body, spans })
    }

    /// How many spans wait for a body.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.count
    }

    fn encode(&self, span: &Span, out: &mut Vec<u8>) {
        let changed;
        let span = match &self.hook {
            Some(hook) => {
                let mut copy = span.clone();
                hook(&mut copy);
                changed = copy;
                &changed
            }
            None => span,
        };
        let (mut max_value, mut max_span) = (self.limits.max_value_bytes, self.limits.max_span_bytes);
        loop {
            out.clear();
            let rendered = render(span, &self.names, &self.stamp, max_value, max_span);
            match self.format {
                Format::Json => json::span(out, &rendered),
                Format::Protobuf => proto::span(out, &rendered),
            }
            if self.overhead() + out.len() <= self.limits.max_request_bytes || max_span < LEAST_SPAN_BYTES {
                return;
            }
            max_span = max_span.min(out.len()) / 2;
            max_value = max_value.min(max_span);
        }
    }

    fn overhead(&self) -> usize {
        // Protobuf: two tags and two lengths of at most five bytes.
        self.prefix.len()
            + self.scope.len()
            + if self.format == Format::Json { json::SUFFIX.len() } else { 12 }
    }
}

fn too_large(span: SpanId, bytes: usize) -> Error {
    Error::new(ErrorKind::TooLarge, format!("span {span} takes {bytes} bytes, more than a request may have"))
}

fn resource(stamp: &Stamp) -> Attributes<'_> {
    fn attribute<'a>(name: &'static str, text: &'a str) -> (Key<'a>, AttributeValue<'a>) {
        (Key::from(name), AttributeValue::Text(text.into()))
    }
    let name = if stamp.service_name.is_empty() { "openclaw" } else { &stamp.service_name };
    let mut list: Attributes<'_> = vec![attribute("service.name", name)];
    if let Some(version) = &stamp.service_version {
        list.push(attribute("service.version", version));
    }
    if let Some(environment) = &stamp.environment {
        list.push(attribute("deployment.environment.name", environment));
    }
    list.push(attribute("telemetry.sdk.name", "clawgauge"));
    list.push(attribute("telemetry.sdk.language", "rust"));
    list
}
