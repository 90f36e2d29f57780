//! The slot of an agent in a conversation: at most one live lease, and what may be claimed next (SEMANTICS 3, 6; I7).

use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    ids::{ConversationId, HopId, TaskId, TenantId},
    time::Timestamp,
};

/// A slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot {
    /// The tenant of the conversation.
    pub tenant: TenantId,
    /// The agent, by name.
    pub agent: String,
    /// The conversation.
    pub conversation: ConversationId,
    /// The version of the task at its head: the one pinned when that was accepted.
    pub version: Digest,
    /// The hop that is leased now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub leased: Option<HopId>,
    /// What may be claimed when nothing is leased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
}

/// What may be claimed in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Head {
    /// What kind of work it is; the order in which kinds go.
    pub class: Class,
    /// Not before this.
    pub due: Timestamp,
    /// The task.
    pub task: TaskId,
}

/// The kinds of claimable work, in the order in which they go (SEMANTICS 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// An activation that goes on.
    Resume,
    /// A consultation, begun or not.
    Fold,
    /// A delivery.
    New,
}

impl Class {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::Resume, Self::Fold, Self::New];

    /// Whether it counts against the capacity of its agent: a consultation does not (SEMANTICS 5).
    #[must_use]
    pub const fn takes_capacity(self) -> bool {
        !matches!(self, Self::Fold)
    }

    /// Its rank, as a store keeps it.
    #[must_use]
    pub const fn rank(self) -> u8 {
        self as u8
    }
}
