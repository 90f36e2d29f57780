//! What may be claimed next in a slot (SEMANTICS 3): ready activations first, oldest task first; then pending
//! deliveries by sequence, where one in backoff blocks those after it.

use crate::{
    delivery::Delivery,
    facts::{Draft, Stop},
    hop::Activation,
    ids::ConversationId,
    slot::{Class, Head},
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
    let mut ready = None;
    let mut pending = None;
    for task in d.queue(agent, conversation)? {
        let order = task.made.opening.seq;
        let new = if task.is_fold() {
            Class::Fold
        } else {
            Class::New
        };
        match &task.now.delivery {
            Delivery::Pending { due } => {
                let head = (
                    order,
                    Head {
                        class: new,
                        due: *due,
                        task: task.id(),
                    },
                );
                pending = Some(pending.map_or(
                    head,
                    |best: (u32, Head)| if best.0 <= order { best } else { head },
                ));
            }
            Delivery::Taken => {
                let Some(hop) = task.now.hop else { continue };
                if d.hop(hop)?.state == Activation::Ready {
                    let head = (
                        order,
                        Head {
                            class: Class::Resume,
                            due: task.now.changed,
                            task: task.id(),
                        },
                    );
                    ready = Some(ready.map_or(
                        head,
                        |best: (u32, Head)| if best.0 <= order { best } else { head },
                    ));
                }
            }
            Delivery::None | Delivery::Held | Delivery::Processed | Delivery::Dead { .. } => {}
        }
    }
    let head = ready.or(pending).map(|(_, head)| head);
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

/// Frees a slot of the lease it had, and gives back the capacity that it took.
pub(crate) fn free(d: &mut Draft<'_>, task: &crate::task::Task) -> Result<(), Stop> {
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
