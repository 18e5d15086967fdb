//! The gateway's own endpoint, `POST /benchgen/chat`: what comes in and what goes out, without a socket.

use std::fmt;

use crate::frame::{AgentBody, AgentFrame, MessageFrame, Reply, ReplyKind, TurnStatus};
use crate::json::{Fields, ObjectWriter};
use crate::limits::Limits;
use crate::policy::{MessageOrigin, SessionScope};
use crate::secret::Keys;

/// Where the endpoint is served.
pub const HTTP_PATH: &str = "/benchgen/chat";

const JSON: &str = "application/json; charset=utf-8";
const EVENTS: &str = "text/event-stream; charset=utf-8";

/// A request as the web server hands it over.
#[derive(Clone, Copy)]
pub struct HttpRequest<'a> {
    /// Method, in any case.
    pub method: &'a str,
    /// The `Authorization` header.
    pub authorization: Option<&'a str>,
    /// The `Accept` header.
    pub accept: Option<&'a str>,
    /// The whole body.
    pub body: &'a [u8],
}

impl fmt::Debug for HttpRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpRequest({} {} bytes)", self.method, self.body.len())
    }
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum HttpCall {
    /// Run a turn.
    Chat {
        /// The message; pass it to [`Client::http_message`](crate::Client::http_message).
        message: Box<MessageFrame>,
        /// Answer with an event stream.
        stream: bool,
    },
    /// Tell how the bridge is.
    Status,
}

/// A whole answer, or the head of an event stream (empty body).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Headers, lower case.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Body.
    pub body: String,
}

impl HttpResponse {
    fn json(status: u16, body: String) -> Self {
        Self { status, headers: vec![("content-type", JSON), ("cache-control", "no-store")], body }
    }

    fn error(status: u16, error: &str) -> Self {
        let mut out = ObjectWriter::new();
        out.display("ok", false);
        out.text("error", error);
        Self::json(status, out.finish())
    }

    /// The head of an event stream. `x-accel-buffering` tells proxies to pass events on at once.
    #[must_use]
    pub fn event_stream() -> Self {
        Self {
            status: 200,
            headers: vec![
                ("content-type", EVENTS),
                ("cache-control", "no-store"),
                ("connection", "keep-alive"),
                ("x-accel-buffering", "no"),
            ],
            body: String::new(),
        }
    }
}

/// Checks a request: method (405), whether the bridge runs (503), authorization (401), size (413), body (400).
///
/// A body may be empty (then the text is missing). Its `auth` and `context` are dropped: an HTTP caller speaks for
/// nobody.
///
/// # Errors
/// The response to send instead.
pub fn http_call(
    request: HttpRequest<'_>,
    keys: Option<&Keys>,
    running: bool,
    limits: &Limits,
) -> Result<HttpCall, HttpResponse> {
    let post = request.method.eq_ignore_ascii_case("post");
    if !post && !request.method.eq_ignore_ascii_case("get") {
        let mut response = HttpResponse::error(405, "method not allowed");
        response.headers.insert(0, ("allow", "GET, POST"));
        return Err(response);
    }
    if !running {
        return Err(HttpResponse::error(503, "benchgen chat is not running on this gateway"));
    }
    if !keys.is_some_and(|keys| keys.authorize(request.authorization)) {
        let mut response = HttpResponse::error(401, "unauthorized");
        response.headers.insert(0, ("www-authenticate", "Basic realm=\"benchgen\""));
        return Err(response);
    }
    if !post {
        return Ok(HttpCall::Status);
    }
    if request.body.len() > limits.body_bytes {
        return Err(HttpResponse::error(413, "request body too large"));
    }
    let body = String::from_utf8_lossy(request.body);
    let body = if body.trim().is_empty() { "{}" } else { body.trim_start_matches('\u{feff}') };
    let Ok(fields) = Fields::parse(body) else {
        return Err(HttpResponse::error(400, "body must be JSON"));
    };
    let Some(mut fields) = fields else {
        // A list is an object for JavaScript, one without a text.
        let error =
            if body.trim_start().starts_with('[') { "text is required" } else { "message must be an object" };
        return Err(HttpResponse::error(400, error));
    };
    let stream_asked = fields.bool("stream") == Some(true);
    let accepts =
        request.accept.is_some_and(|accept| accept.to_ascii_lowercase().contains("text/event-stream"));
    let mut message = MessageFrame::read(&mut fields);
    (message.auth, message.context) = (None, None);
    // Refused now, with a status code, and not later in a stream.
    let checked = crate::policy::Message::from_frame(message.clone(), MessageOrigin::Http(0), limits, || {
        crate::id::Id::new("checked")
    });
    match checked {
        Ok(_) => Ok(HttpCall::Chat { message: Box::new(message), stream: accepts || stream_asked }),
        Err(rejection) => Err(HttpResponse::error(400, &rejection.reason)),
    }
}

