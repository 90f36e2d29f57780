//! Calls that could not be carried out, as errors of the protocol.

use tertulia_acts::facts::Fault;
use tertulia_engine::EngineError;

use crate::wire::{A2aError, ErrorKind};

/// An error of the engine. Those that are ours go to the log, not to the caller.
pub(super) fn engine(error: impl Into<EngineError>) -> A2aError {
    let error = error.into();
    let kind = match &error {
        EngineError::Overloaded { .. }
        | EngineError::TooManyWaits { .. }
        | EngineError::Draining
        | EngineError::Busy
        | EngineError::StorageFull
        | EngineError::StorageUnavailable(_) => ErrorKind::Unavailable,
        EngineError::Revoked => ErrorKind::Unauthenticated,
        EngineError::Internal(_) => return internal(error),
    };
    A2aError::new(kind, error.to_string())
}

/// An error of ours.
pub(super) fn internal(what: impl std::fmt::Display) -> A2aError {
    tracing::error!(error = %what, "a call failed by an error of the server");
    A2aError::new(
        ErrorKind::Internal,
        "the server made an error; its log tells which",
    )
}

/// A call that the facts do not allow and that is no decision of governance.
pub(super) fn fault(fault: &Fault) -> A2aError {
    let kind = match fault {
        Fault::NotFound(_) => ErrorKind::TaskNotFound,
        Fault::Forbidden(_) => ErrorKind::PermissionDenied,
        Fault::Invalid(_) => ErrorKind::InvalidParams,
        Fault::LeaseLost | Fault::HopFinished(_) | Fault::ReplayDiverged { .. } => {
            ErrorKind::UnsupportedOperation
        }
        Fault::Stale => ErrorKind::Unavailable,
    };
    let error = A2aError::new(kind, fault.to_string());
    match fault {
        Fault::LeaseLost => error.with("code", "lease-lost"),
        Fault::HopFinished(_) => error.with("code", "hop-finished"),
        Fault::ReplayDiverged { .. } => error.with("code", "replay-diverged"),
        _ => error,
    }
}

/// A task that does not exist, or that the caller may not see: the two are not told apart (I15).
pub(super) fn no_task(id: &str) -> A2aError {
    let id: String = id.chars().take(100).collect();
    A2aError::new(
        ErrorKind::TaskNotFound,
        format!("there is no task {id:?} of this agent that you may see"),
    )
}
