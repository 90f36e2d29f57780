//! `acknowledge`: ends the task that an opening inform made. The engine notes it; no answer is due.

use super::holder::{Holder, settle};
use crate::{
    body::Body,
    facts::{Draft, Stop},
    lease::LeaseEnd,
    performative::Performative,
    receipt::Outcome,
    transition::{End, EndedBy},
};

pub(super) fn decide(d: &mut Draft<'_>, holder: &Holder) -> Result<Outcome, Stop> {
    settle(
        d,
        holder,
        End {
            by: EndedBy::Debtor(holder.hop.id),
            performative: Performative::Inform,
            refusal: None,
            artifacts: Vec::new(),
            body: Body::default(),
            dead: None,
            lease: LeaseEnd::Settled,
        },
    )
}
