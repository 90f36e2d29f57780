//! Tasks: what was asked, and where it stands (SEMANTICS 2).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{
    contract::Contract,
    delivery::Delivery,
    digest::{Digest, Hash16},
    envelope::Refusal,
    fingerprint::Fingerprint,
    genealogy::Genealogy,
    ids::{ActId, AskId, CommitmentId, ConversationId, GroupId, HopId, TaskId, TenantId},
    party::Party,
    performative::Performative,
    time::Timestamp,
};

/// A task. What was asked never changes; the rest does.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// What was asked.
    pub made: Arc<TaskMade>,
    /// Where it stands.
    pub now: TaskNow,
}

/// What was asked: written once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskMade {
    /// Its id.
    pub id: TaskId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The task that delegated it; none for a root task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<TaskId>,
    /// Where it was asked.
    pub conversation: ConversationId,
    /// The act that asked it.
    pub opening: ActId,
    /// The kind of that act.
    pub performative: Performative,
    /// Who asked it.
    pub requester: Party,
    /// The hop in which it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_hop: Option<HopId>,
    /// Whom it was asked of; the name as written where nobody is called so.
    pub debtor: Party,
    /// The version of the debtor pinned in the conversation when it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Digest>,
    /// The hops above it.
    pub genealogy: Genealogy,
    /// What is asked, as one compares it.
    pub fingerprint: Fingerprint,
    /// The terms.
    #[serde(default)]
    pub contract: Contract,
    /// When it must be done.
    pub deadline: Timestamp,
    /// The fan-out that it is a branch of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// The task whose conversation it consults, if it is a fold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folded_on: Option<TaskId>,
    /// What the sender's business calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work_id: Option<String>,
    /// What the sender's business calls the work that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_work_id: Option<String>,
    /// The dead letter that it sends again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redrive_of: Option<TaskId>,
    /// Where the receipt of the key is found that it was sent under; its time runs out from the task's end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<Hash16>,
    /// The commitment that it made, if it is a request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commitment: Option<CommitmentId>,
    /// When it was asked.
    pub at: Timestamp,
}

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskNow {
    /// Its state.
    pub state: TaskState,
    /// Where its delivery stands.
    pub delivery: Delivery,
    /// Whether the debtor agreed.
    pub agreed: bool,
    /// Attempts that were claimed.
    pub attempts: u32,
    /// The hop that works on it, or did last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop: Option<HopId>,
    /// Steps that it made.
    pub steps: u32,
    /// Asks and folds that it made.
    pub rounds: u32,
    /// The number of its last event.
    pub last_event: u32,
    /// Its place among the branches of its group that ended, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<u32>,
    /// Equivalent requests of its requester that were attached to it after it was made (SEMANTICS 5).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attached: Vec<Attached>,
    /// Late results kept, and their bytes.
    #[serde(default)]
    pub late: (u32, u64),
    /// What went wrong in the last attempt, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_error: Option<String>,
    /// Children to be closed by upkeep, and why; set when it ends before them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Refusal>,
    /// The letter's redrive, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redriven_as: Option<TaskId>,
    /// When the state last changed.
    pub changed: Timestamp,
}

/// A request that was attached to a task that stood already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    /// The fan-out that it is a branch of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupId>,
    /// The task's place among the branches of that group that ended, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<u32>,
}

/// The state of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum TaskState {
    /// Accepted and not yet claimed.
    Queued,
    /// Claimed.
    Working,
    /// Parked on a question to whoever made the request.
    AwaitingClarification {
        /// The question.
        ask: AskId,
    },
    /// Parked on the responsible person's approval.
    AwaitingApproval {
        /// The question.
        ask: AskId,
    },
    /// Waits for a credential here or at a peer below.
    AwaitingAuthorization,
    /// What became of it at a peer is unknown.
    Uncertain,
    /// A cancel is under way.
    Cancelling,
    /// It has its result.
    Done {
        /// The act that brought it.
        result: ActId,
    },
    /// It was not agreed to.
    Refused {
        /// The act that says so.
        result: ActId,
    },
    /// It was begun and not brought to its end.
    Failed {
        /// The act that says so.
        result: ActId,
    },
    /// It was cancelled.
    Cancelled {
        /// The act that says so.
        result: ActId,
    },
}

/// A change of state that the rules do not allow (I12).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a task that is {from} cannot become {to}")]
pub struct InvalidTransition {
    /// The state it is in.
    pub from: &'static str,
    /// The state it was to enter.
    pub to: &'static str,
}

