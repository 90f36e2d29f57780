//! What a handler works with: operations under its lease, recorded as steps and replayed from them.

mod ask;
mod delegate;
mod error;
mod fan_out;
mod make;
#[cfg(test)]
mod tests;

use std::{collections::HashSet, future::Future, sync::Arc, time::Duration};

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

pub(crate) use self::error::is_over;
pub use self::{
    ask::Question,
    error::StepError,
    fan_out::{Arrival, Arrivals, FanOut, Gathered},
};
use self::{error::unfitting, make::Place};
use crate::{
    assignment::Assignment,
    client::Client,
    handler::{AnyQuestionHandler, HandlerError},
    pulse::Pulse,
    step::{RecordedSteps, StepNames, recorded_as},
    wire::{BeatState, Operation, Part, Receipt, RecordedStep},
};

/// How the run was stopped: every later operation is told the same, and nothing is sent.
#[derive(Debug, Clone)]
enum Stopped {
    Suspended,
    Ended(String),
}

/// The operations of an agent at work.
pub struct Context {
    client: Client,
    token: String,
    task: Arc<Assignment>,
    questions: Arc<dyn AnyQuestionHandler>,
    pulse: Arc<Pulse>,
    names: StepNames,
    recorded: RecordedSteps,
    handling: Option<String>,
    answered: HashSet<String>,
    stopped: Option<Stopped>,
}

impl Context {
    pub(crate) fn new(
        client: Client,
        token: String,
        task: Arc<Assignment>,
        steps: Vec<RecordedStep>,
        questions: Arc<dyn AnyQuestionHandler>,
        pulse: Arc<Pulse>,
    ) -> Self {
        Self {
            client,
            token,
            task,
            questions,
            pulse,
            names: StepNames::default(),
            recorded: RecordedSteps::new(steps),
            handling: None,
            answered: HashSet::new(),
            stopped: None,
        }
    }

    /// Agrees to the request. The first delegation or progress does so by itself.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn agree(&mut self) -> Result<(), StepError> {
        self.say(&Operation::Agree {}).await
    }

    /// Tells how far it came.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn progress(&mut self, parts: impl Into<Vec<Part>>) -> Result<(), StepError> {
        self.say(&Operation::Progress {
            parts: parts.into(),
            needs_credential: false,
        })
        .await
    }

    /// Tells that the work waits for a credential, which is given out of band: the task is `awaiting-authorization`, and
    /// so are those above it, until the next [`progress`](Self::progress), question or end. The lease lives on.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn needs_credential(&mut self, parts: impl Into<Vec<Part>>) -> Result<(), StepError> {
        self.say(&Operation::Progress {
            parts: parts.into(),
            needs_credential: true,
        })
        .await
    }

    async fn say(&mut self, operation: &Operation) -> Result<(), StepError> {
        match self.perform(None, operation).await?.receipt {
            Receipt::Said { .. } => Ok(()),
            other => Err(unfitting(operation.name(), other)),
        }
    }

    /// Does `work` once over all runs, and records what it came to under `name`: for effects outside, and for what
    /// would differ in another run. A crash between the two does it again, so effects want the assignment's
    /// `effect_key` too.
    ///
    /// # Errors
    /// The work's error, or see [`StepError`].
    pub async fn step<T, E, F>(
        &mut self,
        name: &str,
        work: impl FnOnce() -> F,
    ) -> Result<T, HandlerError>
    where
        T: Serialize + DeserializeOwned,
        E: Into<HandlerError>,
        F: Future<Output = Result<T, E>>,
    {
        let recorded = match self.come_to(Some(name), "record", &Value::Null)? {
            Place::Recorded(receipt) => self.what_was_recorded(receipt)?,
            Place::New(step) => {
                let value = serde_json::to_value(work().await.map_err(Into::into)?)?;
                let receipt = self.make(step, "record", &json!({"value": value})).await?;
                self.what_was_recorded(receipt)?
            }
        };
        Ok(serde_json::from_value(recorded)?)
    }

    /// Records a value under `name`, or returns what an earlier run recorded there.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn record(&mut self, name: &str, value: Value) -> Result<Value, StepError> {
        let made = self
            .perform(Some(name), &Operation::Record { value })
            .await?;
        self.what_was_recorded(made.receipt)
    }

    fn what_was_recorded(&mut self, receipt: Receipt) -> Result<Value, StepError> {
        match self.judge(receipt)? {
            Receipt::Recorded { value } => Ok(value),
            other => Err(unfitting("record", other)),
        }
    }

    /// What an earlier run recorded under `name`, looked at without coming to it.
    pub fn recorded(&self, name: &str) -> Option<&Value> {
        match self
            .recorded
            .look_at(&recorded_as(self.handling.as_deref(), name))?
        {
            Receipt::Recorded { value } => Some(value),
            _ => None,
        }
    }

    /// The bytes of an artifact of this root.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn artifact(&self, digest: &str) -> Result<Bytes, StepError> {
        let root = &self.task.task.root;
        let bytes = self.client.artifact_under(&self.token, root, digest).await;
        Ok(bytes?)
    }

    /// How long the lease certainly lasts without another heartbeat: a lower bound that needs no clock but this one.
    /// The worker prolongs it all the while.
    pub fn lease_left(&self) -> Duration {
        self.pulse.left()
    }

    /// Prolongs the lease now.
    ///
    /// # Errors
    /// [`StepError::Ended`] if it is over; else see [`StepError`].
    pub async fn renew(&mut self) -> Result<(), StepError> {
        self.go_on()?;
        let begun = tokio::time::Instant::now();
        let tokens = [self.token.as_str()];
        let beats = self.client.heartbeat(&tokens, self.pulse.every()).await?;
        match beats.first().map(|beat| beat.state) {
            Some(BeatState::Live) => {
                self.pulse.confirm(begun);
                Ok(())
            }
            state => Err(self.end(format!("{state:?}").to_lowercase())),
        }
    }

    /// The client, for calls that are no steps.
    pub const fn client(&self) -> &Client {
        &self.client
    }

    /// Whether the run was stopped, so that what the handler returns is not sent.
    pub(crate) const fn is_stopped(&self) -> bool {
        self.stopped.is_some()
    }

    fn go_on(&self) -> Result<(), StepError> {
        match &self.stopped {
            None => Ok(()),
            Some(Stopped::Suspended) => Err(StepError::Suspended),
            Some(Stopped::Ended(reason)) => Err(StepError::Ended(reason.clone())),
        }
    }

    fn suspend(&mut self) -> StepError {
        self.stopped = Some(Stopped::Suspended);
        StepError::Suspended
    }

    fn end(&mut self, reason: String) -> StepError {
        self.stopped = Some(Stopped::Ended(reason.clone()));
        StepError::Ended(reason)
    }
}
