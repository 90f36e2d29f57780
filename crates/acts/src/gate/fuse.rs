//! Gate 6: the fuse. It bounds the tree whatever the acts say: its depth, and its open tasks.

use super::{Asked, Verdict};
use crate::{
    envelope::Refusal,
    facts::{Draft, Stop},
    limits::{DEPTH, OPEN_TASKS_PER_ROOT},
    reason::Reason,
};

/// Refuses an act that is too deep, or one too many.
pub(super) fn judge(d: &Draft<'_>, asked: &Asked<'_>) -> Result<Verdict, Stop> {
    let depth = asked.genealogy.depth();
    if depth >= DEPTH {
        let message = format!(
            "{depth} hops stand above this act, the most there may be; answer with what you have"
        );
        return Ok(Verdict::Refuse(
            Refusal::saying(Reason::Fuse, message)
                .with("depth", depth)
                .with("limit", DEPTH),
        ));
    }
    let open = d.root(asked.root)?.open_tasks;
    if open >= OPEN_TASKS_PER_ROOT {
        let message = format!(
            "the root has {open} open tasks, the most there may be; wait until some have ended"
        );
        let refusal = Refusal::saying(Reason::Fuse, message)
            .with("open_tasks", open)
            .with("limit", OPEN_TASKS_PER_ROOT);
        return Ok(Verdict::Refuse(refusal));
    }
    Ok(Verdict::Pass)
}
