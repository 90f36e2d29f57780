//! Keeping what comes too late: as evidence for people, never applied (I12).

use serde_json::json;

use super::{bring_late, log};
use crate::{
    answers::Operation,
    artifact::LateResult,
    body::{ArtifactRef, Body, NewArtifact},
    event::EventKind,
    facts::{Draft, Stop},
    ids::{AskId, HopId, TaskId},
    limits::{LATE_BYTES_PER_TASK, LATE_RESULTS_PER_TASK},
    reason::Reason,
};

/// What came too late.
pub(crate) struct Late<'a> {
    pub(crate) hop: HopId,
    pub(crate) operation: Operation,
    pub(crate) ask: Option<AskId>,
    /// The task whose result it is, where that is another one than the one it is kept with.
    pub(crate) of: Option<TaskId>,
    pub(crate) reason: Option<Reason>,
    pub(crate) error: Option<&'a str>,
    /// Artifacts that the root has already.
    pub(crate) named: &'a [ArtifactRef],
    /// Artifacts that come with it.
    pub(crate) brought: &'a [NewArtifact],
    pub(crate) body: &'a Body,
}

impl<'a> Late<'a> {
    /// Nothing but words.
    pub(crate) const fn new(hop: HopId, operation: Operation, body: &'a Body) -> Self {
        Self {
            hop,
            operation,
            ask: None,
            of: None,
            reason: None,
            error: None,
            named: &[],
            brought: &[],
            body,
        }
    }

    /// About how many bytes are kept with it.
    fn weight(&self) -> usize {
        let brought = self.brought.iter().map(|artifact| artifact.bytes().len());
        self.body.weight() + self.error.map_or(0, str::len) + brought.sum::<usize>()
    }
}

/// Keeps it with `task`, within the limits; says in the log when it does not.
pub(crate) fn keep_late(d: &mut Draft<'_>, task: TaskId, late: &Late<'_>) -> Result<(), Stop> {
    let mut task = d.task(task)?;
    let (count, held) = task.now.late;
    let held = held + late.weight() as u64;
    let kept = count < LATE_RESULTS_PER_TASK && held <= LATE_BYTES_PER_TASK as u64;
    let mut detail = json!({"hop": late.hop, "operation": late.operation.name(), "kept": kept});
    if let Some(of) = late.of {
        detail["of"] = json!(of);
    }
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::TaskLateResult,
        detail,
    )?;
    if kept {
        task.now.late = (count + 1, held);
        let mut artifacts = late.named.to_vec();
        artifacts.extend(bring_late(d, task.id().root, late.brought)?);
        d.put(LateResult {
            task: task.id(),
            n: count + 1,
            tenant: task.made.tenant,
            hop: late.hop,
            operation: Some(late.operation),
            ask: late.ask,
            of: late.of,
            reason: late.reason,
            error: late.error.filter(|error| !error.is_empty()).map(Into::into),
            artifacts,
            body: late.body.clone(),
            at: d.now,
        });
    }
    d.put(task);
    Ok(())
}
