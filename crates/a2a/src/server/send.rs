//! `SendMessage`: a message opens a task, or answers what a task asks.

use tertulia_acts::{
    command::{Command, HopOperation, Place, Send},
    envelope::Refusal,
    facts::Fault,
    ids::TaskId,
    limits::KEY_BYTES,
    receipt::Outcome,
};
use tertulia_engine::read::TaskRead;

use super::{
    call::{Call, wrong_header},
    failure,
    present::{self, Extent},
    wait,
};
use crate::{
    map::{self, Claimed, Said, Unfit},
    wire::{A2aError, ErrorKind, FieldViolation, Message, SendMessageRequest, SendMessageResponse},
};

/// What came of a message.
pub(super) enum Sent {
    /// A task, and what the caller calls its conversation.
    Task(TaskId, Context),
    /// A refuse that made no task.
    Refused(Box<Message>),
}

/// What the caller calls a conversation, as far as the message tells.
pub(super) enum Context {
    /// So.
    Named(String),
    /// By its id: it was opened for the message, under no name.
    Fresh,
    /// It is to be looked up.
    Unknown,
}

/// `SendMessage`.
pub(super) async fn send(
    call: &Call,
    request: SendMessageRequest,
) -> Result<SendMessageResponse, A2aError> {
    let configuration = request.configuration.clone().unwrap_or_default();
    let extent = Extent::of(configuration.history_length);
    // Taken before anything is stored.
    let _seat = (!configuration.return_immediately)
        .then(|| call.seat())
        .transpose()?;
    let (id, context) = match submit(call, request).await? {
        Sent::Task(id, context) => (id, context),
        Sent::Refused(message) => return Ok(SendMessageResponse::Message(*message)),
    };
    let read = if configuration.return_immediately {
        call.read(id)?
    } else {
        wait::until_rest(call, id).await?
    };
    let task = match context {
        Context::Named(context) => present::task_in(call, &read, &context, extent)?,
        Context::Fresh => {
            let context = read.task.made.conversation.to_string();
            present::task_in(call, &read, &context, extent)?
        }
        Context::Unknown => present::task(call, &read, extent)?,
    };
    Ok(SendMessageResponse::Task(task))
}

/// Sends the message, and tells what came of it once that is durable.
pub(super) async fn submit(call: &Call, request: SendMessageRequest) -> Result<Sent, A2aError> {
    let configuration = request.configuration.unwrap_or_default();
    if configuration.task_push_notification_config.is_some() {
        return Err(super::operation::no_push());
    }
    let claimed = Claimed::read(&request.message.metadata)?;
    let key = key(call, &claimed)?;
    let said = Said {
        message: request.message,
        claimed,
        key,
    };
    if said.message.task_id.is_empty() {
        open(call, said).await
    } else {
        go_on(call, said).await
    }
}

/// The key of the call: in its header or in the extension, and if in both, the same.
fn key(call: &Call, claimed: &Claimed) -> Result<Option<String>, A2aError> {
    match (&call.key, &claimed.idempotency_key) {
        (Some(header), Some(claimed)) if header != claimed => Err(wrong_header(
            "idempotency-key",
            "differs from the idempotencyKey of the extension; send one of them",
        )),
        (Some(header), _) if header.len() > KEY_BYTES => Err(wrong_header(
            "idempotency-key",
            format_args!("must have at most {KEY_BYTES} bytes"),
        )),
        (header, claimed) => Ok(header.clone().or_else(|| claimed.clone())),
    }
}

/// A message without a task opens one.
async fn open(call: &Call, said: Said) -> Result<Sent, A2aError> {
    let context = said.message.context_id.clone();
    let key = said.key.clone();
    let place = place(call, &context)?;
    let opening = map::opening(said, call.agent.clone(), place)?;
    let command = match call.at_work {
        Some(at_work) => {
            let content = opening.content();
            call.under(
                at_work,
                key,
                content,
                HopOperation::Delegate(Box::new(opening)),
            )
        }
        None => Command::Send(call.caller.clone(), Box::new(Send { opening, key })),
    };
    match call.command(command).await? {
        Ok(Outcome::Accepted { task, .. }) => {
            let context = if call.at_work.is_some() {
                // Under a hop it may have attached to a task of another conversation.
                Context::Unknown
            } else if context.is_empty() {
                // Outside a hop a message that names no conversation opens one (SEMANTICS 6).
                Context::Fresh
            } else {
                Context::Named(context)
            };
            Ok(Sent::Task(task, context))
        }
        Ok(Outcome::Refused {
            task: Some(task), ..
        }) => Ok(Sent::Task(task, Context::Unknown)),
        Ok(Outcome::Refused { refusal, .. }) => Ok(refused(&refusal, "", &context)),
        Ok(other) => Err(failure::internal(format_args!(
            "an unfitting outcome: {other:?}"
        ))),
        Err(fault) => Err(failure::fault(&fault)),
    }
}

