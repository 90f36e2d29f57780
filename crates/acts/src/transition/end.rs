//! The end of a task. Marking processed, storing the reply, moving task and commitment, freeing the slot and waking the
//! requester are one decision, and so one transaction (I8).

use serde_json::json;

use super::{Late, Speech, climb, fire, keep_late, log, notify, say, slots::free, wake};
use crate::{
    answers::Operation,
    ask::AskState,
    body::{ArtifactRef, Body},
    commitment::CommitmentStatus,
    delivery::Delivery,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Stop},
    group::Group,
    hop::Activation,
    ids::{ActId, GroupId, HopId},
    lease::{LeaseEnd, LeaseState},
    party::Party,
    performative::Performative,
    reason::Reason,
    task::{Task, TaskState},
};

/// Who ends a task.
pub(crate) enum EndedBy {
    /// Whoever works on it, in this hop.
    Debtor(HopId),
    /// The engine.
    Engine,
    /// Whoever may cancel it.
    Canceller {
        /// Who.
        party: Party,
        /// In this hop, if it is an agent.
        hop: Option<HopId>,
    },
}

/// How a task ends.
pub(crate) struct End {
    pub(crate) by: EndedBy,
    pub(crate) performative: Performative,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) artifacts: Vec<ArtifactRef>,
    pub(crate) body: Body,
    /// The delivery dies of this, rather than being processed.
    pub(crate) dead: Option<Reason>,
    pub(crate) lease: LeaseEnd,
}

impl End {
    /// An end by the engine, with its reason.
    pub(crate) fn engine(performative: Performative, refusal: Refusal, lease: LeaseEnd) -> Self {
        Self {
            by: EndedBy::Engine,
            performative,
            refusal: Some(refusal),
            artifacts: Vec::new(),
            body: Body::default(),
            dead: None,
            lease,
        }
    }

    /// The same, with the delivery dead.
    pub(crate) fn dead(refusal: Refusal, lease: LeaseEnd) -> Self {
        let dead = Some(refusal.reason);
        Self {
            dead,
            ..Self::engine(Performative::Failure, refusal, lease)
        }
    }
}

/// Ends `task` and everything that hangs on it, except its children: those are closed by upkeep.
pub(crate) fn end_task(d: &mut Draft<'_>, mut task: Task, end: End) -> Result<ActId, Stop> {
    let state_is_cancel = end.performative == Performative::Cancel;
    let (sender, recipient, hop) = match end.by {
        EndedBy::Debtor(hop) => (
            task.made.debtor.clone(),
            task.made.requester.clone(),
            Some(hop),
        ),
        EndedBy::Engine if state_is_cancel => (Party::engine(), task.made.debtor.clone(), None),
        EndedBy::Engine => (Party::engine(), task.made.requester.clone(), None),
        EndedBy::Canceller { party, hop } => (party, task.made.debtor.clone(), hop),
    };
    let reason = end.refusal.as_ref().map(|refusal| refusal.reason);
    let mut speech = Speech::new(end.performative, sender, recipient, end.body);
    speech.hop = hop;
    speech.in_reply_to = Some(task.made.opening);
    speech.refusal = end.refusal;
    speech.artifacts = end.artifacts;
    let result = say(d, &mut task, speech)?;

    let had_no_credential = task.now.state == TaskState::AwaitingAuthorization;
    let above = task.made.parent;
    task.now.state = task.now.state.end(match end.performative {
        Performative::Inform => TaskState::Done { result },
        Performative::Refuse => TaskState::Refused { result },
        Performative::Cancel => TaskState::Cancelled { result },
        _ => TaskState::Failed { result },
    })?;
    task.now.changed = d.now;
    end_delivery(d, &mut task, end.dead)?;
    end_commitment(d, &mut task, reason)?;
    close_asks(d, &mut task)?;
    let detail = json!({"state": task.now.state.name(), "act": result, "reason": reason});
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::TaskState,
        detail,
    )?;
    if !d.children(task.id())?.is_empty() {
        // What hangs below is closed for the same reason: a cancel, a settle above, a group that fired.
        let why = reason.filter(|_| state_is_cancel);
        task.now.closing = Some(Refusal::new(why.unwrap_or(Reason::ParentSettled)));
    }
    count_out(d, &task)?;
    run_key_out(d, &task)?;
    end_activation(d, &task, end.lease, end.dead.is_some())?;
    tell_requester(d, task, result)?;
    if had_no_credential {
        climb(d, above)?;
    }
    Ok(result)
}

