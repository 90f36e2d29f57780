//! `fail`: the agent gives the task up, for now or for good.

use super::{
    decline::own_reason,
    holder::{Holder, settle},
};
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

impl Fail {
    /// The kinds that the recipient of a task may say; the first where it says none.
    pub const REASONS: &[Reason] = &[
        Reason::GaveUp,
        Reason::OutcomeUnknown,
        Reason::PeerCancelled,
        Reason::PeerFailed,
        Reason::PeerNonsense,
        Reason::PeerUnreachable,
    ];
}

/// The attempt is given up, to be made again: it counts as lost (SEMANTICS 3).
pub(super) fn again(d: &mut Draft<'_>, holder: &Holder, fail: &Fail) -> Result<Outcome, Stop> {
    own_reason(fail.reason, Fail::REASONS)?;
    let error = if fail.error.is_empty() {
        "the worker gave the attempt up"
    } else {
        &fail.error
    };
    lose(
        d,
        holder.lease.clone(),
        holder.task.clone(),
        LeaseEnd::Settled,
        error,
    )
}

/// The task is given up.
pub(super) fn decide(d: &mut Draft<'_>, holder: &Holder, fail: &Fail) -> Result<Outcome, Stop> {
    own_reason(fail.reason, Fail::REASONS)?;
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
