//! `progress`: an inform on the way, any number of them.

use super::holder::Holder;
use crate::{
    body::Body,
    facts::{Draft, Stop},
    performative::Performative,
    receipt::Outcome,
    transition::{Speech, authorize, say},
};

/// Tells how far it is.
#[derive(Debug, Clone)]
pub struct Progress {
    /// In these words.
    pub body: Body,
    /// Whether it waits for a credential, out of band, at the peer that it works at; the next progress without this says
    /// that it goes on.
    pub needs_credential: bool,
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    holder: &Holder,
    progress: &Progress,
) -> Result<Outcome, Stop> {
    let mut task = d.task(holder.task.id())?;
    let mut speech = Speech::new(
        Performative::Inform,
        task.made.debtor.clone(),
        task.made.requester.clone(),
        progress.body.clone(),
    );
    speech.hop = Some(holder.hop.id);
    speech.in_reply_to = Some(task.made.opening);
    let act = say(d, &mut task, speech)?;
    authorize(d, task, progress.needs_credential)?;
    Ok(Outcome::Said { act })
}
