//! Conversations: ordered acts between participants, each pinned to a version when it joins.

use serde::{Deserialize, Serialize};

use crate::{
    digest::Digest,
    ids::{ConversationId, TenantId},
    party::Party,
    time::Timestamp,
};

/// A conversation between two parties. It ends or changes versions only by an explicit act.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// Whose it is: the tenant of the root that opened it.
    pub tenant: TenantId,
    /// Who takes part: the one who opened it, then the one it was opened with, if there is such a one.
    pub participants: Vec<Participant>,
    /// Why it exists.
    pub kind: ConversationKind,
    /// The name that the one who opened it calls it by, if it does (an A2A `contextId`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    /// Whether it takes further acts.
    pub state: ConversationState,
    /// The sequence number of the last act.
    pub last_seq: u32,
    /// The number of the last event.
    pub last_event: u32,
    /// Tasks in it that are open.
    pub open_tasks: u32,
    /// When it was opened.
    pub made: Timestamp,
}

/// One who takes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    /// Who.
    pub party: Party,
    /// The version pinned here, if it is an agent (I13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Digest>,
}

/// Why a conversation exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConversationKind {
    /// Opened by a principal outside a hop.
    Opened,
    /// The one in which a pair of agents under a root goes on talking.
    Standing,
    /// A branch of a fan-out, or one opened anew on purpose.
    Branch,
    /// A fold: a read-only consultation of another conversation.
    Consults(ConversationId),
    /// A refused act to one who does not exist: its sender is alone in it.
    Alone,
}

/// Whether a conversation takes further acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConversationState {
    /// It does.
    Open,
    /// It was closed by an explicit act.
    Closed,
}

impl Conversation {
    /// The version of `party` that is pinned here.
    #[must_use]
    pub fn pinned(&self, party: &Party) -> Option<Digest> {
        self.participant(party)
            .and_then(|participant| participant.version)
    }

    /// The place of `party` here.
    #[must_use]
    pub fn participant(&self, party: &Party) -> Option<&Participant> {
        self.participants
            .iter()
            .find(|participant| participant.party == *party)
    }

    /// The one that `party` talks to here.
    #[must_use]
    pub fn other(&self, party: &Party) -> Option<&Participant> {
        self.participants
            .iter()
            .find(|participant| participant.party != *party)
    }

    /// What it is found by where the one who opened it gave it a name: its tenant, who opened it, with whom, the name.
    #[must_use]
    pub fn called(&self) -> Option<(TenantId, Party, Party, String)> {
        let alias = self.alias.clone()?;
        let [creator, other] = &self.participants[..] else {
            return None;
        };
        Some((
            self.tenant,
            creator.party.clone(),
            other.party.clone(),
            alias,
        ))
    }

    /// Whether acts may be opened in it beside the one that it was opened for: not in a consultation, which shows what it
    /// consults, nor where the sender is alone.
    #[must_use]
    pub const fn takes_openings(&self) -> bool {
        match self.kind {
            ConversationKind::Opened | ConversationKind::Standing | ConversationKind::Branch => {
                true
            }
            ConversationKind::Consults(_) | ConversationKind::Alone => false,
        }
    }

    /// Whether it takes further acts.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.state == ConversationState::Open
    }
}
