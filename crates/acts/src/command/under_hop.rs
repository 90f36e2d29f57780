//! Under a hop token: a step that was made before is answered again, and what is new is made (SEMANTICS 1, 4).

use super::{
    Answer, Caller, HopOperation, UnderHop, abstain, acknowledge, agree, answer, ask, decline,
    delegate, delegate_all, fail,
    hold::{Hold, hold, refused},
    holder::Holder,
    park, progress, record, release, reply, step,
};
use crate::{
    answers,
    digest::Digest,
    envelope::Refusal,
    facts::{Draft, Stop},
    lease::{LeaseReceipt, LeaseState},
    reason::Reason,
    receipt::Outcome,
    transition::agree_first,
};

pub(super) fn decide(d: &mut Draft<'_>, caller: &Caller, under: &UnderHop) -> Result<Answer, Stop> {
    let mut holder = match hold(d, caller, under)? {
        Hold::Live(holder) => *holder,
        Hold::Not(answer) => return Ok(answer),
    };
    step::read(d, &mut holder, &under.read);
    let read_by_now = holder.lease.clone();
    match act(d, &mut holder, under) {
        // What is refused changes nothing; that the run has come to its earlier steps is true all the same.
        Err(Stop::Refused(refusal)) => {
            d.discard();
            if !under.read.is_empty() {
                d.put(read_by_now);
            }
            step::record_refusal(d, &holder, under, &refusal)?;
            Ok(refused(refusal))
        }
        decided => decided,
    }
}

/// Gives the answer of a step that was made before, or makes it.
fn act(d: &mut Draft<'_>, holder: &mut Holder, under: &UnderHop) -> Result<Answer, Stop> {
    let kind = under.operation.kind();
    if holder.task.is_fold() && !kind.in_consultation() {
        let message = format!(
            "a consultation may reply, decline, fail, ask and wait, but not {kind}; answer from what you know"
        );
        return Err(Refusal::saying(Reason::ReadOnly, message).into());
    }
    let name = under.step_name();
    if let Some(name) = &name {
        if let Some(answer) = step::replay(d, holder, name, under)? {
            return Ok(answer);
        }
        step::admit(holder, name, under)?;
    }
    let outcome = run(d, holder, under)?;
    if let Some(name) = &name {
        step::record(d, holder, name, under, &outcome)?;
    }
    keep_receipt(d, holder, under.content, &outcome)?;
    Ok(Answer::first(outcome))
}

fn run(d: &mut Draft<'_>, holder: &mut Holder, under: &UnderHop) -> Result<Outcome, Stop> {
    // Giving the attempt up is no answer: the task goes on with another one.
    if let HopOperation::Fail(fail) = &under.operation
        && fail.retry
    {
        return fail::again(d, holder, fail);
    }
    let kind = under.operation.kind();
    let agrees = kind.agrees_first(holder.task.made.performative, holder.task.now.agreed);
    if let Some(answering) = kind.answering() {
        answers::check(
            holder.task.made.performative,
            holder.task.now.agreed || agrees,
            answering,
        )?;
    }
    if agrees {
        agree_first(d, &mut holder.task, holder.hop.id)?;
    }
    match &under.operation {
        HopOperation::Agree => agree::decide(d, holder),
        HopOperation::Progress(progress) => progress::decide(d, holder, progress),
        HopOperation::Delegate(opening) => delegate::decide(d, holder, opening),
        HopOperation::DelegateAll(all) => delegate_all::decide(d, holder, all),
        HopOperation::Record(value) => Ok(record::decide(value)),
        HopOperation::Ask(ask) => ask::decide(d, holder, ask),
        HopOperation::Answer(words) => answer::under_hop(d, holder, words),
        HopOperation::Park(on) => park::decide(d, holder, on),
        HopOperation::Release => release::decide(d, holder),
        HopOperation::Reply(reply) => reply::decide(d, holder, reply),
        HopOperation::Decline(decline) => decline::decide(d, holder, decline),
        HopOperation::Fail(fail) => fail::decide(d, holder, fail),
        HopOperation::Acknowledge => acknowledge::decide(d, holder),
        HopOperation::Abstain => abstain::decide(),
    }
}

/// Keeps the answer of an operation that ended the lease, for a repeat of it.
fn keep_receipt(
    d: &mut Draft<'_>,
    holder: &Holder,
    content: Digest,
    outcome: &Outcome,
) -> Result<(), Stop> {
    let mut lease = d.lease(holder.lease.token)?;
    if let LeaseState::Ended { by, .. } = lease.state {
        let receipt = Some(Box::new(LeaseReceipt {
            content,
            outcome: outcome.clone(),
        }));
        lease.state = LeaseState::Ended { by, receipt };
        d.put(lease);
    }
    Ok(())
}
