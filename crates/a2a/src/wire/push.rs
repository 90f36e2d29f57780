//! Push notification configurations: the type and the four operations on it.

use serde::{Deserialize, Serialize};

use super::check::{Check, Checker};
use super::protojson::{int32, object, or_default};

/// How the receiver of push notifications wants the sender to authenticate (A2A 1.0 §4.3.2).
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct AuthenticationInfo {
    /// Scheme of the Authorization header, such as `Bearer`.
    #[serde(deserialize_with = "or_default")]
    pub scheme: String,
    /// What follows it. A secret: never logged.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub credentials: String,
}

/// Where updates of a task are pushed to (A2A 1.0 §4.3.1).
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct TaskPushNotificationConfig {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// Names this configuration among those of its task; empty: the server makes one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub id: String,
    /// The task; empty inside a `SendMessage` configuration.
    #[serde(
        alias = "task_id",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub task_id: String,
    /// Where to POST to.
    #[serde(deserialize_with = "or_default")]
    pub url: String,
    /// Returned with each notification so that the receiver knows it. A secret: never logged.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub token: String,
    /// How to authenticate at the receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authentication: Option<AuthenticationInfo>,
}

/// `GetTaskPushNotificationConfig` (A2A 1.0 §3.1.8).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct GetTaskPushNotificationConfigRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "or_default")]
    pub task_id: String,
    /// The configuration.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
}

/// `DeleteTaskPushNotificationConfig` (A2A 1.0 §3.1.10).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct DeleteTaskPushNotificationConfigRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "or_default")]
    pub task_id: String,
    /// The configuration.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
}

/// `ListTaskPushNotificationConfigs` (A2A 1.0 §3.1.9).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct ListTaskPushNotificationConfigsRequest {
    /// The tenant of the interface, empty without one.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// The task.
    #[serde(alias = "task_id", deserialize_with = "or_default")]
    pub task_id: String,
    /// Configurations on a page; 0: the server's choice.
    #[serde(
        alias = "page_size",
        deserialize_with = "int32",
        skip_serializing_if = "is_zero"
    )]
    pub page_size: i32,
    /// Where the last page ended; empty for the first.
    #[serde(
        alias = "page_token",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub page_token: String,
}

/// The answer to `ListTaskPushNotificationConfigs`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct ListTaskPushNotificationConfigsResponse {
    /// The page.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub configs: Vec<TaskPushNotificationConfig>,
    /// Where the next page begins; empty on the last.
    #[serde(
        alias = "next_page_token",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub next_page_token: String,
}

/// `google.protobuf.Empty`, the answer to a deletion: `{}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Empty {}

object!(both
    AuthenticationInfo, TaskPushNotificationConfig, GetTaskPushNotificationConfigRequest,
    DeleteTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, Empty,
);

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
fn is_zero(value: &i32) -> bool {
    *value == 0
}

impl std::fmt::Debug for AuthenticationInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthenticationInfo")
            .field("scheme", &self.scheme)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for TaskPushNotificationConfig {
    /// Leaves out the token, which is a secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskPushNotificationConfig")
            .field("tenant", &self.tenant)
            .field("id", &self.id)
            .field("task_id", &self.task_id)
            .field("url", &self.url)
            .field("authentication", &self.authentication)
            .finish_non_exhaustive()
    }
}

impl Check for AuthenticationInfo {
    /// Both go into a header, where a line break would start another one.
    fn check(&self, checker: &mut Checker<'_>) {
        checker.required_id("scheme", &self.scheme);
        checker.text("credentials", &self.credentials);
        if self.credentials.chars().any(char::is_control) {
            checker.report("credentials", "must not contain control characters");
        }
    }
}

impl Check for TaskPushNotificationConfig {
    /// `taskId` is not required here: inside a `SendMessage` configuration there is none yet.
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.optional_id("id", &self.id);
        checker.optional_id("taskId", &self.task_id);
        checker.required_text("url", &self.url);
        checker.text("token", &self.token);
        if self.token.chars().any(char::is_control) {
            checker.report("token", "must not contain control characters");
        }
        if let Some(authentication) = &self.authentication {
            checker.within("authentication", authentication);
        }
    }
}

impl Check for GetTaskPushNotificationConfigRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.required_id("taskId", &self.task_id);
        checker.required_id("id", &self.id);
    }
}

impl Check for DeleteTaskPushNotificationConfigRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.required_id("taskId", &self.task_id);
        checker.required_id("id", &self.id);
    }
}

impl Check for ListTaskPushNotificationConfigsRequest {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.optional_id("tenant", &self.tenant);
        checker.required_id("taskId", &self.task_id);
        if self.page_size < 0 {
            checker.report("pageSize", "must not be negative");
        }
        checker.text("pageToken", &self.page_token);
    }
}

impl Check for ListTaskPushNotificationConfigsResponse {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.each("configs", &self.configs);
        checker.text("nextPageToken", &self.next_page_token);
    }
}
