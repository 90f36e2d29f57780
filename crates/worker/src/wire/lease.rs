//! Claims, leases and heartbeats (SEMANTICS 3).

use std::{fmt, time::Duration};

use serde::{Deserialize, Serialize};

use super::{
    act::Act, agent::AgentVersion, ask::Ask, opening::millis, receipt::Receipt, task::Task,
};

/// A claim. It may be repeated as it is until an answer came: it then returns the same leases.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct Claim {
    agent: String,
    max: u32,
    wait_ms: u64,
    request_id: String,
    secret: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    versions: Vec<String>,
}

impl Claim {
    /// A claim of up to `max` leases, with a request id and a secret that are drawn here.
    pub fn new(agent: &str, max: u32, wait: Duration) -> Self {
        Self {
            agent: agent.strip_prefix("agent:").unwrap_or(agent).to_owned(),
            max,
            wait_ms: millis(wait),
            request_id: hex::encode(rand::random::<[u8; 16]>()),
            secret: hex::encode(rand::random::<[u8; 32]>()),
            worker: None,
            versions: Vec::new(),
        }
    }

    /// Says what the worker calls itself.
    pub fn worker(mut self, name: Option<String>) -> Self {
        self.worker = name;
        self
    }

    /// Says which versions the worker serves, by digest; none means any.
    pub fn versions(mut self, digests: Vec<String>) -> Self {
        self.versions = digests;
        self
    }

    /// The same claim, without waiting for work.
    pub fn at_once(&self) -> Self {
        Self {
            wait_ms: 0,
            ..self.clone()
        }
    }

    /// How long it waits for work.
    pub const fn wait(&self) -> Duration {
        Duration::from_millis(self.wait_ms)
    }
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The secret makes hop tokens: it is never shown.
        f.debug_struct("Claim")
            .field("agent", &self.agent)
            .field("max", &self.max)
            .field("request_id", &self.request_id)
            .finish_non_exhaustive()
    }
}

/// `POST /v1/claims`.
#[derive(Debug, Deserialize)]
pub(crate) struct Leases {
    pub(crate) leases: Vec<Lease>,
}

/// A lease, with all that its holder needs to work.
#[derive(Clone, PartialEq, Deserialize)]
pub struct Lease {
    /// Its id.
    pub lease: String,
    /// The hop that it holds.
    pub hop: String,
    /// The hop token: by it the agent at work is known. Never shown or logged.
    pub token: String,
    /// Until when it is not swept.
    #[serde(default)]
    pub expires_at: Option<String>,
    /// How often to send a heartbeat, in milliseconds.
    pub heartbeat_ms: u64,
    /// Which attempt this is, from 1.
    #[serde(default)]
    pub attempt: u32,
    /// Whether the hop was parked or released before.
    #[serde(default)]
    pub resumed: bool,
    /// Whether an earlier attempt may have had effects that must be looked for first.
    #[serde(default)]
    pub reconcile: bool,
    /// A key for effects outside that is the same in every attempt.
    #[serde(default)]
    pub effect_key: String,
    /// Who is at work, in which version.
    pub agent: AgentVersion,
    /// The task.
    pub task: Task,
    /// The act that asked it.
    pub act: Act,
    /// That act as the engine renders it for a model.
    #[serde(default)]
    pub prompt: Vec<String>,
    /// Earlier turns of the conversation or, in a consultation, of the conversation that is consulted.
    #[serde(default)]
    pub history: Vec<Turn>,
    /// The hops above, the oldest first.
    #[serde(default)]
    pub genealogy: Vec<Ancestor>,
    /// Steps that were made before.
    #[serde(default)]
    pub steps: Vec<RecordedStep>,
    /// Open questions that are addressed to this task.
    #[serde(default)]
    pub questions: Vec<Ask>,
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("lease", &self.lease)
            .field("hop", &self.hop)
            .field("attempt", &self.attempt)
            .field("task", &self.task.id)
            .finish_non_exhaustive()
    }
}

/// An earlier turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Turn {
    /// What was said.
    pub act: Act,
    /// The same as the engine renders it for a model.
    #[serde(default)]
    pub prompt: Vec<String>,
}

/// A hop above.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[expect(missing_docs, reason = "each names a row of that kind")]
pub struct Ancestor {
    pub agent: String,
    #[serde(default)]
    pub version: Option<String>,
    pub hop: String,
    #[serde(default)]
    pub conversation: Option<String>,
    #[serde(default)]
    pub task: Option<String>,
}

/// A step that was made before.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct RecordedStep {
    /// Its name.
    pub name: String,
    /// Its place among the task's steps, from 1.
    pub ordinal: u32,
    /// The ask in whose handling it was made.
    #[serde(default)]
    pub handling: Option<String>,
    /// What it was answered, with things as they stand now.
    pub receipt: Receipt,
}

/// `POST /v1/hops/heartbeat`.
#[derive(Debug, Deserialize)]
pub(crate) struct Beats {
    pub(crate) hops: Vec<Beat>,
}

/// What a heartbeat was answered for one lease.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Beat {
    /// Where the lease stands.
    pub state: BeatState,
    /// Until when it is not swept.
    #[serde(default)]
    pub expires_at: Option<String>,
    /// Open questions that are addressed to its task: how many.
    #[serde(default)]
    pub questions: u32,
    /// The task's deadline.
    #[serde(default)]
    pub deadline: Option<String>,
}

/// Where a lease stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BeatState {
    /// It lives, and was prolonged.
    Live,
    /// Its activation parked.
    Parked,
    /// Its worker ended the task, or gave the attempt up.
    Settled,
    /// Its worker gave it back.
    Released,
    /// No heartbeat came in time: another attempt is made.
    Lost,
    /// Its task was cancelled.
    Cancelled,
    /// Its task's deadline came.
    Deadline,
    /// The server has no such lease, or a state that this version does not know.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_claim_draws_its_ids_and_keeps_them_when_repeated() {
        let claim = Claim::new("agent:logs", 4, Duration::from_secs(20));
        let other = Claim::new("logs", 4, Duration::from_secs(20));
        assert_eq!(claim.agent, "logs");
        assert_eq!((claim.secret.len(), claim.request_id.len()), (64, 32));
        assert!(claim.secret != other.secret && claim.request_id != other.request_id);
        let again = claim.at_once();
        assert_eq!(
            (&again.secret, &again.request_id, again.wait_ms),
            (&claim.secret, &claim.request_id, 0)
        );
    }

    #[test]
    fn secrets_and_tokens_are_not_shown() {
        let claim = Claim::new("logs", 1, Duration::ZERO);
        assert!(!format!("{claim:?}").contains(&claim.secret));
        let lease: Lease = serde_json::from_value(json!({
            "lease": "lease_1", "hop": "hop_1", "token": "c0ffee", "heartbeat_ms": 10_000,
            "agent": {"name": "logs", "version": "sha256:0"},
            "task": {"id": "task_1", "performative": "request", "state": "working"},
            "act": {"performative": "request"},
        }))
        .unwrap();
        assert!(!format!("{lease:?}").contains("c0ffee"));
    }
}
