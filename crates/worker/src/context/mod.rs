//! What a handler works with: operations under its lease, recorded as steps and replayed from them.

mod ask;
mod delegate;
mod fan_out;
#[cfg(test)]
mod tests;

use std::{
    collections::HashSet, error::Error as StdError, future::Future, sync::Arc, time::Duration,
};

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

pub use self::{
    ask::Question,
    fan_out::{Arrival, Arrivals, FanOut, Gathered},
};
use crate::{
    client::{Client, StepHeaders},
    handler::{AnyQuestionHandler, Assignment, HandlerError},
    problem::{Error, Problem},
    pulse::Pulse,
    step::{NameTaken, RecordedSteps, StepNames, recorded_as},
    wire::{Act, BeatState, Operation, Part, Receipt, RecordedStep},
};

/// Why an operation of a [`Context`] did not come to its end. Pass it on with `?`.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The activation is parked until what it waits for is there; then the handler runs again, here or elsewhere.
    #[error(
        "the activation is parked: pass this error on, and the handler runs again when there is more"
    )]
    Suspended,
    /// The lease has ended by loss, cancel or deadline, or the hop is finished; the reason is a code.
    #[error("the lease has ended ({0}): what is done from here on counts for nothing")]
    Ended(String),
    /// A decision of governance said no to the operation.
    #[error(
        "refused, {reason}: {message}",
        reason = .0.reason_code(),
        message = .0.message.as_deref().unwrap_or("see `tertulia explain`")
    )]
    Refused(Box<Act>),
    /// The run came to a new step before it came to all that earlier runs had made; nothing was sent.
    #[error(
        "replay diverged: step `{step}` is new, but `{unread}` of an earlier run was not come to; name steps whose \
         content differs between runs, or compute it in `Context::step`"
    )]
    Diverged {
        /// The new step.
        step: String,
        /// The first one that is unread, or what the server said.
        unread: String,
    },
    /// Two steps of this run were given the same name.
    #[error("two steps of this run are named `{0}`: give each a name of its own")]
    NameTaken(String),
    /// The call could not be carried out.
    #[error(transparent)]
    Call(Box<Error>),
    /// The handler of questions failed.
    #[error("the question cannot be answered")]
    Question(#[source] Box<dyn StdError + Send + Sync>),
}

impl From<Error> for StepError {
    fn from(error: Error) -> Self {
        Self::Call(Box::new(error))
    }
}

/// Reasons of a refuse that say that the lease is over, not that the operation is wrong (SEMANTICS 3).
const OVER: [&str; 5] = [
    "cancelled",
    "deadline",
    "expired",
    "group-fired",
    "parent-settled",
];

/// Whether a refuse says that the lease is over.
pub(crate) fn is_over(refuse: &Act) -> bool {
    OVER.contains(&refuse.reason_code())
}

/// How the run was stopped: every later operation is told the same, and nothing is sent.
#[derive(Debug, Clone)]
enum Stopped {
    Suspended,
    Ended(String),
}

/// Where a run comes to with a step.
enum Place {
    /// An earlier run has made it, and was answered this.
    Recorded(Receipt),
    /// It is new.
    New(NewStep),
}

/// A step that may be made.
struct NewStep {
    name: String,
    recorded_as: String,
}

/// A receipt, and whether it was read from the lease without a call.
struct Made {
    receipt: Receipt,
    recalled: bool,
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
        let parts = parts.into();
        self.say(&Operation::Progress { parts }).await
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

    /// Makes a step, or reads it if it was made.
    async fn perform(
        &mut self,
        key: Option<&str>,
        operation: &Operation,
    ) -> Result<Made, StepError> {
        let body = serde_json::to_value(operation).map_err(Error::Unsendable)?;
        let place = self.come_to(key, operation.name(), &body)?;
        let recalled = matches!(place, Place::Recorded(_));
        let receipt = match place {
            Place::Recorded(receipt) => receipt,
            Place::New(step) => self.make(step, operation.name(), &body).await?,
        };
        let receipt = self.judge(receipt)?;
        Ok(Made { receipt, recalled })
    }

    /// Names a step and reads it, or makes sure that it may be new: only when all recorded ones of its scope were
    /// read.
    fn come_to(
        &mut self,
        key: Option<&str>,
        operation: &str,
        body: &Value,
    ) -> Result<Place, StepError> {
        self.go_on()?;
        let handling = self.handling.as_deref();
        let name = self
            .names
            .name(key, operation, body, handling)
            .map_err(|NameTaken| StepError::NameTaken(key.unwrap_or_default().to_owned()))?;
        let recorded_as = recorded_as(handling, &name);
        if let Some(receipt) = self.recorded.read(&recorded_as) {
            return Ok(Place::Recorded(receipt));
        }
        match self.recorded.unread(handling) {
            None => Ok(Place::New(NewStep { name, recorded_as })),
            Some(unread) => Err(StepError::Diverged {
                step: recorded_as,
                unread: unread.first,
            }),
        }
    }

    /// Makes a new step.
    async fn make(
        &mut self,
        step: NewStep,
        operation: &str,
        body: &Value,
    ) -> Result<Receipt, StepError> {
        let headers = StepHeaders {
            name: Some(&step.name),
            handling: self.handling.as_deref(),
            read: self.recorded.ordinals(),
        };
        let answer = self
            .client
            .operate_with(&self.token, operation, body, headers)
            .await;
        let receipt = match answer {
            Ok(receipted) => receipted.receipt,
            Err(error) => return Err(self.failed(error, &step.recorded_as)),
        };
        if self.handling.is_none() {
            self.recorded.all_read();
        }
        Ok(receipt)
    }

    /// Carries out an operation that is no step.
    async fn operate(&mut self, operation: &Operation) -> Result<Receipt, StepError> {
        self.go_on()?;
        let step = StepHeaders {
            handling: self.handling.as_deref(),
            ..StepHeaders::default()
        };
        let answer = self.client.operate(&self.token, operation, step).await;
        match answer {
            Ok(receipted) => self.judge(receipted.receipt),
            Err(error) => Err(self.failed(error, operation.name())),
        }
    }

    fn go_on(&self) -> Result<(), StepError> {
        match &self.stopped {
            None => Ok(()),
            Some(Stopped::Suspended) => Err(StepError::Suspended),
            Some(Stopped::Ended(reason)) => Err(StepError::Ended(reason.clone())),
        }
    }

    /// Turns a refuse that says that the lease is over into that.
    fn judge(&mut self, receipt: Receipt) -> Result<Receipt, StepError> {
        match receipt {
            Receipt::Refused { act, task: None } if is_over(&act) => {
                Err(self.end(act.reason_code().to_owned()))
            }
            other => Ok(other),
        }
    }

    fn failed(&mut self, error: Error, step: &str) -> StepError {
        match error {
            Error::Problem(Problem::LeaseLost(details) | Problem::HopFinished(details)) => {
                self.end(details.code)
            }
            Error::Problem(Problem::ReplayDiverged(details)) => StepError::Diverged {
                step: step.to_owned(),
                unread: details.to_string(),
            },
            other => other.into(),
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

/// The error for a receipt that the operation cannot have: the refuse, if it is one.
fn unfitting(operation: &'static str, receipt: Receipt) -> StepError {
    match receipt {
        Receipt::Refused { act, .. } => StepError::Refused(act),
        other => Error::Unfitting {
            call: operation,
            outcome: other.name().to_owned(),
        }
        .into(),
    }
}
