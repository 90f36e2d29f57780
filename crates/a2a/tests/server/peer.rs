//! Our client of remote agents: against our own server over both bindings, and against peers that misbehave.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
    routing::{get, post},
};
use serde_json::{Value, json};
use tertulia_a2a::{
    client::{Error, Peer, Settings},
    wire::{
        ErrorKind, ListTasksRequest, Message, Part, Role, SendMessageConfiguration,
        SendMessageRequest, SendMessageResponse, StreamResponse, Task, TaskState,
    },
};

use crate::house::{ANA, House};

/// Ana's, by a header, which may follow a card to another origin.
fn settings(url: &str) -> Settings {
    Settings {
        url: url.to_owned(),
        token: None,
        headers: BTreeMap::from([("authorization".to_owned(), format!("Bearer {ANA}"))]),
        allow_private: true,
        timeout: Duration::from_secs(20),
    }
}

/// Ana's, by a token, which may not.
fn with_token(url: &str) -> Settings {
    Settings {
        token: Some(ANA.to_owned()),
        headers: BTreeMap::new(),
        ..settings(url)
    }
}

fn request(text: &str, task: &str, immediately: bool) -> SendMessageRequest {
    SendMessageRequest {
        message: Message {
            message_id: "m-1".into(),
            task_id: task.into(),
            role: Role::User,
            parts: vec![Part::text(text)],
            ..Message::default()
        },
        configuration: Some(SendMessageConfiguration {
            return_immediately: immediately,
            ..SendMessageConfiguration::default()
        }),
        ..SendMessageRequest::default()
    }
}

async fn send(peer: &Peer, text: &str, task: &str, immediately: bool) -> Task {
    match peer.send(request(text, task, immediately)).await {
        Ok(SendMessageResponse::Task(task)) => task,
        other => panic!("{other:?}"),
    }
}

