//! Agents, as they are found.

use serde::Serialize;
use tertulia_acts::{
    agent::{AgentLimits, Contracts, Retry, Runner, Skill},
    digest::Digest,
    party::Party,
};
use tertulia_engine::read::AgentRead;
use utoipa::ToSchema;

/// An agent: what is stable about it, apart from its health.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Agent)]
pub(crate) struct AgentView {
    /// Its name.
    name: String,
    /// The digest of its current version.
    #[schema(value_type = String)]
    version: Digest,
    /// What it does.
    description: String,
    /// Who answers for it.
    #[schema(value_type = String)]
    owner: Party,
    /// What it can do.
    #[schema(value_type = Vec<Object>)]
    skills: Vec<Skill>,
    /// The contracts that it accepts and returns.
    #[schema(value_type = Object)]
    contracts: Contracts,
    /// How it is executed: `worker` or `a2a`.
    runner: &'static str,
    /// How much of it may run.
    #[schema(value_type = Object)]
    limits: AgentLimits,
    /// What happens after an attempt was lost: `safe`, `reconcile` or `never`.
    #[schema(value_type = String)]
    retry: Retry,
    /// Whether it was taken out of the catalogue.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    retired: bool,
    /// How much it has to do now.
    health: HealthView,
}

/// How much an agent has to do.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Health)]
pub(crate) struct HealthView {
    /// Deliveries that are open.
    open: u32,
    /// Activations that are leased now.
    leased: u32,
    /// Whether a worker waits for its work, or is at it.
    worker: bool,
}

impl AgentView {
    /// An agent; `waited_for` tells whether a worker waits for its work.
    pub(crate) fn new(read: AgentRead, waited_for: bool) -> Self {
        let AgentRead {
            agent,
            version,
            workload,
        } = read;
        let definition = &version.definition;
        Self {
            name: agent.name,
            version: version.digest,
            description: definition.description.clone(),
            owner: agent.owner,
            skills: definition.skills.clone(),
            contracts: definition.contracts.clone(),
            runner: match definition.runner {
                Runner::Worker => "worker",
                Runner::A2a(_) => "a2a",
            },
            limits: definition.limits.clone(),
            retry: definition.retry,
            retired: agent.retired,
            health: HealthView {
                open: workload.open,
                leased: workload.leased,
                worker: waited_for || workload.leased > 0,
            },
        }
    }
}

/// Agents, by name.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Agents)]
pub(crate) struct AgentsView {
    /// The agents.
    pub(crate) agents: Vec<AgentView>,
}

/// What putting or retiring an agent came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Registered)]
pub(crate) struct RegisteredView {
    /// The agent.
    pub(crate) name: String,
    /// The digest of its current version.
    #[schema(value_type = String)]
    pub(crate) version: Digest,
    /// Whether anything changed.
    pub(crate) changed: bool,
}

/// A version of an agent: its whole definition.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Version)]
pub(crate) struct VersionView {
    /// The agent, by name.
    pub(crate) agent: String,
    /// The digest of the definition.
    #[schema(value_type = String)]
    pub(crate) digest: Digest,
    /// When it was first seen.
    pub(crate) created_at: super::instant::Instant,
    /// The definition: what a definition file says, with the text below the front matter as `instructions`.
    #[schema(value_type = Value)]
    pub(crate) definition: std::sync::Arc<tertulia_acts::agent::Definition>,
}
