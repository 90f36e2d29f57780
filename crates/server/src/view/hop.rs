//! Hops.

use serde::Serialize;
use tertulia_acts::{
    digest::Digest,
    genealogy::Ancestor,
    hop::{Activation, Hop, Wait},
    ids::{ConversationId, HopId, TaskId},
};
use utoipa::ToSchema;

use super::instant::Instant;

/// A hop: one attempt to work on a task.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Hop)]
pub(crate) struct HopView {
    /// Its id.
    #[schema(value_type = String)]
    id: HopId,
    /// Which attempt it is, from 1.
    attempt: u32,
    /// The agent at work, by name.
    agent: String,
    /// The version at work.
    #[schema(value_type = String)]
    version: Digest,
    /// `leased`, `parked`, `ready`, `settled`, `lost` or `cancelled`.
    state: &'static str,
    /// While parked: what it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    on: Option<Wait>,
    /// When it was minted.
    created_at: Instant,
}

impl From<Hop> for HopView {
    fn from(hop: Hop) -> Self {
        let (state, on) = match hop.state {
            Activation::Leased { .. } => ("leased", None),
            Activation::Parked { on } => ("parked", Some(on)),
            Activation::Ready => ("ready", None),
            Activation::Settled => ("settled", None),
            Activation::Lost => ("lost", None),
            Activation::Cancelled => ("cancelled", None),
        };
        Self {
            id: hop.id,
            attempt: hop.attempt,
            agent: hop.agent,
            version: hop.version,
            state,
            on,
            created_at: Instant(hop.made),
        }
    }
}

/// A hop above an act.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Ancestor)]
pub(crate) struct AncestorView {
    /// The agent that was at work, by name.
    agent: String,
    /// The version of it.
    #[schema(value_type = String)]
    version: Digest,
    /// Its hop.
    #[schema(value_type = String)]
    hop: HopId,
    /// Where it was at work.
    #[schema(value_type = String)]
    conversation: ConversationId,
    /// What it was at work on.
    #[schema(value_type = String)]
    task: TaskId,
}

impl From<&Ancestor> for AncestorView {
    fn from(ancestor: &Ancestor) -> Self {
        Self {
            agent: ancestor.agent.clone(),
            version: ancestor.version,
            hop: ancestor.hop,
            conversation: ancestor.conversation,
            task: ancestor.task,
        }
    }
}
