//! `POST /benchgen/chat` and its status, on a loopback port.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use clawgauge_relay_proto::{
    AgentBody, HTTP_PATH, HttpCall, HttpCollector, HttpRequest, HttpResponse, Keys, Limits, http_call,
    sse_frame,
};
use tokio::sync::{mpsc, oneshot};

use crate::driver::Event;

#[derive(Clone)]
struct Endpoint {
    keys: Keys,
    limits: Limits,
    events: mpsc::Sender<Event>,
}

/// Serves until the program ends.
pub(crate) async fn serve(
    port: u16,
    keys: Keys,
    limits: Limits,
    events: mpsc::Sender<Event>,
) -> Result<SocketAddr, String> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port))
        .await
        .map_err(|error| format!("port {port}: {error}"))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let router = Router::new().route(HTTP_PATH, axum::routing::any(handle)).with_state(Endpoint {
        keys,
        limits,
        events,
    });
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

async fn handle(State(endpoint): State<Endpoint>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // One byte more than allowed is enough to see that it is too much.
    let body = match axum::body::to_bytes(body, endpoint.limits.body_bytes + 1).await {
        Ok(body) => body,
        Err(_) => Bytes::from(vec![b' '; endpoint.limits.body_bytes + 1]),
    };
    let header = |headers: &HeaderMap, name: &str| {
        headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let (authorization, accept) = (header(&parts.headers, "authorization"), header(&parts.headers, "accept"));
    let request = HttpRequest {
        method: parts.method.as_str(),
        authorization: authorization.as_deref(),
        accept: accept.as_deref(),
        body: &body,
    };
    let running = !endpoint.events.is_closed();
    match http_call(request, Some(&endpoint.keys), running, &endpoint.limits) {
        Err(response) => answer(response),
        Ok(HttpCall::Status) => {
            let (send, receive) = oneshot::channel();
            drop(endpoint.events.send(Event::HttpStatus(send)).await);
            match receive.await {
                Ok(status) => answer(status.response()),
                Err(_) => gone(),
            }
        }
        Ok(HttpCall::Chat { message, stream }) => {
            let (send, mut frames) = mpsc::unbounded_channel();
            if endpoint.events.send(Event::HttpMessage(message, send)).await.is_err() {
                return gone();
            }
            if stream {
                let events = futures_util::stream::unfold((frames, false), |(mut frames, over)| async move {
                    let frame = if over { None } else { frames.recv().await }?;
                    let over = matches!(frame.body, AgentBody::TurnDone(_));
                    Some((Ok::<_, Infallible>(sse_frame(&frame)), (frames, over)))
                });
                let mut response = answer(HttpResponse::event_stream());
                *response.body_mut() = Body::from_stream(events);
                return response;
            }
            let mut collector = HttpCollector::new();
            while let Some(frame) = frames.recv().await {
                if let Some(response) = collector.push(&frame) {
                    return answer(response);
                }
            }
            gone()
        }
    }
}

fn answer(response: HttpResponse) -> Response {
    let mut answer = Response::new(Body::from(response.body));
    *answer.status_mut() = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in response.headers {
        // The server keeps connections itself.
        if name != "connection" {
            answer.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
    }
    answer
}

fn gone() -> Response {
    let mut answer = Response::new(Body::empty());
    *answer.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    answer
}
