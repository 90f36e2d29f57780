//! Steps: what was made inside an activation is made once, for all attempts at its task (SEMANTICS 4; I6).

use super::{Answer, AnswerAsk, HopOperation, UnderHop, holder::Holder};
use crate::{
    envelope::Refusal,
    facts::{Draft, Fault, Stop},
    limits::STEPS_PER_TASK,
    reason::Reason,
    receipt::{Outcome, Receipt, Scope},
};

impl UnderHop {
    /// What it is called among the task's steps; an answer is called by its ask. What ends a lease is none.
    pub(super) fn step_name(&self) -> Option<String> {
        match &self.operation {
            HopOperation::Answer(AnswerAsk { ask: Some(ask), .. }) => Some(format!("answer/{ask}")),
            HopOperation::Answer(_)
            | HopOperation::Agree
            | HopOperation::Progress(_)
            | HopOperation::Delegate(_)
            | HopOperation::DelegateAll(_)
            | HopOperation::Record(_)
            | HopOperation::Ask(_) => {
                // Without a name a step is what it says: the digest of what was sent.
                let name = self
                    .step
                    .clone()
                    .unwrap_or_else(|| self.content.to_string());
                Some(match self.handling {
                    Some(ask) => format!("{ask}/{name}"),
                    // Two programs do not take each other's names.
                    None if self.known_by.is_joined() => format!("joined/{name}"),
                    None => name,
                })
            }
            _ => None,
        }
    }
}

/// Notes the recorded steps that the run has come to.
pub(super) fn read(d: &mut Draft<'_>, holder: &mut Holder, ordinals: &[u32]) {
    let before = holder.lease.unread.len();
    holder
        .lease
        .unread
        .retain(|ordinal| !ordinals.contains(ordinal));
    if holder.lease.unread.len() != before {
        d.put(holder.lease.clone());
    }
}

/// The answer of a step that was made before.
pub(super) fn replay(
    d: &mut Draft<'_>,
    holder: &mut Holder,
    name: &str,
    under: &UnderHop,
) -> Result<Option<Answer>, Stop> {
    let Some(receipt) = d.receipt(Receipt::key_of_step(holder.task.id(), name))? else {
        return Ok(None);
    };
    if receipt.content != under.content {
        let message =
            format!("step `{name}` was made with other content; give this one a name of its own");
        return Err(Refusal::saying(Reason::KeyReused, message)
            .with("step", name)
            .into());
    }
    if let Scope::Step { ordinal, .. } = receipt.scope {
        read(d, holder, &[ordinal]);
    }
    Ok(Some(Answer::again(receipt.outcome)))
}

/// A new step must come after all those recorded, and there may be so many of them.
pub(super) fn admit(holder: &Holder, name: &str, under: &UnderHop) -> Result<(), Stop> {
    let exempt = under.handling.is_some()
        || under.known_by.is_joined()
        || matches!(under.operation, HopOperation::Answer(_));
    let unread = holder.lease.unread.len();
    if unread > 0 && !exempt {
        return Err(Fault::ReplayDiverged {
            step: name.into(),
            unread,
        }
        .into());
    }
    if holder.task.now.steps >= STEPS_PER_TASK {
        let message = format!(
            "the task has made {STEPS_PER_TASK} steps, the most there may be; answer with what you have"
        );
        return Err(Refusal::saying(Reason::TooManySteps, message)
            .with("limit", STEPS_PER_TASK)
            .into());
    }
    Ok(())
}

pub(super) fn record(
    d: &mut Draft<'_>,
    holder: &Holder,
    name: &str,
    under: &UnderHop,
    outcome: &Outcome,
) -> Result<(), Stop> {
    let mut task = d.task(holder.task.id())?;
    task.now.steps += 1;
    let scope = Scope::Step {
        task: task.id(),
        ordinal: task.now.steps,
        handling: under.handling,
        joined: under.known_by.is_joined(),
    };
    d.put(Receipt::new(
        scope,
        name,
        under.content,
        outcome.clone(),
        d.now,
    ));
    d.put(task);
    Ok(())
}

/// A step that was refused is a step: a later run of the handler comes to it again, and must not seem to make it anew
/// (SEMANTICS 4). Not so what is refused before it is looked up, what asks under a name that is taken, and answers.
pub(super) fn record_refusal(
    d: &mut Draft<'_>,
    holder: &Holder,
    under: &UnderHop,
    refusal: &Refusal,
) -> Result<(), Stop> {
    let none = matches!(
        refusal.reason,
        Reason::ReadOnly | Reason::KeyReused | Reason::TooManySteps
    );
    let Some(name) = under.step_name().filter(|_| !none) else {
        return Ok(());
    };
    if matches!(under.operation, HopOperation::Answer(_)) {
        return Ok(());
    }
    let outcome = Outcome::Refused {
        task: None,
        act: None,
        refusal: refusal.clone(),
    };
    record(d, holder, &name, under, &outcome)
}
