//! A credential that is missing, here or at a peer below: who waits for the task waits for it too, up to the root
//! (SEMANTICS 2, `awaiting-authorization`, which chains up).

use serde_json::json;

use super::log;
use crate::{
    event::EventKind,
    facts::{Draft, Stop},
    ids::TaskId,
    task::{Task, TaskState},
};

/// Says of `task` whether a credential is missing, by its own word, and then of those above it. The task is put.
pub(crate) fn authorize(d: &mut Draft<'_>, mut task: Task, missing: bool) -> Result<(), Stop> {
    let missing = missing || missing_below(d, task.id())?;
    let changed = turn(d, &mut task, missing)?;
    let above = task.made.parent;
    d.put(task);
    if changed { climb(d, above) } else { Ok(()) }
}

/// A task entered or left the state: those above it follow, as far as that changes anything.
pub(crate) fn climb(d: &mut Draft<'_>, mut above: Option<TaskId>) -> Result<(), Stop> {
    while let Some(id) = above {
        let mut task = d.task(id)?;
        let missing = missing_below(d, id)?;
        if !turn(d, &mut task, missing)? {
            break;
        }
        above = task.made.parent;
        d.put(task);
    }
    Ok(())
}

/// Whether a child waits for a credential.
fn missing_below(d: &Draft<'_>, task: TaskId) -> Result<bool, Stop> {
    let children = d.children(task)?;
    Ok(children
        .iter()
        .any(|child| child.now.state == TaskState::AwaitingAuthorization))
}

/// Enters or leaves the state, where the task is at work or in it. What waits for something else stays as it is.
fn turn(d: &mut Draft<'_>, task: &mut Task, missing: bool) -> Result<bool, Stop> {
    let next = match (&task.now.state, missing) {
        (TaskState::Working, true) => TaskState::AwaitingAuthorization,
        (TaskState::AwaitingAuthorization, false) => TaskState::Working,
        _ => return Ok(false),
    };
    let detail = json!({"state": next.name()});
    task.now.state = next;
    task.now.changed = d.now;
    let conversation = task.made.conversation;
    log(d, conversation, Some(task), EventKind::TaskState, detail)?;
    Ok(true)
}
