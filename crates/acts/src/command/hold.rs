//! Whether a hop token gives a hold, and if not, what is answered instead (SEMANTICS 3).

use super::{Answer, Caller, UnderHop, holder::Holder, late, may_serve};
use crate::{
    envelope::Refusal,
    facts::{Draft, Fault, Stop},
    hop::Hop,
    lease::{LeaseEnd, LeaseReceipt, LeaseState},
    reason::Reason,
    receipt::{Outcome, Receipt},
    task::Task,
    transition::{End, closed_for, end_task, severed},
};

/// Whether a token gives a hold, and if not, what is answered instead.
pub(super) enum Hold {
    Live(Box<Holder>),
    Not(Answer),
}

/// Finds the lease of the token and judges whether it still gives a hold.
pub(super) fn hold(d: &mut Draft<'_>, caller: &Caller, under: &UnderHop) -> Result<Hold, Stop> {
    let Some(lease) = d.find_lease(under.known_by.token())? else {
        return Err(Fault::LeaseLost.into());
    };
    let hop = d.hop(lease.hop)?;
    if lease.tenant != caller.tenant || !may_serve(d, caller, &hop.agent)? {
        return Err(Fault::LeaseLost.into());
    }
    let task = d.task(lease.task)?;
    match &lease.state {
        LeaseState::Live => {}
        LeaseState::Ended { by, receipt } => {
            return ended(d, *by, receipt.as_deref(), &hop, &task, under).map(Hold::Not);
        }
    }
    if d.now >= task.made.deadline {
        return overdue(d, &hop, task, under).map(Hold::Not);
    }
    if let Some(refusal) = severed(d, &task)? {
        late::keep(d, task.id(), hop.id, under)?;
        return Ok(Hold::Not(refused(refusal)));
    }
    Ok(Hold::Live(Box::new(Holder {
        caller: caller.clone(),
        lease,
        hop,
        task,
    })))
}

pub(super) fn refused(refusal: Refusal) -> Answer {
    Answer::first(Outcome::Refused {
        task: None,
        act: None,
        refusal,
    })
}

/// What an operation is answered whose lease has ended (SEMANTICS 3).
fn ended(
    d: &mut Draft<'_>,
    by: LeaseEnd,
    receipt: Option<&LeaseReceipt>,
    hop: &Hop,
    task: &Task,
    under: &UnderHop,
) -> Result<Answer, Stop> {
    if let Some(receipt) = receipt.filter(|receipt| receipt.content == under.content) {
        return Ok(Answer::again(receipt.outcome.clone()));
    }
    // A step of this hop whose answer was lost has its receipt under its name; but who lost the lease is told so.
    let by_its_worker = matches!(
        by,
        LeaseEnd::Parked | LeaseEnd::Settled | LeaseEnd::Released
    );
    if by_its_worker
        && let Some(name) = under.step_name()
        && let Some(step) = d.receipt(Receipt::key_of_step(task.id(), &name))?
        && step.content == under.content
    {
        return Ok(Answer::again(step.outcome));
    }
    match by {
        LeaseEnd::Parked => Err(Fault::HopFinished("parking: claim again to go on".into()).into()),
        LeaseEnd::Settled => {
            Err(Fault::HopFinished("another operation of its worker".into()).into())
        }
        LeaseEnd::Released => {
            Err(Fault::HopFinished("release: claim again to go on".into()).into())
        }
        LeaseEnd::Swept => {
            late::keep(d, task.id(), hop.id, under)?;
            Ok(Answer::Fault(Fault::LeaseLost))
        }
        LeaseEnd::Cancelled => {
            late::keep(d, task.id(), hop.id, under)?;
            Ok(refused(
                Refusal::new(closed_for(d, task)?).with("task", task.id()),
            ))
        }
        LeaseEnd::Deadline => {
            late::keep(d, task.id(), hop.id, under)?;
            Ok(refused(
                Refusal::new(Reason::Deadline).with("task", task.id()),
            ))
        }
    }
}

/// An operation decided at or after the deadline is late, whether or not a timer has fired (SEMANTICS 6).
fn overdue(d: &mut Draft<'_>, hop: &Hop, task: Task, under: &UnderHop) -> Result<Answer, Stop> {
    let id = task.id();
    let refusal = Refusal::new(Reason::Deadline).with("deadline", task.made.deadline);
    end_task(d, task, End::dead(refusal.clone(), LeaseEnd::Deadline))?;
    late::keep(d, id, hop.id, under)?;
    Ok(refused(refusal.with("task", id)))
}
