//! What a worker's program provides: a handler, and what it comes to.

use std::{error::Error as StdError, fmt, future::Future};

use futures_util::future::BoxFuture;
use serde::Serialize;

use crate::{
    context::{Context, StepError},
    reply::Answer,
    wire::{Act, AgentVersion, Ancestor, ArtifactIn, Ask, Lease, Part, Task, Turn},
};

/// Works on the tasks of an agent. It is plain code: after a wait or a crash it runs again from its beginning, and
/// what it had made under its [`Context`] is there already (SEMANTICS 4). So it must come to the same steps in each
/// run: what differs from run to run (time, chance, a model's words) goes through [`Context::step`].
pub trait Handler: Send + Sync + 'static {
    /// Works on one task.
    ///
    /// # Errors
    /// An error of a context's operation is passed on with `?`: it says that the run is to stop. Any other error
    /// gives the attempt up, and there will be another.
    fn handle(
        &self,
        ctx: &mut Context,
        task: &Assignment,
    ) -> impl Future<Output = Result<Outcome, HandlerError>> + Send;
}

/// Answers the questions of those that a task of this agent delegated to.
pub trait QuestionHandler: Send + Sync + 'static {
    /// Answers one question. Steps made here are scoped by it.
    ///
    /// # Errors
    /// As [`Handler::handle`].
    fn answer(
        &self,
        ctx: &mut Context,
        task: &Assignment,
        question: &Ask,
    ) -> impl Future<Output = Result<QuestionOutcome, HandlerError>> + Send;
}

/// What a question comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionOutcome {
    /// It is answered.
    Answer(Vec<Part>),
    /// It is declined.
    Refuse(Vec<Part>),
}

/// Asks whoever made the request, and answers with what they say: what a worker does without a handler of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskUpwards;

impl QuestionHandler for AskUpwards {
    async fn answer(
        &self,
        ctx: &mut Context,
        _task: &Assignment,
        question: &Ask,
    ) -> Result<QuestionOutcome, HandlerError> {
        let answer = ctx.ask(question.question.parts.clone()).await?;
        Ok(match answer {
            Answer::Said { act, .. } => QuestionOutcome::Answer(act.parts),
            Answer::None { reason, .. } => QuestionOutcome::Refuse(vec![Part::text(format!(
                "nobody above answered: {reason}"
            ))]),
        })
    }
}

/// What there is to do: a task, with what its worker needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    /// The lease.
    pub lease: String,
    /// The hop.
    pub hop: String,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// Whether the hop was parked or released before.
    pub resumed: bool,
    /// Whether an earlier attempt may have had effects outside that must be looked for first.
    pub reconcile: bool,
    /// A key for effects outside that is the same in every attempt.
    pub effect_key: String,
    /// Who is at work, in which version.
    pub agent: AgentVersion,
    /// The task.
    pub task: Task,
    /// The act that asked it.
    pub act: Act,
    /// That act as the engine renders it for a model: programs that build prompts take this and nothing else.
    pub prompt: Vec<String>,
    /// Earlier turns of the conversation or, in a consultation, of the conversation that is consulted.
    pub history: Vec<Turn>,
    /// The hops above, the oldest first.
    pub genealogy: Vec<Ancestor>,
}

impl Assignment {
    /// Takes what the handler may know out of a lease: all but the token, the steps and the questions.
    pub(crate) fn of(lease: &mut Lease) -> Self {
        Self {
            lease: lease.lease.clone(),
            hop: lease.hop.clone(),
            attempt: lease.attempt,
            resumed: lease.resumed,
            reconcile: lease.reconcile,
            effect_key: std::mem::take(&mut lease.effect_key),
            agent: lease.agent.clone(),
            task: lease.task.clone(),
            act: lease.act.clone(),
            prompt: std::mem::take(&mut lease.prompt),
            history: std::mem::take(&mut lease.history),
            genealogy: std::mem::take(&mut lease.genealogy),
        }
    }

    /// The text of the request: untrusted.
    pub fn text(&self) -> String {
        self.act.text()
    }

    /// The data of the request, read as a `T`; none if it has none.
    pub fn data<T: serde::de::DeserializeOwned>(&self) -> Option<Result<T, serde_json::Error>> {
        self.act.data()
    }
}

/// How a handler ends a task. The performative follows from it (SEMANTICS 1).
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The result. For an opening inform it is the acknowledgement, and what it says is dropped.
    Reply {
        /// What it says.
        parts: Vec<Part>,
        /// What comes with it.
        artifacts: Vec<ArtifactIn>,
    },
    /// The agent does not take the task on.
    Decline {
        /// Why, in words.
        parts: Vec<Part>,
        /// Why, as a code; `declined` unless said.
        reason: Option<String>,
    },
    /// The task, or this attempt at it, is given up.
    Fail {
        /// Whether another attempt may succeed.
        retry: bool,
        /// What to tell the sender.
        parts: Vec<Part>,
        /// What went wrong, for those who keep the agent running.
        error: Option<String>,
        /// Why, as a code; `gave-up` unless said.
        reason: Option<String>,
    },
    /// The opening inform was taken note of.
    Acknowledge,
    /// Nothing is said in this turn of a room.
    Abstain,
}

impl Outcome {
    /// A result.
    pub fn reply(parts: impl Into<Vec<Part>>) -> Self {
        Self::Reply {
            parts: parts.into(),
            artifacts: Vec::new(),
        }
    }

