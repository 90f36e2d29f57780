//! The worker: claims, runs handlers, keeps leases alive, drains.

mod activation;
mod claiming;
mod heartbeats;
mod settling;

use std::{sync::Arc, time::Duration};

use tokio::{task::JoinSet, time::timeout};
use tokio_util::sync::CancellationToken;

use self::{heartbeats::Heartbeats, settling::Settling};
use crate::{
    client::Client,
    handler::{AnyHandler, AnyQuestionHandler, AskUpwards, Handler, QuestionHandler},
    problem::Error,
};

/// Leases that one claim may ask for.
const LEASES_PER_CLAIM: usize = 64;

/// A worker of one agent. See the [crate] for an example.
#[must_use = "a worker does nothing until it runs"]
pub struct Worker {
    client: Client,
    agent: String,
    name: Option<String>,
    versions: Vec<String>,
    concurrency: usize,
    wait: Duration,
    grace: Duration,
    batches: bool,
    handler: Option<Arc<dyn AnyHandler>>,
    consult: Option<Arc<dyn AnyHandler>>,
    questions: Arc<dyn AnyQuestionHandler>,
}

/// What all activations of a worker share.
struct Shared {
    client: Client,
    handler: Arc<dyn AnyHandler>,
    consult: Option<Arc<dyn AnyHandler>>,
    questions: Arc<dyn AnyQuestionHandler>,
    heartbeats: Arc<Heartbeats>,
    settling: Settling,
    /// Told when handlers that still run are to give their leases back.
    give_back: CancellationToken,
}

impl Worker {
    /// A worker of the agent called `agent`, with the credential of `client`: the agent's, or its owner's.
    pub fn new(client: Client, agent: &str) -> Self {
        Self {
            client,
            agent: agent.to_owned(),
            name: None,
            versions: Vec::new(),
            concurrency: 8,
            wait: Duration::from_secs(20),
            grace: Duration::from_secs(20),
            batches: false,
            handler: None,
            consult: None,
            questions: Arc::new(AskUpwards),
        }
    }

    /// What works on its tasks.
    pub fn handler(mut self, handler: impl Handler) -> Self {
        self.handler = Some(Arc::new(handler));
        self
    }

    /// What answers consultations: read-only, over the history of the conversation that the agent is at work in
    /// (SEMANTICS 5). Without one they are declined `no-consult`.
    pub fn consult(mut self, handler: impl Handler) -> Self {
        self.consult = Some(Arc::new(handler));
        self
    }

    /// What answers questions of those that were delegated to. Without one, they are passed upwards.
    pub fn on_question(mut self, handler: impl QuestionHandler) -> Self {
        self.questions = Arc::new(handler);
        self
    }

    /// How many handlers run at a time, at least one; 8 unless said. A parked activation counts for nothing.
    pub fn concurrency(mut self, handlers: usize) -> Self {
        self.concurrency = handlers.clamp(1, tokio::sync::Semaphore::MAX_PERMITS);
        self
    }

    /// What it calls itself, for those who look.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The versions of the agent that it serves, by digest; any unless said.
    pub fn versions(mut self, digests: impl IntoIterator<Item = String>) -> Self {
        self.versions = digests.into_iter().collect();
        self
    }

    /// How long a claim waits for work; 20 s unless said.
    pub fn claim_wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// How long handlers may take to finish after the shutdown before their leases are given back; 20 s unless said.
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Sends outcomes that come close together in one call: for many short tasks.
    pub fn batch_settles(mut self) -> Self {
        self.batches = true;
        self
    }

    /// Works until `shutdown`. Then it claims no more, lets handlers finish, gives back the leases of those that do
    /// not within the grace, and returns. Dropping the future stops everything at once; leases are then lost and
    /// taken up by others after their time.
    ///
    /// # Errors
    /// There is no handler; or the server refuses the claims themselves: wrong credential, unknown agent. What is at
    /// work then is finished first. A server that is away or overloaded is no error: the worker waits for it.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), Error> {
        let Some(handler) = self.handler.clone() else {
            let text = format!(
                "the worker of `{}` has no handler: call .handler(…)",
                self.agent
            );
            return Err(Error::Setup(text));
        };
        // Dropped with this future, and what runs in it is aborted then.
        let mut background = JoinSet::new();
        let settling = if self.batches {
            let (settling, loop_of_batches) = Settling::batched(self.client.clone());
            background.spawn(loop_of_batches);
            settling
        } else {
            Settling::one_by_one(self.client.clone())
        };
        let heartbeats = Arc::new(Heartbeats::new(self.client.clone()));
        background.spawn(Arc::clone(&heartbeats).run());
        let shared = Arc::new(Shared {
            client: self.client.clone(),
            handler,
            consult: self.consult.clone(),
            questions: Arc::clone(&self.questions),
            heartbeats,
            settling,
            give_back: CancellationToken::new(),
        });
        let mut activations = JoinSet::new();
        let claimed = self.claims(&shared, &mut activations, &shutdown).await;
        self.drain(&shared, activations).await;
        claimed
    }

    /// Lets handlers finish; then has the rest give their leases back.
    async fn drain(&self, shared: &Shared, mut activations: JoinSet<()>) {
        tracing::info!(agent = self.agent, running = activations.len(), "draining");
        let finish = async { while join_one(&mut activations).await {} };
        if timeout(self.grace, finish).await.is_err() {
            tracing::info!(
                agent = self.agent,
                running = activations.len(),
                "giving back"
            );
            shared.give_back.cancel();
            while join_one(&mut activations).await {}
        }
    }
}

/// Waits for one activation to end; false if there is none.
async fn join_one(activations: &mut JoinSet<()>) -> bool {
    match activations.join_next().await {
        None => false,
        Some(Ok(())) => true,
        Some(Err(error)) => {
            // Handlers' panics are caught before they come here.
            tracing::error!(%error, "an activation broke; its lease will be lost");
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_worker_without_a_handler_says_so() {
        let client = Client::new("http://127.0.0.1:1", None).unwrap();
        let worker = Worker::new(client, "logs");
        let error = worker.run(CancellationToken::new()).await.unwrap_err();
        assert!(error.to_string().contains(".handler("), "{error}");
    }
}
