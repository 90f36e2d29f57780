//! `decline`: the recipient does not take it on.

use super::holder::{Holder, settle};
use crate::{
    body::Body,
    envelope::Refusal,
    facts::{Draft, Fault, Stop},
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

impl Decline {
    /// The kinds that the recipient of a task may say; the first where it says none.
    pub const REASONS: &[Reason] = &[Reason::Declined, Reason::NoConsult, Reason::PeerRefused];
}

/// A recipient says why by a kind of its own, not by one that is the engine's to say.
pub(super) fn own_reason(reason: Reason, own: &[Reason]) -> Result<(), Stop> {
    if own.contains(&reason) {
        return Ok(());
    }
    let codes: Vec<&str> = own.iter().map(|reason| reason.code()).collect();
    let message = format!(
        "`{reason}` is not yours to say: expected one of {}",
        codes.join(", ")
    );
    Err(Fault::Invalid(message).into())
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    holder: &Holder,
    decline: &Decline,
) -> Result<Outcome, Stop> {
    own_reason(decline.reason, Decline::REASONS)?;
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
