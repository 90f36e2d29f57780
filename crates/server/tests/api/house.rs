//! A house to call: an engine with a clock that the test moves, behind a listener on loopback, and callers with keys.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tertulia_acts::{
    command::{Answer, Command, Configure},
    digest::Digest,
    ids::TenantId,
    party::Party,
    time::{Millis, Timestamp},
};
use tertulia_engine::{Clock, DataFolder, Engine, Options};
use tertulia_server::{Auth, Settings, router, serve};
use tokio::net::TcpListener;

/// A clock that stands still until it is moved.
#[derive(Clone)]
pub(crate) struct HandClock(Arc<AtomicI64>);

impl HandClock {
    pub(crate) fn move_by(&self, span: Millis) {
        self.0.fetch_add(span.0, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

/// The house. Tenant `acme` has `user:ana`, who owns the agents, and `user:bob`; tenant `other` has `user:mallory`, who
/// owns an agent called `logs` too.
pub(crate) struct House {
    pub(crate) engine: Engine,
    pub(crate) clock: HandClock,
    pub(crate) address: SocketAddr,
    pub(crate) ana: Client,
    pub(crate) bob: Client,
    pub(crate) mallory: Client,
}

pub(crate) fn party(text: &str) -> Party {
    text.parse().unwrap()
}

impl House {
    /// A house where everybody needs a key.
    pub(crate) async fn new() -> Self {
        Self::with(Auth::Required).await
    }

    pub(crate) async fn with(auth: Auth) -> Self {
        let clock = HandClock(Arc::new(AtomicI64::new(1_700_000_000_000)));
        let options = Options {
            data: DataFolder::Temporary,
        };
        let engine = Engine::start_with(&options, Box::new(clock.clone())).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let settings = Settings::new(auth);
        let door = router(engine.clone(), settings);
        tokio::spawn(serve(listener, door, std::future::pending()));
        let (acme, other) = (
            engine.tenant("acme").await.unwrap(),
            engine.tenant("other").await.unwrap(),
        );
        let house = Self {
            ana: Client::new(address, "key-of-ana"),
            bob: Client::new(address, "key-of-bob"),
            mallory: Client::new(address, "key-of-mallory"),
            engine,
            clock,
            address,
        };
        house.principal(acme, "user:ana", "key-of-ana").await;
        house.principal(acme, "user:bob", "key-of-bob").await;
        house
            .principal(other, "user:mallory", "key-of-mallory")
            .await;
        for name in ["logs", "deployments", "coordinator"] {
            house.ana.put_agent(name, json!({})).await;
        }
        house
            .mallory
            .put_agent("logs", json!({"owner": "user:mallory"}))
            .await;
        house
    }

    pub(crate) async fn configure(&self, change: Configure) {
        let answer = self
            .engine
            .call(Command::Configure(None, Box::new(change)))
            .await
            .unwrap();
        assert!(matches!(answer, Answer::Outcome { .. }), "{answer:?}");
    }

    async fn principal(&self, tenant: TenantId, name: &str, key: &str) {
        let party = party(name);
        self.configure(Configure::Principal {
            tenant,
            party: party.clone(),
            responsible: None,
            administers: false,
        })
        .await;
        let digest = Digest::of(key.as_bytes());
        self.configure(Configure::Key {
            tenant,
            party,
            digest,
            label: name.into(),
        })
        .await;
    }

    /// A client with a key of the agent's own.
    pub(crate) async fn agent(&self, name: &str) -> Client {
        let body = json!({"party": format!("agent:{name}"), "label": "test"});
        let made = self.ana.post("/v1/keys", body).await.ok();
        Client::new(self.address, made["key"].as_str().unwrap())
    }

    pub(crate) fn client(&self, key: &str) -> Client {
        Client::new(self.address, key)
    }
}

/// Someone who calls.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) http: reqwest::Client,
    pub(crate) url: String,
    pub(crate) key: String,
}

/// What a call was answered.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
    pub(crate) body: Value,
}

impl Answered {
    /// The body of a call that was carried out.
    #[track_caller]
    pub(crate) fn ok(self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.body);
        self.body
    }

