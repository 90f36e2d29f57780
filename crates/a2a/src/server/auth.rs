//! Who calls: decided by the server that mounts these routes.

use std::net::SocketAddr;

use http::HeaderMap;
use tertulia_acts::command::Caller;

use crate::wire::{A2aError, ErrorKind};

/// Tells for whom a call speaks, by its credential and where it comes from. The same for every protocol.
pub trait Authenticator: Send + Sync + 'static {
    /// The caller of a call with these headers. `host` is the authority of the request's address, where it has one
    /// (HTTP/2); `peer` is where the connection comes from.
    ///
    /// # Errors
    /// See [`Denied`].
    fn authenticate(
        &self,
        headers: &HeaderMap,
        host: Option<&str>,
        peer: Option<SocketAddr>,
    ) -> Result<Caller, Denied>;
}

impl<F> Authenticator for F
where
    F: Fn(&HeaderMap, Option<&str>, Option<SocketAddr>) -> Result<Caller, Denied>
        + Send
        + Sync
        + 'static,
{
    fn authenticate(
        &self,
        headers: &HeaderMap,
        host: Option<&str>,
        peer: Option<SocketAddr>,
    ) -> Result<Caller, Denied> {
        self(headers, host, peer)
    }
}

/// Why a call was not let in. The text tells the caller what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// No credential, or none that is known (401).
    #[error("{0}")]
    Unauthenticated(String),
    /// The credential is valid and not for this (403).
    #[error("{0}")]
    Forbidden(String),
    /// The credential cannot be read, or there are two (400).
    #[error("{0}")]
    Malformed(String),
    /// The credential could not be looked up now (503).
    #[error("{0}")]
    Unavailable(String),
}

impl From<Denied> for A2aError {
    fn from(denied: Denied) -> Self {
        let kind = match &denied {
            Denied::Unauthenticated(_) => ErrorKind::Unauthenticated,
            Denied::Forbidden(_) => ErrorKind::PermissionDenied,
            Denied::Malformed(_) => ErrorKind::InvalidRequest,
            Denied::Unavailable(_) => ErrorKind::Unavailable,
        };
        Self::new(kind, denied.to_string())
    }
}
