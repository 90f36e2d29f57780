//! A task and its acts as the viewer is shown them.

use serde_json::json;
use tertulia_acts::{
    ask::Ask,
    envelope::{Act, Refusal},
    performative::Performative,
    task::TaskState as Engine,
    viewer::Viewer,
};
use tertulia_engine::read::TaskRead;

use super::{
    extension::{Declared, SPEECH_ACT},
    part::{Files, parts_out, reference_out, references_out},
    state::{is_asked, shown},
};
use crate::wire::{
    A2aError, Artifact, ErrorKind, Message, Metadata, Part, Role, Task, TaskState, TaskStatus,
    Timestamp,
};

/// The artifact that holds what a result says; those that it brings are called by their digests.
const RESULT: &str = "result";

/// What the viewer is shown of a task.
#[derive(Debug, Clone, Copy)]
pub struct Shown<'a> {
    /// The task.
    pub read: &'a TaskRead,
    /// Who looks.
    pub viewer: &'a Viewer,
    /// What the viewer calls the conversation.
    pub context: &'a str,
    /// The acts of its history, the oldest first; none where no history is shown.
    pub history: &'a [Act],
    /// Whether its artifacts are shown.
    pub artifacts: bool,
    /// The files that its acts name.
    pub files: &'a Files,
}

/// The acts of a task that its status and artifacts show: the question for the viewer, or what ended it.
pub fn acts_shown<'a>(viewer: &Viewer, read: &'a TaskRead) -> Vec<&'a Act> {
    let asked = question(viewer, read).map(|(_, act)| act);
    asked.into_iter().chain(read.result.as_ref()).collect()
}

fn question<'a>(viewer: &Viewer, read: &'a TaskRead) -> Option<&'a (Ask, Act)> {
    read.open_ask
        .as_ref()
        .filter(|(ask, _)| is_asked(viewer, ask) && shown(viewer, read) == TaskState::InputRequired)
}

/// A task.
///
/// # Errors
/// [`ErrorKind::Internal`] if a stored instant is none that the protocol can write.
pub fn task(shown: &Shown<'_>) -> Result<Task, A2aError> {
    let read = shown.read;
    let mut history = Vec::new();
    for act in shown.history {
        history.extend(message(act, shown));
    }
    let artifacts = match &read.result {
        Some(result) if shown.artifacts => artifacts(result, shown),
        _ => Vec::new(),
    };
    Ok(Task {
        id: read.task.id().to_string(),
        context_id: shown.context.to_owned(),
        status: status(shown)?,
        artifacts,
        history,
        metadata: declared(shown).metadata(),
    })
}

/// What the task's state declares: the act that brought it about or, while it is at work, only where it stands.
fn declared(shown: &Shown<'_>) -> Declared {
    let read = shown.read;
    let act = acts_shown(shown.viewer, read).first().copied();
    let mut declared = act.map(Declared::act).unwrap_or_default();
    declared.task = Some(read.task.id());
    declared.root = Some(read.root.id);
    declared.hop = declared.hop.or(read.task.now.hop);
    declared
}

/// The status of a task as it stands.
pub(super) fn status(shown: &Shown<'_>) -> Result<TaskStatus, A2aError> {
    let read = shown.read;
    let said = match &read.task.now.state {
        Engine::AwaitingClarification { .. } => {
            question(shown.viewer, read).and_then(|(_, act)| message(act, shown))
        }
        Engine::Refused { .. } | Engine::Failed { .. } | Engine::Cancelled { .. } => {
            read.result.as_ref().and_then(|act| message(act, shown))
        }
        state => explained(state.name()).map(|text| note(shown, read.task.now.last_event, text)),
    };
    Ok(TaskStatus {
        state: super::shown(shown.viewer, read),
        message: said.map(Box::new),
        timestamp: Some(instant(read.task.now.changed)?),
    })
}

/// What people are told of a state, by its name, that no act explains.
pub(super) fn explained(state: &str) -> Option<&'static str> {
    match state {
        "awaiting-approval" => {
            Some("an approval of the responsible person is awaited; it is given out of band")
        }
        "awaiting-authorization" => {
            Some("a credential is missing, here or at a peer below; it is given out of band")
        }
        "uncertain" => Some("what became of the task at the remote peer is not known"),
        _ => None,
    }
}

