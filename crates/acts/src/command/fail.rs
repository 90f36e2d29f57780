//! `fail`: the agent gives the task up, for now or for good.

use super::holder::{Holder, settle};
use crate::{
    body::Body,
    envelope::Refusal,
    facts::{Draft, Stop},
    lease::LeaseEnd,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    transition::{End, EndedBy, lose},
};

/// A failure by the recipient.
#[derive(Debug, Clone)]
pub struct Fail {
    /// Whether another attempt is to be made.
    pub retry: bool,
    /// Its kind: `gave-up`, or what a peer said or did.
    pub reason: Reason,
    /// What went wrong, for the log and the next attempt.
    pub error: String,
    /// What it tells the requester.
    pub body: Body,
}

pub(super) fn decide(d: &mut Draft<'_>, holder: &mut Holder, fail: &Fail) -> Result<Outcome, Stop> {
    holder.reread(d)?;
    if fail.retry {
        let error = if fail.error.is_empty() {
            "the worker gave the attempt up"
        } else {
            &fail.error
        };
        return lose(
            d,
            holder.lease.clone(),
            holder.task.clone(),
            LeaseEnd::Settled,
            error,
        );
    }
    let refusal = if fail.error.is_empty() {
        Refusal::new(fail.reason)
    } else {
        Refusal::saying(fail.reason, fail.error.clone())
    };
    settle(
        d,
        holder,
        End {
            by: EndedBy::Debtor(holder.hop.id),
            performative: Performative::Failure,
            refusal: Some(refusal),
            artifacts: Vec::new(),
            body: fail.body.clone(),
            dead: None,
            lease: LeaseEnd::Settled,
        },
    )
}
