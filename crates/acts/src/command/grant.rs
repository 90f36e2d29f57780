//! Granting: a hop is minted, or one that is ready is taken up, and leased (SEMANTICS 3).

use std::sync::Arc;

use serde_json::json;

use super::Claim;
use crate::{
    agent::{Definition, Retry},
    conversation::ConversationKind,
    delivery::Delivery,
    digest::{Digest, HopToken},
    event::EventKind,
    facts::{Draft, Stop},
    hop::{Activation, Hop, LedgerEntry},
    ids::{ConversationId, HopId, LeaseId},
    lease::{Lease, LeaseState},
    limits::LEASE,
    party::Party,
    slot::Slot,
    task::{Task, TaskState},
    time::Timestamp,
    transition::log,
};

/// A lease as its worker gets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    /// The token.
    pub token: HopToken,
    /// The lease.
    pub lease: LeaseId,
    /// The hop that it holds.
    pub hop: HopId,
    /// The version at work.
    pub version: Digest,
    /// What that version is defined as.
    pub definition: Arc<Definition>,
    /// Until when it is not swept.
    pub until: Timestamp,
    /// Whether the hop was parked or released before, and goes on.
    pub resumed: bool,
    /// Whether an attempt was lost before, and the definition wants to know.
    pub reconcile: bool,
    /// The task.
    pub task: Task,
    /// Whom its root belongs to.
    pub root_principal: Party,
    /// The conversation that it consults, if it is a fold.
    pub consults: Option<ConversationId>,
}

/// Mints a hop, or takes up the one that is ready, and leases it.
pub(super) fn grant(
    d: &mut Draft<'_>,
    claim: &Claim,
    mut slot: Slot,
    mut task: Task,
) -> Result<Grant, Stop> {
    let root = task.id().root;
    let lease = LeaseId::new(root, d.number(root)?);
    let token = claim.secret.token(&lease);
    // An activation has it already: the hop goes on.
    let resumed = task.now.delivery == Delivery::Taken;
    let hop = if resumed {
        resume(d, &mut task, lease, token.hash())?
    } else {
        activate(d, &mut task, &slot, lease, token.hash())?
    };
    // A first run has no steps to come to.
    let unread = if task.now.steps == 0 {
        Vec::new()
    } else {
        d.steps(task.id())?
            .iter()
            .filter_map(|step| step.replayed_step().map(|(_, ordinal)| ordinal))
            .collect()
    };
    let until = d.now.after(LEASE);
    d.put(Lease {
        token: token.hash(),
        id: lease,
        tenant: task.made.tenant,
        hop: hop.id,
        task: task.id(),
        worker: claim.worker.clone(),
        until,
        state: LeaseState::Live,
        unread,
        made: d.now,
    });
    slot.leased = Some(hop.id);
    slot.head = None;
    let agent = slot.agent.clone();
    d.put(slot);
    d.put(task.clone());
    if !task.is_fold() {
        let mut workload = d.workload(task.made.tenant, &agent)?;
        workload.leased += 1;
        d.put(workload);
    }
    granted(d, &token, lease, &hop, task, until, resumed)
}

/// A lease of `hop` as its worker gets it.
pub(super) fn granted(
    d: &Draft<'_>,
    token: &HopToken,
    lease: LeaseId,
    hop: &Hop,
    task: Task,
    until: Timestamp,
    resumed: bool,
) -> Result<Grant, Stop> {
    let definition = d
        .version(task.made.tenant, &hop.agent, hop.version)?
        .ok_or_else(|| Stop::Broken("a hop works at a version that is absent".into()))?
        .definition
        .clone();
    let consults = match d.conversation(task.made.conversation)?.kind {
        ConversationKind::Consults(conversation) if task.is_fold() => Some(conversation),
        _ => None,
    };
    Ok(Grant {
        token: *token,
        lease,
        hop: hop.id,
        version: hop.version,
        until,
        resumed,
        reconcile: hop.attempt > 1 && definition.retry == Retry::Reconcile,
        definition,
        root_principal: d.root(task.id().root)?.principal,
        task,
        consults,
    })
}

/// A new hop: one `activated` event and one opening ledger entry, in the same transaction (I4).
fn activate(
    d: &mut Draft<'_>,
    task: &mut Task,
    slot: &Slot,
    lease: LeaseId,
    token: Digest,
) -> Result<Hop, Stop> {
    let root = task.id().root;
    let id = HopId::new(root, d.number(root)?);
    let first = task.now.attempts == 0;
    task.now.attempts += 1;
    task.now.hop = Some(id);
    task.now.delivery = std::mem::replace(&mut task.now.delivery, Delivery::None).take()?;
    let hop = Hop {
        id,
        tenant: task.made.tenant,
        task: task.id(),
        attempt: task.now.attempts,
        agent: slot.agent.clone(),
        version: slot.version,
        conversation: task.made.conversation,
        evidence: d.root(root)?.evidence,
        state: Activation::Leased { lease, token },
        made: d.now,
    };
    d.put(hop.clone());
    d.put(LedgerEntry {
        hop: id,
        n: 0,
        tenant: task.made.tenant,
        at: d.now,
    });
    let conversation = task.made.conversation;
    let detail = json!({"hop": id, "attempt": hop.attempt, "agent": task.made.debtor});
    log(
        d,
        conversation,
        Some(task),
        EventKind::TaskActivated,
        detail,
    )?;
    log(
        d,
        conversation,
        Some(task),
        EventKind::BudgetOpened,
        json!({"hop": id}),
    )?;
    log(
        d,
        conversation,
        Some(task),
        EventKind::MailboxTaken,
        json!({"hop": id, "lease": lease}),
    )?;
    if first {
        task.now.state = std::mem::replace(&mut task.now.state, TaskState::Queued).work()?;
        task.now.changed = d.now;
        let detail = json!({"state": task.now.state.name()});
        log(d, conversation, Some(task), EventKind::TaskState, detail)?;
    }
    Ok(hop)
}

/// The same hop, a new lease.
fn resume(d: &mut Draft<'_>, task: &mut Task, lease: LeaseId, token: Digest) -> Result<Hop, Stop> {
    let id = task
        .now
        .hop
        .ok_or_else(|| Stop::Broken("a ready task has no hop".into()))?;
    let mut hop = d.hop(id)?;
    hop.state = hop.state.lease(lease, token)?;
    d.put(hop.clone());
    log(
        d,
        task.made.conversation,
        Some(task),
        EventKind::TaskResumed,
        json!({"hop": id, "lease": lease}),
    )?;
    Ok(hop)
}
