//! Receipts: what a command was answered. A repeat gets it again, with things as they stand then (SEMANTICS 4).

use serde::Deserialize;
use serde_json::Value;

use super::{act::Act, ask::Ask, task::Task};

/// A receipt, and whether it was given before.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Receipted {
    /// What the command was answered.
    pub receipt: Receipt,
    /// Whether it had been answered before.
    #[serde(default)]
    pub replayed: bool,
}

/// What a command was answered.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Receipt {
    /// An opening act was accepted.
    Accepted {
        /// The task that it made or attached to, with its reply once it ended.
        task: Box<Task>,
        /// The act.
        #[serde(default)]
        act: Option<String>,
    },
    /// An opening inform reached a principal's inbox.
    Notified {
        /// The act.
        #[serde(default)]
        act: Option<String>,
    },
    /// A decision of governance said no.
    Refused {
        /// The refuse, with its reason.
        act: Box<Act>,
        /// That act as the engine renders it for a model.
        #[serde(default)]
        prompt: Vec<String>,
        /// The task that it made, in state refused, if it was an opening act.
        #[serde(default)]
        task: Option<Box<Task>>,
    },
    /// A fan-out was made.
    FannedOut {
        /// Where it stands.
        group: Group,
        /// What each branch was answered, in order.
        branches: Vec<Self>,
    },
    /// An act about the task at hand was made.
    Said {
        /// The act.
        #[serde(default)]
        act: Option<String>,
    },
    /// A result was recorded.
    Recorded {
        /// What was recorded.
        #[serde(default)]
        value: Value,
    },
    /// A question was asked; the activation has parked on it.
    Asked {
        /// The ask as it stands.
        ask: Box<Ask>,
    },
    /// A question was answered.
    Answered {
        /// The ask.
        #[serde(default)]
        ask: Option<String>,
        /// The answer.
        #[serde(default)]
        act: Option<String>,
    },
    /// The lease has ended; another claim goes on.
    Parked {},
    /// What was to be waited for is there; the lease lives on.
    Met {
        /// The tasks that were waited for.
        #[serde(default)]
        tasks: Vec<Task>,
        /// The fan-out that was waited for.
        #[serde(default)]
        group: Option<Group>,
        /// Its branches.
        #[serde(default)]
        branches: Vec<Self>,
        /// The ask that was waited for.
        #[serde(default)]
        ask: Option<Box<Ask>>,
    },
    /// The lease was given back.
    Released {},
    /// The task ended.
    Settled {
        /// The task.
        task: String,
        /// The act that ended it.
        #[serde(default)]
        act: Option<String>,
    },
    /// The attempt was given up; there will be another.
    WillRetry {
        /// The task.
        #[serde(default)]
        task: Option<String>,
        /// Not before this.
        #[serde(default)]
        due: Option<String>,
    },
    /// A task was cancelled.
    Cancelled {
        /// The task, if the caller may see it.
        #[serde(default)]
        task: Option<Box<Task>>,
        /// The cancel.
        #[serde(default)]
        act: Option<String>,
    },
    /// A conversation was closed or migrated.
    Marked {
        /// The engine's inform that says so.
        #[serde(default)]
        act: Option<String>,
    },
    /// An outcome that this version does not know.
    #[serde(other)]
    Unknown,
}

impl Receipt {
    /// Its task, if it is about one.
    pub fn task(&self) -> Option<&Task> {
        match self {
            Self::Accepted { task, .. } => Some(task),
            Self::Refused { task, .. } | Self::Cancelled { task, .. } => task.as_deref(),
            _ => None,
        }
    }

    /// What it is called, for messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Accepted { .. } => "accepted",
            Self::Notified { .. } => "notified",
            Self::Refused { .. } => "refused",
            Self::FannedOut { .. } => "fanned-out",
            Self::Said { .. } => "said",
            Self::Recorded { .. } => "recorded",
            Self::Asked { .. } => "asked",
            Self::Answered { .. } => "answered",
            Self::Parked {} => "parked",
            Self::Met { .. } => "met",
            Self::Released {} => "released",
            Self::Settled { .. } => "settled",
            Self::WillRetry { .. } => "will-retry",
            Self::Cancelled { .. } => "cancelled",
            Self::Marked { .. } => "marked",
            Self::Unknown => "unknown",
        }
    }
}

/// A fan-out: branches under one task, and when their sender goes on (SEMANTICS 7).
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Group {
    /// Its id.
    pub id: String,
    /// When the sender goes on.
    #[serde(default)]
    pub mode: Value,
    /// Where it stands.
    pub state: GroupState,
    /// What made it fire: `met`, `unmeetable` or `deadline`.
    #[serde(default)]
    pub fired_by: Option<String>,
    /// Branches that ended, however.
    #[serde(default)]
    pub ended: u32,
    /// Branches that ended with a result.
    #[serde(default)]
    pub results: u32,
    /// When it fires with what there is.
    #[serde(default)]
    pub deadline: Option<String>,
    /// The tasks that ended, in that order.
    #[serde(default)]
    pub arrived: Vec<String>,
}

/// Where a fan-out stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GroupState {
    /// It waits.
    Open,
    /// It fired.
    Fired,
    /// One that this version does not know.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fan_out_is_read_with_its_branches() {
        let receipt: Receipt = serde_json::from_value(json!({
            "outcome": "fanned-out",
            "group": {"id": "grp_1", "mode": {"quorum": 1}, "state": "fired", "fired_by": "met",
                      "ended": 2, "results": 1, "arrived": ["task_3", "task_2"]},
            "branches": [
                {"outcome": "accepted", "act": "a",
                 "task": {"id": "task_2", "performative": "request", "state": "done"}},
                {"outcome": "refused", "task": null,
                 "act": {"performative": "refuse", "reason": "loop"}},
            ],
        }))
        .unwrap();
        let Receipt::FannedOut { group, branches } = receipt else {
            panic!("{receipt:?}")
        };
        assert_eq!((group.state, group.arrived.len()), (GroupState::Fired, 2));
        assert_eq!(branches[0].task().unwrap().id, "task_2");
        assert!(branches[1].task().is_none());
    }

    #[test]
    fn outcomes_without_members_and_unknown_ones_are_read() {
        for (name, read_as) in [
            ("parked", "parked"),
            ("released", "released"),
            ("met", "met"),
            ("sung", "unknown"),
        ] {
            let receipt: Receipt = serde_json::from_value(json!({"outcome": name})).unwrap();
            assert_eq!(receipt.name(), read_as);
        }
    }
}
