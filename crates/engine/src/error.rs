//! Why a command was not answered. None of these is a decision of governance: those are answers (SEMANTICS 18).

use std::time::Duration;

use tertulia_acts::command::Answer;
use tertulia_store::StoreError;

use crate::core::Undone;

/// Why the engine did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// Too much waits for the writer (503 `overloaded`).
    #[error("the engine has more to do than it can take in; send again in {} ms", .retry_after.as_millis())]
    Overloaded {
        /// When to send again.
        retry_after: Duration,
    },
    /// The caller waits in too many calls already (429 `too-many-calls`). Nothing was stored.
    #[error(
        "{most} calls of yours wait already, long polls and streams together, and no more may: let one end, claim more \
         leases at once with `max`, or follow a conversation instead of each of its tasks"
    )]
    TooManyWaits {
        /// How many may.
        most: usize,
    },
    /// It takes nothing in any more (503 `draining`).
    #[error("the engine is stopping and takes nothing new; send to it again after it has started")]
    Draining,
    /// The configuration changed again and again while the command was judged (503 `busy`).
    #[error("the configuration keeps changing; send again in a moment")]
    Busy,
    /// The credential was revoked meanwhile (401).
    #[error("the key was revoked")]
    Revoked,
    /// No room on the disk (503 `storage-full`). Nothing was stored.
    #[error(
        "the disk of the data folder is full; nothing was stored; send again when there is room"
    )]
    StorageFull,
    /// The storage failed (503 `storage-unavailable`). Nothing was stored.
    #[error("{0}")]
    StorageUnavailable(String),
    /// An error of ours (500).
    #[error("{0}; please report this with the server's log")]
    Internal(String),
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Full => Self::StorageFull,
            error if error.blames_command() => Self::Internal(error.to_string()),
            error => Self::StorageUnavailable(error.to_string()),
        }
    }
}

impl From<Undone> for EngineError {
    fn from(undone: Undone) -> Self {
        match undone {
            Undone::Broken(_) => Self::Internal(undone.to_string()),
            Undone::Unstored(error) => Self::from(error),
        }
    }
}

/// What a command is answered, if it is.
pub type Answered = Result<Answer, EngineError>;
