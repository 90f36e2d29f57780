//! Conversations and inboxes, as they are read.

use serde::Deserialize;

use super::{
    act::Act,
    ask::{Ask, AskState},
};

/// A conversation, with a page of its acts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Conversation {
    /// Its id.
    pub id: String,
    /// What kind of conversation it is.
    #[serde(default)]
    pub kind: Option<String>,
    /// `open` or `closed`.
    #[serde(default)]
    pub state: Option<String>,
    /// Who takes part.
    #[serde(default)]
    pub participants: Vec<Participant>,
    /// What its creator calls it.
    #[serde(default)]
    pub alias: Option<String>,
    /// The conversation that it consults, if it is a consultation.
    #[serde(default)]
    pub consults: Option<String>,
    /// Tasks in it that have not ended: how many.
    #[serde(default)]
    pub open_tasks: u32,
    /// When it was opened.
    #[serde(default)]
    pub created_at: Option<String>,
    /// Its acts, in order.
    #[serde(default)]
    pub acts: Vec<Act>,
    /// Where the next page begins; none on the last.
    #[serde(default)]
    pub next: Option<u64>,
}

/// One who takes part in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Participant {
    /// Who.
    pub party: String,
    /// In which version, pinned when it joined.
    #[serde(default)]
    pub version: Option<String>,
}

/// One entry of a principal's inbox.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct InboxEntry {
    /// Its number.
    pub n: u64,
    /// What was said.
    pub act: Act,
    /// The task that it is about.
    #[serde(default)]
    pub task: Option<String>,
    /// The ask that it asks.
    #[serde(default)]
    pub ask: Option<String>,
    /// Where that ask stands.
    #[serde(default)]
    pub ask_state: Option<AskState>,
    /// When.
    #[serde(default)]
    pub at: Option<String>,
}

/// A page of an inbox.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct InboxPage {
    /// The entries, in order.
    pub entries: Vec<InboxEntry>,
    /// The `after` of the next page.
    #[serde(default)]
    pub next: Option<u64>,
}

/// `GET /v1/asks`.
#[derive(Debug, Deserialize)]
pub(crate) struct Asks {
    pub(crate) asks: Vec<Ask>,
}
