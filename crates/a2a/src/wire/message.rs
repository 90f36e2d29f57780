//! `Message`: one turn of communication between a client and an agent.

use serde::{Deserialize, Serialize};

use super::Metadata;
use super::check::{Check, Checker};
use super::part::{Part, PartContent};
use super::protojson::{object, open_enum, or_default};

open_enum! {
    /// Who speaks in a message (A2A 1.0 §4.1.5).
    pub enum Role {
        /// Not said; no valid message has it.
        Unspecified = 0 => "ROLE_UNSPECIFIED",
        /// From the client to the server.
        User = 1 => "ROLE_USER",
        /// From the server to the client.
        Agent = 2 => "ROLE_AGENT",
    }
}

/// One turn of communication (A2A 1.0 §4.1.4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct Message {
    /// Made by the sender; identifies the message, not the request that carries it.
    #[serde(alias = "message_id", deserialize_with = "or_default")]
    pub message_id: String,
    /// The context it belongs to; empty when new or inferred from the task.
    #[serde(
        alias = "context_id",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub context_id: String,
    /// The task it is about; empty when it opens one.
    #[serde(
        alias = "task_id",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub task_id: String,
    /// Who speaks.
    #[serde(deserialize_with = "or_default")]
    pub role: Role,
    /// The content, at least one part.
    #[serde(deserialize_with = "or_default")]
    pub parts: Vec<Part>,
    /// Free key-value pairs, among them those of extensions.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Metadata::is_empty"
    )]
    pub metadata: Metadata,
    /// URIs of the extensions that contributed to this message.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
    /// Tasks that give context; a hint only.
    #[serde(
        alias = "reference_task_ids",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub reference_task_ids: Vec<String>,
}

object!(both Message);

impl Message {
    /// The text parts, in order.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match &part.content {
            Some(PartContent::Text(text)) => Some(text.as_str()),
            _ => None,
        })
    }
}

impl Check for Message {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.required_id("messageId", &self.message_id);
        checker.optional_id("contextId", &self.context_id);
        checker.optional_id("taskId", &self.task_id);
        match self.role {
            Role::User | Role::Agent => {}
            Role::Unspecified => checker.report("role", "is required: ROLE_USER or ROLE_AGENT"),
            Role::Other(_) => checker.report("role", "must be ROLE_USER or ROLE_AGENT"),
        }
        checker.parts(&self.parts);
        checker.metadata(&self.metadata);
        checker.texts("extensions", &self.extensions);
        checker.texts("referenceTaskIds", &self.reference_task_ids);
    }
}
