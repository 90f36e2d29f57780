//! Opening acts: requests, queries and informs that begin something.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::{
    act::{ArtifactIn, Performative},
    part::Part,
};

/// An opening act, sent by a principal with [`Client::send`](crate::Client::send) or by an agent at work with
/// [`Context::delegate`](crate::Context::delegate).
///
/// ```
/// use std::time::Duration;
/// use serde_json::json;
/// use tertulia_worker::wire::Opening;
///
/// let opening = Opening::request("logs")
///     .text("find when the errors of checkout began")
///     .data(json!({"service": "checkout"}))
///     .contract(json!({"name": "incident-investigation/v1"}))
///     .deadline(Duration::from_secs(120));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Opening {
    to: String,
    performative: Performative,
    parts: Vec<Part>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contract: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_work_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_equivalent: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactIn>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    new_conversation: bool,
    #[serde(skip)]
    pub(crate) key: Option<String>,
}

impl Opening {
    /// Asks an agent to do something. `to` is its name, or a party like `agent:logs`.
    pub fn request(to: &str) -> Self {
        Self::new(to, Performative::Request)
    }

    /// Asks an agent to tell something; nothing is committed to.
    pub fn query(to: &str) -> Self {
        Self::new(to, Performative::Query)
    }

    /// Tells an agent or a principal something; no answer is due.
    pub fn inform(to: &str) -> Self {
        Self::new(to, Performative::Inform)
    }

    fn new(to: &str, performative: Performative) -> Self {
        Self {
            to: if to.contains(':') {
                to.to_owned()
            } else {
                format!("agent:{to}")
            },
            performative,
            parts: Vec::new(),
            contract: None,
            conversation: None,
            alias: None,
            deadline_ms: None,
            work_id: None,
            parent_work_id: None,
            not_equivalent: None,
            artifacts: Vec::new(),
            new_conversation: false,
            key: None,
        }
    }

    /// Adds a part of text.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.part(Part::text(text))
    }

    /// Adds a part of data.
    pub fn data(self, data: Value) -> Self {
        self.part(Part::data(data))
    }

    /// Adds a part.
    pub fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// Adds parts.
    pub fn parts(mut self, parts: impl IntoIterator<Item = Part>) -> Self {
        self.parts.extend(parts);
        self
    }

    /// The terms: names of the contracts of request and result, inputs, variant …
    pub fn contract(mut self, contract: Value) -> Self {
        self.contract = Some(contract);
        self
    }

    /// Said in this conversation, as a follow-up.
    pub fn conversation(mut self, conversation: impl Into<String>) -> Self {
        self.conversation = Some(conversation.into());
        self
    }

    /// Said in the conversation that its sender calls so; it is opened if there is none.
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.alias = Some(alias.into());
        self
    }

    /// To be done within this span.
    pub fn deadline(mut self, within: Duration) -> Self {
        self.deadline_ms = Some(millis(within));
        self
    }

    /// What the sender's business calls the work.
    pub fn work_id(mut self, id: impl Into<String>) -> Self {
        self.work_id = Some(id.into());
        self
    }

    /// What the sender's business calls the work that this is part of.
    pub fn parent_work_id(mut self, id: impl Into<String>) -> Self {
        self.parent_work_id = Some(id.into());
        self
    }

    /// Overrides `already-committed`, and says why this is not the same work again. It is audited.
    pub fn not_equivalent(mut self, why: impl Into<String>) -> Self {
        self.not_equivalent = Some(why.into());
        self
    }

    /// Adds an artifact.
    pub fn artifact(mut self, artifact: ArtifactIn) -> Self {
        self.artifacts.push(artifact);
        self
    }

    /// Always opens a conversation of its own. For agents at work only.
    pub fn in_new_conversation(mut self) -> Self {
        self.new_conversation = true;
        self
    }

    /// The key that makes it safe to repeat. For an agent at work it is the step's name: name what would not be the
    /// same text when the handler runs again (SEMANTICS 4).
    pub fn keyed(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

/// A span as the API takes it; longer than any limit there is saturates.
pub(crate) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_said_is_sent() {
        let opening = Opening::request("logs").text("look").keyed("k");
        let sent = serde_json::to_value(&opening).unwrap();
        let expected =
            json!({"to": "agent:logs", "performative": "request", "parts": [{"text": "look"}]});
        assert_eq!(sent, expected);
    }

    #[test]
    fn a_principal_is_addressed_by_its_full_name() {
        let opening = Opening::inform("user:ana").deadline(Duration::from_millis(1500));
        let sent = serde_json::to_value(&opening).unwrap();
        let expected =
            json!({"to": "user:ana", "performative": "inform", "parts": [], "deadline_ms": 1500});
        assert_eq!(sent, expected);
    }
}
