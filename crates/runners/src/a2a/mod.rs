//! Agents that live elsewhere, reached as A2A clients (SEMANTICS 12).
//!
//! A handler like any other: what it sends is recorded before a byte leaves (`intended/n`) and after the peer has it
//! (`sent`), what it hears is recorded before it is acted on (`heard/n`). A later attempt, or the same one after a
//! question was answered, runs again from its beginning and repeats nothing that the peer may have.

mod definition;
mod following;
mod incoming;
mod outgoing;
mod parting;
mod sending;
mod watching;

use std::sync::Arc;

use tertulia_a2a::client::Peer;
use tertulia_acts::limits::ATTEMPTS;
use tertulia_worker::{Assignment, Context, Handler, HandlerError, Outcome};

use self::{definition::Definitions, parting::Parting, sending::Sent};

/// What works for agents that live elsewhere.
#[derive(Debug, Default)]
pub struct RemoteAgent {
    definitions: Definitions,
}

impl Handler for RemoteAgent {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let peer = match self.definitions.peer(ctx, task).await? {
            Ok(peer) => peer,
            Err(why) => return Ok(away(task, why)),
        };
        let remote = match sending::send(ctx, task, &peer).await? {
            Sent::Task(remote) => remote,
            Sent::Ended(outcome) => return Ok(outcome),
        };
        let parting = Parting::new(ctx, task, &peer, &remote);
        let followed = following::follow(ctx, task, &peer, &remote).await;
        // It came to an end, or will be taken up again: nothing is to be cancelled.
        parting.forget();
        followed
    }
}

/// The peer is away: another attempt is made, and after the last one the sender is told.
fn away(task: &Assignment, why: impl Into<String>) -> Outcome {
    let why = why.into();
    if task.attempt < ATTEMPTS {
        return Outcome::retry(why);
    }
    failed("peer-unreachable", why)
}

/// A failure whose reason is the peer's doing.
fn failed(reason: &str, why: impl Into<String>) -> Outcome {
    let why = why.into();
    match Outcome::fail(why.clone()).because(reason) {
        Outcome::Fail {
            retry,
            parts,
            reason,
            ..
        } => Outcome::Fail {
            retry,
            parts,
            error: Some(why),
            reason,
        },
        other => other,
    }
}

/// Makes sure that the lease outlasts one call of the peer; false if it cannot be made to.
async fn outlasts(ctx: &mut Context, peer: &Arc<Peer>) -> Result<bool, HandlerError> {
    if ctx.lease_left() > peer.timeout() {
        return Ok(true);
    }
    ctx.renew().await?;
    Ok(ctx.lease_left() > peer.timeout())
}
