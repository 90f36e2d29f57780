//! Following a task at a peer to its end: what it says on the way goes up as progress, what it asks as a question, whose
//! answer goes down.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tertulia_a2a::{
    client::{Error, Peer},
    wire::{ErrorKind, Message},
};
use tertulia_acts::reason::Reason;
use tertulia_worker::{
    Answer, Assignment, Context, HandlerError, Outcome, Question, StepError,
    wire::{Part, Performative},
};

use super::{
    Tries, away, failed, incoming,
    incoming::Words,
    outgoing, outlasts,
    watching::{self, News, Watching},
};

/// The most of what a peer says on the way that is passed on.
const PROGRESS: usize = 100;

/// What a peer said, as it is recorded before it is acted on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Entry {
    /// How far it is.
    Said {
        /// What it is known again by.
        mark: String,
        parts: Vec<Part>,
    },
    /// That it waits for a credential, out of band.
    NeedsCredential {
        /// What it is known again by.
        mark: String,
        parts: Vec<Part>,
    },
    /// A question.
    Asks {
        /// What it is known again by.
        mark: String,
        parts: Vec<Part>,
    },
}

/// How following a task came to its end.
pub(super) enum Followed {
    /// With the task's, or the attempt's.
    Ended(Outcome),
    /// It waits for the answer to a question; this is what the handler passes on then.
    Parked(HandlerError),
}

/// Follows a task to its end.
pub(super) async fn follow(
    ctx: &mut Context,
    task: &Assignment,
    peer: &Arc<Peer>,
    tries: Tries,
    remote: &str,
) -> Result<Followed, HandlerError> {
    let mut watching = Watching::new(peer, remote);
    let mut agreed = task.task.agreed;
    let mut said = 0;
    for n in 0.. {
        let step = format!("heard/{n}");
        let entry = match ctx.recorded(&step) {
            Some(earlier) => earlier.clone(),
            None => match listen(&mut watching, task, tries, agreed, said).await {
                Ok(entry) => serde_json::to_value(&entry)?,
                Err(outcome) => return Ok(Followed::Ended(outcome)),
            },
        };
        let entry: Entry = serde_json::from_value(ctx.record(&step, entry).await?)?;
        match entry {
            Entry::Said { mark, parts } => {
                watching.was_told(&mark);
                ctx.progress(parts).await?;
                said += 1;
                agreed = true;
            }
            Entry::NeedsCredential { mark, parts } => {
                watching.was_told(&mark);
                ctx.needs_credential(parts).await?;
                said += 1;
                agreed = true;
            }
            Entry::Asks { mark, parts } => {
                watching.was_told(&mark);
                let question = Question::new(parts).keyed(format!("asked/{n}"));
                let answer = match ctx.ask(question).await {
                    Ok(answer) => answer,
                    Err(parked @ StepError::Suspended) => {
                        return Ok(Followed::Parked(parked.into()));
                    }
                    Err(error) => return Err(error.into()),
                };
                let asking = Asking {
                    peer,
                    tries,
                    remote,
                    mark,
                    n,
                };
                if let Some(outcome) = deliver(ctx, task, &asking, &answer).await? {
                    return Ok(Followed::Ended(outcome));
                }
            }
        }
    }
    // The steps of a task are bounded, so the loop ends before its numbers do.
    Err(HandlerError::new("the peer said too much"))
}

