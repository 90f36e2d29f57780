//! Which agents are run here: looked up again and again, since definitions come and go while the house is open.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::BoxFuture;
use serde_json::Value;
use tertulia_worker::{
    CancellationToken, Client, Error, Worker,
    wire::{Agent, AgentQuery},
};
use tokio::task::{JoinError, JoinSet};

use crate::a2a::RemoteAgent;

/// How often the catalogue is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long to wait after a worker was refused, or the server was away.
const PAUSE: Duration = Duration::from_secs(5);
/// Tasks of one agent that are worked on at a time; what its definition allows bounds it first.
const CONCURRENCY: usize = 256;

/// How long what is under way may take to finish after the shutdown before it is given back.
const GRACE: Duration = Duration::from_secs(2);

/// Where agents that are run here are found, and with what credential they are worked for. Errors are for the log.
pub trait Directory: Send + Sync + 'static {
    /// The agents, by name, whose current version says `runner: a2a`.
    fn remote_agents(&self) -> BoxFuture<'_, Result<Vec<String>, String>>;

    /// A client with a credential for an agent: the agent's own, or its owner's.
    fn client<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<Client, String>>;
}

/// Those that the credential of a client sees, worked for with the same credential.
impl Directory for Client {
    fn remote_agents(&self) -> BoxFuture<'_, Result<Vec<String>, String>> {
        Box::pin(async move {
            let agents = self.find_agents(&AgentQuery::default()).await;
            let agents = agents.map_err(|error| error.to_string())?;
            let here = |agent: &Agent| runner(agent) == Some("a2a") && !agent.retired;
            let here = agents.into_iter().filter(here);
            Ok(here.map(|agent| agent.name).collect())
        })
    }

    fn client<'a>(&'a self, _agent: &'a str) -> BoxFuture<'a, Result<Client, String>> {
        Box::pin(async move { Ok(self.clone()) })
    }
}

/// How an agent says that it is run: a name, or a map with the name as its key.
fn runner(agent: &Agent) -> Option<&str> {
    match &agent.runner {
        Value::String(name) => Some(name),
        Value::Object(members) => members.keys().next().map(String::as_str),
        _ => None,
    }
}

/// Runs agents whose definitions say how, without a program of the user's.
pub struct Runners<D> {
    directory: Arc<D>,
    running: BTreeMap<String, CancellationToken>,
    workers: JoinSet<()>,
}

impl<D: Directory> Runners<D> {
    /// Runs the agents of a directory.
    pub fn new(directory: D) -> Self {
        Self {
            directory: Arc::new(directory),
            running: BTreeMap::new(),
            workers: JoinSet::new(),
        }
    }

    /// Runs them until `shutdown`; then what is under way is finished or given back.
    pub async fn run(mut self, shutdown: CancellationToken) {
        loop {
            let pause = match self.directory.remote_agents().await {
                Ok(agents) => {
                    self.look(agents, &shutdown);
                    LOOK_EVERY
                }
                Err(error) => {
                    tracing::warn!(error, "the catalogue could not be looked at");
                    PAUSE
                }
            };
            let until = tokio::time::sleep(pause);
            tokio::pin!(until);
            loop {
                tokio::select! {
                    () = shutdown.cancelled() => return self.end().await,
                    () = &mut until => break,
                    Some(ended) = self.workers.join_next() => check(ended),
                }
            }
        }
    }

    async fn end(mut self) {
        while let Some(ended) = self.workers.join_next().await {
            check(ended);
        }
    }

    /// Begins for agents that came, ends for those that left.
    fn look(&mut self, agents: Vec<String>, shutdown: &CancellationToken) {
        let agents: BTreeSet<String> = agents.into_iter().collect();
        self.running.retain(|name, stop| {
            let stays = agents.contains(name);
            if !stays {
                tracing::info!(agent = name, "no longer run here");
                stop.cancel();
            }
            stays
        });
        for name in agents {
            if self.running.contains_key(&name) {
                continue;
            }
            tracing::info!(agent = name, "run here as a remote agent");
            let stop = shutdown.child_token();
            self.running.insert(name.clone(), stop.clone());
            let directory = Arc::clone(&self.directory);
            self.workers.spawn(serve(directory, name, stop));
        }
    }
}

fn check(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a runner broke");
    }
}

/// Works for one agent until it is stopped. What ends a worker before that is tried again.
async fn serve<D: Directory>(directory: Arc<D>, agent: String, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let error = match directory.client(&agent).await {
            Ok(client) => match work(&agent, client, stop.clone()).await {
                Ok(()) => continue,
                Err(error) => error.to_string(),
            },
            Err(error) => error,
        };
        tracing::warn!(agent, error, "cannot work for a remote agent; trying again");
        tokio::select! {
            () = stop.cancelled() => {}
            () = tokio::time::sleep(PAUSE) => {}
        }
    }
}

async fn work(agent: &str, client: Client, stop: CancellationToken) -> Result<(), Error> {
    Worker::new(client, agent)
        .handler(RemoteAgent::default())
        .concurrency(CONCURRENCY)
        .name("runner:a2a")
        // Another run goes on from the steps of this one, so nothing is gained by waiting.
        .grace(GRACE)
        .run(stop)
        .await
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_runner_of_an_agent_is_read_in_either_form() {
        let agent = |runner: Value| -> Agent {
            serde_json::from_value(json!({"name": "x", "runner": runner})).unwrap()
        };
        assert_eq!(runner(&agent(json!("a2a"))), Some("a2a"));
        assert_eq!(runner(&agent(json!({"a2a": {"url": "x"}}))), Some("a2a"));
        assert_eq!(runner(&agent(json!("worker"))), Some("worker"));
        assert_eq!(runner(&agent(Value::Null)), None);
    }
}
