//! Calls that could not be carried out, as `application/problem+json` (RFC 9457; docs/statuses.md). A decision of
//! governance is never one of them: it is a receipt with an act (SEMANTICS 18; I1).

use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use tertulia_acts::facts::Fault;
use tertulia_engine::{EngineError, StoreError};
use utoipa::ToSchema;

/// The codes of problems, with the status that each has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// The call cannot be read.
    Malformed,
    /// No credential, or none that is known.
    Unauthenticated,
    /// The credential is valid and not for this.
    Forbidden,
    /// Absent, or another's.
    NotFound,
    /// The address is there, and this method is not.
    MethodNotAllowed,
    /// The lease ended before the call came.
    LeaseLost,
    /// The hop ended by another operation.
    HopFinished,
    /// A run made a new step while recorded ones are unread.
    ReplayDiverged,
    /// A body, part or artifact is over its limit.
    TooLarge,
    /// A content type that is not read here.
    UnsupportedMediaType,
    /// The caller has too many calls under way.
    TooManyCalls,
    /// An error of ours.
    Internal,
    /// The writer's queue is full.
    Overloaded,
    /// The process shuts down.
    Draining,
    /// The configuration kept changing.
    Busy,
    /// The disk is full.
    StorageFull,
    /// The store cannot be read or written.
    StorageUnavailable,
}

impl Code {
    const fn row(self) -> (StatusCode, &'static str, &'static str) {
        use StatusCode as S;
        match self {
            Self::Malformed => (S::BAD_REQUEST, "malformed", "The call cannot be read"),
            Self::Unauthenticated => (
                S::UNAUTHORIZED,
                "unauthenticated",
                "No valid credential came with the call",
            ),
            Self::Forbidden => (S::FORBIDDEN, "forbidden", "The credential is not for this"),
            Self::NotFound => (
                S::NOT_FOUND,
                "not-found",
                "There is no such thing that you may see",
            ),
            Self::MethodNotAllowed => (
                S::METHOD_NOT_ALLOWED,
                "method-not-allowed",
                "This address has no such method",
            ),
            Self::LeaseLost => (S::CONFLICT, "lease-lost", "The lease was lost"),
            Self::HopFinished => (S::CONFLICT, "hop-finished", "The hop is finished"),
            Self::ReplayDiverged => (
                S::CONFLICT,
                "replay-diverged",
                "The run differs from the one before",
            ),
            Self::TooLarge => (
                S::PAYLOAD_TOO_LARGE,
                "too-large",
                "Something is over its limit",
            ),
            Self::UnsupportedMediaType => (
                S::UNSUPPORTED_MEDIA_TYPE,
                "unsupported-media-type",
                "The content type is not read here",
            ),
            Self::TooManyCalls => (
                S::TOO_MANY_REQUESTS,
                "too-many-calls",
                "The caller has too many calls under way",
            ),
            Self::Internal => (
                S::INTERNAL_SERVER_ERROR,
                "internal",
                "An error of the server",
            ),
            Self::Overloaded => (
                S::SERVICE_UNAVAILABLE,
                "overloaded",
                "The server is overloaded",
            ),
            Self::Draining => (S::SERVICE_UNAVAILABLE, "draining", "The server shuts down"),
            Self::Busy => (
                S::SERVICE_UNAVAILABLE,
                "busy",
                "The configuration keeps changing",
            ),
            Self::StorageFull => (S::SERVICE_UNAVAILABLE, "storage-full", "The disk is full"),
            Self::StorageUnavailable => (
                S::SERVICE_UNAVAILABLE,
                "storage-unavailable",
                "The storage is unavailable",
            ),
        }
    }

    /// Its HTTP status.
    pub const fn status(self) -> StatusCode {
        self.row().0
    }

    /// Its name, as it stands in `code` and in `type`.
    pub const fn name(self) -> &'static str {
        self.row().1
    }
}

/// A call that could not be carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", code.name())]
pub struct Problem {
    /// What kind of problem.
    pub code: Code,
    /// What is wrong in this case, and what to do.
    pub detail: String,
    /// After how long the same call may be repeated, where it may.
    pub retry_after: Option<Duration>,
}

