//! Late results.

use serde::Serialize;
use tertulia_acts::{
    artifact::LateResult,
    body::Part,
    ids::{AskId, HopId, TaskId},
    reason::Reason,
};
use utoipa::ToSchema;

use super::{act::ArtifactView, instant::Instant};
use crate::wire::part::PartIn;

/// What came when the task was no longer the sender's: kept as evidence, never applied.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = LateResult)]
pub(crate) struct LateView {
    /// Its number among those of the task, from 1.
    n: u32,
    /// The hop that sent it.
    #[schema(value_type = String)]
    hop: HopId,
    /// The operation that would have said it: `reply`, `progress`, `decline`, `fail` or `answer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'static str>,
    /// The ask that it would have answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    ask: Option<AskId>,
    /// The task whose result it is, where that is another one: a child's dead letter that was sent again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    of: Option<TaskId>,
    /// Why it declined or failed, as a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    reason: Option<Reason>,
    /// What went wrong, in the sender's own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// What it brought.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactView>,
    /// When it came.
    at: Instant,
    /// What it said. Untrusted.
    #[schema(value_type = Vec<PartIn>)]
    parts: Vec<Part>,
}

impl From<LateResult> for LateView {
    fn from(late: LateResult) -> Self {
        Self {
            n: late.n,
            hop: late.hop,
            operation: late.operation.map(tertulia_acts::answers::Operation::name),
            ask: late.ask,
            of: late.of,
            reason: late.reason,
            error: late.error,
            artifacts: late.artifacts.into_iter().map(Into::into).collect(),
            at: Instant(late.at),
            parts: late.body.parts,
        }
    }
}
