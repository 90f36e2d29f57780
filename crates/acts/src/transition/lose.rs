//! The loss of an attempt: its worker sent no heartbeat, or gave it up to be tried again (SEMANTICS 3).

use serde_json::json;

use super::{End, authorize, end_task, log, slots::free};
use crate::{
    agent::Retry,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Stop},
    lease::{Lease, LeaseEnd, LeaseState},
    limits::{BACKOFF_FIRST, BACKOFF_MOST, ERROR_CHARS},
    reason::Reason,
    receipt::Outcome,
    task::Task,
    time::{Millis, Timestamp},
};

/// How long after attempt number `attempt` the next may begin.
pub(crate) fn backoff(attempt: u32) -> Millis {
    let doubled = BACKOFF_FIRST
        .0
        .checked_shl(attempt.saturating_sub(1))
        .unwrap_or(i64::MAX);
    Millis(doubled.clamp(BACKOFF_FIRST.0, BACKOFF_MOST.0))
}

/// Ends the attempt that `lease` held. The task stays working and its commitment active; another attempt follows,
/// unless there were enough of them or its version forbids it.
pub(crate) fn lose(
    d: &mut Draft<'_>,
    lease: Lease,
    mut task: Task,
    by: LeaseEnd,
    error: &str,
) -> Result<Outcome, Stop> {
    let mut hop = d.hop(lease.hop)?;
    let retry = d
        .version(task.made.tenant, &hop.agent, hop.version)?
        .ok_or_else(|| Stop::Broken("a hop works at a version that is absent".into()))?
        .definition
        .retry;
    let error: String = error.chars().take(ERROR_CHARS).collect();
    task.now.last_error = Some(error.clone());
    let last = task.now.attempts >= retry.attempts();
    let due: Timestamp = d.now.after(backoff(task.now.attempts));
    let mut detail =
        json!({"hop": hop.id, "attempt": task.now.attempts, "error": task.now.last_error});
    if !last {
        detail["due"] = json!(due);
    }
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::MailboxLeaseLost,
        detail,
    )?;
    if last {
        let refusal = if retry == Retry::Never {
            Refusal::saying(
                Reason::OutcomeUnknown,
                "the attempt was lost and its definition says `retry: never`; look at what it did before you redrive it",
            )
        } else {
            Refusal::saying(
                Reason::AttemptsExhausted,
                format!(
                    "{} attempts were lost; the last: {error}",
                    task.now.attempts
                ),
            )
        };
        let id = task.id();
        // What the worker gave up itself has a receipt; who was swept is told that the lease is lost.
        let end = End::dead(refusal.with("attempts", task.now.attempts), by);
        let act = end_task(d, task, end)?;
        return Ok(Outcome::Settled { task: id, act });
    }
    hop.state = hop.state.lose()?;
    d.put(hop);
    d.put(Lease {
        state: LeaseState::Ended { by, receipt: None },
        ..lease
    });
    task.now.delivery = task.now.delivery.retry(due)?;
    task.now.changed = d.now;
    let id = task.id();
    // Whether a credential is still missing, the next attempt finds out.
    authorize(d, task, false)?;
    let task = d.task(id)?;
    free(d, &task)?;
    Ok(Outcome::WillRetry { task: id, due })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_five_minutes() {
        let waits: Vec<i64> = (1..=10).map(|attempt| backoff(attempt).0 / 1000).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
        assert_eq!(backoff(200), BACKOFF_MOST);
    }
}
