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
use tertulia_acts::{allowance::Allowance, reason::Reason};
use tertulia_worker::{Assignment, Client, Context, Handler, HandlerError, Outcome};

use self::{
    definition::{Definitions, Tries},
    following::Followed,
    parting::{Parked, Parting},
    sending::Sent,
};

/// What works for agents that live elsewhere. Clones share what they know.
#[derive(Clone)]
pub struct RemoteAgent {
    definitions: Definitions,
    parked: Parked,
}

impl RemoteAgent {
    /// Works for those whose definitions ask for no more than is allowed.
    pub(crate) fn new(allowance: Arc<Allowance>) -> Self {
        Self {
            definitions: Definitions::new(allowance),
            parked: Parked::default(),
        }
    }

    /// From now on it looks after parked tasks through this client: earlier ones may have lost their credential.
    pub(crate) fn look_through(&self, client: Client) {
        self.parked.look_through(client);
    }
}

impl Handler for RemoteAgent {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        self.parked.resumed(&task.task.id);
        let residence = self.definitions.residence(ctx, task).await?;
        let tries = residence.tries;
        let peer = match residence.peer {
            Ok(peer) => peer,
            Err(why) => return Ok(away(task, tries, why)),
        };
        // An error drops the parting: if the task is over by then, it is cancelled at the peer.
        let mut parting = Parting::new(ctx, task, &peer);
        let remote = match sending::send(ctx, task, &peer, tries, &mut parting).await? {
            Sent::Task(remote) => remote,
            Sent::Ended(outcome) => {
                parting.ends(&outcome);
                return Ok(outcome);
            }
        };
        match following::follow(ctx, task, &peer, tries, &remote).await? {
            Followed::Ended(outcome) => {
                parting.ends(&outcome);
                Ok(outcome)
            }
            Followed::Parked(suspended) => {
                parting.park(&self.parked);
                Err(suspended)
            }
        }
    }
}

/// The peer is away: another attempt is made, and after the last one the sender is told.
fn away(task: &Assignment, tries: Tries, why: impl Into<String>) -> Outcome {
    let why = why.into();
    if tries.are_over(task) {
        return failed(Reason::PeerUnreachable.code(), why);
    }
    Outcome::retry(why)
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