/// Serves routes on a port of their own.
async fn serve(router: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

fn card(binding: &str, url: &str, tenant: &str) -> Value {
    json!({
        "name": "stub", "description": "A stub.", "version": "1",
        "supportedInterfaces": [{
            "url": url, "protocolBinding": binding, "protocolVersion": "1.0", "tenant": tenant
        }],
        "capabilities": {"streaming": true}, "skills": [],
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"]
    })
}

/// A peer whose card offers one interface, served by someone else.
async fn offering(binding: &str, url: &str, tenant: &str) -> Peer {
    let card = card(binding, url, tenant).to_string();
    let path = "/.well-known/agent-card.json";
    let url = serve(Router::new().route(path, get(|| async move { card }))).await;
    Peer::new(&settings(&url)).unwrap()
}

async fn exchange(peer: &Peer) {
    let done = send(peer, "echo hello", "", false).await;
    assert_eq!(done.status.state, TaskState::Completed);
    assert_eq!(done.artifacts[0].parts, [Part::text("echo hello")]);
    let read = peer.get(&done.id, Some(0)).await.unwrap();
    assert_eq!(read.artifacts, done.artifacts);
    assert!(read.history.is_empty());
    let list = ListTasksRequest {
        context_id: done.context_id.clone(),
        page_size: Some(5),
        include_artifacts: Some(true),
        status: TaskState::Completed,
        ..ListTasksRequest::default()
    };
    let list = peer.list(list).await.unwrap();
    assert_eq!((list.total_size, list.page_size), (1, 5));
    assert_eq!(list.tasks[0].id, done.id);
    assert_eq!(list.tasks[0].artifacts, done.artifacts);

    let asked = send(peer, "ask", "", false).await;
    assert_eq!(asked.status.state, TaskState::InputRequired);
    let mut events = peer.subscribe(&asked.id).await.unwrap();
    let first = events.next().await.unwrap();
    assert!(matches!(first, Some(StreamResponse::Task(task)) if task.id == asked.id));
    let answered = send(peer, "blue", &asked.id, false).await;
    assert_eq!(answered.status.state, TaskState::Completed);
    let mut last = None;
    while let Some(event) = events.next().await.unwrap() {
        last = Some(event);
    }
    let Some(StreamResponse::StatusUpdate(end)) = last else {
        panic!("{last:?}");
    };
    assert_eq!(end.status.state, TaskState::Completed);

    let held = send(peer, "hold", "", true).await;
    let cancelled = peer.cancel(&held.id).await.unwrap();
    assert_eq!(cancelled.status.state, TaskState::Canceled);
    match peer.cancel(&done.id).await {
        Err(Error::Peer(error)) => assert_eq!(error.kind, ErrorKind::TaskNotCancelable),
        other => panic!("{other:?}"),
    }
    match peer.subscribe(&done.id).await {
        Err(Error::Peer(error)) => assert_eq!(error.kind, ErrorKind::UnsupportedOperation),
        other => panic!("{other:?}"),
    }
    match peer.get("task_of_nobody", None).await {
        Err(Error::Peer(error)) => assert_eq!(error.kind, ErrorKind::TaskNotFound),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn everything_is_called_over_json_rpc() {
    let house = House::at_work().await;
    let peer = Peer::new(&with_token(&house.url("/a2a/echo"))).unwrap();
    assert_eq!(peer.card().await.unwrap().card().name, "echo");
    assert!(peer.streams().await.unwrap());
    exchange(&peer).await;
}

#[tokio::test]
async fn everything_is_called_over_http_with_and_without_a_tenant() {
    let house = House::at_work().await;
    for tenant in ["", "main"] {
        let peer = offering("HTTP+JSON", &house.url("/a2a/echo"), tenant).await;
        exchange(&peer).await;
    }
}

#[tokio::test]
async fn a_refuse_comes_back_as_its_message() {
    let house = House::at_work().await;
    let peer = Peer::new(&with_token(&house.url("/a2a/echo"))).unwrap();
    let held = send(&peer, "hold", "", true).await;
    match peer.send(request("more", &held.id, false)).await.unwrap() {
        SendMessageResponse::Message(message) => {
            let declared = &message.metadata["urn:tertulia:ext:speech-act:v1"];
            assert_eq!(declared["reason"], "illegal-act");
        }
        SendMessageResponse::Task(task) => panic!("{task:?}"),
    }
}

#[tokio::test]
async fn a_card_is_asked_for_by_its_tag_once_it_is_stale() {
    let (asked, confirmed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let counters = (Arc::clone(&asked), Arc::clone(&confirmed));
    let show = move |headers: HeaderMap| {
        let (asked, confirmed) = counters.clone();
        async move {
            asked.fetch_add(1, Ordering::SeqCst);
            let control = (header::CACHE_CONTROL, "max-age=0");
            if headers
                .get(header::IF_NONE_MATCH)
                .is_some_and(|tag| tag == "\"v1\"")
            {
                confirmed.fetch_add(1, Ordering::SeqCst);
                return (StatusCode::NOT_MODIFIED, [control]).into_response();
            }
            let card = card("JSONRPC", "http://127.0.0.1:1/", "").to_string();
            ([control, (header::ETAG, "\"v1\"")], card).into_response()
        }
    };
    let url = serve(Router::new().route("/card.json", get(show))).await;
    let peer = Peer::new(&settings(&format!("{url}/card.json"))).unwrap();
    for _ in 0..3 {
        assert_eq!(peer.card().await.unwrap().card().name, "stub");
    }
    assert_eq!(
        (
            asked.load(Ordering::SeqCst),
            confirmed.load(Ordering::SeqCst)
        ),
        (3, 2)
    );
}

#[tokio::test]
async fn a_peer_that_is_not_there_got_nothing() {
    let peer = Peer::new(&settings("http://127.0.0.1:1")).unwrap();
    let error = peer.send(request("x", "", false)).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable(_)), "{error:?}");
    assert!(!error.leaves_open());
    let peer = offering("JSONRPC", "http://127.0.0.1:1/", "").await;
    let error = peer.send(request("x", "", false)).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable(_)), "{error:?}");
}

#[tokio::test]
async fn a_private_peer_is_not_called_unless_that_is_meant() {
    let house = House::at_work().await;
    let url = house.url("/a2a/echo");
    for url in [url.as_str(), &url.replace("127.0.0.1", "localhost")] {
        let forbidden = Settings {
            allow_private: false,
            ..settings(url)
        };
        let error = match Peer::new(&forbidden) {
            Ok(peer) => peer.card().await.unwrap_err(),
            Err(error) => error,
        };
        assert!(matches!(error, Error::Forbidden(_)), "{url}: {error:?}");
        assert!(error.to_string().contains("allow_private"), "{error}");
    }
}

/// A peer that answers every call like this.
async fn answering(status: StatusCode, kind: &'static str, body: String) -> Peer {
    let answer = move || async move { (status, [(header::CONTENT_TYPE, kind)], body) };
    let url = serve(Router::new().route("/rpc", post(answer))).await;
    offering("JSONRPC", &format!("{url}/rpc"), "").await
}

