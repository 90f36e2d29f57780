//! The speech-act extension: the declared force of an act, carried across the border (DESIGN 6).
//!
//! On every message and status that leaves, `metadata["urn:tertulia:ext:speech-act:v1"]` says which act it is. A peer
//! that speaks the extension may send its own performative, an idempotency key and a few terms back in the same place.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tertulia_acts::{
    contract::Contract,
    envelope::{Act, Refusal},
    ids::{ActId, AskId, HopId, RootId, TaskId},
    limits::KEY_BYTES,
    party::Party,
    performative::Performative,
    reason::Reason,
};

use crate::wire::{A2aError, FieldViolation, Metadata};

/// The URI of the extension: its name in cards, in `A2A-Extensions`, and its key in metadata.
pub const SPEECH_ACT: &str = "urn:tertulia:ext:speech-act:v1";

/// What leaves: who acts, with what force, and where that stands in the engine.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(super) struct Declared {
    /// The kind of act; none for a state that no act brought about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) performative: Option<Performative>,
    /// Why, where it is a refuse, a failure or a cancel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<Reason>,
    /// What programs need beside the reason: the task in the way, candidates, open asks.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub(super) detail: Map<String, Value>,
    /// The envelope.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) envelope: Option<ActId>,
    /// Who speaks, as the credential proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sender: Option<Party>,
    /// The ask that it makes or answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ask: Option<AskId>,
    /// The task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) task: Option<TaskId>,
    /// The hop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hop: Option<HopId>,
    /// The root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) root: Option<RootId>,
}

impl Declared {
    /// What an act declares.
    pub(super) fn act(act: &Act) -> Self {
        let envelope = &act.envelope;
        Self {
            envelope: Some(envelope.id),
            sender: Some(envelope.sender.clone()),
            ask: envelope.ask,
            task: envelope.task,
            hop: envelope.hop,
            root: Some(envelope.root),
            ..Self::refusal(envelope.performative, envelope.refusal.as_ref())
        }
    }

    /// What a refusal declares that was not stored.
    pub(super) fn refusal(performative: Performative, refusal: Option<&Refusal>) -> Self {
        Self {
            performative: Some(performative),
            reason: refusal.map(|refusal| refusal.reason),
            detail: refusal.map_or_else(Map::new, |refusal| refusal.detail.clone()),
            ..Self::default()
        }
    }

    /// As metadata.
    pub(super) fn metadata(&self) -> Metadata {
        // Ids, names and a map with string keys: there is always a JSON form.
        let value = serde_json::to_value(self).unwrap_or_default();
        Metadata::from_iter([(SPEECH_ACT.to_owned(), value)])
    }
}

/// What a peer claims in the extension. All of it is optional, and what is unknown is left alone.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Claimed {
    /// The kind of act: request, query or inform to open, inform or refuse to answer.
    pub performative: Option<Performative>,
    /// Makes the call safe to repeat, as the header `Idempotency-Key` does.
    pub idempotency_key: Option<String>,
    /// Which ask it answers.
    pub ask: Option<AskId>,
    /// The terms of a request.
    pub contract: Option<Contract>,
    /// What the sender's business calls the work.
    pub work_id: Option<String>,
    /// What the sender's business calls the work that it is part of.
    pub parent_work_id: Option<String>,
    /// How long it may take, in milliseconds.
    pub deadline_ms: Option<i64>,
    /// Why it is not equivalent to a request that looks the same.
    pub not_equivalent: Option<String>,
}

impl Claimed {
    /// Reads the extension in a message's metadata; absent, it claims nothing.
    ///
    /// # Errors
    /// [`InvalidParams`](crate::wire::ErrorKind::InvalidParams) with the member that cannot be read.
    pub fn read(metadata: &Metadata) -> Result<Self, A2aError> {
        let Some(value) = metadata.get(SPEECH_ACT) else {
            return Ok(Self::default());
        };
        let claimed: Self = serde_path_to_error::deserialize(value).map_err(|error| {
            let what: String = error.inner().to_string().chars().take(200).collect();
            violation(&error.path().to_string(), what)
        })?;
        claimed.check()?;
        Ok(claimed)
    }

    fn check(&self) -> Result<(), A2aError> {
        for (name, value) in [
            ("idempotencyKey", &self.idempotency_key),
            ("workId", &self.work_id),
            ("parentWorkId", &self.parent_work_id),
            ("notEquivalent", &self.not_equivalent),
        ] {
            if let Some(text) = value
                && (text.is_empty() || text.len() > KEY_BYTES)
            {
                return Err(violation(name, format!("must have 1 to {KEY_BYTES} bytes")));
            }
        }
        if self.deadline_ms.is_some_and(|millis| millis <= 0) {
            return Err(violation("deadlineMs", "must be positive"));
        }
        Ok(())
    }
}

fn violation(member: &str, description: impl Into<String>) -> A2aError {
    let member: String = member.chars().take(100).collect();
    A2aError::invalid_params(vec![FieldViolation {
        field: format!("message.metadata[\"{SPEECH_ACT}\"].{member}"),
        description: description.into(),
    }])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Claimed, A2aError> {
        Claimed::read(&Metadata::from_iter([(SPEECH_ACT.to_owned(), value)]))
    }

    #[test]
    fn what_a_peer_claims_is_read_and_the_rest_left_alone() {
        let claimed = read(json!({
            "performative": "query", "idempotencyKey": "k-1", "workId": "INC-42",
            "contract": {"name": "x/v1"}, "deadlineMs": 5000, "envelope": "theirs", "more": [1]
        }))
        .unwrap();
        assert_eq!(claimed.performative, Some(Performative::Query));
        assert_eq!(claimed.idempotency_key.as_deref(), Some("k-1"));
        assert_eq!(claimed.work_id.as_deref(), Some("INC-42"));
        assert_eq!(claimed.deadline_ms, Some(5000));
        let contract = claimed.contract.unwrap();
        assert_eq!(contract.name.as_deref(), Some("x/v1"));
        assert_eq!(Claimed::read(&Metadata::new()).unwrap(), Claimed::default());
    }

    #[test]
    fn a_claim_that_cannot_be_read_names_its_member() {
        for (value, member) in [
            (json!({"performative": "shout"}), "performative"),
            (json!({"ask": "ask_1"}), "ask"),
            (json!({"idempotencyKey": ""}), "idempotencyKey"),
            (json!({"workId": "w".repeat(201)}), "workId"),
            (json!({"deadlineMs": 0}), "deadlineMs"),
            (json!({"contract": {"nme": "x/v1"}}), "contract.nme"),
        ] {
            let error = read(value).unwrap_err();
            let field = &error.violations[0].field;
            assert!(field.ends_with(&format!("].{member}")), "{field}");
        }
    }
}