fn end_delivery(d: &mut Draft<'_>, task: &mut Task, dead: Option<Reason>) -> Result<(), Stop> {
    let before = std::mem::replace(&mut task.now.delivery, Delivery::None);
    let (after, kind) = match dead {
        Some(reason) => (before.die(reason, d.now)?, EventKind::MailboxDeadLetter),
        None => (before.process()?, EventKind::MailboxProcessed),
    };
    task.now.delivery = after;
    let detail = json!({"agent": task.made.debtor, "reason": dead, "attempts": task.now.attempts});
    log(d, task.made.conversation, Some(task), kind, detail)?;
    let mut workload = d.workload(task.made.tenant, task.made.debtor.name())?;
    workload.open = workload.open.saturating_sub(1);
    d.put(workload);
    Ok(())
}

/// Moves the commitment as the end asks (SEMANTICS 5): satisfied at the result; released by a refuse, an expiry or a
/// cancel; violated by a failure of what was begun.
fn end_commitment(d: &mut Draft<'_>, task: &mut Task, reason: Option<Reason>) -> Result<(), Stop> {
    let Some(id) = task.made.commitment else {
        return Ok(());
    };
    let mut commitment = d.commitment(id)?;
    if !commitment.status.binds() {
        return Ok(());
    }
    let evidence = d.root(task.id().root)?.evidence;
    commitment.status = match task.now.state {
        TaskState::Done { .. } => commitment.status.satisfy(evidence)?,
        TaskState::Failed { .. } if reason != Some(Reason::Expired) => {
            commitment.status.violate()?
        }
        _ => commitment.status.release()?,
    };
    commitment.changed = d.now;
    let status: CommitmentStatus = commitment.status;
    d.put(commitment);
    let detail = json!({"commitment": id, "status": status.name()});
    log(
        d,
        task.made.conversation,
        Some(task),
        EventKind::CommitmentStatus,
        detail,
    )
}

/// Settling or cancelling closes the asks that the task made; those made to it close with the children that made them.
fn close_asks(d: &mut Draft<'_>, task: &mut Task) -> Result<(), Stop> {
    if task.now.rounds == 0 {
        return Ok(());
    }
    for mut ask in d.asks_of(task.id())? {
        ask.state = AskState::Closed;
        let detail = json!({"ask": ask.id, "state": "closed"});
        d.put(ask);
        log(
            d,
            task.made.conversation,
            Some(task),
            EventKind::AskEnded,
            detail,
        )?;
    }
    Ok(())
}

fn count_out(d: &mut Draft<'_>, task: &Task) -> Result<(), Stop> {
    let mut root = d.root(task.id().root)?;
    root.open_tasks = root.open_tasks.saturating_sub(1);
    if task.made.parent.is_none() {
        root.ended = Some(d.now);
    }
    d.put(root);
    let mut conversation = d.conversation(task.made.conversation)?;
    conversation.open_tasks = conversation.open_tasks.saturating_sub(1);
    d.put(conversation);
    Ok(())
}

/// The key that the task was sent under is remembered for a while from now on, and then it is new.
fn run_key_out(d: &mut Draft<'_>, task: &Task) -> Result<(), Stop> {
    let Some(key) = task.made.key else {
        return Ok(());
    };
    let mut receipt = d.receipt(key)?.ok_or_else(|| {
        Stop::Broken(format!(
            "{} is open and the receipt of its key absent",
            task.id()
        ))
    })?;
    receipt.run_out(d.now);
    d.put(receipt);
    Ok(())
}