impl TaskState {
    /// Whether it is an end: done, refused, failed or cancelled (I12).
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        self.result().is_some()
    }

    /// The states, by name, in which the task goes on by itself: whoever waits for it has nothing to do.
    pub const ON_THE_WAY: [&'static str; 4] = ["queued", "working", "uncertain", "cancelling"];

    /// Whether it has ended, or waits for somebody's answer, approval or credential.
    #[must_use]
    pub const fn is_at_rest(&self) -> bool {
        !matches!(
            self,
            Self::Queued | Self::Working | Self::Uncertain | Self::Cancelling
        )
    }

    /// The act that ended it.
    #[must_use]
    pub const fn result(&self) -> Option<ActId> {
        match self {
            Self::Done { result }
            | Self::Refused { result }
            | Self::Failed { result }
            | Self::Cancelled { result } => Some(*result),
            _ => None,
        }
    }

    /// The state's name, as it stands in the API.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Working => "working",
            Self::AwaitingClarification { .. } => "awaiting-clarification",
            Self::AwaitingApproval { .. } => "awaiting-approval",
            Self::AwaitingAuthorization => "awaiting-authorization",
            Self::Uncertain => "uncertain",
            Self::Cancelling => "cancelling",
            Self::Done { .. } => "done",
            Self::Refused { .. } => "refused",
            Self::Failed { .. } => "failed",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    fn to(self, next: Self, legal: bool) -> Result<Self, InvalidTransition> {
        if legal {
            Ok(next)
        } else {
            Err(InvalidTransition {
                from: self.name(),
                to: next.name(),
            })
        }
    }

    /// It was claimed, or what it waited for has come.
    ///
    /// # Errors
    /// It has ended.
    pub fn work(self) -> Result<Self, InvalidTransition> {
        let legal = !self.is_terminal() && self != Self::Cancelling;
        self.to(Self::Working, legal)
    }

    /// It parks on a clarification. One that waits for another already may ask more: while it waits it can be woken by
    /// a question to itself, and pass that on.
    ///
    /// # Errors
    /// It is not at work.
    pub fn ask(self, ask: AskId) -> Result<Self, InvalidTransition> {
        let legal = matches!(
            self,
            Self::Working | Self::AwaitingAuthorization | Self::AwaitingClarification { .. }
        );
        self.to(Self::AwaitingClarification { ask }, legal)
    }

    /// It ends as `end` says.
    ///
    /// # Errors
    /// It has ended already, or `end` is no end.
    pub fn end(self, end: Self) -> Result<Self, InvalidTransition> {
        let legal = !self.is_terminal() && end.is_terminal();
        self.to(end, legal)
    }
}

impl Task {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> TaskId {
        self.made.id
    }

    /// Whether it has not ended.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        !self.now.state.is_terminal()
    }

    /// The group of each request for it, the first one's first; none for a request that stood alone.
    pub fn requests(&self) -> impl Iterator<Item = Option<GroupId>> {
        std::iter::once(self.made.group).chain(self.now.attached.iter().map(|more| more.group))
    }

    /// Its place among the branches of `group` that ended, from 1.
    #[must_use]
    pub fn arrival_in(&self, group: GroupId) -> Option<u32> {
        if self.made.group == Some(group) {
            return self.now.arrival;
        }
        let mut attached = self.now.attached.iter();
        attached
            .find(|more| more.group == Some(group))
            .and_then(|more| more.arrival)
    }

    /// Whether it is a read-only consultation.
    #[must_use]
    pub fn is_fold(&self) -> bool {
        self.made.folded_on.is_some()
    }

    /// When the engine must look at it next without being asked: its deadline while open, at once while it has
    /// children to close (SEMANTICS 14).
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        if self.now.closing.is_some() {
            Some(self.now.changed)
        } else if self.is_open() {
            Some(self.made.deadline)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::RootId;

    fn act() -> ActId {
        ActId {
            conversation: ConversationId::new(RootId::from_bytes([1; 16]), 1),
            seq: 2,
        }
    }

    #[test]
    fn i12_a_terminal_state_never_changes() {
        let ends = [
            TaskState::Done { result: act() },
            TaskState::Refused { result: act() },
            TaskState::Failed { result: act() },
            TaskState::Cancelled { result: act() },
        ];
        let ask = AskId::new(RootId::from_bytes([1; 16]), 3);
        for end in &ends {
            assert!(end.clone().work().is_err());
            assert!(end.clone().ask(ask).is_err());
            for other in &ends {
                assert!(end.clone().end(other.clone()).is_err());
            }
        }
    }

    #[test]
    fn a_task_ends_only_in_an_end() {
        assert_eq!(
            TaskState::Working
                .end(TaskState::Queued)
                .unwrap_err()
                .to_string(),
            "a task that is working cannot become queued"
        );
        assert!(
            TaskState::Queued
                .end(TaskState::Done { result: act() })
                .is_ok()
        );
    }
}
