//! A house to call: tenants, principals, agents, keys, a server on a port of its own.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tertulia_a2a::server::{Authenticator, Denied, Settings, router};
use tertulia_acts::{
    agent::{AgentLimits, Contracts, Definition, Retry, Runner, Skill},
    command::{Answer, Caller, Command, Configure},
    digest::Digest,
    ids::TenantId,
    party::Party,
};
use tertulia_engine::{DataFolder, Engine, Options};
use tokio::task::JoinHandle;

/// Keys by which the parties of the tests call.
pub(crate) const ANA: &str = "key-of-ana";
pub(crate) const BOB: &str = "key-of-bob";
/// Of another tenant.
pub(crate) const EVE: &str = "key-of-eve";
/// Of `agent:coordinator`.
pub(crate) const COORDINATOR: &str = "key-of-coordinator";
/// Of `agent:echo`.
pub(crate) const ECHO: &str = "key-of-echo";

pub(crate) struct House {
    pub(crate) engine: Engine,
    pub(crate) base: String,
    pub(crate) http: reqwest::Client,
    next: AtomicU64,
    serving: JoinHandle<()>,
    workers: Vec<JoinHandle<()>>,
}

struct Keys(Engine);

impl Authenticator for Keys {
    fn authenticate(
        &self,
        headers: &http::HeaderMap,
        _host: Option<&str>,
        peer: Option<SocketAddr>,
    ) -> Result<Caller, Denied> {
        assert!(peer.is_some_and(|peer| peer.ip().is_loopback()));
        let denied = || Denied::Unauthenticated("send a key".into());
        let value = headers.get("authorization").ok_or_else(denied)?;
        let key = value
            .to_str()
            .ok()
            .and_then(|text| text.strip_prefix("Bearer "));
        let found = self.0.authenticate(key.ok_or_else(denied)?);
        let found = found.map_err(|error| Denied::Unavailable(error.to_string()))?;
        found.ok_or_else(denied)
    }
}

pub(crate) fn party(text: &str) -> Party {
    text.parse().unwrap()
}

async fn configure(engine: &Engine, change: Configure) {
    let answer = engine
        .call(Command::Configure(None, Box::new(change)))
        .await;
    assert!(matches!(answer, Ok(Answer::Outcome { .. })), "{answer:?}");
}

async fn principal(engine: &Engine, tenant: TenantId, name: &str, key: &str) {
    let change = Configure::Principal {
        tenant,
        party: party(name),
        responsible: None,
        administers: false,
    };
    configure(engine, change).await;
    let change = Configure::Key {
        tenant,
        party: party(name),
        digest: Digest::of(key.as_bytes()),
        label: "test".into(),
    };
    configure(engine, change).await;
}

pub(crate) fn definition(name: &str, owner: &str) -> Definition {
    Definition {
        name: name.into(),
        description: format!("Does what {name} does."),
        owner: party(owner),
        skills: vec![Skill {
            id: "say".into(),
            name: "Say".into(),
            description: "Says it again.".into(),
            tags: vec!["echo".into()],
            input_modes: vec!["text/plain".into()],
            output_modes: vec!["text/plain".into(), "application/json".into()],
            examples: vec!["echo hello".into()],
        }],
        contracts: Contracts::default(),
        limits: AgentLimits::default(),
        retry: Retry::Safe,
        runner: Runner::Worker,
        instructions: String::new(),
    }
}

impl House {
    /// Ana and Bob of `main`, Eve of `other`; agents `echo` and `coordinator` of Ana's, and an `echo` of Eve's.
    pub(crate) async fn open() -> Self {
        Self::waiting_at_most(Duration::from_mins(1)).await
    }

