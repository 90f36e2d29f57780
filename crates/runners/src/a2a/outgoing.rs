//! What goes to a peer: a message with the words of the act, and in the extension its force and where it stands.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tertulia_a2a::{
    map::{SPEECH_ACT, inlined},
    wire::{
        Message, Metadata, Part, PartContent, Role, SendMessageConfiguration, SendMessageRequest,
    },
};
use tertulia_worker::{Answer, Assignment, Context, HandlerError, wire};

/// The message that asks the peer what this agent was asked.
pub(super) async fn request(
    ctx: &Context,
    task: &Assignment,
    message_id: &str,
    context_id: &str,
) -> Result<SendMessageRequest, HandlerError> {
    let act = &task.act;
    let mut parts = Vec::new();
    let mut inside = BTreeSet::new();
    for part in &act.parts {
        if let Some(digest) = part.as_file().and_then(|file| file.digest.as_ref()) {
            inside.insert(digest.clone());
        }
        parts.push(part_out(ctx, task, part).await?);
    }
    for artifact in &act.artifacts {
        if !inside.contains(&artifact.digest) {
            let bytes = ctx.artifact(&artifact.digest).await?;
            parts.push(inlined(&artifact.name, &artifact.media_type, &bytes));
        }
    }
    if parts.is_empty() {
        // The protocol has no message without a part.
        parts.push(Part::text(""));
    }
    let mut declared = json!({
        "performative": act.performative.name(),
        "idempotencyKey": message_id,
        "envelope": act.id,
        "sender": act.sender,
        "task": task.task.id,
        "hop": task.hop,
        "root": task.task.root,
    });
    if task
        .task
        .contract
        .as_object()
        .is_some_and(|terms| !terms.is_empty())
    {
        declared["contract"] = task.task.contract.clone();
    }
    if let Some(work_id) = &task.task.work_id {
        declared["workId"] = json!(work_id);
    }
    Ok(message(message_id, context_id, "", parts, declared))
}

/// The message that answers what the peer asked.
pub(super) async fn answer(
    ctx: &Context,
    task: &Assignment,
    message_id: &str,
    remote: &str,
    answer: &Answer,
) -> Result<SendMessageRequest, HandlerError> {
    let mut parts = Vec::new();
    let performative = match answer {
        Answer::Said { act, .. } => {
            for part in &act.parts {
                parts.push(part_out(ctx, task, part).await?);
            }
            "inform"
        }
        Answer::None { reason, .. } => {
            parts.push(Part::text(format!("there is no answer: {reason}")));
            "refuse"
        }
    };
    if parts.is_empty() {
        parts.push(Part::text(""));
    }
    let declared = json!({
        "performative": performative,
        "idempotencyKey": message_id,
        "envelope": answer.act().and_then(|act| act.id.clone()),
        "hop": task.hop,
        "root": task.task.root,
    });
    Ok(message(message_id, "", remote, parts, declared))
}

fn message(
    message_id: &str,
    context_id: &str,
    task_id: &str,
    parts: Vec<Part>,
    declared: Value,
) -> SendMessageRequest {
    SendMessageRequest {
        message: Message {
            message_id: message_id.to_owned(),
            context_id: context_id.to_owned(),
            task_id: task_id.to_owned(),
            role: Role::User,
            parts,
            metadata: Metadata::from_iter([(SPEECH_ACT.to_owned(), declared)]),
            extensions: vec![SPEECH_ACT.to_owned()],
            reference_task_ids: Vec::new(),
        },
        configuration: Some(SendMessageConfiguration {
            return_immediately: true,
            ..SendMessageConfiguration::default()
        }),
        ..SendMessageRequest::default()
    }
}

async fn part_out(
    ctx: &Context,
    task: &Assignment,
    part: &wire::Part,
) -> Result<Part, HandlerError> {
    let mut out = if let Some(text) = part.as_text() {
        Part::text(text)
    } else if let Some(data) = part.as_data() {
        Part::data(data.clone())
    } else if let Some(file) = part.as_file() {
        file_out(ctx, task, part, file).await?
    } else {
        Part::data(Value::Null)
    };
    if let Some(kind) = &part.media_type {
        out.media_type.clone_from(kind);
    }
    if let Some(metadata) = &part.metadata {
        out.metadata.clone_from(metadata);
    }
    Ok(out)
}

async fn file_out(
    ctx: &Context,
    task: &Assignment,
    part: &wire::Part,
    file: &wire::FileRef,
) -> Result<Part, HandlerError> {
    let name = file.name.as_deref().unwrap_or_default();
    if let Some(digest) = &file.digest {
        let known = task
            .act
            .artifacts
            .iter()
            .find(|known| known.digest == *digest);
        let kind = part
            .media_type
            .as_deref()
            .or_else(|| known.map(|known| known.media_type.as_str()))
            .unwrap_or("application/octet-stream");
        let bytes = ctx.artifact(digest).await?;
        return Ok(inlined(name, kind, &bytes));
    }
    Ok(match &file.url {
        Some(url) => Part {
            filename: name.to_owned(),
            ..PartContent::Url(url.clone()).into()
        },
        None => Part::data(json!({"file": file})),
    })
}
