//! Asks: durable questions that park an activation (SEMANTICS 8).

use serde::{Deserialize, Serialize};

use crate::{
    ids::{ActId, AskId, HopId, TaskId, TenantId},
    party::Party,
    time::Timestamp,
};

/// A clarification: what do you mean? It goes to whoever made the request. (An approval will be a type of its own.)
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Its id.
    pub id: AskId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The task that asks.
    pub asker: TaskId,
    /// The hop that asks.
    pub hop: HopId,
    /// Who may answer.
    pub addressee: Addressee,
    /// The act that asks.
    pub query: ActId,
    /// Where it stands.
    pub state: AskState,
    /// When it expires.
    pub deadline: Timestamp,
    /// When it was made.
    pub made: Timestamp,
}

impl Ask {
    /// When the engine must look at it next without being asked: its deadline while it is open (SEMANTICS 14).
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        (self.state == AskState::Open).then_some(self.deadline)
    }
}

/// Who may answer an ask.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Addressee {
    /// Whoever works on this task: the nearest open one above.
    Task(TaskId),
    /// This principal: whom the root belongs to.
    Principal(Party),
}

/// Where an ask stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum AskState {
    /// It waits.
    Open,
    /// It was answered.
    Answered {
        /// By this inform.
        answer: ActId,
    },
    /// Its addressee declined to answer.
    Refused {
        /// By this refuse.
        answer: ActId,
    },
    /// Nobody answered in time.
    Expired,
    /// Its task ended.
    Closed,
}

impl AskState {
    /// The state's name, as it stands in the API.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Answered { .. } => "answered",
            Self::Refused { .. } => "refused",
            Self::Expired => "expired",
            Self::Closed => "closed",
        }
    }
}