    /// The detail of a problem.
    #[track_caller]
    pub(crate) fn problem(self, status: u16, code: &str) -> String {
        assert_eq!(
            (self.status.as_u16(), &self.body["code"]),
            (status, &json!(code)),
            "{}",
            self.body
        );
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["type"], format!("urn:tertulia:problem:{code}"));
        assert_eq!(self.body["status"], status);
        assert!(self.body["title"].is_string());
        self.body["detail"].as_str().unwrap().to_owned()
    }

    /// The reason of a governance decision: status 200, and an act that refuses (I1).
    #[track_caller]
    pub(crate) fn refused(self, reason: &str) -> Value {
        let body = self.ok();
        let receipt = &body["receipt"];
        assert_eq!(receipt["outcome"], "refused", "{body}");
        assert_eq!(receipt["act"]["performative"], "refuse", "{body}");
        assert_eq!(receipt["act"]["reason"], reason, "{body}");
        assert_eq!(receipt["act"]["sender"], "engine:tertulia", "{body}");
        assert!(
            receipt["act"]["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty()),
            "{body}"
        );
        receipt.clone()
    }

    /// The receipt of a call that was carried out.
    #[track_caller]
    pub(crate) fn receipt(self, outcome: &str) -> Value {
        let body = self.ok();
        assert_eq!(body["receipt"]["outcome"], outcome, "{body}");
        body["receipt"].clone()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr, key: &str) -> Self {
        // Another test of this process may have installed it before.
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self {
            http: reqwest::Client::new(),
            url: format!("http://{address}"),
            key: key.to_owned(),
        }
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        if self.key.is_empty() {
            request
        } else {
            request.bearer_auth(&self.key)
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answered {
        answer(self.request(Method::GET, path)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answered {
        answer(self.request(Method::DELETE, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answered {
        answer(self.request(Method::POST, path).json(&body)).await
    }

    /// As the agent at work.
    pub(crate) async fn get_under(&self, token: &str, path: &str) -> Answered {
        answer(self.request(Method::GET, path).header("Hop-Token", token)).await
    }

    pub(crate) async fn put_agent(&self, name: &str, more: Value) -> Value {
        let mut definition =
            json!({"name": name, "description": format!("the agent {name}"), "owner": "user:ana"});
        definition
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let request = self.request(Method::PUT, &format!("/v1/agents/{name}"));
        answer(request.json(&definition)).await.ok()
    }

    /// Sends a request of one text.
    pub(crate) async fn ask_of(&self, agent: &str, text: &str) -> Value {
        let sent = self.post("/v1/acts", opening(agent, text)).await;
        sent.receipt("accepted")["task"].clone()
    }

    /// Claims one lease, at once.
    pub(crate) async fn task(&self, id: &str) -> Value {
        self.get(&format!("/v1/tasks/{id}")).await.ok()
    }

    pub(crate) async fn claim(&self, agent: &str) -> Lease {
        let leases = self.post("/v1/claims", claim(agent, &drawn())).await.ok();
        assert_eq!(
            leases["leases"].as_array().unwrap().len(),
            1,
            "no work for {agent}: {leases}"
        );
        Lease(leases["leases"][0].clone())
    }

    /// Carries out an operation.
    pub(crate) async fn operate(&self, lease: &Lease, operation: &str, body: Value) -> Answered {
        let request = self.request(Method::POST, &format!("/v1/hops/{operation}"));
        answer(request.header("Hop-Token", lease.token()).json(&body)).await
    }

    /// Carries out an operation that is a step of that name.
    pub(crate) async fn step(
        &self,
        lease: &Lease,
        step: &str,
        operation: &str,
        body: Value,
    ) -> Answered {
        let request = self.request(Method::POST, &format!("/v1/hops/{operation}"));
        let request = request
            .header("Hop-Token", lease.token())
            .header("Idempotency-Key", step);
        answer(request.json(&body)).await
    }
}

pub(crate) async fn answer(request: reqwest::RequestBuilder) -> Answered {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answered {
        status,
        headers,
        body,
    }
}

/// A lease, as it was granted.
pub(crate) struct Lease(pub(crate) Value);

impl Lease {
    pub(crate) fn token(&self) -> &str {
        self.0["token"].as_str().unwrap()
    }

    pub(crate) fn task(&self) -> &str {
        self.0["task"]["id"].as_str().unwrap()
    }
}

pub(crate) fn text(text: &str) -> Value {
    json!([{"text": text}])
}

pub(crate) fn said(words: &str) -> Value {
    json!({"parts": text(words)})
}

pub(crate) fn opening(agent: &str, words: &str) -> Value {
    json!({"to": format!("agent:{agent}"), "parts": text(words)})
}

pub(crate) fn claim(agent: &str, drawn: &str) -> Value {
    json!({"agent": agent, "request_id": drawn, "secret": drawn})
}

/// 32 hex digits that no other call of this process gets.
pub(crate) fn drawn() -> String {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    format!("{:032x}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The string at `pointer`.
#[track_caller]
pub(crate) fn string<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("no text at {pointer} in {value}"))
}
