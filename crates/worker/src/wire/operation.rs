//! The operations under a hop token. The performative follows from the operation (SEMANTICS 1).

use serde::Serialize;
use serde_json::Value;

use super::{act::ArtifactIn, opening::Opening, part::Part};

/// An operation, with its body.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Operation {
    /// Agrees to the request, so that the commitment is active.
    Agree {},
    /// Tells how far it came.
    Progress {
        /// What it tells.
        parts: Vec<Part>,
        /// Whether it waits for a credential, out of band.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        needs_credential: bool,
    },
    /// Sends an opening act to another agent or a principal.
    Delegate(Box<Opening>),
    /// Sends several at once, as one group.
    DelegateAll {
        /// The opening acts.
        branches: Vec<Opening>,
        /// When the sender goes on.
        mode: Mode,
        /// When it goes on with what there is.
        #[serde(skip_serializing_if = "Option::is_none")]
        deadline_ms: Option<u64>,
        /// Whether branches that are open when it fires go on.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        keep_rest: bool,
    },
    /// Stores a result of the handler's own.
    Record {
        /// Any JSON.
        value: Value,
    },
    /// Asks whoever made the request, and parks.
    Ask {
        /// The question.
        parts: Vec<Part>,
        /// How long it may wait.
        #[serde(skip_serializing_if = "Option::is_none")]
        deadline_ms: Option<u64>,
    },
    /// Answers a question that is addressed to this task.
    Answer {
        /// The ask.
        ask: String,
        /// Whether it is declined.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        refuse: bool,
        /// The answer.
        parts: Vec<Part>,
    },
    /// Ends the lease until something is there.
    Park(Park),
    /// Gives the lease back, so that another worker goes on at once.
    Release {},
    /// Ends the task with its result.
    Reply {
        /// The result.
        parts: Vec<Part>,
        /// What comes with it.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        artifacts: Vec<ArtifactIn>,
    },
    /// Does not take the task on.
    Decline {
        /// Why, in words.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Part>,
        /// Why, as a code: `declined`, `no-consult`, `peer-refused`.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Gives the task up, or this attempt at it.
    Fail {
        /// Whether another attempt may succeed.
        retry: bool,
        /// What to tell the sender.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        parts: Vec<Part>,
        /// What went wrong, for those who keep the agent running.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        /// Why, as a code: `gave-up`, `outcome-unknown`, `peer-failed` …
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Ends the task of an opening inform, which no answer is due to.
    Acknowledge {},
    /// Says nothing in its turn of a room.
    Abstain {},
}

/// When the sender of a fan-out goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// At each end.
    Each,
    /// When all have ended.
    All,
    /// When so many results are there.
    Quorum(u32),
}

/// What an activation parks on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Park {
    /// All of these tasks to end.
    Tasks {
        /// Which.
        tasks: Vec<String>,
    },
    /// A group to fire or, in the mode `each`, more than `seen` of its branches to have ended.
    Group {
        /// Which.
        group: String,
        /// Ends that the handler has seen.
        seen: u32,
    },
    /// An ask of its own.
    Ask {
        /// Which.
        ask: String,
    },
}

impl Operation {
    /// Its name, as it stands in the path.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Agree {} => "agree",
            Self::Progress { .. } => "progress",
            Self::Delegate(_) => "delegate",
            Self::DelegateAll { .. } => "delegate_all",
            Self::Record { .. } => "record",
            Self::Ask { .. } => "ask",
            Self::Answer { .. } => "answer",
            Self::Park(_) => "park",
            Self::Release {} => "release",
            Self::Reply { .. } => "reply",
            Self::Decline { .. } => "decline",
            Self::Fail { .. } => "fail",
            Self::Acknowledge {} => "acknowledge",
            Self::Abstain {} => "abstain",
        }
    }
}

/// One operation of a batch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BatchItem {
    /// The hop token that it is under.
    pub token: String,
    /// Its name.
    pub operation: &'static str,
    /// The step's name, where it is a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Its body.
    #[serde(flatten)]
    pub body: Operation,
}

impl BatchItem {
    /// An operation that is no step.
    pub fn new(token: impl Into<String>, body: Operation) -> Self {
        Self {
            token: token.into(),
            operation: body.name(),
            step: None,
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;

    #[test]
    fn bodies_hold_only_what_the_api_knows() {
        assert_eq!(to_value(Operation::Agree {}).unwrap(), json!({}));
        let park = Operation::Park(Park::Group {
            group: "grp_1".to_owned(),
            seen: 2,
        });
        assert_eq!(
            to_value(&park).unwrap(),
            json!({"group": "grp_1", "seen": 2})
        );
        let all = Operation::DelegateAll {
            branches: vec![Opening::query("logs")],
            mode: Mode::Quorum(1),
            deadline_ms: None,
            keep_rest: false,
        };
        let branch = json!({"to": "agent:logs", "performative": "query", "parts": []});
        assert_eq!(
            to_value(&all).unwrap(),
            json!({"branches": [branch], "mode": {"quorum": 1}})
        );
    }

    #[test]
    fn a_batch_item_holds_its_body_beside_its_token() {
        let reply = Operation::Reply {
            parts: vec![Part::text("42")],
            artifacts: Vec::new(),
        };
        let expected = json!({"token": "t", "operation": "reply", "parts": [{"text": "42"}]});
        assert_eq!(to_value(BatchItem::new("t", reply)).unwrap(), expected);
        let expected = json!({"token": "t", "operation": "acknowledge"});
        let acknowledge = BatchItem::new("t", Operation::Acknowledge {});
        assert_eq!(to_value(acknowledge).unwrap(), expected);
    }
}
