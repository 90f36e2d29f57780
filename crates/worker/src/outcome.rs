//! What a handler's work comes to.

use serde::Serialize;

use crate::wire::{ArtifactIn, Part};

/// How a handler ends a task. The performative follows from it (SEMANTICS 1).
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The result. For an opening inform it is the acknowledgement, and what it says is dropped.
    Reply {
        /// What it says.
        parts: Vec<Part>,
        /// What comes with it.
        artifacts: Vec<ArtifactIn>,
    },
    /// The agent does not take the task on.
    Decline {
        /// Why, in words.
        parts: Vec<Part>,
        /// Why, as a code; `declined` unless said.
        reason: Option<String>,
    },
    /// The task, or this attempt at it, is given up.
    Fail {
        /// Whether another attempt may succeed.
        retry: bool,
        /// What to tell the sender.
        parts: Vec<Part>,
        /// What went wrong, for those who keep the agent running.
        error: Option<String>,
        /// Why, as a code; `gave-up` unless said.
        reason: Option<String>,
    },
    /// The opening inform was taken note of.
    Acknowledge,
    /// Nothing is said in this turn of a room.
    Abstain,
}

impl Outcome {
    /// A result.
    pub fn reply(parts: impl Into<Vec<Part>>) -> Self {
        Self::Reply {
            parts: parts.into(),
            artifacts: Vec::new(),
        }
    }

    /// A result of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::reply([Part::text(text)])
    }

    /// A result of data.
    ///
    /// # Errors
    /// The value has no JSON form.
    pub fn data<T: Serialize>(value: &T) -> Result<Self, serde_json::Error> {
        Ok(Self::reply([Part::of(value)?]))
    }

    /// The same result with an artifact; other outcomes carry none and stay as they are.
    pub fn with_artifact(mut self, artifact: ArtifactIn) -> Self {
        if let Self::Reply { artifacts, .. } = &mut self {
            artifacts.push(artifact);
        }
        self
    }

    /// A decline, with the reason in words.
    pub fn decline(why: impl Into<String>) -> Self {
        Self::Decline {
            parts: vec![Part::text(why)],
            reason: None,
        }
    }

    /// Gives the task up for good, with what the sender is told.
    pub fn fail(why: impl Into<String>) -> Self {
        Self::Fail {
            retry: false,
            parts: vec![Part::text(why)],
            error: None,
            reason: None,
        }
    }

    /// Gives this attempt up; `error` is for those who keep the agent running.
    pub fn retry(error: impl Into<String>) -> Self {
        Self::Fail {
            retry: true,
            parts: Vec::new(),
            error: Some(error.into()),
            reason: None,
        }
    }

    /// The same decline or failure with a reason code of those that a worker may say: `declined`, `no-consult`,
    /// `peer-refused`; `gave-up`, `outcome-unknown`, `peer-cancelled`, `peer-failed`, `peer-nonsense`,
    /// `peer-unreachable`. Other outcomes have none and stay as they are.
    pub fn because(mut self, code: impl Into<String>) -> Self {
        if let Self::Decline { reason, .. } | Self::Fail { reason, .. } = &mut self {
            *reason = Some(code.into());
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_come_with_results_only() {
        let artifact = ArtifactIn::text("a.txt", "text/plain", "a");
        let Outcome::Reply { artifacts, .. } = Outcome::text("x").with_artifact(artifact.clone())
        else {
            panic!("no reply")
        };
        assert_eq!(artifacts.len(), 1);
        let decline = Outcome::decline("no");
        assert_eq!(decline.clone().with_artifact(artifact), decline);
    }

    #[test]
    fn a_reason_code_comes_with_declines_and_failures_only() {
        let Outcome::Fail { reason, .. } = Outcome::fail("x").because("peer-failed") else {
            panic!("no failure")
        };
        assert_eq!(reason.as_deref(), Some("peer-failed"));
        assert_eq!(Outcome::Abstain.because("declined"), Outcome::Abstain);
    }
}