    /// The same, where a blocking message waits only so long.
    pub(crate) async fn waiting_at_most(longest_wait: Duration) -> Self {
        let data = DataFolder::Temporary;
        let engine = Engine::start(&Options { data }).unwrap();
        let main = engine.tenant("main").await.unwrap();
        let other = engine.tenant("other").await.unwrap();
        principal(&engine, main, "user:ana", ANA).await;
        principal(&engine, main, "user:bob", BOB).await;
        principal(&engine, other, "user:eve", EVE).await;
        for (tenant, name, owner) in [
            (main, "echo", "user:ana"),
            (main, "coordinator", "user:ana"),
            (other, "echo", "user:eve"),
        ] {
            let definition = Arc::new(definition(name, owner));
            configure(&engine, Configure::Agent { tenant, definition }).await;
        }
        for (agent, key) in [("agent:coordinator", COORDINATOR), ("agent:echo", ECHO)] {
            let change = Configure::Key {
                tenant: main,
                party: party(agent),
                digest: Digest::of(key.as_bytes()),
                label: "test".into(),
            };
            configure(&engine, change).await;
        }
        let settings = Settings {
            authenticator: Arc::new(Keys(engine.clone())),
            base_url: None,
            default_agent: Some("echo".into()),
            public_tenant: Some("main".into()),
            longest_wait,
        };
        Self::serve(engine, settings).await
    }

    async fn serve(engine: Engine, settings: Settings) -> Self {
        let app = router(engine.clone(), settings);
        let app = app.into_make_service_with_connect_info::<SocketAddr>();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        // Another test may have installed it.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self {
            engine,
            base,
            http,
            next: AtomicU64::new(1),
            serving,
            workers: Vec::new(),
        }
    }

    /// The same with a worker for `echo`.
    pub(crate) async fn at_work() -> Self {
        let mut house = Self::open().await;
        house.employ("echo");
        house
    }

    /// Lets a worker claim what is asked of an agent.
    pub(crate) fn employ(&mut self, agent: &str) {
        let worker = crate::worker::run(self.engine.clone(), agent.to_owned());
        self.workers.push(tokio::spawn(worker));
    }

    pub(crate) fn caller(&self, tenant: &str, name: &str) -> Caller {
        self.engine.trusted(tenant, &party(name)).unwrap().unwrap()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Calls `echo` over JSON-RPC and returns the whole answer.
    pub(crate) async fn call(&self, key: &str, method: &str, params: Value) -> Value {
        self.call_with(key, method, params, &[]).await
    }

    pub(crate) async fn call_with(
        &self,
        key: &str,
        method: &str,
        params: Value,
        headers: &[(&str, &str)],
    ) -> Value {
        let response = self.post(key, "/a2a/echo", method, params, headers).await;
        assert_eq!(response.status(), 200);
        response.json().await.unwrap()
    }

    pub(crate) async fn post(
        &self,
        key: &str,
        path: &str,
        method: &str,
        params: Value,
        headers: &[(&str, &str)],
    ) -> reqwest::Response {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let mut request = self.http.post(self.url(path)).bearer_auth(key).json(&body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// Sends a text to `echo` and returns the result.
    pub(crate) async fn say(&self, key: &str, text: &str) -> Value {
        let params = message(text);
        let answer = self.call(key, "SendMessage", params).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.engine.drain();
        self.serving.abort();
        for worker in &self.workers {
            worker.abort();
        }
    }
}

/// The parameters of a message of one text.
pub(crate) fn message(text: &str) -> Value {
    json!({"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}]}})
}

/// The parameters of a message of one text, with members of the message and of the configuration.
pub(crate) fn message_with(text: &str, members: Value, configuration: Value) -> Value {
    let mut params = message(text);
    for (name, value) in members.as_object().unwrap() {
        params["message"][name] = value.clone();
    }
    if configuration != json!({}) {
        params["configuration"] = configuration;
    }
    params
}

/// What the speech-act extension says in a message, status update or task.
pub(crate) fn declared(value: &Value) -> &Value {
    &value["metadata"]["urn:tertulia:ext:speech-act:v1"]
}
