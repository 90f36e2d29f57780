//! From an HTTP request to an operation, over either binding, and back.

use std::{collections::HashMap, net::SocketAddr, sync::Arc};

use axum::{
    extract::{ConnectInfo, FromRequestParts, Path, Query, Request as HttpRequest, State},
    response::Response,
};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use http::{HeaderValue, request::Parts, uri::Authority};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Serialize;
use tertulia_acts::{command::Caller, party::Party};

use super::{
    House, LIMITS,
    call::{Call, EXTENSIONS, activates, header},
    cancel, card, failure, list,
    path::{Rest, Target, target},
    present::{self, Extent},
    reply::{self, Framing},
    send,
    stream::{self, Frame},
};
use crate::{
    map::SPEECH_ACT,
    wire::{
        A2aError, Check, ErrorKind, FieldViolation, ListTasksResponse, Method, Request,
        SendMessageResponse, Task,
        jsonrpc::{self, RequestId},
        rest,
    },
};

/// Where the version of the protocol stands, in headers and in the query.
const VERSION: &str = "a2a-version";

/// What an operation comes to.
enum Reply {
    Sent(SendMessageResponse),
    Task(Task),
    List(ListTasksResponse),
    Stream(BoxStream<'static, Frame>),
}

/// A reply that is one document.
#[derive(Serialize)]
#[serde(untagged)]
enum Document {
    Sent(SendMessageResponse),
    Task(Task),
    List(ListTasksResponse),
}

/// Everything below `/a2a/{agent}`.
pub(super) async fn handle(State(house): State<Arc<House>>, request: HttpRequest) -> Response {
    let (mut parts, body) = request.into_parts();
    let path = Path::<HashMap<String, String>>::from_request_parts(&mut parts, &()).await;
    let Ok(Path(mut path)) = path else {
        return reply::rest_error(&parts.headers, &no_address());
    };
    let agent = path.remove("agent").unwrap_or_default();
    let target = target(&parts.method, path.get("rest").map_or("", String::as_str));
    match target {
        Target::Unknown => reply::rest_error(&parts.headers, &no_address()),
        Target::NotAllowed(allow) => reply::not_allowed(&parts.headers, allow),
        Target::Card => card::of_agent(&house, &parts, &agent),
        Target::JsonRpc => {
            let response = json_rpc(house, &parts, body, &agent).await;
            echoed(response, &parts)
        }
        Target::Rest(rest) => {
            let response = http_json(house, &parts, body, &agent, rest).await;
            let response =
                response.unwrap_or_else(|error| reply::rest_error(&parts.headers, &error));
            echoed(response, &parts)
        }
    }
}

/// Names the extension in the answer, if the caller activated it.
fn echoed(mut response: Response, parts: &Parts) -> Response {
    if activates(&parts.headers) {
        let uri = HeaderValue::from_static(SPEECH_ACT);
        response.headers_mut().insert(EXTENSIONS, uri);
    }
    response
}

fn no_address() -> A2aError {
    A2aError::new(
        ErrorKind::MethodNotFound,
        "there is nothing at this address",
    )
}

/// Who calls.
pub(super) fn caller(house: &House, parts: &Parts) -> Result<Caller, A2aError> {
    let peer = parts
        .extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map(|ConnectInfo(peer)| *peer);
    let authenticator = &house.settings.authenticator;
    let host = parts.uri.authority().map(Authority::as_str);
    Ok(authenticator.authenticate(&parts.headers, host, peer)?)
}

async fn read(body: axum::body::Body) -> Result<Bytes, A2aError> {
    match Limited::new(body, LIMITS.body_bytes).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(A2aError::new(
            ErrorKind::TooLarge,
            format!(
                "the body has more than {} bytes; send large content by url",
                LIMITS.body_bytes
            ),
        )),
        Err(error) => Err(A2aError::new(
            ErrorKind::Parse,
            format!("the body broke off: {error}"),
        )),
    }
}

/// The call that the headers describe: a known caller, to an agent that exists for it.
fn call(house: Arc<House>, parts: &Parts, agent: &str) -> Result<Call, A2aError> {
    let caller = caller(&house, parts)?;
    let absent = || A2aError::new(ErrorKind::MethodNotFound, "there is no agent of this name");
    let agent = Party::agent(agent).map_err(|_| absent())?;
    if !house
        .knows(caller.tenant, agent.name())
        .map_err(failure::engine)?
    {
        return Err(absent());
    }
    Call::new(house, caller, agent, &parts.headers)
}

