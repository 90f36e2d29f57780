//! Requests and answers over either binding.

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use http::{StatusCode, header};
use reqwest::{RequestBuilder, Response, Url};
use serde::{Serialize, Serializer, de::DeserializeOwned};
use tertulia_acts::limits::REQUEST_BYTES;

use super::{Binding, Error, Interface, Peer};
use crate::wire::{
    A2aError, Request,
    jsonrpc::{self, RequestId},
    parse_json,
};

/// Bytes of one answer: what the house itself takes in, and what base64 adds to it.
pub(super) const ANSWER_BYTES: usize = 2 * REQUEST_BYTES;

/// Sends a request and reads its answer.
pub(super) async fn call<T: DeserializeOwned>(
    peer: &Peer,
    interface: &Interface,
    request: &Request,
) -> Result<T, Error> {
    let built = build(peer, interface, request)?.timeout(peer.timeout);
    let response = built.send().await.map_err(|error| Error::of(&error))?;
    let status = response.status();
    let body = body(response, ANSWER_BYTES).await?;
    read(interface.binding, status, &body)
}

/// Sends a request whose answer is a stream. There is no limit to how long it takes; its reader has one to how long it
/// is silent.
pub(super) async fn open(
    peer: &Peer,
    interface: &Interface,
    request: &Request,
) -> Result<Response, Error> {
    let mut response = begin(peer, build(peer, interface, request)?).await?;
    let has_no_such = |status| {
        matches!(
            status,
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED
        )
    };
    if let (Binding::HttpJson, Request::SubscribeToTask(subscribe)) = (interface.binding, request)
        && has_no_such(response.status())
    {
        // The prose of the specification says POST and its protocol file GET: a peer may serve either.
        let url = subscription(interface, &subscribe.id)?;
        response = begin(peer, peer.http.get(url)).await?;
    }
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    let streams = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if status.is_success() && streams {
        return Ok(response);
    }
    let body = body(response, ANSWER_BYTES).await?;
    // An error is all that may come instead of a stream.
    match read::<serde_json::Value>(interface.binding, status, &body) {
        Ok(_) => Err(Error::Nonsense(
            "its answer is no stream of events".to_owned(),
        )),
        Err(error) => Err(error),
    }
}

async fn begin(peer: &Peer, built: RequestBuilder) -> Result<Response, Error> {
    let built = built.header(header::ACCEPT, "text/event-stream");
    let sent = tokio::time::timeout(peer.timeout, built.send()).await;
    sent.map_err(|_| Error::Broken("no answer came in time".to_owned()))?
        .map_err(|error| Error::of(&error))
}

/// The whole body, if it is within the limit.
pub(super) async fn body(response: Response, most: usize) -> Result<Bytes, Error> {
    let mut body = BytesMut::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| Error::of(&error))?;
        if body.len() + chunk.len() > most {
            return Err(Error::Nonsense(format!(
                "its answer has more than {most} bytes"
            )));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn read<T: DeserializeOwned>(
    binding: Binding,
    status: StatusCode,
    body: &[u8],
) -> Result<T, Error> {
    let nonsense = |error: A2aError| Error::Nonsense(error.message);
    if binding == Binding::HttpJson {
        return if status.is_success() {
            parse_json(body, ANSWER_BYTES).map_err(nonsense)
        } else {
            Err(Error::Peer(A2aError::from_http(status.as_u16(), body)))
        };
    }
    match jsonrpc::parse_response(body, ANSWER_BYTES) {
        Ok(response) => response.outcome.map_err(Error::Peer),
        Err(_) if !status.is_success() => {
            Err(Error::Peer(A2aError::from_http(status.as_u16(), body)))
        }
        Err(error) => Err(nonsense(error)),
    }
}

/// A request as JSON-RPC.
struct Enveloped<'a>(&'a Request);

impl Serialize for Enveloped<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("jsonrpc", "2.0")?;
        map.serialize_entry("id", &RequestId::Text("1".to_owned()))?;
        map.serialize_entry("method", self.0.method().name())?;
        map.serialize_entry("params", self.0)?;
        map.end()
    }
}

fn build(peer: &Peer, interface: &Interface, request: &Request) -> Result<RequestBuilder, Error> {
    if interface.binding == Binding::JsonRpc {
        return Ok(peer
            .http
            .post(interface.url.clone())
            .json(&Enveloped(request)));
    }
    let at = |segments: &[&str]| path(interface, segments);
    Ok(match request {
        Request::SendMessage(send) => peer.http.post(at(&["message:send"])?).json(send),
        Request::SendStreamingMessage(send) => peer.http.post(at(&["message:stream"])?).json(send),
        Request::GetTask(get) => {
            let mut url = at(&["tasks", &get.id])?;
            if let Some(length) = get.history_length {
                url.query_pairs_mut()
                    .append_pair("historyLength", &length.to_string());
            }
            peer.http.get(url)
        }
        Request::ListTasks(list) => {
            let mut url = at(&["tasks"])?;
            query(&mut url, list)?;
            peer.http.get(url)
        }
        Request::CancelTask(cancel) => {
            let url = at(&["tasks", &format!("{}:cancel", cancel.id)])?;
            peer.http.post(url).json(cancel)
        }
        Request::SubscribeToTask(subscribe) => {
            peer.http.post(subscription(interface, &subscribe.id)?)
        }
        other => {
            let name = other.method().name();
            return Err(Error::Setup(format!("{name} is not called over HTTP+JSON")));
        }
    })
}

/// Where a task is subscribed to.
fn subscription(interface: &Interface, task: &str) -> Result<Url, Error> {
    path(interface, &["tasks", &format!("{task}:subscribe")])
}

/// An address below the interface's, with its tenant as the first segment.
fn path(interface: &Interface, segments: &[&str]) -> Result<Url, Error> {
    let mut url = interface.url.clone();
    {
        let cannot = |()| Error::Nonsense("its card names an address without a path".to_owned());
        let mut path = url.path_segments_mut().map_err(cannot)?;
        path.pop_if_empty();
        if !interface.tenant.is_empty() {
            path.push(&interface.tenant);
        }
        path.extend(segments);
    }
    Ok(url)
}

/// The fields of a request as a query; its tenant stands in the path.
fn query(url: &mut Url, request: &impl Serialize) -> Result<(), Error> {
    let fields = serde_json::to_value(request).map_err(|error| Error::Setup(error.to_string()))?;
    let fields = fields.as_object().into_iter().flatten();
    let mut pairs = url.query_pairs_mut();
    for (name, value) in fields.filter(|(name, _)| *name != "tenant") {
        match value {
            serde_json::Value::String(text) => pairs.append_pair(name, text),
            other => pairs.append_pair(name, &other.to_string()),
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_tenants_stay_within_their_segment() {
        let interface = Interface {
            binding: Binding::HttpJson,
            url: "https://h/base/".parse().unwrap(),
            tenant: "a/b".into(),
        };
        let url = path(&interface, &["tasks", "../x:cancel"]).unwrap();
        assert_eq!(url.as_str(), "https://h/base/a%2Fb/tasks/..%2Fx:cancel");
    }
}
