//! What goes wrong with a call. Decisions of governance are not among it: they are receipts (SEMANTICS 18).

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Deserializer};

/// A call that could not be carried out, as the server said it (RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// 400: the call is malformed.
    #[error("{0}")]
    Malformed(Details),
    /// 401 or 403: the credential is missing, unknown, or does not allow it.
    #[error("{0}")]
    Credential(Details),
    /// 404: absent, or another's.
    #[error("{0}")]
    NotFound(Details),
    /// 409: no heartbeat came in time, or the server has no such lease; another attempt is made.
    #[error("{0}")]
    LeaseLost(Details),
    /// 409: the lease ended by an operation of its own.
    #[error("{0}")]
    HopFinished(Details),
    /// 409: the run made a new step while recorded ones are unread.
    #[error("{0}")]
    ReplayDiverged(Details),
    /// 413: a body, part or artifact is too large.
    #[error("{0}")]
    TooLarge(Details),
    /// 429 or 503: it may be repeated later. Unless the code is `outcome-unknown`, nothing was stored.
    #[error("{details}")]
    Overloaded {
        /// How long to wait first, where the server said so.
        retry_after: Option<Duration>,
        /// What the server said.
        details: Details,
    },
    /// Another status.
    #[error("{0}")]
    Other(Details),
}

/// The members of a problem.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, thiserror::Error)]
#[error("{code} ({status}): {text}", text = if detail.is_empty() { title } else { detail })]
#[serde(default)]
pub struct Details {
    /// The HTTP status.
    pub status: u16,
    /// The code: `lease-lost`, `overloaded` …
    pub code: String,
    /// What it is, in general.
    pub title: String,
    /// What it is in this case, and what to do.
    pub detail: String,
}

impl Problem {
    /// Sorts a problem by what a program does about it.
    pub(crate) fn new(details: Details, retry_after: Option<Duration>) -> Self {
        match (details.status, details.code.as_str()) {
            (400, _) => Self::Malformed(details),
            (401 | 403, _) => Self::Credential(details),
            (404, _) => Self::NotFound(details),
            (409, "lease-lost") => Self::LeaseLost(details),
            (409, "hop-finished") => Self::HopFinished(details),
            (409, "replay-diverged") => Self::ReplayDiverged(details),
            (413, _) => Self::TooLarge(details),
            (429 | 503, _) => Self::Overloaded {
                retry_after,
                details,
            },
            _ => Self::Other(details),
        }
    }

    /// Reads the body of an answer whose status is an error; a proxy's is not JSON.
    pub(crate) fn read(status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let details = match serde_json::from_slice::<Details>(body) {
            Ok(details) => Details { status, ..details },
            Err(_) => Details {
                status,
                code: "no-problem-json".to_owned(),
                title: String::new(),
                detail: String::from_utf8_lossy(body).chars().take(200).collect(),
            },
        };
        Self::new(details, retry_after)
    }

    /// What the server said.
    pub const fn details(&self) -> &Details {
        match self {
            Self::Malformed(details)
            | Self::Credential(details)
            | Self::NotFound(details)
            | Self::LeaseLost(details)
            | Self::HopFinished(details)
            | Self::ReplayDiverged(details)
            | Self::TooLarge(details)
            | Self::Overloaded { details, .. }
            | Self::Other(details) => details,
        }
    }
}

impl<'de> Deserialize<'de> for Problem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Details::deserialize(deserializer).map(|details| Self::new(details, None))
    }
}

/// Why a call has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server said why.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// The server was not reached, or the connection was lost.
    #[error("no answer from the server to {call}: check its address and that it runs")]
    Transport {
        /// The call.
        call: String,
        /// What happened.
        #[source]
        source: reqwest::Error,
    },
    /// The answer is not what the API says.
    #[error("the server's answer to {call} cannot be read: it may be of another version")]
    Nonsense {
        /// The call.
        call: String,
        /// What is wrong with it.
        #[source]
        source: serde_json::Error,
    },
    /// The answer can be read and does not fit the call.
    #[error("the server answered {call} with `{outcome}`: it may be of another version")]
    Unfitting {
        /// The call.
        call: &'static str,
        /// What it was answered.
        outcome: String,
    },
    /// What was to be sent has no JSON form.
    #[error("what is to be sent has no JSON form")]
    Unsendable(#[source] serde_json::Error),
    /// The client could not be made.
    #[error("{0}")]
    Setup(String),
    /// A stream of events cannot be read.
    #[error("the stream of events cannot be read: {0}")]
    Stream(String),
    /// The call was one of a batch, and the batch failed.
    #[error(transparent)]
    Batch(Arc<Self>),
}

impl Error {
    /// The problem that the server stated, if it did.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            Self::Batch(error) => error.problem(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, code: &str) -> Problem {
        let body = format!(
            r#"{{"type":"urn:tertulia:problem:{code}","title":"T","status":{status},"detail":"do this","code":"{code}"}}"#
        );
        Problem::read(status, body.as_bytes(), Some(Duration::from_secs(2)))
    }

    #[test]
    fn problems_are_sorted_by_what_to_do_about_them() {
        assert!(matches!(read(409, "lease-lost"), Problem::LeaseLost(_)));
        assert!(matches!(read(409, "hop-finished"), Problem::HopFinished(_)));
        assert!(matches!(
            read(409, "replay-diverged"),
            Problem::ReplayDiverged(_)
        ));
        assert!(matches!(read(409, "other"), Problem::Other(_)));
        let Problem::Overloaded { retry_after, .. } = read(503, "draining") else {
            panic!("503 is no overload")
        };
        assert_eq!(retry_after, Some(Duration::from_secs(2)));
        assert_eq!(read(404, "absent").to_string(), "absent (404): do this");
    }

    #[test]
    fn an_answer_that_is_no_problem_json_is_quoted() {
        let problem = Problem::read(502, b"<html>bad gateway", None);
        assert_eq!(
            problem.to_string(),
            "no-problem-json (502): <html>bad gateway"
        );
    }

    #[test]
    fn problems_of_a_batch_are_read_like_others() {
        let problem: Problem =
            serde_json::from_str(r#"{"status":409,"code":"lease-lost","title":"T"}"#).unwrap();
        assert!(matches!(problem, Problem::LeaseLost(_)));
    }
}
