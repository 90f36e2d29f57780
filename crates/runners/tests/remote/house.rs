//! A house whose runners work for remote agents.

use std::{collections::BTreeMap, net::SocketAddr, time::Duration};

use futures_util::future::BoxFuture;

use tertulia_acts::allowance::Allowance;
use tertulia_engine::{DataFolder, Engine, Options};
use tertulia_runners::{Directory, Runners, Versions};
use tertulia_server::{Auth, Settings, router, serve};
use tertulia_worker::{
    CancellationToken, Client,
    wire::{Opening, Receipt, Task, TaskState},
};

pub(crate) struct House {
    pub(crate) client: Client,
    pub(crate) engine: Engine,
    pub(crate) address: SocketAddr,
    stop: CancellationToken,
}

/// The remote versions of the house's only remote agent, and the person that owns it.
struct Catalogue {
    engine: Engine,
    tenant: tertulia_acts::ids::TenantId,
    client: Client,
}

impl Directory for Catalogue {
    fn remote_agents(&self) -> BoxFuture<'_, Result<BTreeMap<String, Versions>, String>> {
        let reader = self.engine.reader();
        let versions = reader.versions(self.tenant, "remote").unwrap();
        let remote = versions
            .iter()
            .filter(|it| it.definition.runner.is_remote());
        let digests = remote.map(|it| it.digest.to_string()).collect();
        let agents = BTreeMap::from([("remote".to_owned(), digests)]);
        Box::pin(async move { Ok(agents) })
    }

    fn client<'a>(&'a self, _agent: &'a str) -> BoxFuture<'a, Result<Client, String>> {
        Box::pin(async move { Ok(self.client.clone()) })
    }
}

impl House {
    pub(crate) async fn open() -> Self {
        let data = DataFolder::Temporary;
        let engine = Engine::start(&Options { data }).unwrap();
        let tenant = engine.tenant("default").await.unwrap();
        let party: tertulia_acts::party::Party = "user:dev".parse().unwrap();
        let principal = tertulia_acts::command::Configure::Principal {
            tenant,
            party: party.clone(),
            responsible: None,
            administers: false,
        };
        let command = tertulia_acts::command::Command::Configure(None, Box::new(principal));
        engine.call(command).await.unwrap();
        let auth = Auth::DevUser {
            tenant: "default".into(),
            party,
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let door = router(
            engine.clone(),
            Settings {
                allowance: Allowance::loopback(),
                ..Settings::new(auth)
            },
        );
        tokio::spawn(serve(listener, door, std::future::pending()));
        let client = Client::new(&format!("http://{address}"), None).unwrap();
        let stop = CancellationToken::new();
        let catalogue = Catalogue {
            engine: engine.clone(),
            tenant,
            client: client.clone(),
        };
        tokio::spawn(Runners::new(catalogue, Allowance::loopback()).run(stop.clone()));
        Self {
            client,
            engine,
            address,
            stop,
        }
    }

    /// Makes `agent:remote` known, which lives at `url`.
    pub(crate) async fn knows(&self, url: &str, retry: &str) {
        let definition = format!(
            "---\nname: remote\ndescription: Lives elsewhere.\nowner: user:dev\nretry: {retry}\n\
             runner:\n  a2a:\n    url: {url}\n    allow_private: true\n---\n\nElsewhere.\n"
        );
        self.client
            .put_agent_markdown("remote", definition)
            .await
            .unwrap();
    }

    /// Gives `agent:remote` another version, which is worked for by a program of the user's.
    pub(crate) async fn knows_a_worker(&self) {
        let definition =
            "---\nname: remote\ndescription: Lives here.\nowner: user:dev\n---\n\nHere.\n";
        self.client
            .put_agent_markdown("remote", definition)
            .await
            .unwrap();
    }

    /// Asks the remote agent, and returns the task without waiting.
    pub(crate) async fn ask(&self, text: &str) -> Task {
        let opening = Opening::request("remote").text(text);
        match self.client.send(&opening).await.unwrap().receipt {
            Receipt::Accepted { task, .. } => *task,
            other => panic!("{other:?}"),
        }
    }

    /// Waits until a task has ended, or asks.
    pub(crate) async fn rest(&self, task: &str) -> Task {
        let most = Duration::from_secs(30);
        let task = self.client.wait_for_task(task, most).await.unwrap();
        let rests = task.state.is_terminal() || task.state == TaskState::AwaitingClarification;
        assert!(rests, "{task:?}");
        task
    }

    pub(crate) async fn ended(&self, text: &str) -> Task {
        let task = self.ask(text).await;
        self.rest(&task.id).await
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.stop.cancel();
        self.engine.drain();
    }
}

/// The state of a task, and why it ended so.
pub(crate) fn end(task: &Task) -> (TaskState, &str) {
    (task.state, task.reason.as_deref().unwrap_or_default())
}

/// What its reply says.
pub(crate) fn said(task: &Task) -> String {
    task.reply
        .as_ref()
        .map(|act| act.text())
        .unwrap_or_default()
}
