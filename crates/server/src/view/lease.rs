//! Leases, as their workers get them, and what heartbeats are answered.

use std::fmt;

use serde::Serialize;
use tertulia_acts::{
    command::Pulse,
    digest::Digest,
    ids::{AskId, HopId, LeaseId, TaskId},
    lease::LeaseEnd,
};
use utoipa::ToSchema;

use super::{
    act::ActView, ask::AskView, hop::AncestorView, instant::Instant, receipt::ReceiptView,
    task::TaskView,
};

/// Leases that a claim was granted; none if there was no work in time.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Leases)]
pub(crate) struct LeasesView {
    /// The leases.
    pub(crate) leases: Vec<LeaseView>,
    /// The refuse, where the request id was used with another secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) refused: Option<ActView>,
}

/// A lease: a period of holding a hop, with what its handler needs.
#[derive(Serialize, ToSchema)]
#[schema(as = Lease)]
pub(crate) struct LeaseView {
    /// Its public name.
    #[schema(value_type = String)]
    pub(crate) lease: LeaseId,
    /// The hop that it holds.
    #[schema(value_type = String)]
    pub(crate) hop: HopId,
    /// The hop token. Whoever has it speaks as this agent at work.
    pub(crate) token: String,
    /// Until when it is not swept.
    pub(crate) expires_at: Instant,
    /// How often a heartbeat is to be sent, in milliseconds.
    pub(crate) heartbeat_ms: i64,
    /// Which attempt it is, from 1.
    pub(crate) attempt: u32,
    /// Whether the hop was parked or released before, and goes on.
    pub(crate) resumed: bool,
    /// Whether an earlier attempt may have had effects that are to be looked for first.
    pub(crate) reconcile: bool,
    /// A key for effects in the outside world: the same in every attempt.
    #[schema(value_type = String)]
    pub(crate) effect_key: TaskId,
    /// Who is at work, in which version.
    pub(crate) agent: AgentVersionView,
    /// The task, without the act that asked it, which stands beside it. `fold` tells that it is a consultation.
    pub(crate) task: TaskView,
    /// The act that asked it.
    pub(crate) act: ActView,
    /// That act, rendered for a model.
    pub(crate) prompt: Vec<String>,
    /// What was said before: in its conversation, or in the one that it consults.
    pub(crate) history: Vec<TurnView>,
    /// The hops above, the oldest first.
    pub(crate) genealogy: Vec<AncestorView>,
    /// Steps that were made before, by ordinal.
    pub(crate) steps: Vec<StepView>,
    /// Open questions that are addressed to the task.
    pub(crate) questions: Vec<AskView>,
}

impl fmt::Debug for LeaseView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The token is never shown.
        f.debug_struct("LeaseView")
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

/// An agent and the version of it that is at work.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AgentVersion)]
pub(crate) struct AgentVersionView {
    /// Its name.
    pub(crate) name: String,
    /// The digest of the version.
    #[schema(value_type = String)]
    pub(crate) version: Digest,
    /// What that version's definition tells whoever does the work.
    pub(crate) instructions: String,
}

/// Something that was said before.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Turn)]
pub(crate) struct TurnView {
    /// The act.
    pub(crate) act: ActView,
    /// The same, rendered for a model.
    pub(crate) prompt: Vec<String>,
}

/// A step that was made before.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Step)]
pub(crate) struct StepView {
    /// Its name; one made while a question was handled is called `<ask>/<name>`.
    pub(crate) name: String,
    /// Its place among the task's steps, from 1.
    pub(crate) ordinal: u32,
    /// The ask in whose handling it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub(crate) handling: Option<AskId>,
    /// What it was answered, with things as they stand now.
    pub(crate) receipt: ReceiptView,
}

/// Where leases stand, in the order of the tokens.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Beats)]
pub(crate) struct BeatsView {
    /// One for each token.
    pub(crate) hops: Vec<BeatView>,
}

/// Where a lease stands.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Beat)]
pub(crate) struct BeatView {
    /// `live`, `parked`, `settled`, `released`, `lost`, `cancelled`, `deadline` or `unknown`.
    state: &'static str,
    /// Until when it is not swept.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Instant>,
    /// Open questions that are addressed to its task.
    questions: u32,
    /// The task's deadline.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<Instant>,
}

impl From<Pulse> for BeatView {
    fn from(pulse: Pulse) -> Self {
        let ended = |state| Self {
            state,
            expires_at: None,
            questions: 0,
            deadline: None,
        };
        match pulse {
            Pulse::Live {
                until,
                questions,
                deadline,
            } => Self {
                state: "live",
                expires_at: Some(Instant(until)),
                questions,
                deadline: Some(Instant(deadline)),
            },
            Pulse::Ended(LeaseEnd::Parked) => ended("parked"),
            Pulse::Ended(LeaseEnd::Settled) => ended("settled"),
            Pulse::Ended(LeaseEnd::Released) => ended("released"),
            Pulse::Ended(LeaseEnd::Swept) => ended("lost"),
            Pulse::Ended(LeaseEnd::Cancelled) => ended("cancelled"),
            Pulse::Ended(LeaseEnd::Deadline) => ended("deadline"),
            Pulse::Unknown => ended("unknown"),
        }
    }
}
