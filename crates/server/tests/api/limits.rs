//! Limits of connections: silent and slow peers, too many at once, too many that wait.

use std::{net::SocketAddr, time::Duration};

use reqwest::Method;
use serde_json::{Value, json};
use tertulia_acts::limits::WAITS_PER_CALLER;
use tertulia_server::{Auth, Bounds, Settings, router, serve_within};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinHandle,
    time::timeout,
};

use crate::house::{House, answer, claim, drawn, opening, string};

/// Long enough for any machine, and the test fails if it is needed.
const AT_ONCE: Duration = Duration::from_secs(20);

/// Another door of the same house, with bounds of its own.
struct Door {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
}

async fn door(house: &House, bounds: Bounds) -> Door {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let routes = router(house.engine.clone(), Settings::new(Auth::Required));
    let (stop, stopped) = oneshot::channel();
    let shutdown = async move {
        stopped.await.ok();
    };
    let serving = tokio::spawn(serve_within(listener, routes, bounds, shutdown));
    Door {
        address,
        stop,
        serving,
    }
}

fn impatient() -> Bounds {
    Bounds {
        headers_within: Duration::from_millis(300),
        body_within: Duration::from_millis(300),
        ..Bounds::default()
    }
}

/// What comes until the other side closes.
async fn all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = timeout(AT_ONCE, stream.read_to_end(&mut bytes)).await;
    // Where something was left unread, the other side resets the connection.
    if let Err(error) = read.expect("it is closed") {
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
    }
    String::from_utf8(bytes).unwrap()
}

