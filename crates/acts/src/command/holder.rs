//! One who holds a lease, and so may act for its task.

use super::Caller;
use crate::{
    facts::{Draft, Stop},
    hop::Hop,
    ids::ActId,
    lease::Lease,
    receipt::Outcome,
    task::Task,
    transition::{End, end_task},
};

/// One who holds a live lease.
pub(crate) struct Holder {
    pub(crate) caller: Caller,
    pub(crate) lease: Lease,
    pub(crate) hop: Hop,
    pub(crate) task: Task,
}

impl Holder {
    /// The rows as the draft has them now, after something was said.
    pub(crate) fn reread(&mut self, d: &Draft<'_>) -> Result<(), Stop> {
        self.task = d.task(self.task.id())?;
        self.hop = d.hop(self.hop.id)?;
        self.lease = d.lease(self.lease.token)?;
        Ok(())
    }
}

/// Ends the holder's task by its own word.
pub(super) fn settle(d: &mut Draft<'_>, holder: &Holder, end: End) -> Result<Outcome, Stop> {
    let task = d.task(holder.task.id())?;
    let id = task.id();
    let act: ActId = end_task(d, task, end)?;
    Ok(Outcome::Settled { task: id, act })
}