    /// A result of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::reply([Part::text(text)])
    }

    /// A result of data.
    ///
    /// # Errors
    /// The value has no JSON form.
    pub fn data<T: Serialize>(value: &T) -> Result<Self, serde_json::Error> {
        Ok(Self::reply([Part::of(value)?]))
    }

    /// The same result with an artifact; other outcomes carry none and stay as they are.
    pub fn with_artifact(mut self, artifact: ArtifactIn) -> Self {
        if let Self::Reply { artifacts, .. } = &mut self {
            artifacts.push(artifact);
        }
        self
    }

    /// A decline, with the reason in words.
    pub fn decline(why: impl Into<String>) -> Self {
        Self::Decline {
            parts: vec![Part::text(why)],
            reason: None,
        }
    }

    /// Gives the task up for good, with what the sender is told.
    pub fn fail(why: impl Into<String>) -> Self {
        Self::Fail {
            retry: false,
            parts: vec![Part::text(why)],
            error: None,
            reason: None,
        }
    }

    /// Gives this attempt up; `error` is for those who keep the agent running.
    pub fn retry(error: impl Into<String>) -> Self {
        Self::Fail {
            retry: true,
            parts: Vec::new(),
            error: Some(error.into()),
            reason: None,
        }
    }

    /// The same decline or failure with a reason code of those that a worker may say: `declined`, `no-consult`,
    /// `peer-refused`; `gave-up`, `outcome-unknown`, `peer-cancelled`, `peer-failed`, `peer-nonsense`,
    /// `peer-unreachable`. Other outcomes have none and stay as they are.
    pub fn because(mut self, code: impl Into<String>) -> Self {
        if let Self::Decline { reason, .. } | Self::Fail { reason, .. } = &mut self {
            *reason = Some(code.into());
        }
        self
    }
}

/// Why a handler did not come to an outcome. Any error becomes one by `?`.
pub struct HandlerError(Box<dyn StdError + Send + Sync>);

impl HandlerError {
    /// An error of words.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into().into())
    }

    /// The interruption by the context that it carries, however deep.
    pub(crate) fn interruption(&self) -> Option<&StepError> {
        let mut error: Option<&(dyn StdError + 'static)> = Some(self.0.as_ref());
        while let Some(current) = error {
            if let Some(interruption) = current.downcast_ref::<StepError>() {
                return Some(interruption);
            }
            error = current.source();
        }
        None
    }

    pub(crate) fn into_inner(self) -> Box<dyn StdError + Send + Sync> {
        self.0
    }
}

impl<E: StdError + Send + Sync + 'static> From<E> for HandlerError {
    fn from(error: E) -> Self {
        Self(Box::new(error))
    }
}

impl fmt::Display for HandlerError {
    /// The error with all its causes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

impl fmt::Debug for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// [`Handler`], as it is kept by a worker.
pub(crate) trait AnyHandler: Send + Sync {
    fn handle<'a>(
        &'a self,
        ctx: &'a mut Context,
        task: &'a Assignment,
    ) -> BoxFuture<'a, Result<Outcome, HandlerError>>;
}

impl<H: Handler> AnyHandler for H {
    fn handle<'a>(
        &'a self,
        ctx: &'a mut Context,
        task: &'a Assignment,
    ) -> BoxFuture<'a, Result<Outcome, HandlerError>> {
        Box::pin(Handler::handle(self, ctx, task))
    }
}

/// [`QuestionHandler`], as it is kept by a worker.
pub(crate) trait AnyQuestionHandler: Send + Sync {
    fn answer<'a>(
        &'a self,
        ctx: &'a mut Context,
        task: &'a Assignment,
        question: &'a Ask,
    ) -> BoxFuture<'a, Result<QuestionOutcome, HandlerError>>;
}

impl<H: QuestionHandler> AnyQuestionHandler for H {
    fn answer<'a>(
        &'a self,
        ctx: &'a mut Context,
        task: &'a Assignment,
        question: &'a Ask,
    ) -> BoxFuture<'a, Result<QuestionOutcome, HandlerError>> {
        Box::pin(QuestionHandler::answer(self, ctx, task, question))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot investigate")]
    struct Wrapped(#[source] StepError);

    #[test]
    fn an_interruption_is_found_however_deep_it_is() {
        let direct = HandlerError::from(StepError::Suspended);
        assert!(matches!(direct.interruption(), Some(StepError::Suspended)));
        let wrapped = HandlerError::from(Wrapped(StepError::Suspended));
        assert!(matches!(wrapped.interruption(), Some(StepError::Suspended)));
        assert!(HandlerError::new("no log").interruption().is_none());
    }

    #[test]
    fn an_error_is_told_with_its_causes() {
        let error = HandlerError::from(Wrapped(StepError::Ended("lease-lost".to_owned())));
        assert_eq!(
            error.to_string(),
            "cannot investigate: the lease has ended (lease-lost): what is done from here on counts for nothing"
        );
    }

    #[test]
    fn artifacts_come_with_results_only() {
        let artifact = ArtifactIn::text("a.txt", "text/plain", "a");
        let Outcome::Reply { artifacts, .. } = Outcome::text("x").with_artifact(artifact.clone())
        else {
            panic!("no reply")
        };
        assert_eq!(artifacts.len(), 1);
        let decline = Outcome::decline("no");
        assert_eq!(decline.clone().with_artifact(artifact), decline);
    }
}
