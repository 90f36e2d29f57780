//! `decline`: the recipient does not take it on.

use super::holder::{Holder, settle};
use crate::{
    body::Body,
    envelope::Refusal,
    facts::{Draft, Stop},
    lease::LeaseEnd,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    transition::{End, EndedBy},
};

/// A refusal by the recipient.
#[derive(Debug, Clone)]
pub struct Decline {
    /// Its kind: `declined`, `no-consult`, or what a peer said.
    pub reason: Reason,
    /// In these words.
    pub body: Body,
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    holder: &Holder,
    decline: &Decline,
) -> Result<Outcome, Stop> {
    settle(
        d,
        holder,
        End {
            by: EndedBy::Debtor(holder.hop.id),
            performative: Performative::Refuse,
            refusal: Some(Refusal::new(decline.reason)),
            artifacts: Vec::new(),
            body: decline.body.clone(),
            dead: None,
            lease: LeaseEnd::Settled,
        },
    )
}
