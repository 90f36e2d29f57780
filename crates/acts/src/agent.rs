//! Agents and their versions. A version is an immutable snapshot of a definition, addressed by digest (DESIGN 2).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{digest::Digest, ids::TenantId, limits::ATTEMPTS, party::Party, time::Timestamp};

/// An agent as it stands in the catalogue, with the counters that claims and posts read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Whose it is.
    pub tenant: TenantId,
    /// Its name, without `agent:`.
    pub name: String,
    /// Who answers for it.
    pub owner: Party,
    /// The version that new conversations pin.
    pub current: Digest,
    /// When it was made.
    pub made: Timestamp,
    /// Whether it was taken out of the catalogue.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
}

/// How much an agent has to do. Apart from [`Agent`], since it changes with every act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// Whose it is.
    pub tenant: TenantId,
    /// The agent's name.
    pub agent: String,
    /// Activations that are leased now; consultations are not counted (SEMANTICS 5).
    pub leased: u32,
    /// Deliveries that are open: pending or taken.
    pub open: u32,
}

/// A version of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Version {
    /// Whose it is.
    pub tenant: TenantId,
    /// The agent's name.
    pub agent: String,
    /// The digest of the definition.
    pub digest: Digest,
    /// The definition.
    pub definition: Arc<Definition>,
    /// When it was first seen.
    pub made: Timestamp,
}

/// What an agent is: the front matter of its file and, as its instructions, the text below it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// What it does, for those who look for it.
    pub description: String,
    /// Who answers for it.
    pub owner: Party,
    /// What it can do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<Skill>,
    /// What it accepts and returns.
    #[serde(default, skip_serializing_if = "Contracts::is_empty")]
    pub contracts: Contracts,
    /// How much of it may run.
    #[serde(default)]
    pub limits: AgentLimits,
    /// What happens after an attempt was lost.
    #[serde(default)]
    pub retry: Retry,
    /// How it is executed.
    #[serde(default)]
    pub runner: Runner,
    /// The text that tells it what it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
}

impl Definition {
    /// The digest that names this version: of the definition as JSON, whose field order is fixed here.
    #[must_use]
    pub fn digest(&self) -> Digest {
        // A definition holds strings, numbers and maps with string keys: it always has a JSON form.
        Digest::of(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// A thing that an agent can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// Its name within the agent.
    pub id: String,
    /// What people call it.
    #[serde(default)]
    pub name: String,
    /// What it does.
    pub description: String,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Media types that it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub input_modes: Vec<String>,
    /// Media types that it writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output_modes: Vec<String>,
    /// What one might ask it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// The contracts of an agent, by name and version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contracts {
    /// Requests that it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepts: Vec<String>,
    /// Results that it gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub returns: Vec<String>,
}

impl Contracts {
    fn is_empty(&self) -> bool {
        self.accepts.is_empty() && self.returns.is_empty()
    }
}

/// How much of an agent may run at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentLimits {
    /// Activations leased at once; one that is parked is not counted (SEMANTICS 6).
    pub max_concurrent_conversations: u32,
}

impl Default for AgentLimits {
    fn default() -> Self {
        Self {
            max_concurrent_conversations: 64,
        }
    }
}

/// What happens after an attempt was lost (SEMANTICS 3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Retry {
    /// It is tried again.
    #[default]
    Safe,
    /// It is tried again and told so, so that it can look at what the lost attempt did.
    Reconcile,
    /// The first loss is `failure outcome-unknown`.
    Never,
}

impl Retry {
    /// Attempts to work on a task, the first included, before it is dead.
    #[must_use]
    pub const fn attempts(self) -> u32 {
        match self {
            Self::Safe | Self::Reconcile => ATTEMPTS,
            Self::Never => 1,
        }
    }
}

/// How a version is executed (DESIGN 2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Runner {
    /// A program of the user's pulls work.
    #[default]
    Worker,
    /// A remote agent, reached as an A2A client.
    A2a(RemoteAgent),
}

impl Runner {
    /// Whether the agent lives elsewhere.
    #[must_use]
    pub const fn is_remote(&self) -> bool {
        matches!(self, Self::A2a(_))
    }
}

/// Where a remote agent is found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoteAgent {
    /// The address of its card, or of the origin that has one at the well-known path.
    pub url: String,
    /// The environment variable that holds the bearer token for it; the token itself is never stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_env: Option<String>,
    /// Whether a peer at a private address may be reached; never by default.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_private: bool,
    /// Headers to send with each call.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub headers: Map<String, Value>,
}
