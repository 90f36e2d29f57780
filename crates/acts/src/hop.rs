//! Hops: one activation each, one attempt to work on a task (SEMANTICS 3). Parking keeps a hop; only loss closes it.

use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    ids::{AskId, ConversationId, GroupId, HopId, LeaseId, TaskId, TenantId},
    time::Timestamp,
};

/// A hop. It is made by a claim, with one `activated` event and one opening ledger entry (I4).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hop {
    /// Its id.
    pub id: HopId,
    /// Whose it is.
    pub tenant: TenantId,
    /// What it works on.
    pub task: TaskId,
    /// Which attempt it is, from 1.
    pub attempt: u32,
    /// The agent at work, by name.
    pub agent: String,
    /// The version at work.
    pub version: Digest,
    /// Where it is at work.
    pub conversation: ConversationId,
    /// The root's evidence counter when it was claimed (SEMANTICS 5).
    pub evidence: u32,
    /// Where it stands.
    pub state: Activation,
    /// When it was minted.
    pub made: Timestamp,
}

/// Where an activation stands: leased → parked → ready → leased … → settled, lost or cancelled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "activation", rename_all = "kebab-case")]
pub enum Activation {
    /// A worker holds it.
    Leased {
        /// The lease.
        lease: LeaseId,
        /// The digest of its token.
        token: Digest,
    },
    /// It waits, without a worker.
    Parked {
        /// For what.
        on: Wait,
    },
    /// What it waited for has come; any worker may go on with it.
    Ready,
    /// It ended its task.
    Settled,
    /// Its worker was lost; the next attempt is another hop.
    Lost,
    /// Its task was ended by others.
    Cancelled,
}

/// What a parked activation waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "wait", rename_all = "kebab-case")]
pub enum Wait {
    /// For all of these tasks to end.
    Tasks {
        /// Which.
        tasks: Vec<TaskId>,
    },
    /// For a group to fire, or, in the mode `each`, for more than `seen` of its branches to have ended.
    Group {
        /// Which.
        group: GroupId,
        /// Ends that the handler has seen.
        seen: u32,
    },
    /// For an ask of its own.
    Ask {
        /// Which.
        ask: AskId,
    },
}

/// A change that the rules do not allow.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("an activation that is {from:?} cannot be {to}")]
pub struct InvalidActivation {
    from: Activation,
    to: &'static str,
}

impl Activation {
    /// Whether it can still work.
    #[must_use]
    pub const fn is_live(&self) -> bool {
        matches!(
            self,
            Self::Leased { .. } | Self::Parked { .. } | Self::Ready
        )
    }

    fn out_of_lease(self, next: Self, to: &'static str) -> Result<Self, InvalidActivation> {
        match self {
            Self::Leased { .. } => Ok(next),
            from => Err(InvalidActivation { from, to }),
        }
    }

    /// Its worker gives it up to wait.
    ///
    /// # Errors
    /// No worker holds it.
    pub fn park(self, on: Wait) -> Result<Self, InvalidActivation> {
        self.out_of_lease(Self::Parked { on }, "parked")
    }

    /// What it waited for came, or its worker drains.
    ///
    /// # Errors
    /// It is neither parked nor leased.
    pub fn ready(self) -> Result<Self, InvalidActivation> {
        match self {
            Self::Parked { .. } | Self::Leased { .. } => Ok(Self::Ready),
            from => Err(InvalidActivation { from, to: "ready" }),
        }
    }

    /// A worker takes it up again.
    ///
    /// # Errors
    /// It is not ready.
    pub fn lease(self, lease: LeaseId, token: Digest) -> Result<Self, InvalidActivation> {
        match self {
            Self::Ready => Ok(Self::Leased { lease, token }),
            from => Err(InvalidActivation { from, to: "leased" }),
        }
    }

    /// Its worker ends the task.
    ///
    /// # Errors
    /// No worker holds it.
    pub fn settle(self) -> Result<Self, InvalidActivation> {
        self.out_of_lease(Self::Settled, "settled")
    }

    /// Its worker is lost.
    ///
    /// # Errors
    /// No worker holds it.
    pub fn lose(self) -> Result<Self, InvalidActivation> {
        self.out_of_lease(Self::Lost, "lost")
    }

    /// Its task was ended by others.
    ///
    /// # Errors
    /// It has ended already.
    pub fn cancel(self) -> Result<Self, InvalidActivation> {
        if self.is_live() {
            Ok(Self::Cancelled)
        } else {
            Err(InvalidActivation {
                from: self,
                to: "cancelled",
            })
        }
    }
}

/// The opening entry of a hop in the ledger (I4). Amounts come with accounts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The hop that it is booked on.
    pub hop: HopId,
    /// Its number there, from 0.
    pub n: u32,
    /// Whose it is.
    pub tenant: TenantId,
    /// When it was booked.
    pub at: Timestamp,
}