#[tokio::test]
async fn nonsense_is_told_from_errors() {
    let json = "application/json";
    for (status, body, expected) in [
        (200, "{}", "nonsense"),
        (200, "<html>", "nonsense"),
        (200, r#"{"jsonrpc":"2.0","id":"1","result":{}}"#, "nonsense"),
        (
            200,
            r#"{"jsonrpc":"2.0","id":"1","result":{"task":{},"message":{}}}"#,
            "nonsense",
        ),
        (
            200,
            r#"{"jsonrpc":"2.0","id":"1","error":{"code":-32004,"message":"no"}}"#,
            "an error: no",
        ),
        (503, "down", "an error: peer answered HTTP 503"),
        (302, "", "an error: peer answered HTTP 302"),
    ] {
        let status = StatusCode::from_u16(status).unwrap();
        let peer = answering(status, json, body.to_owned()).await;
        let error = peer
            .send(request("x", "", false))
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{status} {body}: {error}");
    }
    let large = format!("\"{}\"", "x".repeat(9 * 1024 * 1024));
    let peer = answering(StatusCode::OK, json, large).await;
    let error = peer.send(request("x", "", false)).await.unwrap_err();
    assert!(matches!(error, Error::Nonsense(_)), "{error}");
    let peer = answering(StatusCode::OK, json, "{}".to_owned()).await;
    let error = peer.subscribe("t").await.unwrap_err();
    assert!(matches!(error, Error::Nonsense(_)), "{error}");
}

#[tokio::test]
async fn a_peer_that_lets_subscribe_by_get_alone_is_subscribed_to() {
    let event = r#"{"task":{"id":"t-1","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}"#;
    let subscribe = move || async move {
        let kind = [(header::CONTENT_TYPE, "text/event-stream")];
        (kind, format!("data: {event}\n\n"))
    };
    // A route of one verb answers others 405; one that it does not have, 404.
    let url = serve(Router::new().route("/tasks/{task}", get(subscribe))).await;
    let peer = offering("HTTP+JSON", &url, "").await;
    let mut events = peer.subscribe("t-1").await.unwrap();
    let first = events.next().await.unwrap();
    assert!(matches!(first, Some(StreamResponse::Task(task)) if task.id == "t-1"));
    let peer = offering("HTTP+JSON", &serve(Router::new()).await, "").await;
    let error = peer.subscribe("t-1").await.unwrap_err();
    assert!(
        matches!(&error, Error::Peer(error) if error.kind == ErrorKind::TaskNotFound),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_call_ends_in_time_and_leaves_open_what_became_of_it() {
    let never = || std::future::pending::<String>();
    let url = serve(Router::new().route("/rpc", post(never))).await;
    let card_url = {
        let card = card("JSONRPC", &format!("{url}/rpc"), "").to_string();
        serve(Router::new().route("/c.json", get(|| async move { card }))).await
    };
    let settings = Settings {
        timeout: Duration::from_millis(300),
        ..settings(&format!("{card_url}/c.json"))
    };
    let peer = Peer::new(&settings).unwrap();
    let error = peer.send(request("x", "", false)).await.unwrap_err();
    assert!(
        matches!(error, Error::Broken(_)) && error.leaves_open(),
        "{error:?}"
    );
    let error = peer.subscribe("t").await.unwrap_err();
    assert!(matches!(error, Error::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn a_token_and_a_private_address_bind_a_peer_to_where_its_card_is() {
    let rpc = serve(Router::new().route("/rpc", post(|| async { "never" }))).await;
    let card = card("JSONRPC", &format!("{rpc}/rpc"), "").to_string();
    let elsewhere = serve(Router::new().route("/c.json", get(|| async move { card }))).await;
    let peer = Peer::new(&with_token(&format!("{elsewhere}/c.json"))).unwrap();
    let error = peer.send(request("x", "", false)).await.unwrap_err();
    assert!(
        error.to_string().contains("the token is for the origin"),
        "{error}"
    );
    let card = self::card("JSONRPC", "http://localhost:1/rpc", "").to_string();
    let elsewhere = serve(Router::new().route("/c.json", get(|| async move { card }))).await;
    let peer = Peer::new(&settings(&format!("{elsewhere}/c.json"))).unwrap();
    let error = peer.send(request("x", "", false)).await.unwrap_err();
    assert!(error.to_string().contains("only the host"), "{error}");
}
