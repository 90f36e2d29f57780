//! `reply`: the one inform that ends the task.

use super::holder::{Holder, settle};
use crate::{
    body::{Body, NewArtifact},
    facts::{Draft, Stop},
    lease::LeaseEnd,
    performative::Performative,
    receipt::Outcome,
    transition::{End, EndedBy, bring},
};

/// The result.
#[derive(Debug, Clone)]
pub struct Reply {
    /// In these words.
    pub body: Body,
    /// With these artifacts.
    pub artifacts: Vec<NewArtifact>,
}

pub(super) fn decide(d: &mut Draft<'_>, holder: &Holder, reply: &Reply) -> Result<Outcome, Stop> {
    let artifacts = bring(d, holder.task.id().root, &reply.artifacts)?;
    settle(
        d,
        holder,
        End {
            by: EndedBy::Debtor(holder.hop.id),
            performative: Performative::Inform,
            refusal: None,
            artifacts,
            body: reply.body.clone(),
            dead: None,
            lease: LeaseEnd::Settled,
        },
    )
}
