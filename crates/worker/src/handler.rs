//! What a worker's program provides: handlers of tasks and of questions.

use std::{error::Error as StdError, fmt, future::Future};

use futures_util::future::BoxFuture;

use crate::{
    assignment::Assignment,
    context::{Context, StepError},
    outcome::Outcome,
    reply::Answer,
    wire::{Ask, Part},
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
}
