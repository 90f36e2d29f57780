//! Conversations.

use serde::Serialize;
use tertulia_acts::{
    conversation::{Conversation, ConversationKind, ConversationState},
    digest::Digest,
    ids::ConversationId,
    party::Party,
};
use utoipa::ToSchema;

use super::{act::ActView, instant::Instant};

/// A conversation with a page of its acts.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Conversation)]
pub(crate) struct ConversationView {
    /// Its id.
    #[schema(value_type = String)]
    id: ConversationId,
    /// Why it exists: `opened`, `standing`, `branch`, `consultation` or `alone`.
    kind: &'static str,
    /// `open` or `closed`.
    state: &'static str,
    /// Who takes part.
    participants: Vec<ParticipantView>,
    /// What the one who opened it calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    alias: Option<String>,
    /// The conversation that it consults.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    consults: Option<ConversationId>,
    /// Tasks in it that are open.
    open_tasks: u32,
    /// When it was opened.
    created_at: Instant,
    /// Its acts, in order.
    acts: Vec<ActView>,
    /// The `after` of the next page; none on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u32>,
}

/// One who takes part.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Participant)]
pub(crate) struct ParticipantView {
    /// Who.
    #[schema(value_type = String)]
    party: Party,
    /// The version pinned here.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    version: Option<Digest>,
}

impl ConversationView {
    /// A conversation with these of its acts, behind which more may follow.
    pub(crate) fn new(conversation: Conversation, acts: Vec<ActView>, next: Option<u32>) -> Self {
        let (kind, consults) = match conversation.kind {
            ConversationKind::Opened => ("opened", None),
            ConversationKind::Standing => ("standing", None),
            ConversationKind::Branch => ("branch", None),
            ConversationKind::Consults(other) => ("consultation", Some(other)),
            ConversationKind::Alone => ("alone", None),
        };
        let participants = conversation.participants.into_iter();
        Self {
            id: conversation.id,
            kind,
            state: match conversation.state {
                ConversationState::Open => "open",
                ConversationState::Closed => "closed",
            },
            participants: participants
                .map(|one| ParticipantView {
                    party: one.party,
                    version: one.version,
                })
                .collect(),
            alias: conversation.alias,
            consults,
            open_tasks: conversation.open_tasks,
            created_at: Instant(conversation.made),
            acts,
            next,
        }
    }
}
