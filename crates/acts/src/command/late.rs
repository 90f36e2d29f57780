//! Late results: what a worker sends when its task is no longer its own is kept as evidence, never applied (I12).

use serde_json::json;

use super::{HopOperation, UnderHop};
use crate::{
    artifact::LateResult,
    body::Body,
    event::EventKind,
    facts::{Draft, Stop},
    ids::{HopId, TaskId},
    limits::{LATE_BYTES_PER_TASK, LATE_RESULTS_PER_TASK},
    transition::log,
};

/// Keeps what `under` would have said, within the limits; says in the log when it does not.
pub(super) fn keep(
    d: &mut Draft<'_>,
    task: TaskId,
    hop: HopId,
    under: &UnderHop,
) -> Result<(), Stop> {
    let Some(body) = said(&under.operation) else {
        return Ok(());
    };
    let mut task = d.task(task)?;
    // A body holds strings and JSON: it always has a JSON form.
    let bytes = serde_json::to_vec(body).map_or(usize::MAX, |bytes| bytes.len());
    let (count, held) = task.now.late;
    let held = usize::try_from(held).unwrap_or(usize::MAX);
    let kept = count < LATE_RESULTS_PER_TASK && held.saturating_add(bytes) <= LATE_BYTES_PER_TASK;
    let detail = json!({"hop": hop, "operation": under.operation.kind().name(), "kept": kept});
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::TaskLateResult,
        detail,
    )?;
    if kept {
        task.now.late = (count + 1, (held + bytes) as u64);
        d.put(LateResult {
            task: task.id(),
            n: count + 1,
            tenant: task.made.tenant,
            hop,
            body: body.clone(),
            at: d.now,
        });
    }
    d.put(task);
    Ok(())
}

/// What an operation says, where it says something that is worth keeping.
const fn said(operation: &HopOperation) -> Option<&Body> {
    match operation {
        HopOperation::Reply(reply) => Some(&reply.body),
        HopOperation::Progress(progress) => Some(&progress.body),
        HopOperation::Fail(fail) => Some(&fail.body),
        HopOperation::Decline(decline) => Some(&decline.body),
        _ => None,
    }
}
