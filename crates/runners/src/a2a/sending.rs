//! Sending a request so that a peer gets it once, as far as the peer lets one know (SEMANTICS 12).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tertulia_a2a::{
    client::{Error, Peer},
    map::SPEECH_ACT,
    wire::{ErrorKind, ListTasksRequest, SendMessageResponse},
};
use tertulia_acts::reason::Reason;
use tertulia_worker::{Assignment, Context, HandlerError, Outcome};

use super::{Tries, away, failed, incoming, outgoing, outlasts, parting::Parting};

/// The most messages of a task that one looks through for one's own.
const HISTORY: i32 = 100;
/// The most tasks of a context that one looks through.
const PAGE: i32 = 100;

/// What came of sending.
pub(super) enum Sent {
    /// A task at the peer, by its id there.
    Task(String),
    /// The end: a direct answer, or a failure.
    Ended(Outcome),
}

/// What is recorded before a byte leaves.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Intended {
    message_id: String,
    context_id: String,
    attempt: u32,
}

/// What is recorded when the peer has it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Receipt {
    /// It made this task.
    Task(String),
    /// It answered without one.
    Message(Box<tertulia_a2a::wire::Message>),
}

/// Whether a request that was intended reached the peer.
enum Found {
    /// It did, and made this task.
    There(String),
    /// It did not, or may be sent again.
    Absent,
    /// Nobody can tell.
    Unknown(String),
    /// The peer cannot be asked now.
    Away(String),
}

/// Sends the request, unless an earlier attempt has.
pub(super) async fn send(
    ctx: &mut Context,
    task: &Assignment,
    peer: &Arc<Peer>,
    tries: Tries,
    parting: &mut Parting,
) -> Result<Sent, HandlerError> {
    for n in 0.. {
        let step = format!("intended/{n}");
        let earlier = ctx.recorded(&step).is_some();
        // Before anything is intended, the peer must be there.
        if !earlier && let Err(error) = peer.card().await {
            return Ok(Sent::Ended(not_sent(task, tries, &error)));
        }
        let intended = Intended {
            message_id: format!("{}-request", task.effect_key),
            context_id: task.task.conversation.clone(),
            attempt: task.attempt,
        };
        let intended = ctx.record(&step, serde_json::to_value(&intended)?).await?;
        let intended: Intended = serde_json::from_value(intended)?;
        if earlier {
            let unsent = format!("unsent/{n}");
            if ctx.recorded(&unsent).is_some() {
                ctx.record(&unsent, Value::Null).await?;
                continue;
            }
            if ctx.recorded("sent").is_some() {
                let receipt = ctx.record("sent", Value::Null).await?;
                return Ok(read(serde_json::from_value(receipt)?, parting));
            }
            match find(peer, &intended).await {
                Found::There(remote) => {
                    parting.sent(&remote);
                    return record(ctx, Receipt::Task(remote), parting).await;
                }
                Found::Absent => {}
                Found::Unknown(why) => {
                    let outcome = failed(Reason::OutcomeUnknown.code(), why);
                    return Ok(Sent::Ended(outcome));
                }
                Found::Away(why) => return Ok(Sent::Ended(away(task, tries, why))),
            }
        }
        return send_intended(ctx, task, peer, tries, (&intended, n), parting).await;
    }
    // The steps of a task are bounded, so the loop ends before its numbers do.
    Err(HandlerError::new("too many attempts to send"))
}

async fn send_intended(
    ctx: &mut Context,
    task: &Assignment,
    peer: &Arc<Peer>,
    tries: Tries,
    (intended, n): (&Intended, u32),
    parting: &mut Parting,
) -> Result<Sent, HandlerError> {
    let request = outgoing::request(ctx, task, &intended.message_id, &intended.context_id).await?;
    if !outlasts(ctx, peer).await? {
        let why = "the lease would not outlast a call of the peer";
        ctx.record(&format!("unsent/{n}"), json!(why)).await?;
        return Ok(Sent::Ended(Outcome::retry(why)));
    }
    parting.sends(intended);
    match peer.send(request).await {
        Ok(SendMessageResponse::Task(remote)) if !remote.id.is_empty() => {
            // Known before it is recorded, which a cancel in the meantime refuses.
            parting.sent(&remote.id);
            record(ctx, Receipt::Task(remote.id), parting).await
        }
        Ok(SendMessageResponse::Task(_)) => {
            let why = "the peer made a task without an id";
            Ok(Sent::Ended(failed(Reason::PeerNonsense.code(), why)))
        }
        Ok(SendMessageResponse::Message(message)) => {
            record(ctx, Receipt::Message(Box::new(message)), parting).await
        }
        Err(error @ Error::Nonsense(_)) => {
            let outcome = failed(Reason::PeerNonsense.code(), error.to_string());
            Ok(Sent::Ended(outcome))
        }
        // Whether the peer has it, the next attempt finds out.
        Err(error) if error.leaves_open() && !tries.are_over(task) => {
            Ok(Sent::Ended(Outcome::retry(error.to_string())))
        }
        Err(error) if error.leaves_open() => {
            let outcome = failed(Reason::OutcomeUnknown.code(), error.to_string());
            Ok(Sent::Ended(outcome))
        }
        Err(error) => {
            ctx.record(&format!("unsent/{n}"), json!(error.to_string()))
                .await?;
            Ok(Sent::Ended(not_sent(task, tries, &error)))
        }
    }
}

