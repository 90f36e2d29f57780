//! Answers as HTTP responses: their media types, statuses and streams.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
};
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::{failure, stream::Frame};
use crate::wire::{
    A2aError, ErrorKind,
    jsonrpc::{RequestId, Response as JsonRpc},
    rest::MEDIA_TYPE,
};

const JSON: &str = "application/json";
/// How often a silent stream sends a comment, so that no proxy takes it for dead.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The media type of a call, without parameters and in lower case; none if it names none.
pub(super) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default();
    Some(kind.trim().to_ascii_lowercase())
}

/// Whether a body of this type is read: JSON, under either name, or one that does not say.
pub(super) fn is_read(kind: Option<&str>) -> bool {
    kind.is_none_or(|kind| kind == JSON || kind == MEDIA_TYPE)
}

/// A content type that is not read.
pub(super) fn unread(kind: Option<&str>) -> A2aError {
    let kind: String = kind.unwrap_or("none").chars().take(80).collect();
    A2aError::new(
        ErrorKind::ContentTypeNotSupported,
        format!("the content type is {kind}; send {JSON} or {MEDIA_TYPE}"),
    )
}

/// The type to answer with over HTTP+JSON: the one that the caller speaks.
fn mirrored(headers: &HeaderMap) -> &'static str {
    let accepts =
        |value: &HeaderValue| value.to_str().is_ok_and(|value| value.contains(MEDIA_TYPE));
    let speaks = media_type(headers).as_deref() == Some(MEDIA_TYPE);
    if speaks || headers.get_all(header::ACCEPT).iter().any(accepts) {
        MEDIA_TYPE
    } else {
        JSON
    }
}

fn json(status: StatusCode, kind: &'static str, value: &impl Serialize) -> Response {
    let (status, body) = match serde_json::to_vec(value) {
        Ok(body) => (status, body),
        Err(error) => {
            let error = failure::internal(error);
            // An error of fixed words always has a JSON form.
            let body = serde_json::to_vec(&error.to_http()).unwrap_or_default();
            (StatusCode::INTERNAL_SERVER_ERROR, body)
        }
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// An answer over HTTP+JSON.
pub(super) fn rest(headers: &HeaderMap, value: &impl Serialize) -> Response {
    json(StatusCode::OK, mirrored(headers), value)
}

/// An error over HTTP+JSON.
pub(super) fn rest_error(headers: &HeaderMap, error: &A2aError) -> Response {
    let status = StatusCode::from_u16(error.kind.http_status());
    let status = status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    with_hints(json(status, mirrored(headers), &error.to_http()), error)
}

/// An answer over JSON-RPC. Errors are 200 too, except where the transport itself has to say something: who calls,
/// how much, and that the server cannot now.
pub(super) fn json_rpc<T: Serialize>(id: RequestId, outcome: Result<T, A2aError>) -> Response {
    let error = outcome.as_ref().err().cloned();
    let status = match error.as_ref().map(|error| error.kind) {
        Some(
            kind @ (ErrorKind::Unauthenticated
            | ErrorKind::PermissionDenied
            | ErrorKind::TooLarge
            | ErrorKind::Unavailable),
        ) => StatusCode::from_u16(kind.http_status()).unwrap_or(StatusCode::OK),
        _ => StatusCode::OK,
    };
    let response = json(status, JSON, &JsonRpc { id, outcome });
    match &error {
        Some(error) => with_hints(response, error),
        None => response,
    }
}

fn with_hints(mut response: Response, error: &A2aError) -> Response {
    let headers = response.headers_mut();
    match error.kind {
        ErrorKind::Unauthenticated => {
            let scheme = HeaderValue::from_static("Bearer realm=\"tertulia\"");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        ErrorKind::Unavailable => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        _ => {}
    }
    response
}

/// An address that has no such verb.
pub(super) fn not_allowed(headers: &HeaderMap, allow: &'static str) -> Response {
    let message = format!("this address is called by {allow}");
    let error = A2aError::new(ErrorKind::UnsupportedOperation, message);
    let mut response = rest_error(headers, &error);
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    let allow = HeaderValue::from_static(allow);
    response.headers_mut().insert(header::ALLOW, allow);
    response
}

/// How the events of a stream are written.
#[derive(Debug, Clone)]
pub(super) enum Framing {
    /// Bare.
    Rest,
    /// Each as the answer to the call of this id.
    JsonRpc(RequestId),
}

/// A stream of server-sent events.
pub(super) fn stream(
    framing: Framing,
    frames: impl Stream<Item = Frame> + Send + 'static,
) -> Response {
    let events = frames.map(move |frame| Ok::<_, Infallible>(event(&framing, frame)));
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    // Asks proxies not to hold events back.
    let no = HeaderValue::from_static("no");
    response.headers_mut().insert("x-accel-buffering", no);
    response
}

fn event(framing: &Framing, frame: Frame) -> Event {
    let mut event = Event::default();
    if let Some(number) = frame.number {
        event = event.id(number.to_string());
    }
    let data = match framing {
        Framing::JsonRpc(id) => serde_json::to_string(&JsonRpc {
            id: id.clone(),
            outcome: frame.told,
        }),
        Framing::Rest => match frame.told {
            Ok(told) => serde_json::to_string(&told),
            Err(error) => {
                event = event.event("error");
                serde_json::to_string(&error.to_http())
            }
        },
    };
    match data {
        // JSON holds no raw line break, which would end the field.
        Ok(data) => event.data(data),
        Err(error) => event.comment(failure::internal(error).message),
    }
}
