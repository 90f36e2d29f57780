//! Receipts: what a command was answered, with things as they stand now.

use serde::Serialize;
use serde_json::Value;
use tertulia_acts::ids::{ActId, AskId, TaskId};
use utoipa::ToSchema;

use super::{act::ActView, ask::AskView, group::GroupView, instant::Instant, task::TaskView};

/// What a call that carries out a command is answered.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Receipted)]
pub(crate) struct Receipted {
    /// What came of it.
    pub(crate) receipt: ReceiptView,
    /// Whether it had come of it before.
    pub(crate) replayed: bool,
}

/// What came of a command. A repeat gets it again.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
#[schema(as = Receipt)]
pub(crate) enum ReceiptView {
    /// An opening act was accepted.
    Accepted {
        /// The task that it made, or that it attached to.
        task: Box<TaskView>,
        /// The act that asked it.
        #[schema(value_type = String)]
        act: ActId,
    },
    /// An opening inform reached a principal's inbox.
    Notified {
        /// The act.
        #[schema(value_type = String)]
        act: ActId,
    },
    /// A decision of governance: no.
    Refused {
        /// The refuse.
        act: Box<ActView>,
        /// That act, rendered for a model.
        prompt: Vec<String>,
        /// The task that it made, in state refused; null where it made none.
        #[schema(required)]
        task: Option<Box<TaskView>>,
    },
    /// A fan-out was made.
    FannedOut {
        /// Where it stands.
        group: GroupView,
        /// What each branch was answered, in order.
        #[schema(no_recursion)]
        branches: Vec<Self>,
    },
    /// An act about the task at hand was made.
    Said {
        /// The act.
        #[schema(value_type = String)]
        act: ActId,
    },
    /// A result was recorded.
    Recorded {
        /// What was recorded.
        #[schema(value_type = Value)]
        value: Value,
    },
    /// A question was asked, and the activation parked on it.
    Asked {
        /// The ask, as it stands.
        ask: Box<AskView>,
    },
    /// A question was answered.
    Answered {
        /// The ask.
        #[schema(value_type = String)]
        ask: AskId,
        /// The answer.
        #[schema(value_type = String)]
        act: ActId,
    },
    /// The lease has ended; another claim goes on.
    Parked {},
    /// What was to be waited for is there already; the lease lives on.
    Met {
        /// The tasks that were waited for.
        #[serde(skip_serializing_if = "Option::is_none")]
        tasks: Option<Vec<TaskView>>,
        /// The fan-out that was waited for.
        #[serde(skip_serializing_if = "Option::is_none")]
        group: Option<GroupView>,
        /// Its branches.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schema(no_recursion)]
        branches: Option<Vec<Self>>,
        /// The ask that was waited for.
        #[serde(skip_serializing_if = "Option::is_none")]
        ask: Option<Box<AskView>>,
    },
    /// The lease was given back; any worker may go on.
    Released {},
    /// The task ended.
    Settled {
        /// The task.
        #[schema(value_type = String)]
        task: TaskId,
        /// The act that ended it.
        #[schema(value_type = String)]
        act: ActId,
    },
    /// The attempt was given up; there will be another.
    WillRetry {
        /// The task.
        #[schema(value_type = String)]
        task: TaskId,
        /// Not before this.
        due: Instant,
    },
    /// A task was cancelled.
    Cancelled {
        /// The task; null where it lies deeper than the caller sees.
        #[schema(required)]
        task: Option<Box<TaskView>>,
        /// The cancel.
        #[schema(value_type = String)]
        act: ActId,
    },
    /// A conversation was closed or migrated.
    Marked {
        /// The engine's inform that says so.
        #[schema(value_type = String)]
        act: ActId,
    },
}
