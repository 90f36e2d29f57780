//! Under a hop token: who holds the hop, whether it still may act, and whether the step was made before (SEMANTICS 3, 4).

use super::{
    Answer, AnswerAsk, Caller, HopOperation, UnderHop, abstain, acknowledge, agree, answer, ask,
    decline, delegate, delegate_all, fail, late, may_serve, park, progress, record, release, reply,
};
use crate::{
    answers,
    digest::Digest,
    envelope::Refusal,
    facts::{Draft, Fault, Stop},
    hop::Hop,
    ids::ActId,
    lease::{Lease, LeaseEnd, LeaseReceipt, LeaseState},
    limits::STEPS_PER_TASK,
    reason::Reason,
    receipt::{Outcome, Receipt, Scope},
    task::Task,
    transition::{End, agree_first, closed_for, end_task, severed},
};

/// One who holds a live lease.
pub(crate) struct Holder {
    pub(crate) caller: Caller,
    pub(crate) lease: Lease,
    pub(crate) hop: Hop,
    pub(crate) task: Task,
}

impl Holder {
    /// The rows as the draft has them now, after something was said.
    pub(crate) fn reread(&mut self, d: &Draft<'_>) -> Result<(), Stop> {
        self.task = d.task(self.task.id())?;
        self.hop = d.hop(self.hop.id)?;
        self.lease = d.lease(self.lease.token)?;
        Ok(())
    }
}

/// Whether a token gives a hold, and if not, what is answered instead.
enum Hold {
    Live(Box<Holder>),
    Not(Answer),
}

