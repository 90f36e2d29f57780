//! Upkeep: what was picked as due is judged again when its turn comes (SEMANTICS 14).

use serde_json::json;

use super::{Answer, Due, answer::resume_asker, cascade};
use crate::{
    ask::AskState,
    digest::Digest,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Stop},
    group::{FiredBy, GroupState},
    ids::{AskId, GroupId, TaskId},
    lease::{LeaseEnd, LeaseState},
    reason::Reason,
    receipt::Outcome,
    task::Task,
    transition::{End, end_task, fire, log, lose},
};

pub(super) fn decide(d: &mut Draft<'_>, due: &Due) -> Result<Answer, Stop> {
    match due {
        Due::Task(id) => task(d, *id)?,
        Due::Lease(token) => lease(d, *token)?,
        Due::Ask(id) => ask(d, *id)?,
        Due::Group(id) => group(d, *id)?,
    }
    Ok(Answer::first(Outcome::Configured))
}

fn task(d: &mut Draft<'_>, id: TaskId) -> Result<(), Stop> {
    let Some(task) = d.find_task(id)? else {
        return Ok(());
    };
    if task.now.closing.is_some() {
        return cascade::close_children(d, &task);
    }
    if task.is_open() && d.now >= task.made.deadline {
        expire_task(d, task)?;
    }
    Ok(())
}

/// Its deadline has come. Never claimed: it expired in the mailbox. Begun: it missed its deadline (SEMANTICS 6).
fn expire_task(d: &mut Draft<'_>, task: Task) -> Result<(), Stop> {
    let reason = if task.now.attempts == 0 {
        Reason::Expired
    } else {
        Reason::Deadline
    };
    let refusal = Refusal::new(reason)
        .with("deadline", task.made.deadline)
        .with("attempts", task.now.attempts);
    end_task(d, task, End::dead(refusal, LeaseEnd::Deadline)).map(drop)
}

fn lease(d: &mut Draft<'_>, token: Digest) -> Result<(), Stop> {
    let Some(lease) = d.find_lease(token)? else {
        return Ok(());
    };
    if lease.state != LeaseState::Live || d.now < lease.until {
        return Ok(());
    }
    let task = d.task(lease.task)?;
    if d.now >= task.made.deadline {
        return expire_task(d, task);
    }
    let error = format!(
        "no heartbeat from worker `{}` for the length of a lease",
        lease.worker
    );
    lose(d, lease, task, LeaseEnd::Swept, &error).map(drop)
}

fn ask(d: &mut Draft<'_>, id: AskId) -> Result<(), Stop> {
    let Some(mut ask) = d.find_ask(id)? else {
        return Ok(());
    };
    if ask.state != AskState::Open || d.now < ask.deadline {
        return Ok(());
    }
    let mut task = d.task(ask.asker)?;
    if d.now >= task.made.deadline {
        // The task is over with it.
        return expire_task(d, task);
    }
    ask.state = AskState::Expired;
    let detail = json!({"ask": id, "state": "expired", "reason": Reason::AskExpired});
    d.put(ask);
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::AskEnded,
        detail,
    )?;
    resume_asker(d, task)
}

fn group(d: &mut Draft<'_>, id: GroupId) -> Result<(), Stop> {
    let Some(group) = d.find_group(id)? else {
        return Ok(());
    };
    if group.closing {
        return cascade::close_rest(d, &group);
    }
    let overdue = group.deadline.is_some_and(|deadline| d.now >= deadline);
    if group.state == GroupState::Open && overdue {
        // Its owner may have ended meanwhile: then nobody waits, and the branches close with it.
        return fire(d, group, Some(FiredBy::Deadline));
    }
    Ok(())
}