/// What is certain not to have reached the peer, or not to have been taken by it.
fn not_sent(task: &Assignment, tries: Tries, error: &Error) -> Outcome {
    match error {
        Error::Peer(error) if error.kind != ErrorKind::Unavailable => {
            let why = format!("the peer does not take it: {error}");
            failed(Reason::PeerFailed.code(), why)
        }
        Error::Nonsense(_) => failed(Reason::PeerNonsense.code(), error.to_string()),
        error => away(task, tries, error.to_string()),
    }
}

async fn record(
    ctx: &mut Context,
    receipt: Receipt,
    parting: &mut Parting,
) -> Result<Sent, HandlerError> {
    let receipt = ctx.record("sent", serde_json::to_value(&receipt)?).await?;
    Ok(read(serde_json::from_value(receipt)?, parting))
}

fn read(receipt: Receipt, parting: &mut Parting) -> Sent {
    match receipt {
        Receipt::Task(remote) => {
            parting.sent(&remote);
            Sent::Task(remote)
        }
        Receipt::Message(message) => Sent::Ended(incoming::direct(&message)),
    }
}

/// Looks whether a request that was intended reached the peer, by what it lists. A peer that speaks our extension knows the key, so that it may be sent again.
async fn find(peer: &Peer, intended: &Intended) -> Found {
    let known = match peer.card().await {
        Ok(known) => known,
        Err(error) => return Found::Away(error.to_string()),
    };
    let extensions = &known.card().capabilities.extensions;
    if extensions
        .iter()
        .any(|extension| extension.uri == SPEECH_ACT)
    {
        return Found::Absent;
    }
    let unknown = |why: &str| {
        Found::Unknown(format!(
            "the request may have reached the peer before its answer was lost, and {why}"
        ))
    };
    match listed(peer, intended).await {
        Ok(Listed::There(remote)) => Found::There(remote),
        Ok(Listed::Nowhere) => Found::Absent,
        Ok(Listed::Untold) => unknown("what the peer lists does not tell"),
        Err(Error::Peer(error)) if error.kind != ErrorKind::Unavailable => {
            unknown(&format!("the peer lists no tasks: {error}"))
        }
        Err(Error::Nonsense(_)) => unknown("the peer lists no tasks that can be read"),
        Err(error) => Found::Away(error.to_string()),
    }
}

/// What a peer's list of tasks tells of a request.
pub(super) enum Listed {
    /// It made this task.
    There(String),
    /// None of all tasks of its context holds it.
    Nowhere,
    /// Not enough is shown.
    Untold,
}

/// Looks for the task of a request: by its context, in which our message is one of those that a task holds.
pub(super) async fn listed(peer: &Peer, intended: &Intended) -> Result<Listed, Error> {
    let list = ListTasksRequest {
        context_id: intended.context_id.clone(),
        page_size: Some(PAGE),
        history_length: Some(HISTORY),
        ..ListTasksRequest::default()
    };
    let listed = peer.list(list).await?;
    let ours = listed.tasks.iter().find(|task| {
        let messages = &task.history;
        messages
            .iter()
            .any(|message| message.message_id == intended.message_id)
    });
    if let Some(task) = ours {
        return Ok(Listed::There(task.id.clone()));
    }
    // That it is in none proves its absence only where each task shows all that was said.
    let shown = |history: usize| 0 < history && history < usize::try_from(HISTORY).unwrap_or(0);
    let all = listed.next_page_token.is_empty()
        && listed.tasks.iter().all(|task| shown(task.history.len()));
    Ok(if all { Listed::Nowhere } else { Listed::Untold })
}
