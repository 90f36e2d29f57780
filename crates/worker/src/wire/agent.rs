//! Agents: their definitions and their health.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An agent, as it is found.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The digest of its current version.
    #[serde(default)]
    pub version: Option<String>,
    /// What it is good for.
    #[serde(default)]
    pub description: String,
    /// Whose it is.
    #[serde(default)]
    pub owner: Option<String>,
    /// Its skills.
    #[serde(default)]
    pub skills: Value,
    /// The contracts that it accepts and returns.
    #[serde(default)]
    pub contracts: Value,
    /// How it is run.
    #[serde(default)]
    pub runner: Value,
    /// Its limits.
    #[serde(default)]
    pub limits: Value,
    /// What happens after a lost attempt: `safe`, `reconcile` or `never`.
    #[serde(default)]
    pub retry: Option<String>,
    /// Whether it takes no more work for good.
    #[serde(default)]
    pub retired: bool,
    /// Whether it can take work now.
    #[serde(default)]
    pub health: Option<Health>,
}

/// Whether an agent can take work now.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Health {
    /// Open deliveries.
    #[serde(default)]
    pub open: u64,
    /// Activations that a worker holds.
    #[serde(default)]
    pub leased: u64,
    /// Whether a worker asked for its work lately.
    #[serde(default)]
    pub worker: bool,
}

/// An agent and the version of it that is at work.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AgentVersion {
    /// Its name.
    pub name: String,
    /// The digest of the version.
    #[serde(default)]
    pub version: Option<String>,
    /// What that version's definition tells whoever does the work.
    #[serde(default)]
    pub instructions: String,
}

/// What putting a definition came to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Registered {
    /// The agent.
    pub name: String,
    /// The digest of the version that is now current.
    pub version: String,
    /// Whether that version is new.
    #[serde(default)]
    pub changed: bool,
}

/// Which agents to find. What is not named does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[expect(
    missing_docs,
    reason = "each is the query parameter of that name of `GET /v1/agents`"
)]
pub struct AgentQuery {
    pub tag: Option<String>,
    pub input_mode: Option<String>,
    pub output_mode: Option<String>,
    pub q: Option<String>,
}

/// `GET /v1/agents`.
#[derive(Debug, Deserialize)]
pub(crate) struct Agents {
    pub(crate) agents: Vec<Agent>,
}
