//! Who looks (SEMANTICS 13). Every read of the store takes one; the predicate itself stands in the store, once.

use crate::{
    ids::{TaskId, TenantId},
    party::Party,
};

/// Who looks: a party of a tenant, as its credential proved, and the task that it is at work on, if its hop token did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Viewer {
    /// Its tenant.
    pub tenant: TenantId,
    /// Who it is.
    pub party: Party,
    /// The task of the hop that it holds a live lease on.
    pub task: Option<TaskId>,
}

impl Viewer {
    /// A party that looks outside any hop.
    #[must_use]
    pub const fn new(tenant: TenantId, party: Party) -> Self {
        Self {
            tenant,
            party,
            task: None,
        }
    }
}
