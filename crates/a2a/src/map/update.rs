//! Events of a task as updates of a stream, in their order.

use tertulia_acts::{
    ask::Ask,
    envelope::Act,
    event::{Event, EventKind},
    ids::{ActId, AskId},
    performative::Performative,
};

use super::{
    extension::Declared,
    state::is_asked,
    task::{Shown, artifacts, explained, instant, message, note, status},
};
use crate::wire::{
    A2aError, Metadata, StreamResponse, TaskArtifactUpdateEvent, TaskState, TaskStatus,
    TaskStatusUpdateEvent,
};

/// What an event names that must be read to tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// An act.
    Act(ActId),
    /// An ask.
    Ask(AskId),
    /// Nothing: the task itself says it.
    Task,
    /// The event is none of this protocol.
    Nothing,
}

/// Tells of events, and remembers the state that it told last.
#[derive(Debug)]
pub struct Teller {
    last: TaskState,
}

impl Teller {
    /// A teller that goes on after a task was told in this state.
    pub const fn after(state: TaskState) -> Self {
        Self { last: state }
    }

    /// The state that was told last.
    pub const fn last(&self) -> TaskState {
        self.last
    }

    /// What an event needs to be told.
    pub fn needs(event: &Event) -> Told {
        let detail = |name| event.detail.get(name).and_then(serde_json::Value::as_str);
        match event.kind {
            EventKind::ConversationAct => detail("act")
                .and_then(|id| id.parse().ok())
                .map_or(Told::Nothing, Told::Act),
            EventKind::AskOpened => detail("ask")
                .and_then(|id| id.parse().ok())
                .map_or(Told::Nothing, Told::Ask),
            EventKind::TaskState => Told::Task,
            _ => Told::Nothing,
        }
    }

    /// What the task's debtor said on the way: its agree, its progress. What ends the task is told with its state,
    /// what it asks with the ask, and what the requester says it knows.
    ///
    /// # Errors
    /// See [`task`](super::task()).
    pub fn act(
        &mut self,
        shown: &Shown<'_>,
        event: &Event,
        act: &Act,
    ) -> Result<Vec<StreamResponse>, A2aError> {
        let envelope = &act.envelope;
        let made = &shown.read.task.made;
        let on_the_way = matches!(
            envelope.performative,
            Performative::Agree | Performative::Inform
        ) && envelope.sender == made.debtor
            && envelope.in_reply_to == Some(made.opening)
            && shown.read.task.now.state.result() != Some(envelope.id);
        if !on_the_way {
            return Ok(Vec::new());
        }
        self.last = TaskState::Working;
        let status = TaskStatus {
            state: TaskState::Working,
            message: message(act, shown).map(Box::new),
            timestamp: Some(instant(event.at)?),
        };
        Ok(vec![update(shown, status, Declared::act(act).metadata())])
    }

    /// A question, if it is for the viewer.
    ///
    /// # Errors
    /// See [`task`](super::task()).
    pub fn ask(
        &mut self,
        shown: &Shown<'_>,
        event: &Event,
        ask: &Ask,
        query: &Act,
    ) -> Result<Vec<StreamResponse>, A2aError> {
        if !is_asked(shown.viewer, ask) {
            return Ok(Vec::new());
        }
        self.last = TaskState::InputRequired;
        let status = TaskStatus {
            state: TaskState::InputRequired,
            message: message(query, shown).map(Box::new),
            timestamp: Some(instant(event.at)?),
        };
        Ok(vec![update(shown, status, Declared::act(query).metadata())])
    }

    /// A state that the task entered; with its end, what it brings.
    ///
    /// # Errors
    /// See [`task`](super::task()).
    pub fn state(
        &mut self,
        shown: &Shown<'_>,
        event: &Event,
    ) -> Result<Vec<StreamResponse>, A2aError> {
        let name = event
            .detail
            .get("state")
            .and_then(serde_json::Value::as_str);
        match name {
            Some("done" | "refused" | "failed" | "cancelled") => self.end(shown),
            Some("working" | "cancelling") if self.last != TaskState::Working => {
                self.bare(shown, event, TaskState::Working, None)
            }
            Some(name @ "uncertain") => {
                self.bare(shown, event, TaskState::Working, explained(name))
            }
            Some(name @ ("awaiting-approval" | "awaiting-authorization")) => {
                self.bare(shown, event, TaskState::AuthRequired, explained(name))
            }
            // Queued is told by the task itself, and a clarification by its ask.
            _ => Ok(Vec::new()),
        }
    }

    fn bare(
        &mut self,
        shown: &Shown<'_>,
        event: &Event,
        state: TaskState,
        explanation: Option<&str>,
    ) -> Result<Vec<StreamResponse>, A2aError> {
        self.last = state;
        let message = explanation.map(|text| Box::new(note(shown, event.task_n, text)));
        let status = TaskStatus {
            state,
            message,
            timestamp: Some(instant(event.at)?),
        };
        let declared = Declared {
            task: Some(shown.read.task.id()),
            root: Some(shown.read.root.id),
            hop: shown.read.task.now.hop,
            ..Declared::default()
        };
        Ok(vec![update(shown, status, declared.metadata())])
    }

    fn end(&mut self, shown: &Shown<'_>) -> Result<Vec<StreamResponse>, A2aError> {
        let status = status(shown)?;
        self.last = status.state;
        let mut updates = Vec::new();
        let mut declared = Metadata::new();
        if let Some(result) = &shown.read.result {
            declared = Declared::act(result).metadata();
            updates.extend(artifacts(result, shown).into_iter().map(|artifact| {
                StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                    task_id: shown.read.task.id().to_string(),
                    context_id: shown.context.to_owned(),
                    artifact,
                    append: false,
                    last_chunk: true,
                    metadata: Metadata::new(),
                })
            }));
        }
        updates.push(update(shown, status, declared));
        Ok(updates)
    }
}

fn update(shown: &Shown<'_>, status: TaskStatus, metadata: Metadata) -> StreamResponse {
    StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
        task_id: shown.read.task.id().to_string(),
        context_id: shown.context.to_owned(),
        status,
        metadata,
    })
}