/// Waits for something to be passed on, or for the end.
async fn listen(
    watching: &mut Watching,
    task: &Assignment,
    tries: Tries,
    agreed: bool,
    said: usize,
) -> Result<Entry, Outcome> {
    // Progress belongs to a request (SEMANTICS 1).
    let asked = task.act.performative == Performative::Request;
    loop {
        match watching.next().await {
            News::Said(message) => {
                if asked
                    && said < PROGRESS
                    && let Some(parts) = words(&message)
                {
                    let mark = message.message_id;
                    return Ok(Entry::Said { mark, parts });
                }
            }
            News::Asks(mark, message) => {
                let parts = message.as_deref().and_then(words);
                let parts = parts.unwrap_or_else(|| {
                    vec![Part::text("the remote agent asks for input, without words")]
                });
                return Ok(Entry::Asks { mark, parts });
            }
            News::NeedsCredential(mark, message) => {
                tracing::warn!(task = task.task.id, "the peer waits for a credential");
                // As all progress it belongs to a request; another task stays at work meanwhile.
                if asked && said < PROGRESS {
                    let parts = message.as_deref().and_then(words);
                    let parts = parts.unwrap_or_else(|| {
                        let text = "the remote agent waits for a credential, out of band";
                        vec![Part::text(text)]
                    });
                    return Ok(Entry::NeedsCredential { mark, parts });
                }
            }
            News::HasCredential(mark) => {
                if asked {
                    let text = "the remote agent waits for a credential no longer";
                    let parts = vec![Part::text(text)];
                    return Ok(Entry::Said { mark, parts });
                }
            }
            News::Ended(ended) => return Err(incoming::outcome(&ended, agreed)),
            News::Gone => {
                let why = "the peer has forgotten the task; how far it came is not known";
                return Err(failed(Reason::OutcomeUnknown.code(), why));
            }
            News::Away(why) => return Err(away(task, tries, why)),
            News::Nonsense(why) => return Err(failed(Reason::PeerNonsense.code(), why)),
        }
    }
}

/// What a message says, if it says anything that can be passed on.
fn words(message: &Message) -> Option<Vec<Part>> {
    let words = Words::of_message(message).ok()?.bare();
    (!words.is_empty()).then_some(words)
}

/// A question of the peer.
struct Asking<'a> {
    peer: &'a Arc<Peer>,
    tries: Tries,
    remote: &'a str,
    mark: String,
    n: u32,
}

/// Gives the peer its answer, unless an earlier run has.
async fn deliver(
    ctx: &mut Context,
    task: &Assignment,
    asking: &Asking<'_>,
    answer: &Answer,
) -> Result<Option<Outcome>, HandlerError> {
    let (peer, remote) = (asking.peer, asking.remote);
    let (answering, answered) = (
        format!("answering/{}", asking.n),
        format!("answered/{}", asking.n),
    );
    let earlier = ctx.recorded(&answering).is_some();
    let id = format!("{}-answer-{}", task.effect_key, asking.n);
    ctx.record(&answering, json!({"messageId": id})).await?;
    if ctx.recorded(&answered).is_some() {
        ctx.record(&answered, Value::Null).await?;
        return Ok(None);
    }
    if earlier {
        // It may have been sent. As long as the peer still asks the same, it was not taken in.
        match peer.get(remote, Some(0)).await {
            Ok(stands) if watching::mark(&stands.status) == asking.mark => {}
            Ok(_) | Err(Error::Peer(_)) => {
                ctx.record(&answered, Value::Null).await?;
                return Ok(None);
            }
            Err(error) => return Ok(Some(away(task, asking.tries, error.to_string()))),
        }
    }
    let request = outgoing::answer(ctx, task, &id, remote, answer).await?;
    if !outlasts(ctx, peer).await? {
        return Ok(Some(Outcome::retry(
            "the lease would not outlast a call of the peer",
        )));
    }
    match peer.send(request).await {
        Ok(_) => {}
        // It has ended, or does not wait any more: how it stands is seen next.
        Err(Error::Peer(error)) if error.kind == ErrorKind::UnsupportedOperation => {}
        Err(Error::Peer(error)) if error.kind != ErrorKind::Unavailable => {
            let why = format!("the peer does not take the answer to its question: {error}");
            return Ok(Some(failed(Reason::PeerFailed.code(), why)));
        }
        Err(error) => return Ok(Some(away(task, asking.tries, error.to_string()))),
    }
    ctx.record(&answered, Value::Null).await?;
    Ok(None)
}
