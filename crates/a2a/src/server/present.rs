//! A task with what its messages and artifacts need, read for the one who looks.

use std::collections::BTreeSet;

use tertulia_acts::{
    conversation::Conversation,
    digest::Digest,
    envelope::Act,
    ids::{ConversationId, RootId},
    limits::{HISTORY, PAGE},
};
use tertulia_engine::read::TaskRead;

use super::{call::Call, failure};
use crate::{
    map::{self, Files, Shown},
    wire::{A2aError, Task},
};

/// How much of a task is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// The most messages of history.
    pub(super) history: usize,
    /// Whether its artifacts are shown.
    pub(super) artifacts: bool,
}

impl Extent {
    /// With artifacts, and as many messages as were asked for, or the last twenty.
    pub(super) fn of(history: Option<i32>) -> Self {
        Self {
            history: asked(history).unwrap_or(HISTORY),
            artifacts: true,
        }
    }

    /// As in a listing: no history unless asked for, artifacts only if asked for.
    pub(super) fn listed(history: Option<i32>, artifacts: Option<bool>) -> Self {
        Self {
            history: asked(history).unwrap_or(0),
            artifacts: artifacts.unwrap_or(false),
        }
    }
}

/// The checks of the wire refuse negative lengths before this. A page is the most there is.
fn asked(history: Option<i32>) -> Option<usize> {
    history.map(|length| usize::try_from(length).unwrap_or(0).min(PAGE))
}

/// The conversation with this agent whose id a context is, if the viewer may see it.
pub(super) fn given(call: &Call, context: &str) -> Result<Option<Conversation>, A2aError> {
    let Ok(id) = context.parse::<ConversationId>() else {
        return Ok(None);
    };
    let reader = call.house.engine.reader();
    let found = reader
        .conversation(&call.viewer, id)
        .map_err(failure::engine)?;
    Ok(found.filter(|row| row.participant(&call.agent).is_some()))
}

/// What the viewer calls the conversation of a task: its own alias, if it opened it under one.
pub(super) fn context(call: &Call, read: &TaskRead) -> Result<String, A2aError> {
    let id = read.task.made.conversation;
    let found = call
        .house
        .engine
        .reader()
        .conversation(&call.viewer, id)
        .map_err(failure::engine)?;
    let alias = found
        .filter(|row| {
            row.participants
                .first()
                .is_some_and(|opener| opener.party == call.viewer.party)
        })
        .and_then(|row| row.alias);
    Ok(alias.unwrap_or_else(|| id.to_string()))
}

/// The task as the viewer is shown it.
pub(super) fn task(call: &Call, read: &TaskRead, extent: Extent) -> Result<Task, A2aError> {
    let context = context(call, read)?;
    task_in(call, read, &context, extent)
}

/// The same, where what the viewer calls the conversation is known.
pub(super) fn task_in(
    call: &Call,
    read: &TaskRead,
    context: &str,
    extent: Extent,
) -> Result<Task, A2aError> {
    let history = history(call, read, extent.history)?;
    let shown = map::acts_shown(&call.viewer, read);
    let with_files = shown
        .into_iter()
        .filter(|act| extent.artifacts || read.result.as_ref() != Some(*act));
    let files = files(call, read.root.id, history.iter().chain(with_files))?;
    map::task(&Shown {
        read,
        viewer: &call.viewer,
        context,
        history: &history,
        artifacts: extent.artifacts,
        files: &files,
    })
}

/// The files that acts name, as far as the viewer may read them.
pub(super) fn files<'a>(
    call: &Call,
    root: RootId,
    acts: impl IntoIterator<Item = &'a Act>,
) -> Result<Files, A2aError> {
    let named: BTreeSet<Digest> = acts.into_iter().flat_map(map::named).collect();
    let reader = call.house.engine.reader();
    let mut files = Files::new();
    for digest in named {
        let found = reader
            .artifact(&call.viewer, root, digest)
            .map_err(failure::engine)?;
        if let Some(artifact) = found {
            files.insert(digest, artifact);
        }
    }
    Ok(files)
}

/// The last acts of a task, except those that its status or artifacts show.
fn history(call: &Call, read: &TaskRead, most: usize) -> Result<Vec<Act>, A2aError> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let opening = read.task.made.opening;
    let conversation = read.task.made.conversation;
    let end = read.result.as_ref().map(|result| result.envelope.id);
    // The usual exchange, question and answer, is at hand.
    if end.is_some_and(|end| end.seq == opening.seq + 1) {
        return Ok(vec![read.opening.clone()]);
    }
    let hidden: Vec<_> = map::acts_shown(&call.viewer, read)
        .into_iter()
        .map(|act| act.envelope.id)
        .collect();
    // Not what was said since the task was read: it belongs to a later state, and a stream tells it.
    let mut before = end.map_or(read.last_seq + 1, |end| end.seq);
    let mut newest_first = Vec::new();
    while newest_first.len() < most && before > opening.seq {
        let page = call
            .house
            .engine
            .reader()
            .history(&call.viewer, conversation, before, PAGE)
            .map_err(failure::engine)?
            .unwrap_or_default();
        let Some(first) = page.first() else {
            break;
        };
        before = first.envelope.id.seq;
        let own = page.into_iter().rev().filter(|act| {
            act.envelope.task == Some(read.task.id()) && !hidden.contains(&act.envelope.id)
        });
        newest_first.extend(own.take(most - newest_first.len()));
    }
    newest_first.reverse();
    Ok(newest_first)
}