/// The version of the protocol must be 1.x. None is taken for 1.0: what is called is of 1.0 anyway.
fn version(parts: &Parts) -> Result<(), A2aError> {
    let queried = query(parts)?
        .into_iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(VERSION))
        .map(|(_, value)| value);
    let Some(version) = header(&parts.headers, VERSION)?
        .map(str::to_owned)
        .or(queried)
    else {
        return Ok(());
    };
    let version = version.trim();
    let mut numbers = version.splitn(2, '.');
    let is_one = numbers.next() == Some("1")
        && numbers.next().is_none_or(|minor| {
            !minor.is_empty()
                && minor
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || byte == b'.')
        });
    if version.is_empty() || is_one {
        return Ok(());
    }
    let version: String = version.chars().take(20).collect();
    Err(A2aError::new(
        ErrorKind::VersionNotSupported,
        format!("version {version} of A2A is not spoken here; send A2A-Version: 1.0"),
    ))
}

fn query(parts: &Parts) -> Result<Vec<(String, String)>, A2aError> {
    let Query(pairs) = Query::try_from_uri(&parts.uri).map_err(|error| {
        let what: String = error.to_string().chars().take(200).collect();
        A2aError::new(
            ErrorKind::InvalidParams,
            format!("the query cannot be read: {what}"),
        )
    })?;
    Ok(pairs)
}

/// A call over JSON-RPC. An unknown agent is 404, since its address is; all else is an answer.
async fn json_rpc(
    house: Arc<House>,
    parts: &Parts,
    body: axum::body::Body,
    agent: &str,
) -> Response {
    let call = match call(house, parts, agent) {
        Ok(call) => call,
        Err(error) if error.kind == ErrorKind::MethodNotFound => {
            return reply::rest_error(&parts.headers, &error);
        }
        Err(error) => return reply::json_rpc::<()>(RequestId::Null, Err(error)),
    };
    let kind = reply::media_type(&parts.headers);
    if !reply::is_read(kind.as_deref()) {
        return reply::json_rpc::<()>(RequestId::Null, Err(reply::unread(kind.as_deref())));
    }
    let body = match read(body).await {
        Ok(body) => body,
        Err(error) => return reply::json_rpc::<()>(RequestId::Null, Err(error)),
    };
    let request = match jsonrpc::parse_call(&body, &LIMITS) {
        Ok(request) => request,
        Err(refused) => return reply::json_rpc::<()>(refused.id, Err(refused.error)),
    };
    let Some(id) = request.id.clone() else {
        let message = "id is required: A2A has no notifications";
        let error = A2aError::new(ErrorKind::InvalidRequest, message);
        return reply::json_rpc::<()>(RequestId::Null, Err(error));
    };
    let decoded = version(parts).and_then(|()| {
        if Method::from_name(&request.method).is_none() && request.method.contains('/') {
            let message = "methods of A2A 0.3 are not served here; speak 1.0, such as SendMessage";
            return Err(A2aError::new(ErrorKind::VersionNotSupported, message));
        }
        Method::from_name(&request.method).map_or(Ok(()), offered)?;
        request.decode(&LIMITS)
    });
    let outcome = match decoded {
        Ok(request) => perform(call, request).await,
        Err(error) => Err(error),
    };
    match outcome {
        Ok(Reply::Stream(frames)) => reply::stream(Framing::JsonRpc(id), frames),
        Ok(Reply::Sent(sent)) => reply::json_rpc(id, Ok(Document::Sent(sent))),
        Ok(Reply::Task(task)) => reply::json_rpc(id, Ok(Document::Task(task))),
        Ok(Reply::List(list)) => reply::json_rpc(id, Ok(Document::List(list))),
        Err(error) => reply::json_rpc::<()>(id, Err(error)),
    }
}

/// A call over HTTP+JSON.
async fn http_json(
    house: Arc<House>,
    parts: &Parts,
    body: axum::body::Body,
    agent: &str,
    rest: Rest,
) -> Result<Response, A2aError> {
    let call = call(house, parts, agent)?;
    version(parts)?;
    let kind = reply::media_type(&parts.headers);
    let body = read(body).await?;
    if !body.is_empty() && !reply::is_read(kind.as_deref()) {
        return Err(reply::unread(kind.as_deref()));
    }
    let request = request(rest, parts, &body)?;
    request.validate(&LIMITS)?;
    let headers = &parts.headers;
    Ok(match perform(call, request).await? {
        Reply::Stream(frames) => reply::stream(Framing::Rest, frames),
        Reply::Sent(sent) => reply::rest(headers, &sent),
        Reply::Task(task) => reply::rest(headers, &task),
        Reply::List(list) => reply::rest(headers, &list),
    })
}

