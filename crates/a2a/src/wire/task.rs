//! `Task`, its status and its states.

use serde::{Deserialize, Serialize};

use super::Metadata;
use super::artifact::Artifact;
use super::check::{Check, Checker};
use super::message::Message;
use super::protojson::{object, open_enum, or_default};
use super::timestamp::Timestamp;

open_enum! {
    /// Where a task stands (A2A 1.0 §4.1.3).
    pub enum TaskState {
        /// Not said; as a filter: any state.
        Unspecified = 0 => "TASK_STATE_UNSPECIFIED",
        /// Accepted, not yet begun.
        Submitted = 1 => "TASK_STATE_SUBMITTED",
        /// Being worked on.
        Working = 2 => "TASK_STATE_WORKING",
        /// Ended with its result.
        Completed = 3 => "TASK_STATE_COMPLETED",
        /// Ended without one.
        Failed = 4 => "TASK_STATE_FAILED",
        /// Ended by a cancel.
        Canceled = 5 => "TASK_STATE_CANCELED",
        /// Waits for another message of the client.
        InputRequired = 6 => "TASK_STATE_INPUT_REQUIRED",
        /// Not taken on by the agent.
        Rejected = 7 => "TASK_STATE_REJECTED",
        /// Waits for credentials, out of band.
        AuthRequired = 8 => "TASK_STATE_AUTH_REQUIRED",
    }
}

impl TaskState {
    /// Completed, failed, canceled or rejected: nothing changes after it.
    pub fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Canceled | Self::Rejected
        )
    }

    /// Waiting for the client: for input or for credentials.
    pub fn is_interrupted(self) -> bool {
        matches!(self, Self::InputRequired | Self::AuthRequired)
    }
}

/// The state of a task with its message and time (A2A 1.0 §4.1.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct TaskStatus {
    /// The state.
    #[serde(deserialize_with = "or_default")]
    pub state: TaskState,
    /// What the agent says about it. Results belong into artifacts, not here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Box<Message>>,
    /// When the state was entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
}

/// The unit of work (A2A 1.0 §4.1.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct Task {
    /// Made by the server.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
    /// The context the task belongs to.
    #[serde(
        alias = "context_id",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub context_id: String,
    /// Where it stands.
    #[serde(deserialize_with = "or_default")]
    pub status: TaskStatus,
    /// Its outputs.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// Its messages, oldest first, as far as they were asked for.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Message>,
    /// Free key-value pairs.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Metadata::is_empty"
    )]
    pub metadata: Metadata,
}

object!(both TaskStatus, Task);

impl Check for TaskStatus {
    /// An unknown state is left to the caller, who can say what it means.
    fn check(&self, checker: &mut Checker<'_>) {
        if self.state == TaskState::Unspecified {
            checker.report("state", "is required");
        }
        if let Some(message) = &self.message {
            checker.within("message", message.as_ref());
        }
    }
}

impl Check for Task {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.required_id("id", &self.id);
        checker.optional_id("contextId", &self.context_id);
        checker.within("status", &self.status);
        checker.each("artifacts", &self.artifacts);
        checker.each("history", &self.history);
        checker.metadata(&self.metadata);
    }
}
