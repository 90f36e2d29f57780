//! Events of streams.

use serde::Serialize;
use serde_json::{Map, Value};
use tertulia_acts::{
    envelope::Act,
    event::{Event, EventKind},
    ids::{ActId, ConversationId, TaskId},
};
use utoipa::ToSchema;

use super::{
    act::ActView,
    instant::{Instant, readable},
};

/// An event: the data of one message of a stream.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Event)]
pub(crate) struct EventView {
    /// Its number in the stream, from 1, without gaps.
    n: u32,
    /// What happened.
    #[schema(value_type = String)]
    kind: EventKind,
    /// The task that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    task: Option<TaskId>,
    /// Where it happened.
    #[schema(value_type = String)]
    conversation: ConversationId,
    /// The act that it tells of.
    #[serde(skip_serializing_if = "Option::is_none")]
    act: Option<ActView>,
    /// What it names: hops, asks, states, reasons.
    #[schema(value_type = Object)]
    detail: Map<String, Value>,
    /// When.
    at: Instant,
}

/// The act that an event names.
pub(crate) fn act_of(event: &Event) -> Option<ActId> {
    event.detail.get("act")?.as_str()?.parse().ok()
}

impl EventView {
    /// An event under its number in a stream, with the act that it names.
    pub(crate) fn new(event: Event, n: u32, act: Option<Act>) -> Self {
        Self {
            n,
            kind: event.kind,
            task: event.task,
            conversation: event.conversation,
            act: act.map(ActView::from),
            detail: readable(event.detail),
            at: Instant(event.at),
        }
    }
}
