//! Cancel: one small transaction on the top task; upkeep closes what is below (SEMANTICS 9).

use super::{Answer, Caller, may_serve};
use crate::{
    body::Body,
    digest::HopToken,
    envelope::Refusal,
    facts::{Draft, Fault, Stop},
    ids::{HopId, TaskId},
    lease::{LeaseEnd, LeaseState},
    party::Party,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    task::Task,
    transition::{End, EndedBy, end_task, severed},
};

/// A cancel.
#[derive(Debug, Clone)]
pub struct Cancel {
    /// The task that is cancelled.
    pub task: TaskId,
    /// The hop token, if it is said by an agent at work.
    pub token: Option<HopToken>,
    /// Why, in words.
    pub body: Body,
}

pub(super) fn decide(d: &mut Draft<'_>, caller: &Caller, cancel: &Cancel) -> Result<Answer, Stop> {
    let absent = || Stop::Fault(Fault::NotFound(format!("task {}", cancel.task)));
    let task = d
        .find_task(cancel.task)?
        .filter(|task| task.made.tenant == caller.tenant)
        .ok_or_else(absent)?;
    let (party, hop) = legitimate(d, caller, cancel, &task)?.ok_or_else(absent)?;
    if !task.is_open() {
        let state = task.now.state.name();
        if let (Performative::Cancel, Some(act)) = (ended_by(d, &task)?, task.now.state.result()) {
            // Cancelling twice is cancelling once.
            return Ok(Answer::again(Outcome::Cancelled {
                task: task.id(),
                act,
            }));
        }
        let message = format!("{} is {state}: there is nothing left to cancel", task.id());
        let refusal = Refusal::saying(Reason::AlreadyAnswered, message)
            .with("task", task.id())
            .with("state", state);
        return Err(refusal.into());
    }
    let id = task.id();
    let end = End {
        by: EndedBy::Canceller { party, hop },
        performative: Performative::Cancel,
        refusal: Some(Refusal::new(Reason::Cancelled)),
        artifacts: Vec::new(),
        body: cancel.body.clone(),
        dead: None,
        lease: LeaseEnd::Cancelled,
    };
    let act = end_task(d, task, end)?;
    Ok(Answer::first(Outcome::Cancelled { task: id, act }))
}

fn ended_by(d: &Draft<'_>, task: &Task) -> Result<Performative, Stop> {
    match task.now.state.result() {
        Some(result) => Ok(d.act(result)?.envelope.performative),
        None => Ok(Performative::Inform),
    }
}

/// Who may cancel: the requester, the debtor of a task above, the root principal. For others the task is absent.
fn legitimate(
    d: &Draft<'_>,
    caller: &Caller,
    cancel: &Cancel,
    task: &Task,
) -> Result<Option<(Party, Option<HopId>)>, Stop> {
    let Some(token) = &cancel.token else {
        let owner = d.root(task.id().root)?.principal;
        let may = caller.party.is_principal()
            && (task.made.requester == caller.party || owner == caller.party);
        return Ok(may.then(|| (caller.party.clone(), None)));
    };
    let Some(lease) = d.find_lease(token.hash())? else {
        return Err(Fault::LeaseLost.into());
    };
    let hop = d.hop(lease.hop)?;
    if lease.tenant != caller.tenant
        || !may_serve(d, caller, &hop.agent)?
        || lease.state != LeaseState::Live
    {
        return Err(Fault::LeaseLost.into());
    }
    if task
        .made
        .genealogy
        .hops()
        .iter()
        .all(|above| above.task != lease.task)
    {
        return Ok(None);
    }
    let own = d.task(lease.task)?;
    if let Some(refusal) = severed(d, &own)? {
        return Err(refusal.into());
    }
    Ok(Some((own.made.debtor.clone(), Some(hop.id))))
}
