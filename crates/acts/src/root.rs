//! The root of a tree of tasks: whose it is, and the counters of everything under it.

use serde::{Deserialize, Serialize};

use crate::{
    ids::{RootId, TenantId},
    party::Party,
    time::Timestamp,
};

/// A root. Changed only under its lock (SEMANTICS 14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Root {
    /// Its id.
    pub id: RootId,
    /// Whose it is.
    pub tenant: TenantId,
    /// Whom it belongs to.
    pub principal: Party,
    /// The person or role that answers for it; a service that names none has none, and needs none until an approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible: Option<Party>,
    /// The number that the next thing under it gets.
    pub next: u32,
    /// The evidence counter: what was learnt since it began (SEMANTICS 5).
    pub evidence: u32,
    /// Tasks that are open.
    pub open_tasks: u32,
    /// When it was made.
    pub made: Timestamp,
    /// When its root task ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
}

impl Root {
    /// Takes the next number.
    pub const fn number(&mut self) -> u32 {
        let n = self.next;
        self.next += 1;
        n
    }
}
