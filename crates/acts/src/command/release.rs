//! `release`: the worker drains. The hop is ready at once for any other; no attempt is counted.

use serde_json::json;

use super::{holder::Holder, park::end_lease};
use crate::{
    event::EventKind,
    facts::{Draft, Stop},
    lease::LeaseEnd,
    receipt::Outcome,
    transition::{free, log},
};

pub(super) fn decide(d: &mut Draft<'_>, holder: &Holder) -> Result<Outcome, Stop> {
    let mut hop = holder.hop.clone();
    let mut task = d.task(holder.task.id())?;
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::MailboxReleased,
        json!({"hop": hop.id}),
    )?;
    hop.state = hop.state.ready()?;
    task.now.changed = d.now;
    d.put(hop);
    end_lease(d, holder, LeaseEnd::Released);
    d.put(task.clone());
    free(d, &task)?;
    Ok(Outcome::Released)
}
