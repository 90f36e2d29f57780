//! `acknowledge`: ends the task that an opening inform made. No answer is due: what ends the task, as an act ends every
//! task, is an inform of its debtor without words.

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
