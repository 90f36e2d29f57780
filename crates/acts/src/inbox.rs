//! A principal's inbox: entries read by cursor, never leased (SEMANTICS 6).

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ActId, AskId, TaskId, TenantId},
    party::Party,
    time::Timestamp,
};

/// The head of an inbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inbox {
    /// Whose: the tenant.
    pub tenant: TenantId,
    /// Whose: the principal.
    pub principal: Party,
    /// The number of the last entry.
    pub last: u32,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboxEntry {
    /// Whose inbox: the tenant.
    pub tenant: TenantId,
    /// Whose inbox: the principal.
    pub principal: Party,
    /// Its number there, from 1, without gaps.
    pub n: u32,
    /// The act that it brings.
    pub act: ActId,
    /// The task that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The ask that waits for the principal's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskId>,
    /// When it came.
    pub at: Timestamp,
}
