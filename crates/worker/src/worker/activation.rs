//! One lease: questions first, then the handler, then what it came to.

use std::{any::Any, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::FutureExt;
use tokio::time::Instant;

use super::Shared;
use crate::{
    assignment::Assignment,
    context::{Context, StepError, is_over},
    handler::HandlerError,
    outcome::Outcome,
    pulse::Pulse,
    wire::{Act, Ask, Lease, Operation, Performative, Receipt},
};

/// Bytes of an error that go to the server, which takes a few more.
const ERROR_BYTES: usize = 4_000;

/// How work on a lease came to an end.
enum End {
    /// The handler ran through, or stopped.
    Ran(Result<Outcome, HandlerError>),
    /// The handler panicked.
    Panicked(Box<dyn Any + Send>),
    /// The lease is over: there is nobody to tell.
    Over,
    /// The worker drains, and the handler did not finish in time.
    GiveBack,
}

impl Shared {
    /// Works on a lease that was granted about `granted`.
    pub(super) async fn work_on(&self, mut lease: Lease, granted: Instant) {
        let every = Duration::from_millis(lease.heartbeat_ms);
        let pulse = Arc::new(Pulse::new(every, granted));
        let token = lease.token.clone();
        let kept = self.heartbeats.keep(token.clone(), Arc::clone(&pulse));
        let task = Arc::new(Assignment::of(&mut lease));
        let mut ctx = Context::new(
            self.client.clone(),
            token.clone(),
            Arc::clone(&task),
            lease.steps,
            Arc::clone(&self.questions),
            pulse,
        );
        let end = {
            let work = AssertUnwindSafe(self.run(&mut ctx, &task, lease.questions));
            tokio::select! {
                biased;
                () = kept.ended() => End::Over,
                () = self.give_back.cancelled() => End::GiveBack,
                ended = work.catch_unwind() => match ended {
                    Ok(result) => End::Ran(result),
                    Err(panic) => End::Panicked(panic),
                },
            }
        };
        let last = conclusion(end, &ctx, &task);
        drop(ctx);
        if let Some(operation) = last {
            self.conclude(&token, operation, &task).await;
        }
        drop(kept);
    }

    /// Answers what was asked from below, then runs the handler; in a consultation, the handler for those.
    async fn run(
        &self,
        ctx: &mut Context,
        task: &Assignment,
        questions: Vec<Ask>,
    ) -> Result<Outcome, HandlerError> {
        if !task.task.fold {
            ctx.answer_all(questions).await?;
            return self.handler.handle(ctx, task).await;
        }
        match &self.consult {
            Some(consult) => consult.handle(ctx, task).await,
            None => {
                Ok(Outcome::decline("this agent answers no consultations").because("no-consult"))
            }
        }
    }

    /// Ends the lease. A refused result is reported as a failure, so that the task does not wait for a lost lease.
    async fn conclude(&self, token: &str, operation: Operation, task: &Assignment) {
        let gives_up = matches!(operation, Operation::Fail { .. } | Operation::Release {});
        let receipt = self.say(token, operation, task).await;
        let Some(Receipt::Refused { act, .. }) = receipt else {
            return;
        };
        let reason = act.reason_code();
        let message = act.message.as_deref().unwrap_or_default();
        let task_id = &task.task.id;
        tracing::warn!(task = task_id, reason, message, "outcome refused");
        if !gives_up && !is_over(&act) {
            let error = format!("the outcome was refused, {reason}: {message}");
            self.say(token, fail(false, error), task).await;
        }
    }

    async fn say(&self, token: &str, operation: Operation, task: &Assignment) -> Option<Receipt> {
        let name = operation.name();
        match self.settling.settle(token, operation).await {
            Ok(receipt) => {
                tracing::debug!(
                    task = task.task.id,
                    operation = name,
                    outcome = receipt.name()
                );
                Some(receipt)
            }
            Err(error) => {
                tracing::warn!(task = task.task.id, operation = name, %error, "outcome not taken");
                None
            }
        }
    }
}

/// The operation that ends the lease; none if it has ended.
fn conclusion(end: End, ctx: &Context, task: &Assignment) -> Option<Operation> {
    let result = match end {
        End::Over => return None,
        End::GiveBack if ctx.is_stopped() => return None,
        End::GiveBack => return Some(Operation::Release {}),
        End::Panicked(panic) => return Some(fail(true, panic_text(panic.as_ref()))),
        End::Ran(result) => result,
    };
    match result {
        Ok(_) if ctx.is_stopped() => {
            tracing::warn!(
                task = task.task.id,
                "the handler went on after its run was stopped: pass errors of the context on with `?`"
            );
            None
        }
        Ok(outcome) => Some(settle(outcome, &task.act)),
        Err(_) if ctx.is_stopped() => None,
        Err(error) => Some(give_up(&error)),
    }
}

/// What an outcome is sent as, in answer to the act that asked it.
fn settle(outcome: Outcome, asked: &Act) -> Operation {
    let informed = asked.performative == Performative::Inform;
    match outcome {
        // No answer is due to an inform (SEMANTICS 1).
        Outcome::Reply { .. } | Outcome::Decline { .. } | Outcome::Abstain if informed => {
            Operation::Acknowledge {}
        }
        Outcome::Reply { parts, artifacts } => Operation::Reply { parts, artifacts },
        Outcome::Decline { parts, reason } => Operation::Decline { parts, reason },
        Outcome::Fail {
            retry,
            parts,
            error,
            reason,
        } => Operation::Fail {
            retry,
            parts,
            error: error.map(shortened),
            reason,
        },
        Outcome::Acknowledge => Operation::Acknowledge {},
        Outcome::Abstain => Operation::Abstain {},
    }
}

/// An error gives up the attempt. Only what was refused will be refused again; a run that diverged may find the
/// right program in another worker.
fn give_up(error: &HandlerError) -> Operation {
    let refused = matches!(error.interruption(), Some(StepError::Refused(_)));
    fail(!refused, error.to_string())
}

fn fail(retry: bool, error: String) -> Operation {
    Operation::Fail {
        retry,
        parts: Vec::new(),
        error: Some(shortened(error)),
        reason: None,
    }
}

fn shortened(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(ERROR_BYTES));
    text
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the handler panicked: {}", text.unwrap_or("without words"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::wire::Part;

    fn asked(performative: &str) -> Act {
        serde_json::from_value(json!({"performative": performative})).unwrap()
    }

    #[test]
    fn the_operation_follows_from_the_outcome() {
        let request = asked("request");
        for (outcome, operation) in [
            (Outcome::text("x"), "reply"),
            (Outcome::decline("x"), "decline"),
            (Outcome::retry("x"), "fail"),
            (Outcome::Acknowledge, "acknowledge"),
            (Outcome::Abstain, "abstain"),
        ] {
            assert_eq!(settle(outcome, &request).name(), operation);
        }
    }

    #[test]
    fn an_inform_is_acknowledged_or_failed() {
        let inform = asked("inform");
        for (outcome, operation) in [
            (Outcome::text("thanks"), "acknowledge"),
            (Outcome::decline("x"), "acknowledge"),
            (Outcome::fail("x"), "fail"),
        ] {
            assert_eq!(settle(outcome, &inform).name(), operation);
        }
    }

    #[test]
    fn what_was_refused_is_given_up_for_good_and_other_errors_for_now() {
        let gives_up = |error: HandlerError| match give_up(&error) {
            Operation::Fail { retry, .. } => !retry,
            other => panic!("{other:?}"),
        };
        let refuse = serde_json::from_value(json!({"performative": "refuse"})).unwrap();
        assert!(gives_up(StepError::Refused(Box::new(refuse)).into()));
        assert!(!gives_up(HandlerError::new("no disk")));
        let diverged = StepError::Diverged {
            step: "a".to_owned(),
            unread: "b".to_owned(),
        };
        assert!(!gives_up(diverged.into()));
    }

    #[test]
    fn an_error_is_shortened_between_characters() {
        let Operation::Fail { error, parts, .. } =
            fail(true, format!("a{}", "ä".repeat(ERROR_BYTES)))
        else {
            panic!("no fail")
        };
        assert_eq!(error.unwrap().len(), ERROR_BYTES - 1);
        assert_eq!(parts, Vec::<Part>::new());
    }
}
