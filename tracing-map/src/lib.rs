//! What does a session look like as a trace? Diagnostic events or stored sessions to spans, and spans to OTLP.