/// The request of an operation, from its body or its query; what stands in the path goes before both.
fn request(path: Rest, parts: &Parts, body: &[u8]) -> Result<Request, A2aError> {
    /// Reads the request and sets the fields that the path names.
    macro_rules! read {
        ($variant:ident, $from:expr $(, $field:ident = $value:expr)*) => {{
            let mut request = $from?;
            if let Request::$variant(inner) = &mut request {
                if !path.tenant.is_empty() {
                    inner.tenant = path.tenant;
                }
                $(inner.$field = $value;)*
            }
            Ok(request)
        }};
    }
    macro_rules! body {
        ($variant:ident) => {
            rest::parse_body(body, &LIMITS).map(Request::$variant)
        };
    }
    macro_rules! query {
        ($variant:ident) => {
            query(parts).and_then(|pairs| rest::parse_query(pairs).map(Request::$variant))
        };
    }
    match path.operation {
        Method::SendMessage => read!(SendMessage, body!(SendMessage)),
        Method::SendStreamingMessage => read!(SendStreamingMessage, body!(SendStreamingMessage)),
        Method::GetTask => read!(GetTask, query!(GetTask), id = path.task),
        Method::ListTasks => read!(ListTasks, query!(ListTasks)),
        Method::CancelTask => read!(CancelTask, body!(CancelTask), id = path.task),
        Method::SubscribeToTask => {
            read!(SubscribeToTask, body!(SubscribeToTask), id = path.task)
        }
        other => Err(not_offered(other)),
    }
}

/// What the card says that the agent does not do is told before anything of the call is read.
fn offered(method: Method) -> Result<(), A2aError> {
    match method {
        Method::SendMessage
        | Method::SendStreamingMessage
        | Method::GetTask
        | Method::ListTasks
        | Method::CancelTask
        | Method::SubscribeToTask => Ok(()),
        other => Err(not_offered(other)),
    }
}

fn not_offered(method: Method) -> A2aError {
    if method == Method::GetExtendedAgentCard {
        return A2aError::new(
            ErrorKind::UnsupportedOperation,
            "this agent has no extended card, as its card says",
        );
    }
    no_push()
}

/// Push notifications are not sent, as the card says.
pub(super) fn no_push() -> A2aError {
    A2aError::new(
        ErrorKind::PushNotificationNotSupported,
        "push notifications are not sent by this agent; stream, subscribe or poll",
    )
}

async fn perform(mut call: Call, request: Request) -> Result<Reply, A2aError> {
    tenant(&call, request.tenant())?;
    offered(request.method())?;
    match request {
        Request::SendMessage(request) => {
            call.join(&request.message)?;
            send::send(&call, request).await.map(Reply::Sent)
        }
        Request::SendStreamingMessage(request) => {
            call.join(&request.message)?;
            let frames = stream::send(call, request).await?;
            Ok(Reply::Stream(Box::pin(frames)))
        }
        Request::SubscribeToTask(request) => {
            let frames = stream::subscribe(call, &request)?;
            Ok(Reply::Stream(Box::pin(frames)))
        }
        Request::GetTask(request) => {
            let read = call.task(&request.id)?;
            let extent = Extent::of(request.history_length);
            present::task(&call, &read, extent).map(Reply::Task)
        }
        Request::ListTasks(request) => list::list(&call, &request).map(Reply::List),
        Request::CancelTask(request) => cancel::cancel(&call, &request).await.map(Reply::Task),
        other => Err(not_offered(other.method())),
    }
}

/// A call may name its own tenant, and no other: that looks absent.
fn tenant(call: &Call, named: &str) -> Result<(), A2aError> {
    if named.is_empty() {
        return Ok(());
    }
    let reader = call.house.engine.reader();
    let tenant = reader.tenant(call.caller.tenant).map_err(failure::engine)?;
    if tenant.is_some_and(|tenant| tenant.name == named) {
        return Ok(());
    }
    Err(A2aError::invalid_params(vec![FieldViolation {
        field: "tenant".to_owned(),
        description: "is no tenant of yours; leave it out".to_owned(),
    }]))
}
