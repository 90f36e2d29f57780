//! Why a command ends without changes.

use super::Need;
use crate::{
    commitment::InvalidCommitment, delivery::InvalidDelivery, envelope::Refusal,
    hop::InvalidActivation, task::InvalidTransition,
};

/// Why a command was not decided, or was decided to change nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// Facts are to be loaded first; the command is then decided anew.
    Missing(Vec<Need>),
    /// A decision of governance that leaves no trace in the store: the act is refused (SEMANTICS 18).
    Refused(Refusal),
    /// The call cannot be carried out at all.
    Fault(Fault),
    /// The rules contradict the facts: an error of ours.
    Broken(String),
}

/// A call that cannot be carried out, and is no decision of governance (SEMANTICS 18).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// What the call names is absent, or foreign.
    #[error("there is no {0} here that you may see")]
    NotFound(String),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// The call is malformed in a way that only the facts show.
    #[error("{0}")]
    Invalid(String),
    /// The lease was swept: its worker sent no heartbeat in time. Or there is none of that token, or it is another's:
    /// what is foreign looks absent.
    #[error(
        "the hop token holds no lease: no heartbeat came in time and the task goes to another attempt, or the token is \
         none that this key was granted; claim anew"
    )]
    LeaseLost,
    /// The lease has ended, and its last operation was another.
    #[error("the hop token is finished: its lease ended by {0}")]
    HopFinished(String),
    /// The handler made a new step before it came to all those recorded.
    #[error(
        "the handler's run differs from its last one: step `{step}` is new while {unread} recorded steps are unread; \
         name steps that depend on time or model output, or record the value first"
    )]
    ReplayDiverged {
        /// The new step.
        step: String,
        /// How many recorded ones it has not come to.
        unread: usize,
    },
    /// The configuration changed while the call was judged; it is judged again.
    #[error("the configuration changed while the call was judged")]
    Stale,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

macro_rules! broken {
    ($($error:ty),+) => { $(impl From<$error> for Stop {
        fn from(error: $error) -> Self { Self::Broken(error.to_string()) }
    })+ };
}
broken!(
    InvalidTransition,
    InvalidDelivery,
    InvalidActivation,
    InvalidCommitment
);