pub(super) fn decide(d: &mut Draft<'_>, caller: &Caller, under: &UnderHop) -> Result<Answer, Stop> {
    let mut holder = match hold(d, caller, under)? {
        Hold::Live(holder) => *holder,
        Hold::Not(answer) => return Ok(answer),
    };
    read(d, &mut holder, &under.read);
    let read_by_now = holder.lease.clone();
    match act(d, &mut holder, under) {
        // What is refused changes nothing; that the run has come to its earlier steps is true all the same.
        Err(Stop::Refused(refusal)) => {
            d.discard();
            if !under.read.is_empty() {
                d.put(read_by_now);
            }
            record_refusal(d, &holder, under, &refusal)?;
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
    let name = step_name(under);
    if let Some(name) = &name {
        if let Some(answer) = replay(d, holder, name, under)? {
            return Ok(answer);
        }
        admit_step(holder, name, under)?;
    }
    let outcome = run(d, holder, under)?;
    if let Some(name) = &name {
        record_step(d, holder, name, under, &outcome)?;
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

/// What an operation is called among the task's steps; an answer is called by its ask. Those that end a lease are none.
fn step_name(under: &UnderHop) -> Option<String> {
    match &under.operation {
        HopOperation::Answer(AnswerAsk { ask: Some(ask), .. }) => Some(format!("answer/{ask}")),
        HopOperation::Answer(_)
        | HopOperation::Agree
        | HopOperation::Progress(_)
        | HopOperation::Delegate(_)
        | HopOperation::DelegateAll(_)
        | HopOperation::Record(_)
        | HopOperation::Ask(_) => {
            // Without a name a step is what it says: the digest of what was sent.
            let name = under
                .step
                .clone()
                .unwrap_or_else(|| under.content.to_string());
            Some(match under.handling {
                Some(ask) => format!("{ask}/{name}"),
                None => name,
            })
        }
        _ => None,
    }
}

/// Finds the lease of the token and judges whether it still gives a hold.
fn hold(d: &mut Draft<'_>, caller: &Caller, under: &UnderHop) -> Result<Hold, Stop> {
    let Some(lease) = d.find_lease(under.token.hash())? else {
        return Err(Fault::LeaseLost.into());
    };
    let hop = d.hop(lease.hop)?;
    if lease.tenant != caller.tenant || !may_serve(d, caller, &hop.agent)? {
        return Err(Fault::LeaseLost.into());
    }
    let task = d.task(lease.task)?;
    match &lease.state {
        LeaseState::Live => {}
        LeaseState::Ended { by, receipt } => {
            return ended(d, *by, receipt.as_deref(), &hop, &task, under).map(Hold::Not);
        }
    }
    if d.now >= task.made.deadline {
        return overdue(d, &hop, task, under).map(Hold::Not);
    }
    if let Some(refusal) = severed(d, &task)? {
        late::keep(d, task.id(), hop.id, under)?;
        return Ok(Hold::Not(refused(refusal)));
    }
    Ok(Hold::Live(Box::new(Holder {
        caller: caller.clone(),
        lease,
        hop,
        task,
    })))
}

fn refused(refusal: Refusal) -> Answer {
    Answer::first(Outcome::Refused {
        task: None,
        act: None,
        refusal,
    })
}

/// What an operation is answered whose lease has ended (SEMANTICS 3).
fn ended(
    d: &mut Draft<'_>,
    by: LeaseEnd,
    receipt: Option<&LeaseReceipt>,
    hop: &Hop,
    task: &Task,
    under: &UnderHop,
) -> Result<Answer, Stop> {
    if let Some(receipt) = receipt.filter(|receipt| receipt.content == under.content) {
        return Ok(Answer::again(receipt.outcome.clone()));
    }
    // A step of this hop whose answer was lost has its receipt under its name; but who lost the lease is told so.
    let by_its_worker = matches!(
        by,
        LeaseEnd::Parked | LeaseEnd::Settled | LeaseEnd::Released
    );
    if by_its_worker
        && let Some(name) = step_name(under)
        && let Some(step) = d.receipt(Receipt::key_of_step(task.id(), &name))?
        && step.content == under.content
    {
        return Ok(Answer::again(step.outcome));
    }
    match by {
        LeaseEnd::Parked => Err(Fault::HopFinished("parking: claim again to go on".into()).into()),
        LeaseEnd::Settled => {
            Err(Fault::HopFinished("another operation of its worker".into()).into())
        }
        LeaseEnd::Released => {
            Err(Fault::HopFinished("release: claim again to go on".into()).into())
        }
        LeaseEnd::Swept => {
            late::keep(d, task.id(), hop.id, under)?;
            Ok(Answer::Fault(Fault::LeaseLost))
        }
        LeaseEnd::Cancelled => {
            late::keep(d, task.id(), hop.id, under)?;
            Ok(refused(
                Refusal::new(closed_for(d, task)?).with("task", task.id()),
            ))
        }
        LeaseEnd::Deadline => {
            late::keep(d, task.id(), hop.id, under)?;
            Ok(refused(
                Refusal::new(Reason::Deadline).with("task", task.id()),
            ))
        }
    }
}

/// An operation decided at or after the deadline is late, whether or not a timer has fired (SEMANTICS 6).
fn overdue(d: &mut Draft<'_>, hop: &Hop, task: Task, under: &UnderHop) -> Result<Answer, Stop> {
    let id = task.id();
    let refusal = Refusal::new(Reason::Deadline).with("deadline", task.made.deadline);
    end_task(d, task, End::dead(refusal.clone(), LeaseEnd::Deadline))?;
    late::keep(d, id, hop.id, under)?;
    Ok(refused(refusal.with("task", id)))
}

/// Notes the recorded steps that the run has come to.
fn read(d: &mut Draft<'_>, holder: &mut Holder, ordinals: &[u32]) {
    let before = holder.lease.unread.len();
    holder
        .lease
        .unread
        .retain(|ordinal| !ordinals.contains(ordinal));
    if holder.lease.unread.len() != before {
        d.put(holder.lease.clone());
    }
}

/// The answer of a step that was made before.
fn replay(
    d: &mut Draft<'_>,
    holder: &mut Holder,
    name: &str,
    under: &UnderHop,
) -> Result<Option<Answer>, Stop> {
    let Some(receipt) = d.receipt(Receipt::key_of_step(holder.task.id(), name))? else {
        return Ok(None);
    };
    if receipt.content != under.content {
        let message =
            format!("step `{name}` was made with other content; give this one a name of its own");
        return Err(Refusal::saying(Reason::KeyReused, message)
            .with("step", name)
            .into());
    }
    if let Scope::Step { ordinal, .. } = receipt.scope {
        read(d, holder, &[ordinal]);
    }
    Ok(Some(Answer::again(receipt.outcome)))
}

/// A new step must come after all those recorded, and there may be so many of them.
fn admit_step(holder: &Holder, name: &str, under: &UnderHop) -> Result<(), Stop> {
    let exempt = under.handling.is_some() || matches!(under.operation, HopOperation::Answer(_));
    let unread = holder.lease.unread.len();
    if unread > 0 && !exempt {
        return Err(Fault::ReplayDiverged {
            step: name.into(),
            unread,
        }
        .into());
    }
    if holder.task.now.steps >= STEPS_PER_TASK {
        let message = format!(
            "the task has made {STEPS_PER_TASK} steps, the most there may be; answer with what you have"
        );
        return Err(Refusal::saying(Reason::TooManySteps, message)
            .with("limit", STEPS_PER_TASK)
            .into());
    }
    Ok(())
}

fn record_step(
    d: &mut Draft<'_>,
    holder: &Holder,
    name: &str,
    under: &UnderHop,
    outcome: &Outcome,
) -> Result<(), Stop> {
    let mut task = d.task(holder.task.id())?;
    task.now.steps += 1;
    let scope = Scope::Step {
        task: task.id(),
        ordinal: task.now.steps,
        handling: under.handling,
    };
    d.put(Receipt::new(
        scope,
        name,
        under.content,
        outcome.clone(),
        d.now,
    ));
    d.put(task);
    Ok(())
}

/// A step that was refused is a step: a later run of the handler comes to it again, and must not seem to make it anew
/// (SEMANTICS 4). Not so what is refused before it is looked up, what asks under a name that is taken, and answers.
fn record_refusal(
    d: &mut Draft<'_>,
    holder: &Holder,
    under: &UnderHop,
    refusal: &Refusal,
) -> Result<(), Stop> {
    let none = matches!(
        refusal.reason,
        Reason::ReadOnly | Reason::KeyReused | Reason::TooManySteps
    );
    let Some(name) = step_name(under).filter(|_| !none) else {
        return Ok(());
    };
    if matches!(under.operation, HopOperation::Answer(_)) {
        return Ok(());
    }
    let outcome = Outcome::Refused {
        task: None,
        act: None,
        refusal: refusal.clone(),
    };
    record_step(d, holder, &name, under, &outcome)
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

/// Ends the holder's task by its own word.
pub(super) fn settle(d: &mut Draft<'_>, holder: &Holder, end: End) -> Result<Outcome, Stop> {
    let task = d.task(holder.task.id())?;
    let id = task.id();
    let act: ActId = end_task(d, task, end)?;
    Ok(Outcome::Settled { task: id, act })
}
