//! What may be claimed next in a slot (SEMANTICS 3): ready activations first, oldest task first; then pending
//! deliveries by sequence, where one in backoff blocks those after it.

use crate::{
    delivery::Delivery,
    facts::{Draft, Need, Stop},
    hop::Activation,
    ids::ConversationId,
    slot::{Class, Head},
    task::Task,
};

/// Sets the head of a slot anew, after a task in it or its lease changed.
pub(crate) fn refresh(
    d: &mut Draft<'_>,
    agent: &str,
    conversation: ConversationId,
) -> Result<(), Stop> {
    let Some(mut slot) = d.slot(agent, conversation)? else {
        return Ok(());
    };
    let queue = d.queue(agent, conversation)?;
    let taken = queue
        .iter()
        .filter(|task| task.now.delivery == Delivery::Taken);
    d.foresee(taken.filter_map(|task| task.now.hop).map(Need::Hop))?;
    let mut first = None;
    for task in queue {
        if let Some((begun, head)) = claimable(d, &task)? {
            let order = (!begun, task.made.opening.seq);
            if first.is_none_or(|(best, _)| order < best) {
                first = Some((order, head));
            }
        }
    }
    let head = first.map(|(_, head)| head);
    // A task keeps the version that was pinned when it was accepted: the slot asks for that of its head (I13).
    let version = match head {
        Some(head) => d.task(head.task)?.made.version.unwrap_or(slot.version),
        None => slot.version,
    };
    if (slot.head, slot.version) != (head, version) {
        slot.head = head;
        slot.version = version;
        d.put(slot);
    }
    Ok(())
}

/// What a task can be claimed as, and whether it was begun before.
fn claimable(d: &Draft<'_>, task: &Task) -> Result<Option<(bool, Head)>, Stop> {
    let (begun, due, class) = match &task.now.delivery {
        Delivery::Pending { due } => (false, *due, Class::New),
        Delivery::Taken => {
            let Some(hop) = task.now.hop else {
                return Ok(None);
            };
            if d.hop(hop)?.state != Activation::Ready {
                return Ok(None);
            }
            (true, task.now.changed, Class::Resume)
        }
        Delivery::None | Delivery::Held | Delivery::Processed | Delivery::Dead { .. } => {
            return Ok(None);
        }
    };
    let class = if task.is_fold() { Class::Fold } else { class };
    let task = task.id();
    Ok(Some((begun, Head { class, due, task })))
}

/// Frees a slot of the lease it had, and gives back the capacity that it took.
pub(crate) fn free(d: &mut Draft<'_>, task: &Task) -> Result<(), Stop> {
    let agent = task.made.debtor.name();
    if let Some(mut slot) = d.slot(agent, task.made.conversation)? {
        slot.leased = None;
        d.put(slot);
    }
    // A consultation counts against no capacity (SEMANTICS 5).
    if !task.is_fold() {
        let mut workload = d.workload(task.made.tenant, agent)?;
        workload.leased = workload.leased.saturating_sub(1);
        d.put(workload);
    }
    refresh(d, agent, task.made.conversation)
}
