//! Why a call of a peer brought no answer.

use std::error::Error as StdError;

use super::guard::Forbidden;
use crate::wire::A2aError;

/// Why a call brought no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings cannot be.
    #[error("the remote agent cannot be called as it is defined: {0}")]
    Setup(String),
    /// The peer is where calls must not go. Nothing was sent.
    #[error("{0}")]
    Forbidden(#[from] Forbidden),
    /// The peer could not be reached. Nothing was sent.
    #[error("the peer cannot be reached: {0}")]
    Unreachable(String),
    /// The connection broke, or no answer came in time: whether the peer got the request is not known.
    #[error("the peer did not answer: {0}")]
    Broken(String),
    /// The peer answered with an error.
    #[error("the peer answered with an error: {0}")]
    Peer(A2aError),
    /// The peer answered what the protocol does not allow.
    #[error("the peer answered nonsense: {0}")]
    Nonsense(String),
}

impl Error {
    /// Whether the peer may have got the request, although no answer came.
    pub const fn leaves_open(&self) -> bool {
        matches!(self, Self::Broken(_) | Self::Nonsense(_))
    }

    pub(super) fn of(error: &reqwest::Error) -> Self {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            if let Some(forbidden) = inner.downcast_ref::<Forbidden>() {
                return Self::Forbidden(forbidden.clone());
            }
            text = format!("{text}: {inner}");
            cause = inner.source();
        }
        if error.is_connect() {
            Self::Unreachable(text)
        } else if error.is_builder() {
            Self::Setup(text)
        } else {
            Self::Broken(text)
        }
    }
}