/// Collects the frames of one turn into a JSON answer.
#[derive(Debug, Clone, Default)]
pub struct HttpCollector {
    replies: Vec<Reply>,
}

impl HttpCollector {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes a frame; the answer once it was `turn.done`.
    ///
    /// 200 for `ok`; 500 for `error`; 409 for `dropped` and `aborted`, with the reason.
    pub fn push(&mut self, frame: &AgentFrame) -> Option<HttpResponse> {
        match &frame.body {
            AgentBody::Reply(reply) => {
                self.replies.push(reply.clone());
                None
            }
            AgentBody::TurnDone(done) => {
                let status = match done.status {
                    TurnStatus::Ok => 200,
                    TurnStatus::Dropped | TurnStatus::Aborted => 409,
                    TurnStatus::Error | TurnStatus::Other(_) => 500,
                };
                let mut out = ObjectWriter::new();
                out.display("ok", done.status == TurnStatus::Ok);
                done.turn.write(&mut out);
                out.text("status", done.status.as_str());
                out.opt_text("error", done.error.as_deref());
                out.opt_text("reason", done.reason.as_deref());
                out.opt_text("sessionKey", done.session_key.as_deref());
                out.opt_text("agentId", done.agent_id.as_deref());
                out.text("text", &joined_text(&self.replies));
                out.objects("replies", &self.replies, |reply, out| {
                    out.text("text", &reply.text);
                    out.text("kind", reply.kind.as_str());
                    if !reply.media_urls.is_empty() {
                        out.texts("mediaUrls", &reply.media_urls);
                    }
                });
                Some(HttpResponse::json(status, out.finish()))
            }
            _ => None,
        }
    }
}

/// What the user reads: block and final replies, a blank line between them.
pub(crate) fn joined_text(replies: &[Reply]) -> String {
    let texts: Vec<&str> = replies
        .iter()
        .filter(|reply| reply.kind != ReplyKind::Tool && !reply.text.is_empty())
        .map(|reply| reply.text.as_str())
        .collect();
    texts.join("\n\n")
}

/// One server-sent event: the frame's type as its name, the frame as its data.
#[must_use]
pub fn sse_frame(frame: &AgentFrame) -> String {
    sse_event(frame.kind(), &frame.encode())
}

/// One server-sent event. Every line of `data` becomes a line of its own, whatever ends it, so nothing in it can end
/// the event or begin another; a name cannot hold a line break.
///
/// ```
/// use clawgauge_relay_proto::sse_event;
/// assert_eq!(sse_event(Some("reply"), "a\nb"), "event: reply\ndata: a\ndata: b\n\n");
/// ```
#[must_use]
pub fn sse_event(name: Option<&str>, data: &str) -> String {
    let mut out = String::with_capacity(data.len() + 32);
    if let Some(name) = name {
        out.push_str("event: ");
        out.extend(name.chars().filter(|c| !matches!(c, '\r' | '\n' | '\0')));
        out.push('\n');
    }
    let data = data.replace("\r\n", "\n").replace('\r', "\n");
    for line in data.split('\n') {
        out.push_str("data: ");
        out.push_str(line);
        out.push('\n');
    }
    out.push('\n');
    out
}

/// What `GET /benchgen/chat` tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpStatus {
    /// A relay is kept.
    pub relay_enabled: bool,
    /// Its address.
    pub relay_url: String,
    /// It is connected.
    pub connected: bool,
    /// Frames that wait for it.
    pub queued_frames: usize,
    /// Which session a conversation runs in.
    pub session_scope: SessionScope,
    /// Conversations with a turn that runs or waits.
    pub active_conversations: usize,
}

impl HttpStatus {
    /// The answer.
    #[must_use]
    pub fn response(&self) -> HttpResponse {
        let mut out = ObjectWriter::new();
        out.display("ok", true);
        out.display("protocol", crate::client::PROTOCOL);
        out.object("relay", |out| {
            out.display("enabled", self.relay_enabled);
            out.text("url", &crate::policy::mask_user_info(&self.relay_url));
            out.display("connected", self.connected);
            out.display("queuedFrames", self.queued_frames);
        });
        out.text("httpEndpoint", HTTP_PATH);
        out.text("sessionScope", self.session_scope.as_str());
        out.display("activeConversations", self.active_conversations);
        HttpResponse::json(200, out.finish())
    }
}
