//! Pages of listings.

use serde::Serialize;
use tertulia_acts::reason::Reason;
use tertulia_engine::read::Total;
use utoipa::ToSchema;

use super::{ask::AskView, commitment::CommitmentView, instant::Instant, task::TaskView};

/// How many there are; from 10,000 on they are not counted further.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Counted {
    /// How many.
    pub(crate) total: u32,
    /// Whether there are more than that.
    pub(crate) total_is_more: bool,
}

impl From<Total> for Counted {
    fn from(total: Total) -> Self {
        Self {
            total: total.n,
            total_is_more: total.more,
        }
    }
}

/// A page of tasks, the last changed first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tasks)]
pub(crate) struct TasksView {
    /// The tasks.
    pub(crate) tasks: Vec<TaskView>,
    /// How many there are, counted to 10,000.
    pub(crate) total: u32,
    /// Whether there are more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) total_is_more: bool,
    /// The `cursor` of the next page; none on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

/// The tasks of a tree, in the order in which they were made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tree)]
pub(crate) struct TreeView {
    /// The tasks, each with its `hops`.
    pub(crate) tasks: Vec<TaskView>,
}

/// What an agent has to do, the oldest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Mailbox)]
pub(crate) struct MailboxView {
    /// Its open tasks.
    pub(crate) deliveries: Vec<TaskView>,
    /// How many there are, counted to 10,000.
    pub(crate) total: u32,
    /// Whether there are more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) total_is_more: bool,
    /// The `after` of the next page; none on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

/// Dead letters, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeadLetters)]
pub(crate) struct DeadLettersView {
    /// The letters.
    pub(crate) dead_letters: Vec<DeadLetterView>,
    /// How many there are, counted to 10,000.
    pub(crate) total: u32,
    /// Whether there are more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) total_is_more: bool,
    /// The `before` of the next page; none on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

/// A delivery that died.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeadLetter)]
pub(crate) struct DeadLetterView {
    /// Its task.
    pub(crate) task: TaskView,
    /// Why, as a code.
    #[schema(value_type = String)]
    pub(crate) reason: Reason,
    /// Attempts that were claimed.
    pub(crate) attempts: u32,
    /// What went wrong in the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_error: Option<String>,
    /// Since when.
    pub(crate) at: Instant,
}

/// Commitments, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Commitments)]
pub(crate) struct CommitmentsView {
    /// The commitments.
    pub(crate) commitments: Vec<CommitmentView>,
    /// How many there are, counted to 10,000.
    pub(crate) total: u32,
    /// Whether there are more than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) total_is_more: bool,
    /// The `before` of the next page; none on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next: Option<String>,
}

/// Asks that are open for the caller, the oldest first.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Asks)]
pub(crate) struct AsksView {
    /// The asks.
    pub(crate) asks: Vec<AskView>,
}
