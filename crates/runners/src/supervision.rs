//! Which agents are run here: looked up again and again, since definitions come and go while the house is open.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures_util::future::BoxFuture;
use tertulia_acts::allowance::Allowance;
use tertulia_worker::{CancellationToken, Client, Error, Worker};
use tokio::{
    sync::watch,
    task::{JoinError, JoinSet},
};

use crate::a2a::RemoteAgent;

/// How often the catalogue is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long to wait after a worker was refused, or the server was away.
const PAUSE: Duration = Duration::from_secs(5);
/// Tasks of one agent that are worked on at a time; what its definition allows bounds it first.
const CONCURRENCY: usize = 256;

/// How long what is under way may take to finish after the shutdown before it is given back.
const GRACE: Duration = Duration::from_secs(2);

/// The versions of one agent that are run here, by digest. Never empty: a claim that names none would take all.
pub type Versions = BTreeSet<String>;

/// Where agents that are run here are found, and with what credential they are worked for. Errors are for the log.
pub trait Directory: Send + Sync + 'static {
    /// The agents that have something to do here, by name, each with the versions of it that say `runner: a2a`: not only
    /// the current one, since open conversations keep theirs.
    fn remote_agents(&self) -> BoxFuture<'_, Result<BTreeMap<String, Versions>, String>>;

    /// A client with a credential for an agent: the agent's own, or its owner's.
    fn client<'a>(&'a self, agent: &'a str) -> BoxFuture<'a, Result<Client, String>>;
}

/// An agent that is run here.
struct Running {
    stop: CancellationToken,
    versions: watch::Sender<Versions>,
}

/// Runs agents whose definitions say how, without a program of the user's.
pub struct Runners<D> {
    directory: Arc<D>,
    allowance: Arc<Allowance>,
    running: BTreeMap<String, Running>,
    workers: JoinSet<()>,
}

impl<D: Directory> Runners<D> {
    /// Runs the agents of a directory, with what their definitions may use.
    pub fn new(directory: D, allowance: Allowance) -> Self {
        Self {
            directory: Arc::new(directory),
            allowance: Arc::new(allowance),
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

    /// Begins for agents that came, ends for those that left, and tells the others which versions are run here now.
    fn look(&mut self, mut agents: BTreeMap<String, Versions>, shutdown: &CancellationToken) {
        agents.retain(|_, versions| !versions.is_empty());
        self.running.retain(|name, running| {
            let Some(versions) = agents.remove(name) else {
                tracing::info!(agent = name, "no longer run here");
                running.stop.cancel();
                return false;
            };
            running.versions.send_if_modified(|known| {
                let news = *known != versions;
                *known = versions;
                news
            });
            true
        });
        for (name, versions) in agents {
            tracing::info!(agent = name, "run here as a remote agent");
            let stop = shutdown.child_token();
            let (sender, receiver) = watch::channel(versions);
            let running = Running {
                stop: stop.clone(),
                versions: sender,
            };
            self.running.insert(name.clone(), running);
            let directory = Arc::clone(&self.directory);
            let handler = RemoteAgent::new(Arc::clone(&self.allowance));
            self.workers
                .spawn(serve(directory, handler, name, receiver, stop));
        }
    }
}

fn check(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "a runner broke");
    }
}

/// Works for one agent until it is stopped, anew whenever its versions change. What ends a worker before that is tried
/// again.
async fn serve<D: Directory>(
    directory: Arc<D>,
    handler: RemoteAgent,
    agent: String,
    mut versions: watch::Receiver<Versions>,
    stop: CancellationToken,
) {
    while !stop.is_cancelled() {
        let error = match directory.client(&agent).await {
            Ok(client) => match work(&agent, &handler, client, &mut versions, &stop).await {
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

/// Works until it is stopped, or until other versions are run here than those that it claims. It has drained by then.
async fn work(
    agent: &str,
    handler: &RemoteAgent,
    client: Client,
    versions: &mut watch::Receiver<Versions>,
    stop: &CancellationToken,
) -> Result<(), Error> {
    let claimed = versions.borrow_and_update().clone();
    let until = stop.child_token();
    handler.look_through(client.clone());
    let worker = Worker::new(client, agent)
        .versions(claimed)
        .handler(handler.clone())
        .concurrency(CONCURRENCY)
        .name("runner:a2a")
        // Another run goes on from the steps of this one, so nothing is gained by waiting.
        .grace(GRACE)
        .run(until.clone());
    tokio::pin!(worker);
    tokio::select! {
        ended = &mut worker => return ended,
        // Other versions, or nobody who tells of them any more: then it is stopped as well.
        _ = versions.changed() => until.cancel(),
    }
    worker.await
}
