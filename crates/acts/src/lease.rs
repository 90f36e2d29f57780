//! Leases: periods of holding a hop. One ends by a transaction, never by a clock (SEMANTICS 3).

use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    ids::{HopId, LeaseId, TaskId, TenantId},
    receipt::Outcome,
    time::Timestamp,
};

/// A lease. Its row lives as long as the task; it is found by the digest of its token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// The digest of its token.
    pub token: Digest,
    /// Its public name.
    pub id: LeaseId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The hop that it holds.
    pub hop: HopId,
    /// The task that the hop works on.
    pub task: TaskId,
    /// The worker, as it called itself.
    pub worker: String,
    /// Until when it is not swept.
    pub until: Timestamp,
    /// Where it stands.
    pub state: LeaseState,
    /// Steps recorded before it that its run of the handler has not come to yet, by ordinal (SEMANTICS 4).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<u32>,
    /// When it was granted.
    pub made: Timestamp,
}

impl Lease {
    /// When the engine must look at it next without being asked: while it lives, when it may be swept (SEMANTICS 14).
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        (self.state == LeaseState::Live).then_some(self.until)
    }
}

/// Where a lease stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "lease", rename_all = "kebab-case")]
pub enum LeaseState {
    /// A worker holds it.
    Live,
    /// It has ended.
    Ended {
        /// How.
        by: LeaseEnd,
        /// What its last operation was, for a repeat of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        receipt: Option<Box<LeaseReceipt>>,
    },
}

/// The receipt of the operation that ended a lease.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeaseReceipt {
    /// The digest of the operation as it was sent.
    pub content: Digest,
    /// What it was answered.
    pub outcome: Outcome,
}

/// How a lease ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeaseEnd {
    /// Its activation parked.
    Parked,
    /// Its worker ended the task, or gave the attempt up.
    Settled,
    /// Its worker drains.
    Released,
    /// No heartbeat came.
    Swept,
    /// Its task was cancelled, or closed with the one above.
    Cancelled,
    /// Its task's deadline came.
    Deadline,
}
