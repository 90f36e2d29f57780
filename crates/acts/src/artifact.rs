//! Artifacts: bytes that results bring, addressed by digest within a root.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    body::Body,
    digest::Digest,
    ids::{HopId, RootId, TaskId, TenantId},
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
    /// What it said.
    pub body: Body,
    /// When it came.
    pub at: Timestamp,
}
