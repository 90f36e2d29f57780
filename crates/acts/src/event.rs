//! Events: a gap-free log per conversation and per task, in commit order (SEMANTICS 15, DESIGN 7).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    ids::{ConversationId, TaskId, TenantId},
    time::Timestamp,
};

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The conversation it happened in.
    pub conversation: ConversationId,
    /// Its number there, from 1, without gaps.
    pub n: u32,
    /// Whose it is.
    pub tenant: TenantId,
    /// The task that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// Its number there, from 1, without gaps; 0 where it is about no task.
    #[serde(default)]
    pub task_n: u32,
    /// What happened.
    pub kind: EventKind,
    /// What it names: acts, hops, asks, reasons.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub detail: Map<String, Value>,
    /// When.
    pub at: Timestamp,
}

macro_rules! kinds {
    ($($(#[$doc:meta])+ $name:ident = $text:literal;)+) => {
        /// What can happen.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum EventKind { $($(#[$doc])+ #[serde(rename = $text)] $name,)+ }

        impl EventKind {
            /// Every kind there is.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its name, as it stands in streams and logs.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }
        }
    };
}

kinds! {
    /// A conversation was opened.
    ConversationOpened = "conversation.opened";
    /// An act was said.
    ConversationAct = "conversation.act";
    /// A conversation was closed.
    ConversationClosed = "conversation.closed";
    /// A participant's version was migrated.
    ConversationMigrated = "conversation.migrated";
    /// A task was made.
    TaskCreated = "task.created";
    /// A hop was minted: I4 asks for exactly one of these per hop.
    TaskActivated = "task.activated";
    /// A hop was taken up again.
    TaskResumed = "task.resumed";
    /// A hop parked.
    TaskParked = "task.parked";
    /// A task entered a state.
    TaskState = "task.state";
    /// A fan-out has what it waited for, or can no longer have it.
    TaskGroupFired = "task.group_fired";
    /// A result came too late and was kept.
    TaskLateResult = "task.late_result";
    /// A delivery was put in a mailbox.
    MailboxQueued = "mailbox.queued";
    /// A delivery was taken.
    MailboxTaken = "mailbox.taken";
    /// An attempt was lost. The delivery waits for another, not before `due`; without that there is none.
    MailboxLeaseLost = "mailbox.lease_lost";
    /// A lease was given back by a worker that drains.
    MailboxReleased = "mailbox.released";
    /// A delivery was processed.
    MailboxProcessed = "mailbox.processed";
    /// A delivery died.
    MailboxDeadLetter = "mailbox.dead_letter";
    /// A dead letter was sent again.
    MailboxRedriven = "mailbox.redriven";
    /// A commitment was made.
    CommitmentMade = "commitment.made";
    /// A commitment's status changed.
    CommitmentStatus = "commitment.status";
    /// A sender said that its request is not equivalent to one that looks the same.
    CommitmentOverride = "commitment.override";
    /// A question was asked.
    AskOpened = "ask.opened";
    /// A question was answered, expired or closed.
    AskEnded = "ask.ended";
    /// A hop's ledger was opened.
    BudgetOpened = "budget.opened";
}