/// A problem as it is sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem)]
pub(crate) struct ProblemView {
    /// `urn:tertulia:problem:` and the code.
    r#type: String,
    /// What it is, in general.
    title: &'static str,
    /// The HTTP status.
    status: u16,
    /// What it is in this case, and what to do.
    detail: String,
    /// The code (docs/statuses.md).
    code: &'static str,
}

/// How long to wait where nobody knows better.
const RETRY: Duration = Duration::from_secs(1);

impl Problem {
    /// A problem.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let may_repeat = matches!(
            code.status(),
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
        );
        let retry_after = may_repeat.then_some(RETRY);
        Self {
            code,
            detail: detail.into(),
            retry_after,
        }
    }

    /// A call that cannot be read, with the place where.
    pub fn malformed(place: &str, what: impl std::fmt::Display) -> Self {
        if place.is_empty() {
            Self::new(Code::Malformed, what.to_string())
        } else {
            Self::new(Code::Malformed, format!("{place}: {what}"))
        }
    }

    /// Something over its limit, with the place where.
    pub fn too_large(place: &str, bytes: usize, most: usize) -> Self {
        let detail = format!("{place} has {bytes} bytes, and at most {most} are taken");
        Self::new(Code::TooLarge, detail)
    }

    /// What is absent, or another's.
    pub fn not_found(what: impl std::fmt::Display) -> Self {
        Self::new(
            Code::NotFound,
            format!("there is no {what} that you may see"),
        )
    }

    /// An error of ours: the log has it, the caller only that it happened.
    pub fn internal(what: impl std::fmt::Display) -> Self {
        tracing::error!(error = %what, "a call failed by an error of the server");
        Self::new(
            Code::Internal,
            "the server made an error; its log tells which",
        )
    }

    pub(crate) fn view(self) -> ProblemView {
        let (status, code, title) = self.code.row();
        ProblemView {
            r#type: format!("urn:tertulia:problem:{code}"),
            title,
            status: status.as_u16(),
            detail: self.detail,
            code,
        }
    }
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        let code = match &fault {
            Fault::NotFound(_) => Code::NotFound,
            Fault::Forbidden(_) => Code::Forbidden,
            Fault::Invalid(_) => Code::Malformed,
            Fault::LeaseLost => Code::LeaseLost,
            Fault::HopFinished(_) => Code::HopFinished,
            Fault::ReplayDiverged { .. } => Code::ReplayDiverged,
            Fault::Stale => Code::Busy,
        };
        Self::new(code, fault.to_string())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Full => Self::new(Code::StorageFull, error.to_string()),
            StoreError::Unavailable(_) | StoreError::Fsync(_) => {
                tracing::error!(%error, "a read failed");
                Self::new(Code::StorageUnavailable, error.to_string())
            }
            _ => Self::internal(error),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, retry_after) = (self.code.status(), self.retry_after);
        let view = self.view();
        // Strings and a number: there is always a JSON form.
        let body = serde_json::to_vec(&view).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        let kind = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, kind);
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer realm=\"tertulia\"");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        if let Some(after) = retry_after {
            let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        response
    }
}

impl From<EngineError> for Problem {
    fn from(error: EngineError) -> Self {
        let code = match &error {
            EngineError::Overloaded { .. } => Code::Overloaded,
            EngineError::TooManyWaits { .. } => Code::TooManyCalls,
            EngineError::Draining => Code::Draining,
            EngineError::Busy => Code::Busy,
            EngineError::Revoked => Code::Unauthenticated,
            EngineError::StorageFull => Code::StorageFull,
            EngineError::StorageUnavailable(_) => Code::StorageUnavailable,
            EngineError::Internal(_) => return Self::internal(error),
        };
        let mut problem = Self::new(code, error.to_string());
        if let EngineError::Overloaded { retry_after } = error {
            problem.retry_after = Some(retry_after);
        }
        problem
    }
}
