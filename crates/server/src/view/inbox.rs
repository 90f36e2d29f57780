//! Inboxes.

use serde::Serialize;
use tertulia_acts::ids::{AskId, TaskId};
use tertulia_engine::read::InboxRead;
use utoipa::ToSchema;

use super::{act::ActView, instant::Instant};

/// Entries of the caller's inbox.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Inbox)]
pub(crate) struct InboxView {
    /// The entries, in order.
    pub(crate) entries: Vec<EntryView>,
    /// The `after` of the next call.
    pub(crate) next: u32,
}

/// One entry.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InboxEntry)]
pub(crate) struct EntryView {
    /// Its number, from 1.
    n: u32,
    /// What was said.
    act: ActView,
    /// The task that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    task: Option<TaskId>,
    /// The ask that it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    ask: Option<AskId>,
    /// Where that ask stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    ask_state: Option<&'static str>,
    /// When it came.
    at: Instant,
}

impl From<InboxRead> for EntryView {
    fn from(InboxRead { entry, act, ask }: InboxRead) -> Self {
        Self {
            n: entry.n,
            act: act.into(),
            task: entry.task,
            ask: entry.ask,
            ask_state: ask.map(|ask| ask.state.name()),
            at: Instant(entry.at),
        }
    }
}
