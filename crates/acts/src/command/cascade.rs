//! Closing what hangs below: upkeep closes the open children of a task that ended, and the rest of a group that fired,
//! so many in a transaction; their own children follow by the same way (SEMANTICS 4, 7, 9).

use crate::{
    envelope::Refusal,
    facts::{Draft, Need, Stop},
    group::{Group, GroupState},
    lease::LeaseEnd,
    limits::CASCADE,
    performative::Performative,
    reason::Reason,
    task::Task,
    transition::{End, end_task, foresee_ends},
};

/// Closes children of a task that ended; while some are left, it stays due.
pub(super) fn close_children(d: &mut Draft<'_>, task: &Task) -> Result<(), Stop> {
    let why = task
        .now
        .closing
        .clone()
        .unwrap_or_else(|| Refusal::new(Reason::ParentSettled));
    let children = d.children(task.id())?;
    let all = children.len() <= CASCADE;
    let children: Vec<Task> = children.into_iter().take(CASCADE).collect();
    foresee_ends(d, &children)?;
    for child in children {
        close(d, child, why.clone().with("task", task.id()))?;
    }
    if all {
        let mut task = d.task(task.id())?;
        task.now.closing = None;
        d.put(task);
    }
    Ok(())
}

/// Closes the branches that are open in a group that fired. A fan-out is never wider than one transaction closes.
pub(super) fn close_rest(d: &mut Draft<'_>, group: &Group) -> Result<(), Stop> {
    d.foresee(group.branches.iter().copied().map(Need::Task))?;
    let mut open = Vec::new();
    for id in &group.branches {
        let task = d.task(*id)?;
        if task.is_open() {
            open.push(task);
        }
    }
    foresee_ends(d, &open)?;
    for id in &group.branches {
        let task = d.task(*id)?;
        if task.is_open() && !is_wanted(d, &task)? {
            close(
                d,
                task,
                Refusal::new(Reason::GroupFired).with("group", group.id),
            )?;
        }
    }
    if let Some(mut group) = d.find_group(group.id)? {
        group.closing = false;
        d.put(group);
    }
    Ok(())
}

/// Whether a request for the task stands that is no branch of a group that closes its rest.
fn is_wanted(d: &Draft<'_>, task: &Task) -> Result<bool, Stop> {
    for request in task.requests() {
        let group = request.map(|id| d.find_group(id)).transpose()?.flatten();
        if group.is_none_or(|group| group.keep_rest || group.state == GroupState::Open) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn close(d: &mut Draft<'_>, task: Task, why: Refusal) -> Result<(), Stop> {
    end_task(
        d,
        task,
        End::engine(Performative::Cancel, why, LeaseEnd::Cancelled),
    )
    .map(drop)
}