/// Ends the hop and its lease, and frees the slot.
fn end_activation(d: &mut Draft<'_>, task: &Task, by: LeaseEnd, dead: bool) -> Result<(), Stop> {
    let hop = task
        .now
        .hop
        .map(|hop| d.hop(hop))
        .transpose()?
        .filter(|hop| hop.state.is_live());
    d.put(task.clone());
    let Some(mut hop) = hop else {
        return super::refresh(d, task.made.debtor.name(), task.made.conversation);
    };
    let leased = match &hop.state {
        Activation::Leased { token, .. } => Some(*token),
        _ => None,
    };
    hop.state = match by {
        LeaseEnd::Settled if !dead => hop.state.settle()?,
        LeaseEnd::Settled | LeaseEnd::Swept => hop.state.lose()?,
        _ => hop.state.cancel()?,
    };
    d.put(hop);
    if let Some(token) = leased {
        let mut lease = d.lease(token)?;
        lease.state = LeaseState::Ended { by, receipt: None };
        d.put(lease);
        free(d, task)
    } else {
        super::refresh(d, task.made.debtor.name(), task.made.conversation)
    }
}

/// Queues the reply: in the group and the activation that wait for it, or in the principal's inbox.
fn tell_requester(d: &mut Draft<'_>, mut task: Task, result: ActId) -> Result<(), Stop> {
    if task.made.requester.is_principal() {
        notify(
            d,
            task.made.tenant,
            &task.made.requester,
            result,
            Some(task.id()),
            None,
        )?;
    }
    late_to_delegator(d, &task, result)?;
    let result = matches!(task.now.state, TaskState::Done { .. });
    let mut groups = Vec::new();
    for request in 0..=task.now.attached.len() {
        let Some(id) = task.requests().nth(request).flatten() else {
            continue;
        };
        let mut group = must_find(d, id)?;
        group.ended += 1;
        group.results += u32::from(result);
        match request.checked_sub(1) {
            None => task.now.arrival = Some(group.ended),
            Some(n) => task.now.attached[n].arrival = Some(group.ended),
        }
        d.put(group);
        groups.push(id);
    }
    let parent = task.made.parent;
    d.put(task);
    for id in groups {
        let group = must_find(d, id)?;
        fire(d, group, None)?;
    }
    match parent {
        Some(parent) => wake(d, parent),
        None => Ok(()),
    }
}

/// The result of a child's letter that was sent again is a late result in the replies of the task that delegated it first:
/// that one went on without it (SEMANTICS 6).
fn late_to_delegator(d: &mut Draft<'_>, task: &Task, result: ActId) -> Result<(), Stop> {
    let (TaskState::Done { .. }, Some(_), Some(mut letter)) =
        (&task.now.state, task.made.parent, task.made.redrive_of)
    else {
        return Ok(());
    };
    if task.made.performative == Performative::Inform {
        // What was only acknowledged says nothing.
        return Ok(());
    }
    let delegator = loop {
        let before = d.task(letter)?.made;
        match before.redrive_of {
            Some(first) => letter = first,
            None => break before.parent,
        }
    };
    let broken = |what: &str| Stop::Broken(format!("{} ended with {what}", task.id()));
    let delegator = delegator.ok_or_else(|| broken("no delegator of the letter it sends again"))?;
    let act = d.act(result)?;
    let hop = act
        .envelope
        .hop
        .ok_or_else(|| broken("a result of no hop"))?;
    keep_late(
        d,
        delegator,
        &Late {
            of: Some(task.id()),
            named: &act.envelope.artifacts,
            ..Late::new(hop, Operation::Reply, &act.body)
        },
    )
}

fn must_find(d: &Draft<'_>, id: GroupId) -> Result<Group, Stop> {
    d.find_group(id)?
        .ok_or_else(|| Stop::Broken(format!("{id} has branches and is absent")))
}