/// Where a message is said. A context that the server gave is a conversation; any other is the caller's own name for
/// one, which is opened if there is none. So is one that another server gave, however much it looks like ours.
fn place(call: &Call, context: &str) -> Result<Place, A2aError> {
    if context.is_empty() {
        return Ok(Place::Standing);
    }
    if let Some(row) = present::given(call, context)? {
        return if row.participant(&call.viewer.party).is_some() {
            Ok(Place::In(row.id))
        } else {
            Err(wrong_context("is a conversation that you take no part in"))
        };
    }
    if let Some(at_work) = &call.at_work {
        if at_work.conversation.to_string() == context {
            // That of the task at work, which tells where the call belongs and not where it is said.
            return Ok(Place::Standing);
        }
        let what = "is a name of your own, which an agent at work has none of; leave it out, or send one that came back";
        return Err(wrong_context(what));
    }
    Ok(Place::Alias(context.to_owned()))
}

fn wrong_context(what: &str) -> A2aError {
    A2aError::invalid_params(vec![FieldViolation {
        field: "message.contextId".to_owned(),
        description: what.to_owned(),
    }])
}

/// A message about a task answers what it asks; whether it asks anything, the engine tells.
async fn go_on(call: &Call, said: Said) -> Result<Sent, A2aError> {
    let read = call.task(&said.message.task_id)?;
    let context = present::context(call, &read)?;
    let named = &said.message.context_id;
    if !named.is_empty() && *named != context && *named != read.task.made.conversation.to_string() {
        return Err(wrong_context("is not the context of the task"));
    }
    let id = read.task.id();
    let mut answer = match map::answer(said, id) {
        Ok(answer) => answer,
        Err(Unfit::Refused(refusal)) => return unanswered(&read, &refusal, &context),
        Err(Unfit::Error(error)) => return Err(error),
    };
    let command = match call.at_work {
        Some(at_work) => {
            if answer.ask.is_none() {
                // A step that answers is called by its ask.
                answer.ask = read.open_ask.as_ref().map(|(ask, _)| ask.id);
            }
            let (step, content) = (answer.key.clone(), answer.content());
            call.under(at_work, step, content, HopOperation::Answer(answer))
        }
        None => Command::Answer(call.caller.clone(), answer),
    };
    match call.command(command).await? {
        Ok(Outcome::Answered { .. }) => Ok(Sent::Task(id, Context::Named(context))),
        Ok(Outcome::Refused { refusal, .. }) => unanswered(&read, &refusal, &context),
        Ok(other) => Err(failure::internal(format_args!(
            "an unfitting outcome: {other:?}"
        ))),
        Err(Fault::NotFound(what)) => Err(A2aError::invalid_params(vec![FieldViolation {
            field: "message.metadata".to_owned(),
            description: format!("there is no {what}; leave it out to answer what the task asks"),
        }])),
        Err(fault) => Err(failure::fault(&fault)),
    }
}

/// A message that answered nothing. What the protocol itself says of a task that has ended stays its own error
/// (SEMANTICS 2); else the task stays as it is.
fn unanswered(read: &TaskRead, refusal: &Refusal, context: &str) -> Result<Sent, A2aError> {
    let (id, state) = (read.task.id(), &read.task.now.state);
    if state.is_terminal() {
        let message = format!(
            "task {id} has ended ({}); send the message in its context without taskId",
            state.name()
        );
        return Err(A2aError::new(ErrorKind::UnsupportedOperation, message));
    }
    Ok(refused(refusal, &id.to_string(), context))
}

fn refused(refusal: &Refusal, task: &str, context: &str) -> Sent {
    let id = format!("refuse_{:032x}", rand::random::<u128>());
    Sent::Refused(Box::new(map::refusal(refusal, id, task, context)))
}
