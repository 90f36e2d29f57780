//! Events: what a task's or a conversation's stream brings (SEMANTICS 15).

use serde::Deserialize;
use serde_json::Value;

use super::act::Act;

/// One event.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Event {
    /// Its number in the stream, from 1, without gaps.
    pub n: u64,
    /// What happened: `task.state`, `conversation.act`, `mailbox.dead_letter` …
    pub kind: String,
    /// The task that it is about.
    #[serde(default)]
    pub task: Option<String>,
    /// Where it happened.
    #[serde(default)]
    pub conversation: Option<String>,
    /// The act that it tells of.
    #[serde(default)]
    pub act: Option<Box<Act>>,
    /// What it names: hops, asks, states, reasons.
    #[serde(default)]
    pub detail: Value,
    /// When.
    #[serde(default)]
    pub at: Option<String>,
}

/// Events that are no longer kept.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Gap {
    /// The first that is missing.
    pub from: u64,
    /// The last that is missing.
    pub to: u64,
}

/// What a stream brings.
#[derive(Debug, Clone, PartialEq)]
pub enum Watched {
    /// Something happened.
    Event(Box<Event>),
    /// Events before the cursor were trimmed; the stream goes on behind them.
    Gap(Gap),
}
