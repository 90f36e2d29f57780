//! Why a run is to stop, or an operation did not come to its end.

use std::error::Error as StdError;

use crate::{
    problem::Error,
    wire::{Act, Receipt},
};

/// Why an operation of a [`Context`](crate::Context) did not come to its end. Pass it on with `?`.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The activation is parked until what it waits for is there; then the handler runs again, here or elsewhere.
    #[error(
        "the activation is parked: pass this error on, and the handler runs again when there is more"
    )]
    Suspended,
    /// The lease has ended by loss, cancel or deadline, or the hop is finished; the reason is a code.
    #[error("the lease has ended ({0}): what is done from here on counts for nothing")]
    Ended(String),
    /// A decision of governance said no to the operation.
    #[error(
        "refused, {reason}: {message}",
        reason = .0.reason_code(),
        message = .0.message.as_deref().unwrap_or("see `tertulia explain`")
    )]
    Refused(Box<Act>),
    /// The run came to a new step before it came to all that earlier runs had made; nothing was sent.
    #[error(
        "replay diverged: step `{step}` is new, but `{unread}` of an earlier run was not come to; name steps whose \
         content differs between runs, or compute it in `Context::step`"
    )]
    Diverged {
        /// The new step.
        step: String,
        /// The first one that is unread, or what the server said.
        unread: String,
    },
    /// Two steps of this run were given the same name.
    #[error("two steps of this run are named `{0}`: give each a name of its own")]
    NameTaken(String),
    /// The call could not be carried out.
    #[error(transparent)]
    Call(Box<Error>),
    /// The handler of questions failed.
    #[error("the question cannot be answered")]
    Question(#[source] Box<dyn StdError + Send + Sync>),
}

impl From<Error> for StepError {
    fn from(error: Error) -> Self {
        Self::Call(Box::new(error))
    }
}

/// Reasons of a refuse that say that the lease is over, not that the operation is wrong (SEMANTICS 3).
const OVER: [&str; 5] = [
    "cancelled",
    "deadline",
    "expired",
    "group-fired",
    "parent-settled",
];

/// Whether a refuse says that the lease is over.
pub(crate) fn is_over(refuse: &Act) -> bool {
    OVER.contains(&refuse.reason_code())
}

/// The error for a receipt that the operation cannot have: the refuse, if it is one.
pub(super) fn unfitting(operation: &'static str, receipt: Receipt) -> StepError {
    match receipt {
        Receipt::Refused { act, .. } => StepError::Refused(act),
        other => Error::Unfitting {
            call: operation,
            outcome: other.name().to_owned(),
        }
        .into(),
    }
}
