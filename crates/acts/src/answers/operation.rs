//! What a program does under a hop token (SEMANTICS 1). The performative of an act follows from
//! the operation and from nothing else.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Answering;
use crate::performative::Performative;

/// An operation under a hop token. Nothing else exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Takes the request on.
    Agree,
    /// Tells how far the work is.
    Progress,
    /// Delegates to one agent.
    Delegate,
    /// Delegates to several at once.
    DelegateAll,
    /// Stores a result of a step.
    Record,
    /// Asks a question and parks, in one transaction.
    Ask,
    /// Answers a question that was addressed to this task.
    Answer,
    /// Waits for tasks, a group or an ask without holding the lease.
    Park,
    /// Gives the lease back; the same hop is ready at once and no attempt is counted.
    Release,
    /// Ends the task with its result.
    Reply,
    /// Ends the task without having agreed.
    Decline,
    /// Ends the task without a result, or this attempt at it.
    Fail,
    /// Ends a notification.
    Acknowledge,
    /// Passes over a turn in a room.
    Abstain,
}

impl Operation {
    /// Every operation.
    pub const ALL: &[Self] = &[
        Self::Agree,
        Self::Progress,
        Self::Delegate,
        Self::DelegateAll,
        Self::Record,
        Self::Ask,
        Self::Answer,
        Self::Park,
        Self::Release,
        Self::Reply,
        Self::Decline,
        Self::Fail,
        Self::Acknowledge,
        Self::Abstain,
    ];

    /// The name, as the native API spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Progress => "progress",
            Self::Delegate => "delegate",
            Self::DelegateAll => "delegate_all",
            Self::Record => "record",
            Self::Ask => "ask",
            Self::Answer => "answer",
            Self::Park => "park",
            Self::Release => "release",
            Self::Reply => "reply",
            Self::Decline => "decline",
            Self::Fail => "fail",
            Self::Acknowledge => "acknowledge",
            Self::Abstain => "abstain",
        }
    }

    /// How it answers the act that the hop works on. `None`: it answers nothing, or another act.
    #[must_use]
    pub const fn answering(self) -> Option<Answering> {
        match self {
            Self::Agree => Some(Answering::Agree),
            Self::Progress => Some(Answering::Progress),
            Self::Ask => Some(Answering::Clarify),
            Self::Reply => Some(Answering::Result),
            Self::Decline => Some(Answering::Refuse),
            Self::Fail => Some(Answering::Failure),
            Self::Acknowledge => Some(Answering::Acknowledge),
            Self::Abstain => Some(Answering::Abstain),
            Self::Delegate
            | Self::DelegateAll
            | Self::Record
            | Self::Answer
            | Self::Park
            | Self::Release => None,
        }
    }

    /// Whether a consultation may do it: answer, decline, fail, ask, and wait for what it asked.
    /// It opens no edge and stores nothing (I2; `read-only`).
    #[must_use]
    pub const fn in_consultation(self) -> bool {
        matches!(
            self,
            Self::Reply | Self::Decline | Self::Fail | Self::Ask | Self::Park | Self::Release
        )
    }

    /// Whether the engine writes `agree` before it, in the same transaction: progress and
    /// delegations mean to agree, and what fails was begun.
    #[must_use]
    pub const fn agrees_first(self, opening: Performative, agreed: bool) -> bool {
        !agreed
            && matches!(opening, Performative::Request)
            && matches!(
                self,
                Self::Progress | Self::Delegate | Self::DelegateAll | Self::Fail
            )
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