/// An instant of the engine on the wire.
pub(super) fn instant(at: tertulia_acts::time::Timestamp) -> Result<Timestamp, A2aError> {
    Timestamp::from_millis(at.0).map_err(|error| {
        A2aError::new(
            ErrorKind::Internal,
            format!("a stored instant cannot be written: {error}"),
        )
    })
}

/// A message of the engine's own about a state that no act brought about, since the task's event `n`.
pub(super) fn note(shown: &Shown<'_>, n: u32, text: &str) -> Message {
    let task = shown.read.task.id();
    Message {
        message_id: format!("{task}_{n}"),
        context_id: shown.context.to_owned(),
        task_id: task.to_string(),
        role: Role::Agent,
        parts: vec![Part::text(text)],
        metadata: declared(shown).metadata(),
        extensions: vec![SPEECH_ACT.to_owned()],
        reference_task_ids: Vec::new(),
    }
}

/// An act about the task as a message; none if it says nothing, as an agree or an acknowledgement.
pub fn message(act: &Act, shown: &Shown<'_>) -> Option<Message> {
    let mut parts = Vec::new();
    if let Some(refusal) = &act.envelope.refusal {
        parts.push(reason(refusal));
    }
    parts.extend(parts_out(&act.body, shown.files));
    parts.extend(references_out(act).map(|reference| reference_out(reference, shown.files)));
    if parts.is_empty() {
        return None;
    }
    let made = &shown.read.task.made;
    // Who asked is the user of this protocol; the agent, and the house for it, is the agent.
    let sender = &act.envelope.sender;
    let role = if *sender == made.debtor || !(sender.is_principal() || sender.is_agent()) {
        Role::Agent
    } else {
        Role::User
    };
    Some(Message {
        message_id: act.envelope.id.to_string(),
        context_id: shown.context.to_owned(),
        task_id: made.id.to_string(),
        role,
        parts,
        metadata: Declared::act(act).metadata(),
        extensions: vec![SPEECH_ACT.to_owned()],
        reference_task_ids: Vec::new(),
    })
}

/// A reason for people: the code, then its sentence.
fn reason(refusal: &Refusal) -> Part {
    Part::text(format!("{}: {}", refusal.reason, refusal.message))
}

/// What a result brings: its words as one artifact, and each artifact that they do not hold already.
pub fn artifacts(result: &Act, shown: &Shown<'_>) -> Vec<Artifact> {
    if result.envelope.performative != Performative::Inform {
        return Vec::new();
    }
    let metadata = Declared::act(result).metadata();
    let mut artifacts = Vec::new();
    let parts = parts_out(&result.body, shown.files);
    if !parts.is_empty() {
        artifacts.push(Artifact {
            artifact_id: RESULT.to_owned(),
            name: RESULT.to_owned(),
            parts,
            metadata: metadata.clone(),
            extensions: vec![SPEECH_ACT.to_owned()],
            ..Artifact::default()
        });
    }
    artifacts.extend(references_out(result).map(|reference| Artifact {
        artifact_id: reference.digest.to_string(),
        name: reference.name.clone(),
        parts: vec![reference_out(reference, shown.files)],
        metadata: metadata.clone(),
        extensions: vec![SPEECH_ACT.to_owned()],
        ..Artifact::default()
    }));
    artifacts
}

/// A refuse that made no task: a message that carries it, about the task and the context that the caller named.
pub fn refusal(refusal: &Refusal, message_id: String, task: &str, context: &str) -> Message {
    let mut metadata = Metadata::new();
    let declared = Declared::refusal(Performative::Refuse, Some(refusal));
    metadata.extend(declared.metadata());
    if let Some(declared) = metadata.get_mut(SPEECH_ACT)
        && !task.is_empty()
    {
        declared["task"] = json!(task);
    }
    Message {
        message_id,
        context_id: context.to_owned(),
        task_id: task.to_owned(),
        role: Role::Agent,
        parts: vec![reason(refusal)],
        metadata,
        extensions: vec![SPEECH_ACT.to_owned()],
        reference_task_ids: Vec::new(),
    }
}
