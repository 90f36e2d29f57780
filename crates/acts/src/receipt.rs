//! Receipts: what a repeated key, step or claim is answered (SEMANTICS 4; I6). A step is the receipt of an act made
//! inside an activation: one concept, one table.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    digest::{Digest, Hash16},
    envelope::Refusal,
    ids::{ActId, AskId, GroupId, HopId, LeaseId, TaskId, TenantId},
    limits::KEY_KEPT,
    party::Party,
    time::Timestamp,
};

/// What a command was answered, kept under its key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// The digest of where it counts and what it is called there.
    pub key: Hash16,
    /// Where it counts.
    pub scope: Scope,
    /// What it is called there.
    pub name: String,
    /// The digest of the command's content.
    pub content: Digest,
    /// What it was answered.
    pub outcome: Outcome,
    /// When it is forgotten; while none is set, it is kept. Steps are kept as long as their task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// When it was made.
    pub made: Timestamp,
}

/// Where a receipt counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "scope", rename_all = "kebab-case")]
pub enum Scope {
    /// Outside a hop: for one party, whatever the credential or protocol.
    Key {
        /// Its tenant.
        tenant: TenantId,
        /// The party.
        party: Party,
    },
    /// A step of a task, for all its attempts.
    Step {
        /// The task.
        task: TaskId,
        /// Its place among the task's steps, from 1.
        ordinal: u32,
        /// The ask in whose handling it was made; such steps are not read again by a later run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        handling: Option<AskId>,
        /// Whether it was made by a call that joined the activation without its token; nor are those.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        joined: bool,
    },
    /// A claim of one party for one agent.
    Claim {
        /// Its tenant.
        tenant: TenantId,
        /// The party.
        party: Party,
        /// The agent, by name.
        agent: String,
    },
}

impl Scope {
    /// What the receipt called `name` in this scope is found by.
    #[must_use]
    pub fn key(&self, name: &str) -> Hash16 {
        match self {
            Self::Key { tenant, party } => Receipt::key_of_key(*tenant, party, name),
            Self::Step { task, .. } => Receipt::key_of_step(*task, name),
            Self::Claim {
                tenant,
                party,
                agent,
            } => Receipt::key_of_claim(*tenant, party, agent, name),
        }
    }
}

impl Receipt {
    /// A receipt made now.
    #[must_use]
    pub fn new(
        scope: Scope,
        name: &str,
        content: Digest,
        outcome: Outcome,
        made: Timestamp,
    ) -> Self {
        Self {
            key: scope.key(name),
            scope,
            name: name.into(),
            content,
            outcome,
            expires: None,
            made,
        }
    }

    /// Whether it still says what a repeat is answered. One that has expired is as good as none, swept or not.
    #[must_use]
    pub fn is_kept(&self, now: Timestamp) -> bool {
        self.expires.is_none_or(|at| now < at)
    }

    /// Begins the time for which an explicit key is still remembered: at the end of the task that it opened, or at once
    /// where it opened none (SEMANTICS 4).
    pub fn run_out(&mut self, now: Timestamp) {
        self.expires = Some(now.after(KEY_KEPT));
    }

    /// Where the receipt of an explicit key is found.
    #[must_use]
    pub fn key_of_key(tenant: TenantId, party: &Party, name: &str) -> Hash16 {
        Digest::of_all([
            &b"key"[..],
            &tenant.0.to_be_bytes(),
            party.to_string().as_bytes(),
            name.as_bytes(),
        ])
        .short()
    }

    /// Where the receipt of a step is found: by task and name, never by hop.
    #[must_use]
    pub fn key_of_step(task: TaskId, name: &str) -> Hash16 {
        Digest::of_all([
            &b"step"[..],
            task.root.as_bytes(),
            &task.n.to_be_bytes(),
            name.as_bytes(),
        ])
        .short()
    }

    /// Where the receipt of a claim is found.
    #[must_use]
    pub fn key_of_claim(tenant: TenantId, party: &Party, agent: &str, request: &str) -> Hash16 {
        Digest::of_all([
            &b"claim"[..],
            &tenant.0.to_be_bytes(),
            party.to_string().as_bytes(),
            agent.as_bytes(),
            request.as_bytes(),
        ])
        .short()
    }

    /// The task and ordinal of a step that a later run of the handler reads again.
    #[must_use]
    pub const fn replayed_step(&self) -> Option<(TaskId, u32)> {
        match (&self.scope, &self.outcome) {
            (_, Outcome::Answered { .. }) => None,
            (
                Scope::Step {
                    task,
                    ordinal,
                    handling: None,
                    joined: false,
                },
                _,
            ) => Some((*task, *ordinal)),
            _ => None,
        }
    }
}

/// What a command was answered. It names rows; whoever reads it gets them as they stand now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// An opening act was accepted.
    Accepted {
        /// The task that it made, or that it attached to.
        task: TaskId,
        /// The act that asked it.
        act: ActId,
    },
    /// An opening inform reached a principal's inbox.
    Notified {
        /// The act.
        act: ActId,
    },
    /// The act was refused.
    Refused {
        /// The task it made, in state refused, if it was an opening act.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// The refuse, if it was stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        act: Option<ActId>,
        /// Why.
        refusal: Refusal,
    },
    /// A fan-out was made.
    FannedOut {
        /// The group.
        group: GroupId,
        /// What each branch was answered, in order.
        branches: Vec<Outcome>,
    },
    /// An act about the task at hand was made: agree or progress.
    Said {
        /// The act.
        act: ActId,
    },
    /// A result was recorded.
    Recorded {
        /// What was recorded.
        value: Value,
    },
    /// A question was asked, and the activation parked on it.
    Asked {
        /// The ask.
        ask: AskId,
        /// The query.
        act: ActId,
    },
    /// A question was answered.
    Answered {
        /// The ask.
        ask: AskId,
        /// The answer.
        act: ActId,
    },
    /// The activation parked: the lease has ended.
    Parked,
    /// What it was to wait for is there already: the lease lives on.
    Met,
    /// The lease was given back; any worker may go on.
    Released,
    /// The task ended.
    Settled {
        /// The task.
        task: TaskId,
        /// The act that ended it.
        act: ActId,
    },
    /// The attempt was given up; there will be another.
    WillRetry {
        /// The task.
        task: TaskId,
        /// Not before this.
        due: Timestamp,
    },
    /// Leases were granted.
    Claimed {
        /// Which, with the hop that each holds.
        leases: Vec<(LeaseId, HopId)>,
    },
    /// A task was cancelled.
    Cancelled {
        /// The task.
        task: TaskId,
        /// The cancel.
        act: ActId,
    },
    /// A conversation was closed, or a participant's version in it migrated.
    Marked {
        /// The engine's inform that says so.
        act: ActId,
    },
    /// A change of the catalogue, of principals or keys, was made.
    Configured,
}

impl Outcome {
    /// The task that an opening act made or was attached to, if it made one.
    #[must_use]
    pub const fn opened(&self) -> Option<TaskId> {
        match self {
            Self::Accepted { task, .. }
            | Self::Refused {
                task: Some(task), ..
            } => Some(*task),
            _ => None,
        }
    }
}
