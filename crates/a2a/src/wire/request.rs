//! The requests of the operations on messages and tasks, and `ListTasksResponse`.
//!
//! Requests about push notification configurations are in [`super::push`].

use serde::{Deserialize, Serialize};

use super::Metadata;
use super::check::{Check, Checker};
use super::message::Message;
use super::protojson::{int32, object, optional_bool, optional_int32, or_default};
use super::push::TaskPushNotificationConfig;
use super::task::{Task, TaskState};
use super::timestamp::Timestamp;

/// Tasks on a page when the client names no size (A2A 1.0 §3.1.4).
pub const DEFAULT_PAGE_SIZE: i32 = 50;
/// Most tasks on a page (A2A 1.0 §3.1.4).
pub const MAX_PAGE_SIZE: i32 = 100;

/// How a message is to be answered (A2A 1.0 §3.2.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct SendMessageConfiguration {
    /// Media types that the client can take.
    #[serde(
        alias = "accepted_output_modes",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub accepted_output_modes: Vec<String>,
    /// Where to push updates of the task to.
    #[serde(
        alias = "task_push_notification_config",
        skip_serializing_if = "Option::is_none"
    )]
    pub task_push_notification_config: Option<Box<TaskPushNotificationConfig>>,
    /// Most messages of history in the answer; unset: the server's choice; 0: none.
    #[serde(
        alias = "history_length",
        deserialize_with = "optional_int32",
        skip_serializing_if = "Option::is_none"
    )]
    pub history_length: Option<i32>,
    /// Answer once the task is there instead of once it is terminal or interrupted.
    #[serde(
        alias = "return_immediately",
        deserialize_with = "or_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub return_immediately: bool,
}

/// `SendMessage` and `SendStreamingMessage` (A2A 1.0 §3.1.1, §3.1.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct SendMessageRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// The message.
    #[serde(deserialize_with = "or_default")]
    pub message: Message,
    /// How it is to be answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub configuration: Option<SendMessageConfiguration>,
    /// Free key-value pairs.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Metadata::is_empty"
    )]
    pub metadata: Metadata,
}

/// `GetTask` (A2A 1.0 §3.1.3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct GetTaskRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// The task.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
    /// Most messages of history in the answer; unset: the server's choice; 0: none.
    #[serde(
        alias = "history_length",
        deserialize_with = "optional_int32",
        skip_serializing_if = "Option::is_none"
    )]
    pub history_length: Option<i32>,
}

/// `ListTasks` (A2A 1.0 §3.1.4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct ListTasksRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// Only tasks of this context; empty: of any.
    #[serde(
        alias = "context_id",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub context_id: String,
    /// Only tasks in this state; unspecified: in any.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "is_unspecified"
    )]
    pub status: TaskState,
    /// Tasks on a page, 1 to 100; see [`ListTasksRequest::page_size_or_default`].
    #[serde(
        alias = "page_size",
        deserialize_with = "optional_int32",
        skip_serializing_if = "Option::is_none"
    )]
    pub page_size: Option<i32>,
    /// Where the last page ended; empty for the first.
    #[serde(
        alias = "page_token",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub page_token: String,
    /// Most messages of history in each task; unset: the server's choice; 0: none.
    #[serde(
        alias = "history_length",
        deserialize_with = "optional_int32",
        skip_serializing_if = "Option::is_none"
    )]
    pub history_length: Option<i32>,
    /// Only tasks whose status is of this moment or later.
    #[serde(
        alias = "status_timestamp_after",
        skip_serializing_if = "Option::is_none"
    )]
    pub status_timestamp_after: Option<Timestamp>,
    /// Whether the tasks come with their artifacts; unset: no.
    #[serde(
        alias = "include_artifacts",
        deserialize_with = "optional_bool",
        skip_serializing_if = "Option::is_none"
    )]
    pub include_artifacts: Option<bool>,
}

/// The answer to `ListTasks`; every field is REQUIRED and always written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct ListTasksResponse {
    /// The page, latest status first.
    #[serde(deserialize_with = "or_default")]
    pub tasks: Vec<Task>,
    /// Where the next page begins; empty on the last.
    #[serde(alias = "next_page_token", deserialize_with = "or_default")]
    pub next_page_token: String,
    /// The size of the page that was used.
    #[serde(alias = "page_size", deserialize_with = "int32")]
    pub page_size: i32,
    /// How many tasks match, over all pages.
    #[serde(alias = "total_size", deserialize_with = "int32")]
    pub total_size: i32,
}

/// `CancelTask` (A2A 1.0 §3.1.5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct CancelTaskRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// The task.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
    /// Free key-value pairs.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Metadata::is_empty"
    )]
    pub metadata: Metadata,
}

/// `SubscribeToTask` (A2A 1.0 §3.1.6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct SubscribeToTaskRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// The task.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
}

/// `GetExtendedAgentCard` (A2A 1.0 §3.1.11).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct GetExtendedAgentCardRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
}

object!(both
    SendMessageConfiguration, SendMessageRequest, GetTaskRequest, ListTasksRequest,
    ListTasksResponse, CancelTaskRequest, SubscribeToTaskRequest, GetExtendedAgentCardRequest,
);

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn is_unspecified(state: &TaskState) -> bool {
    *state == TaskState::Unspecified
}

impl ListTasksRequest {
    /// The size of a page: what was asked for, or 50.
    pub fn page_size_or_default(&self) -> i32 {
        self.page_size.unwrap_or(DEFAULT_PAGE_SIZE)
    }
}

impl Check for SendMessageConfiguration {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.texts("acceptedOutputModes", &self.accepted_output_modes);
        if let Some(config) = &self.task_push_notification_config {
            checker.within("taskPushNotificationConfig", config.as_ref());
        }
        checker.history_length(self.history_length);
    }
}

impl Check for SendMessageRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        if self.message == Message::default() {
            checker.report("message", "is required");
        } else {
            checker.within("message", &self.message);
        }
        if let Some(configuration) = &self.configuration {
            checker.within("configuration", configuration);
        }
        checker.metadata(&self.metadata);
    }
}

impl Check for GetTaskRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.required_id("id", &self.id);
        checker.history_length(self.history_length);
    }
}

impl Check for ListTasksRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.optional_id("contextId", &self.context_id);
        if let TaskState::Other(_) = self.status {
            checker.report("status", "is not a known task state");
        }
        if !(1..=MAX_PAGE_SIZE).contains(&self.page_size_or_default()) {
            checker.report("pageSize", format!("must be from 1 to {MAX_PAGE_SIZE}"));
        }
        checker.text("pageToken", &self.page_token);
        checker.history_length(self.history_length);
    }
}

impl Check for ListTasksResponse {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.each("tasks", &self.tasks);
        checker.text("nextPageToken", &self.next_page_token);
    }
}

impl Check for CancelTaskRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.required_id("id", &self.id);
        checker.metadata(&self.metadata);
    }
}

impl Check for SubscribeToTaskRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.required_id("id", &self.id);
    }
}

impl Check for GetExtendedAgentCardRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
    }
}