async fn said(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// The problem in an answer that closes its connection.
#[track_caller]
fn problem(answer: &str) -> Value {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(
        head.contains("content-type: application/problem+json"),
        "{head}"
    );
    serde_json::from_str(body).unwrap()
}

#[tokio::test]
async fn a_connection_on_which_no_call_comes_is_closed() {
    let house = House::new().await;
    let door = door(&house, impatient()).await;
    let beginnings: [&[u8]; 5] = [
        b"",
        b"G",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-",
        b"PRI * HTT",
        b"POST /v1/acts",
    ];
    for beginning in beginnings {
        let mut stream = said(door.address, beginning).await;
        let heard = all(&mut stream).await;
        assert!(!heard.contains("200 OK"), "{heard}");
    }
    // One that has been answered, and then is silent.
    let mut stream = said(
        door.address,
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    )
    .await;
    assert!(all(&mut stream).await.starts_with("HTTP/1.1 200 OK"));
}

#[tokio::test]
async fn a_body_that_does_not_come_is_told_and_stores_nothing() {
    let house = House::new().await;
    let door = door(&house, impatient()).await;
    let head = "POST /v1/acts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-of-ana\r\n\
                Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"to\":";
    let mut stream = said(door.address, head.as_bytes()).await;
    let problem = problem(&all(&mut stream).await);
    assert_eq!(
        (&problem["status"], &problem["code"]),
        (&json!(400), &json!("malformed"))
    );
    let detail = string(&problem, "/detail");
    assert!(detail.contains("did not come within 300 ms"), "{detail}");
    assert!(detail.contains("without a pause"), "{detail}");
    let tasks = house.ana.get("/v1/tasks").await.ok();
    assert_eq!(tasks["tasks"], json!([]));
}

#[tokio::test]
async fn one_connection_too_many_is_told_so_and_another_gets_its_place() {
    let house = House::new().await;
    let bounds = Bounds {
        connections: 2,
        ..Bounds::default()
    };
    let door = door(&house, bounds).await;
    let call = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut open = Vec::new();
    for _ in 0..2 {
        let mut stream = said(door.address, call).await;
        let mut heard = [0; 15];
        stream.read_exact(&mut heard).await.unwrap();
        assert_eq!(&heard, b"HTTP/1.1 200 OK");
        open.push(stream);
    }
    let answer = all(&mut said(door.address, call).await).await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    assert!(answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    let problem = problem(&answer);
    assert_eq!(problem["code"], "overloaded");
    assert!(
        string(&problem, "/detail").contains("connect again in a moment"),
        "{problem}"
    );
    open.pop();
    let served = async {
        let close = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        while !all(&mut said(door.address, close).await)
            .await
            .starts_with("HTTP/1.1 200 OK")
        {
            tokio::task::yield_now().await;
        }
    };
    timeout(AT_ONCE, served).await.expect("a place is free");
}

#[tokio::test]
async fn a_stop_waits_for_calls_that_have_begun_and_for_no_silent_peer() {
    let house = House::new().await;
    let door = door(&house, Bounds::default()).await;
    let silent = said(door.address, b"").await;
    let head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut idle = said(door.address, head).await;
    let mut heard = [0; 15];
    idle.read_exact(&mut heard).await.unwrap();
    // A call that has begun: a claim that waits.
    let waiting = house.client(&house.agent("logs").await.key);
    let url = format!("http://{}/v1/claims", door.address);
    let mut body = claim("logs", &drawn());
    body["wait_ms"] = json!(30_000);
    let request = waiting.http.post(url).bearer_auth(&waiting.key).json(&body);
    let waiting = tokio::spawn(answer(request));
    let tenant = house.engine.tenant("acme").await.unwrap();
    while !house.engine.has_worker(tenant, "logs") {
        tokio::task::yield_now().await;
    }
    door.stop.send(()).unwrap();
    house.ana.ask_of("logs", "work").await;
    let leases = waiting.await.unwrap().ok();
    assert_eq!(leases["leases"].as_array().unwrap().len(), 1);
    let served = timeout(AT_ONCE, door.serving).await;
    served.expect("it has ended").unwrap().unwrap();
    drop(silent);
}

#[tokio::test]
async fn one_caller_waits_in_so_many_calls_and_no_more() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "work").await;
    let path = format!("/v1/tasks/{}/events", string(&task, "/id"));
    let mut streams = Vec::new();
    for _ in 0..WAITS_PER_CALLER {
        let stream = house.ana.request(Method::GET, &path).send().await.unwrap();
        assert_eq!(stream.status(), 200);
        streams.push(stream);
    }
    let full = house.ana.get(&path).await;
    assert_eq!(full.headers["retry-after"], "1");
    let detail = full.problem(429, "too-many-calls");
    assert!(
        detail.contains("400 calls of yours wait already") && detail.contains("let one end"),
        "{detail}"
    );
    // Whatever waits is counted together; a call that is turned away has stored nothing.
    let task = format!("/v1/tasks/{}?wait_ms=1000", string(&task, "/id"));
    house.ana.get(&task).await.problem(429, "too-many-calls");
    house
        .ana
        .post("/v1/acts?wait_ms=1000", opening("logs", "more"))
        .await
        .problem(429, "too-many-calls");
    let tasks = house.ana.get("/v1/tasks").await.ok();
    assert_eq!(tasks["tasks"].as_array().unwrap().len(), 1);
    let mut body = claim("deployments", &drawn());
    body["wait_ms"] = json!(1_000);
    house
        .ana
        .post("/v1/claims", body)
        .await
        .problem(429, "too-many-calls");
    // Calls that do not wait go on, and so do others'.
    house
        .ana
        .post("/v1/claims", claim("deployments", &drawn()))
        .await
        .ok();
    let mut body = claim("deployments", &drawn());
    body["wait_ms"] = json!(1);
    let other = house.agent("deployments").await;
    other.post("/v1/claims", body).await.ok();
    streams.pop();
    let again = async {
        loop {
            let stream = house.ana.request(Method::GET, &path).send().await.unwrap();
            if stream.status() == 200 {
                break;
            }
        }
    };
    timeout(AT_ONCE, again).await.expect("one place is free");
}
