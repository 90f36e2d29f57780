//! Keys outside a hop: the same key and the same content, the same answer (SEMANTICS 4; I6).

use super::{Answer, Caller};
use crate::{
    digest::{Digest, Hash16},
    envelope::Refusal,
    facts::{Draft, Stop},
    reason::Reason,
    receipt::{Outcome, Receipt, Scope},
};

/// Where the receipt of a caller's key is found.
pub(super) fn of(caller: &Caller, name: &str) -> Hash16 {
    scope(caller).key(name)
}

fn scope(caller: &Caller) -> Scope {
    Scope::Key {
        tenant: caller.tenant,
        party: caller.party.clone(),
    }
}

/// Answers a repeat from the receipt of its key, or lets `act` make what is asked and keeps what came of it under the
/// key: a refusal too, so that its repeat is refused alike. Without a key nothing is kept.
pub(super) fn once(
    d: &mut Draft<'_>,
    caller: &Caller,
    key: Option<&str>,
    content: Digest,
    act: impl FnOnce(&mut Draft<'_>) -> Result<Outcome, Stop>,
) -> Result<Answer, Stop> {
    let Some(name) = key else {
        return act(d).map(Answer::first);
    };
    if let Some(receipt) = d.receipt(of(caller, name))?
        && receipt.is_kept(d.now)
    {
        if receipt.content == content {
            return Ok(Answer::again(receipt.outcome));
        }
        let message =
            "this Idempotency-Key was used for another act; send this one with a key of its own";
        return Err(Refusal::saying(Reason::KeyReused, message).into());
    }
    let outcome = match act(d) {
        Err(Stop::Refused(refusal)) => {
            // What is refused so changes nothing.
            d.discard();
            Outcome::Refused {
                task: None,
                act: None,
                refusal,
            }
        }
        made => made?,
    };
    let mut receipt = Receipt::new(scope(caller), name, content, outcome, d.now);
    let open = match receipt.outcome.opened() {
        Some(task) => d.task(task)?.is_open(),
        None => false,
    };
    if !open {
        receipt.run_out(d.now);
    }
    let answer = Answer::first(receipt.outcome.clone());
    d.put(receipt);
    Ok(answer)
}
