//! What a server sends back for a message: one answer, or a stream of events.

use serde::{Deserialize, Serialize};

use super::Metadata;
use super::artifact::Artifact;
use super::check::{Check, Checker};
use super::message::Message;
use super::protojson::{object, or_default};
use super::task::{Task, TaskStatus};

/// A task's status changed (A2A 1.0 §4.2.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct TaskStatusUpdateEvent {
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "or_default")]
    pub task_id: String,
    /// Its context.
    #[serde(alias = "context_id", deserialize_with = "or_default")]
    pub context_id: String,
    /// The new status.
    #[serde(deserialize_with = "or_default")]
    pub status: TaskStatus,
    /// Free key-value pairs.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Metadata::is_empty"
    )]
    pub metadata: Metadata,
}

/// A task's artifact, or a piece of it, is there (A2A 1.0 §4.2.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct TaskArtifactUpdateEvent {
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "or_default")]
    pub task_id: String,
    /// Its context.
    #[serde(alias = "context_id", deserialize_with = "or_default")]
    pub context_id: String,
    /// The artifact, or the parts to append to the one with its id.
    #[serde(deserialize_with = "or_default")]
    pub artifact: Artifact,
    /// Whether the parts continue an artifact sent before.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub append: bool,
    /// Whether this completes the artifact.
    #[serde(
        alias = "last_chunk",
        deserialize_with = "or_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub last_chunk: bool,
    /// Free key-value pairs.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Metadata::is_empty"
    )]
    pub metadata: Metadata,
}

/// The answer to `SendMessage` (A2A 1.0 §3.1.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "StreamFields")]
pub enum SendMessageResponse {
    /// The task that the message opened or continued.
    Task(Task),
    /// A direct answer, without a task.
    Message(Message),
}

/// One event of a stream; also the body of a push notification (A2A 1.0 §3.2.3).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "StreamFields")]
pub enum StreamResponse {
    /// The task as it stands; first event of every task stream.
    Task(Task),
    /// A direct answer; the only event of its stream.
    Message(Message),
    /// The status changed.
    StatusUpdate(TaskStatusUpdateEvent),
    /// An artifact, or a piece of one, is there.
    ArtifactUpdate(TaskArtifactUpdateEvent),
}

/// A response as its fields arrive, before it is known which payload it has.
#[derive(Default, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
struct StreamFields {
    task: Option<Task>,
    message: Option<Message>,
    #[serde(alias = "status_update")]
    status_update: Option<TaskStatusUpdateEvent>,
    #[serde(alias = "artifact_update")]
    artifact_update: Option<TaskArtifactUpdateEvent>,
}

object!(both TaskStatusUpdateEvent, TaskArtifactUpdateEvent);
object!(read StreamFields);

impl TryFrom<StreamFields> for StreamResponse {
    type Error = &'static str;

    fn try_from(fields: StreamFields) -> Result<Self, Self::Error> {
        let StreamFields {
            task,
            message,
            status_update,
            artifact_update,
        } = fields;
        match (task, message, status_update, artifact_update) {
            (Some(task), None, None, None) => Ok(Self::Task(task)),
            (None, Some(message), None, None) => Ok(Self::Message(message)),
            (None, None, Some(event), None) => Ok(Self::StatusUpdate(event)),
            (None, None, None, Some(event)) => Ok(Self::ArtifactUpdate(event)),
            _ => Err(
                "a response must have exactly one of task, message, statusUpdate and artifactUpdate",
            ),
        }
    }
}

impl TryFrom<StreamFields> for SendMessageResponse {
    type Error = &'static str;

    fn try_from(fields: StreamFields) -> Result<Self, Self::Error> {
        match (fields.task, fields.message) {
            (Some(task), None) => Ok(Self::Task(task)),
            (None, Some(message)) => Ok(Self::Message(message)),
            _ => Err("a response must have exactly one of task and message"),
        }
    }
}

impl Check for TaskStatusUpdateEvent {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.required_id("taskId", &self.task_id);
        checker.optional_id("contextId", &self.context_id);
        checker.within("status", &self.status);
        checker.metadata(&self.metadata);
    }
}

impl Check for TaskArtifactUpdateEvent {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.required_id("taskId", &self.task_id);
        checker.optional_id("contextId", &self.context_id);
        checker.within("artifact", &self.artifact);
        checker.metadata(&self.metadata);
    }
}

impl Check for SendMessageResponse {
    fn check(&self, checker: &mut Checker<'_>) {
        match self {
            Self::Task(task) => checker.within("task", task),
            Self::Message(message) => checker.within("message", message),
        }
    }
}

impl Check for StreamResponse {
    fn check(&self, checker: &mut Checker<'_>) {
        match self {
            Self::Task(task) => checker.within("task", task),
            Self::Message(message) => checker.within("message", message),
            Self::StatusUpdate(event) => checker.within("statusUpdate", event),
            Self::ArtifactUpdate(event) => checker.within("artifactUpdate", event),
        }
    }
}
