//! Acts.

use serde::Serialize;
use serde_json::{Map, Value};
use tertulia_acts::{
    body::{ArtifactRef, Part},
    digest::Digest,
    envelope::{Act, Provenance, Refusal},
    ids::{ActId, AskId, ConversationId, HopId, RootId, TaskId},
    party::Party,
    performative::Performative,
    reason::Reason,
    time::Timestamp,
};
use utoipa::ToSchema;

use super::instant::{Instant, readable};
use crate::wire::part::PartIn;

/// An act: what was said, with what the engine knows of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Act)]
pub(crate) struct ActView {
    /// Its id; null for a refuse that was not stored, because it changed nothing.
    #[schema(value_type = Option<String>, required)]
    id: Option<ActId>,
    /// Where it was said.
    #[schema(value_type = Option<String>, required)]
    conversation: Option<ConversationId>,
    /// Its number there, from 1.
    #[schema(required)]
    seq: Option<u32>,
    /// What kind of act it is.
    #[schema(value_type = String)]
    performative: Performative,
    /// Who said it, as the credential proved.
    #[schema(value_type = String)]
    sender: Party,
    /// The sender's pinned version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    sender_version: Option<Digest>,
    /// Whom it is for.
    #[schema(value_type = String)]
    recipient: Party,
    /// The recipient's pinned version.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    recipient_version: Option<Digest>,
    /// The hop that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    hop: Option<HopId>,
    /// The task that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    task: Option<TaskId>,
    /// The task above that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    parent_task: Option<TaskId>,
    /// The root that it belongs to.
    #[schema(value_type = Option<String>, required)]
    root: Option<RootId>,
    /// Whom the root belongs to.
    #[schema(value_type = Option<String>, required)]
    root_principal: Option<Party>,
    /// The act that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    in_reply_to: Option<ActId>,
    /// The ask that it makes or answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    ask: Option<AskId>,
    /// Why, as a code: `tertulia explain CODE`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    reason: Option<Reason>,
    /// Why, in a sentence that says what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// What programs need of it: the task in the way, candidates, open asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    detail: Option<Map<String, Value>>,
    /// When what it asks for must be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<Instant>,
    /// What it brings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactView>,
    /// Whether its words are of a person, an agent, the system or a tool.
    #[schema(value_type = String)]
    provenance: Provenance,
    /// When it was said.
    at: Instant,
    /// What it says. Untrusted: a prompt takes `prompt`, never these.
    #[schema(value_type = Vec<PartIn>)]
    parts: Vec<Part>,
}

/// An artifact that an act brings; its bytes are at `GET /v1/roots/{root}/artifacts/{digest}`.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Artifact)]
pub(crate) struct ArtifactView {
    /// The digest of its bytes: its id within the root.
    #[schema(value_type = String)]
    digest: Digest,
    /// Its name.
    name: String,
    /// Its media type.
    media_type: String,
    /// Its size in bytes.
    size: u64,
}

impl From<ArtifactRef> for ArtifactView {
    fn from(artifact: ArtifactRef) -> Self {
        let ArtifactRef {
            digest,
            name,
            media_type,
            size,
        } = artifact;
        Self {
            digest,
            name,
            media_type,
            size,
        }
    }
}

impl From<Act> for ActView {
    fn from(Act { envelope, body }: Act) -> Self {
        let mut view = Self {
            id: Some(envelope.id),
            conversation: Some(envelope.id.conversation),
            seq: Some(envelope.id.seq),
            performative: envelope.performative,
            sender: envelope.sender,
            sender_version: envelope.sender_version,
            recipient: envelope.recipient,
            recipient_version: envelope.recipient_version,
            hop: envelope.hop,
            task: envelope.task,
            parent_task: envelope.parent_task,
            root: Some(envelope.root),
            root_principal: Some(envelope.root_principal),
            in_reply_to: envelope.in_reply_to,
            ask: envelope.ask,
            reason: None,
            message: None,
            detail: None,
            deadline: envelope.deadline.map(Instant),
            artifacts: envelope
                .artifacts
                .into_iter()
                .map(ArtifactView::from)
                .collect(),
            provenance: envelope.provenance,
            at: Instant(envelope.at),
            parts: body.parts,
        };
        if let Some(refusal) = envelope.refusal {
            view.because(refusal);
        }
        view
    }
}

impl ActView {
    /// The engine's refuse of what `recipient` asked, which was not stored.
    pub(crate) fn unstored(
        recipient: Party,
        about: About,
        refusal: Refusal,
        at: Timestamp,
    ) -> Self {
        let mut view = Self {
            id: None,
            conversation: about.conversation,
            seq: None,
            performative: Performative::Refuse,
            sender: Party::engine(),
            sender_version: None,
            recipient,
            recipient_version: None,
            hop: about.hop,
            task: about.task,
            parent_task: None,
            root: about.conversation.map(|conversation| conversation.root),
            root_principal: about.root_principal,
            in_reply_to: None,
            ask: None,
            reason: None,
            message: None,
            detail: None,
            deadline: None,
            artifacts: Vec::new(),
            provenance: Provenance::System,
            at: Instant(at),
            parts: Vec::new(),
        };
        view.because(refusal);
        view
    }

    fn because(&mut self, refusal: Refusal) {
        self.reason = Some(refusal.reason);
        self.message = Some(refusal.message);
        self.detail = (!refusal.detail.is_empty()).then(|| readable(refusal.detail));
    }

    /// Why, as a code.
    pub(crate) const fn reason(&self) -> Option<Reason> {
        self.reason
    }
}

/// What a refuse that was not stored is about, as far as it is known.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    /// The hop that asked.
    pub(crate) hop: Option<HopId>,
    /// The task that it works on.
    pub(crate) task: Option<TaskId>,
    /// Where it works.
    pub(crate) conversation: Option<ConversationId>,
    /// Whom the root belongs to.
    pub(crate) root_principal: Option<Party>,
}
