//! The envelope: what the engine knows and wrote. No body, agent or peer can write it (DESIGN 1).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    body::{ArtifactRef, Body},
    digest::Digest,
    ids::{ActId, AskId, HopId, RootId, TaskId, TenantId},
    party::Party,
    performative::Performative,
    reason::Reason,
    time::Timestamp,
};

/// Where the words of an act came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// A person.
    Human,
    /// An agent.
    Agent,
    /// The engine, or a service.
    System,
    /// A tool.
    Tool,
}

/// What the engine knows of an act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Its conversation and sequence number.
    pub id: ActId,
    /// Whose it is.
    pub tenant: TenantId,
    /// What kind of act it is.
    pub performative: Performative,
    /// Who said it, as the credential proved.
    pub sender: Party,
    /// The sender's pinned version, if it is an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_version: Option<Digest>,
    /// The hop that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hop: Option<HopId>,
    /// Whom it is for.
    pub recipient: Party,
    /// The recipient's pinned version, if it is an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient_version: Option<Digest>,
    /// The task it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// The task above that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_task: Option<TaskId>,
    /// The root of the tree that it belongs to.
    pub root: RootId,
    /// Whom that root belongs to.
    pub root_principal: Party,
    /// The act that it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<ActId>,
    /// The ask that it makes or answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<AskId>,
    /// Why, where it is a refuse, a failure or a cancel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// When what it asks for must be done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Artifacts that it brings or names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<ArtifactRef>,
    /// Where its words came from.
    pub provenance: Provenance,
    /// When it was said: the engine's clock.
    pub at: Timestamp,
}

/// An act: an envelope and a body. The unit of a conversation; it never changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Act {
    /// What the engine knows.
    pub envelope: Envelope,
    /// What was said.
    pub body: Body,
}

/// A reason with what the one who must decide needs to know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Refusal {
    /// The code.
    pub reason: Reason,
    /// A sentence for people, saying what to do.
    pub message: String,
    /// What programs need: the task in the way, its state, candidates, open asks.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
}

impl Refusal {
    /// A refusal with the reason's own sentence.
    #[must_use]
    pub fn new(reason: Reason) -> Self {
        Self {
            reason,
            message: reason.sentence().into(),
            detail: Map::new(),
        }
    }

    /// A refusal with a sentence of its own.
    #[must_use]
    pub fn saying(reason: Reason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            detail: Map::new(),
        }
    }

    /// Adds something that programs need.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Serialize) -> Self {
        // Only ids, numbers and lists of them are ever passed: they always have a JSON form.
        if let Ok(value) = serde_json::to_value(value) {
            self.detail.insert(name.into(), value);
        }
        self
    }
}
