//! `park`: the lease ends, the hop stays, and the slot is free for others (SEMANTICS 3). What is met already is answered
//! at once, and the lease lives on.

use serde_json::json;

use super::holder::Holder;
use crate::{
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Fault, Need, Stop},
    hop::Wait,
    lease::{Lease, LeaseEnd, LeaseState},
    limits::FAN_OUT,
    reason::Reason,
    receipt::Outcome,
    transition::{is_met, log},
};

pub(super) fn decide(d: &mut Draft<'_>, holder: &mut Holder, on: &Wait) -> Result<Outcome, Stop> {
    own(d, holder, on)?;
    if !matches!(on, Wait::Ask { .. }) {
        let asks = d.asks_to(holder.task.id())?;
        if !asks.is_empty() {
            let ids: Vec<_> = asks.iter().map(|ask| ask.id).collect();
            let message = "a child waits for this task's answer; answer its question, then park";
            return Err(Refusal::saying(Reason::WouldDeadlock, message)
                .with("asks", ids)
                .into());
        }
    }
    if is_met(d, on)? {
        return Ok(Outcome::Met);
    }
    give_up_lease(d, holder, on.clone())?;
    Ok(Outcome::Parked)
}

/// One waits only for what one has: children, groups and asks of one's own task.
fn own(d: &Draft<'_>, holder: &Holder, on: &Wait) -> Result<(), Stop> {
    let mine = holder.task.id();
    let absent = |what: String| Stop::Fault(Fault::NotFound(what));
    match on {
        Wait::Tasks { tasks } => {
            if tasks.is_empty() || tasks.len() > FAN_OUT {
                return Err(Fault::Invalid(format!("park on 1 to {FAN_OUT} tasks")).into());
            }
            d.foresee(tasks.iter().copied().map(Need::Task))?;
            for id in tasks {
                d.find_task(*id)?
                    .filter(|task| task.made.parent == Some(mine))
                    .ok_or_else(|| absent(format!("child {id} of {mine}")))?;
            }
        }
        Wait::Group { group, .. } => {
            d.find_group(*group)?
                .filter(|row| row.owner == mine)
                .ok_or_else(|| absent(format!("group {group} of {mine}")))?;
        }
        Wait::Ask { ask } => {
            d.find_ask(*ask)?
                .filter(|row| row.asker == mine)
                .ok_or_else(|| absent(format!("ask {ask} of {mine}")))?;
        }
    }
    Ok(())
}

/// Ends the lease and keeps the hop.
pub(super) fn give_up_lease(d: &mut Draft<'_>, holder: &Holder, on: Wait) -> Result<(), Stop> {
    let mut hop = holder.hop.clone();
    let mut task = d.task(holder.task.id())?;
    let detail = json!({"hop": hop.id, "on": on});
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::TaskParked,
        detail,
    )?;
    hop.state = hop.state.park(on)?;
    d.put(hop);
    end_lease(d, holder, LeaseEnd::Parked);
    d.put(task.clone());
    crate::transition::free(d, &task)
}

pub(super) fn end_lease(d: &mut Draft<'_>, holder: &Holder, by: LeaseEnd) {
    d.put(Lease {
        state: LeaseState::Ended { by, receipt: None },
        ..holder.lease.clone()
    });
}
