//! Artifacts: bytes that results bring, addressed by digest within a root.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    answers::Operation,
    body::{ArtifactRef, Body},
    digest::Digest,
    ids::{AskId, HopId, RootId, TaskId, TenantId},
    reason::Reason,
    time::Timestamp,
};

/// An artifact, inline until there is an artifact store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// The root that it belongs to.
    pub root: RootId,
    /// The digest of its bytes.
    pub digest: Digest,
    /// Whose it is.
    pub tenant: TenantId,
    /// Its media type, as its author gave it.
    pub media_type: String,
    /// Its name, as its author gave it.
    pub name: String,
    /// Its bytes.
    pub bytes: Arc<[u8]>,
    /// Whether so far only late results brought it: then it is kept, and has not counted as evidence (SEMANTICS 5).
    pub late: bool,
    /// When it came.
    pub made: Timestamp,
}

/// A result that came too late: kept as evidence, never applied (I12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LateResult {
    /// The task that it was for.
    pub task: TaskId,
    /// Its number there, from 1.
    pub n: u32,
    /// Whose it is.
    pub tenant: TenantId,
    /// The hop that sent it.
    pub hop: HopId,
    /// The operation that would have said it; none of those kept by versions that did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<Operation>,
    /// The ask that it would have answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskId>,
    /// The task whose result it is, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<TaskId>,
    /// Why it declined or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// What went wrong, in the worker's own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it brought.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// What it said.
    pub body: Body,
    /// When it came.
    pub at: Timestamp,
}
