//! Diagnostic events as the gateway sends them.

mod catalog;
mod records;
mod value;

pub use catalog::*;
pub use records::*;
pub use value::Num;

use crate::error::{Error, ErrorKind};
use serde_json::{Map, Value};
use value::{put, take};

/// The W3C trace context that an event carries.
#[derive(Clone, Debug, Default, PartialEq, Hash)]
#[non_exhaustive]
pub struct TraceContext {
    /// `traceId` as written: usually 32 hex digits.
    pub trace_id: Option<String>,
    /// `spanId` as written: usually 16 hex digits.
    pub span_id: Option<String>,
    /// `parentSpanId` as written.
    pub parent_span_id: Option<String>,
    /// Fields that are unknown here or have another type than declared.
    pub extra: Map<String, Value>,
}

impl value::Field for TraceContext {
    fn from_json(value: Value) -> Result<Self, Value> {
        match value {
            Value::Object(mut extra) => Ok(Self {
                trace_id: take(&mut extra, "traceId"),
                span_id: take(&mut extra, "spanId"),
                parent_span_id: take(&mut extra, "parentSpanId"),
                extra,
            }),
            other => Err(other),
        }
    }
    fn to_json(&self) -> Value {
        let mut fields = self.extra.clone();
        put(&mut fields, "traceId", self.trace_id.as_ref());
        put(&mut fields, "spanId", self.span_id.as_ref());
        put(&mut fields, "parentSpanId", self.parent_span_id.as_ref());
        Value::Object(fields)
    }
}

/// One diagnostic event: an envelope that most types share, the typed fields of its type, and whatever else it held.
///
/// Reading is lenient: a field whose value has another type than OpenClaw declares stays in [`extra`](Self::extra), and
/// an unknown type is [`EventData::Unknown`]. [`to_value`](Self::to_value) gives back every field that was read.
///
/// ```
/// use clawgauge_tracing_map::{DiagnosticEvent, EventData};
///
/// let line = r#"{"type":"tool.execution.completed","ts":1796037321753,"seq":356,"runId":"r1","durationMs":32,"new":true}"#;
/// let event = DiagnosticEvent::from_json(line)?;
/// assert_eq!(event.run_id.as_deref(), Some("r1"));
/// let EventData::ToolExecutionCompleted(tool) = &event.data else { panic!("another type") };
/// assert_eq!(tool.duration_ms.as_ref().and_then(|ms| ms.duration_ms()), Some(32));
/// assert_eq!(event.extra["new"], true);
/// # Ok::<(), clawgauge_tracing_map::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct DiagnosticEvent {
    /// `type` as written.
    pub event_type: String,
    /// `ts`: when the gateway made the event, in milliseconds since 1970.
    pub ts: Option<Num>,
    /// `seq`: counts up from 1 in each process. Arrival order is another order.
    pub seq: Option<u64>,
    /// `trace`: the W3C ids. Several runs can share a trace id.
    pub trace: Option<TraceContext>,
    /// `runId`: opaque; one id can be started and completed several times (attempts).
    pub run_id: Option<String>,
    /// `sessionKey`.
    pub session_key: Option<String>,
    /// `sessionId`.
    pub session_id: Option<String>,
    /// `agentId`.
    pub agent_id: Option<String>,
    /// `channel`.
    pub channel: Option<String>,
    /// `provider`.
    pub provider: Option<String>,
    /// `model`.
    pub model: Option<String>,
    /// The fields that belong to the type.
    pub data: EventData,
    /// Fields that are unknown here or have another type than declared.
    pub extra: Map<String, Value>,
}

impl DiagnosticEvent {
    /// Reads one event from JSON text. A record as a listener stores it (`{"at": …, "event": {…}}`) is unwrapped.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] when the text is no JSON, [`ErrorKind::NotAnEvent`] when it is no object with a text `type`.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(text).map_err(|error| Error::json(&error))?;
        Self::from_value(value)
    }

    /// Reads one event from a JSON value. O(fields); takes the strings, copies none.
    ///
    /// # Errors
    /// [`ErrorKind::NotAnEvent`] when the value is no object with a text `type`.
    pub fn from_value(value: Value) -> Result<Self, Error> {
        let Value::Object(mut fields) = value else {
            return Err(Error::new(ErrorKind::NotAnEvent, "an event is an object"));
        };
        if !fields.contains_key("type")
            && let Some(inner @ Value::Object(_)) = fields.remove("event")
        {
            return Self::from_value(inner);
        }
        let Some(event_type) = take::<String>(&mut fields, "type") else {
            return Err(Error::new(ErrorKind::NotAnEvent, "an event has a text `type`"));
        };
        let data = EventData::take(&event_type, &mut fields);
        let seq = fields.get("seq").and_then(Value::as_u64);
        if seq.is_some() {
            fields.remove("seq");
        }
        Ok(Self {
            ts: take(&mut fields, "ts"),
            seq,
            trace: take(&mut fields, "trace"),
            run_id: take(&mut fields, "runId"),
            session_key: take(&mut fields, "sessionKey"),
            session_id: take(&mut fields, "sessionId"),
            agent_id: take(&mut fields, "agentId"),
            channel: take(&mut fields, "channel"),
            provider: take(&mut fields, "provider"),
            model: take(&mut fields, "model"),
            data,
            event_type,
            extra: fields,
        })
    }

    /// The event as JSON again, with every field that was read.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut fields = self.extra.clone();
        self.data.put(&mut fields);
        put(&mut fields, "type", Some(&self.event_type));
        put(&mut fields, "ts", self.ts.as_ref());
        if let Some(seq) = self.seq {
            fields.insert("seq".to_owned(), seq.into());
        }
        put(&mut fields, "trace", self.trace.as_ref());
        put(&mut fields, "runId", self.run_id.as_ref());
        put(&mut fields, "sessionKey", self.session_key.as_ref());
        put(&mut fields, "sessionId", self.session_id.as_ref());
        put(&mut fields, "agentId", self.agent_id.as_ref());
        put(&mut fields, "channel", self.channel.as_ref());
        put(&mut fields, "provider", self.provider.as_ref());
        put(&mut fields, "model", self.model.as_ref());
        Value::Object(fields)
    }

    /// When the event was made, in milliseconds since 1970; `None` when `ts` is missing or no time.
    #[must_use]
    pub fn at_ms(&self) -> Option<i64> {
        self.ts.as_ref().and_then(Num::epoch_ms)
    }

    /// A text field that the type does not declare.
    pub(crate) fn extra_text(&self, key: &str) -> Option<&str> {
        self.extra.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
    }
}

/// An object inside an event as JSON.
pub(crate) fn field_to_json(field: &impl value::Field) -> Value {
    field.to_json()
}
