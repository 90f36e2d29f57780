//! Being cut off: while a task above has ended, nothing below it has authority to act or to begin (SEMANTICS 4, 9).

use crate::{
    envelope::Refusal,
    facts::{Draft, Stop},
    reason::Reason,
    task::{Task, TaskState},
};

/// The nearest task above that has ended.
pub(crate) fn ended_above(d: &Draft<'_>, task: &Task) -> Result<Option<Task>, Stop> {
    let mut above = task.made.parent;
    while let Some(id) = above {
        let ancestor = d.task(id)?;
        if !ancestor.is_open() {
            return Ok(Some(ancestor));
        }
        above = ancestor.made.parent;
    }
    Ok(None)
}

/// Why whoever works on `task` is refused, if a task above has ended: authority is revoked at once.
pub(crate) fn severed(d: &Draft<'_>, task: &Task) -> Result<Option<Refusal>, Stop> {
    let Some(ancestor) = ended_above(d, task)? else {
        return Ok(None);
    };
    let reason = match ancestor.now.state {
        TaskState::Cancelled { .. } => closed_for(d, &ancestor)?,
        _ => Reason::ParentSettled,
    };
    Ok(Some(
        Refusal::new(reason)
            .with("task", ancestor.id())
            .with("state", ancestor.now.state.name()),
    ))
}

/// The reason with which a task was closed by others.
pub(crate) fn closed_for(d: &Draft<'_>, task: &Task) -> Result<Reason, Stop> {
    let Some(result) = task.now.state.result() else {
        return Ok(Reason::Cancelled);
    };
    Ok(d.act(result)?
        .envelope
        .refusal
        .map_or(Reason::Cancelled, |refusal| refusal.reason))
}
