//! `ask`: a question to whoever made the request, and a park, in one transaction (SEMANTICS 8).

use serde_json::json;

use super::{holder::Holder, open::too_many_rounds, park};
use crate::{
    ask::{Addressee, Ask, AskState},
    body::Body,
    event::EventKind,
    facts::{Draft, Stop},
    hop::Wait,
    ids::AskId,
    limits::{ASK_DEADLINE, ROUNDS_PER_TASK},
    performative::Performative,
    receipt::Outcome,
    task::{Task, TaskState},
    time::Millis,
    transition::{Speech, climb, log, notify, say, wake},
};

/// A question upwards.
#[derive(Debug, Clone)]
pub struct AskUp {
    /// In these words.
    pub body: Body,
    /// How long the asker waits for the answer.
    pub within: Option<Millis>,
}

pub(super) fn decide(d: &mut Draft<'_>, holder: &mut Holder, ask: &AskUp) -> Result<Outcome, Stop> {
    let mut task = d.task(holder.task.id())?;
    if task.now.rounds >= ROUNDS_PER_TASK {
        return Err(too_many_rounds().into());
    }
    let root = d.root(task.id().root)?;
    // The nearest open task above is the one that made the request: while a task is open, so is the one above it. A
    // letter that a principal sent again hangs below the root's task, which knows nothing of it.
    let addressee = match task.made.parent {
        Some(parent) if task.made.requester.is_agent() => Addressee::Task(parent),
        _ => Addressee::Principal(root.principal.clone()),
    };
    let id = AskId::new(root.id, d.number(root.id)?);
    let mut speech = Speech::new(
        Performative::Query,
        task.made.debtor.clone(),
        task.made.requester.clone(),
        ask.body.clone(),
    );
    speech.hop = Some(holder.hop.id);
    speech.in_reply_to = Some(task.made.opening);
    speech.ask = Some(id);
    let query = say(d, &mut task, speech)?;
    // An ask cannot outlive its task.
    let deadline = d
        .now
        .after(ask.within.unwrap_or(ASK_DEADLINE))
        .min(task.made.deadline);
    d.put(Ask {
        id,
        tenant: task.made.tenant,
        asker: task.id(),
        hop: holder.hop.id,
        addressee: addressee.clone(),
        query,
        state: AskState::Open,
        deadline,
        made: d.now,
    });
    task.now.rounds += 1;
    let detail = json!({"ask": id, "addressee": addressee});
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::AskOpened,
        detail,
    )?;
    let tenant = task.made.tenant;
    wait_for(d, task, id)?;
    holder.reread(d)?;
    park::give_up_lease(d, holder, Wait::Ask { ask: id })?;
    match addressee {
        Addressee::Task(parent) => wake(d, parent)?,
        Addressee::Principal(party) => {
            notify(d, tenant, &party, query, Some(holder.task.id()), Some(id))?;
        }
    }
    Ok(Outcome::Asked {
        ask: id,
        act: query,
    })
}

/// The task waits for the answer.
fn wait_for(d: &mut Draft<'_>, mut task: Task, ask: AskId) -> Result<(), Stop> {
    let had_no_credential = task.now.state == TaskState::AwaitingAuthorization;
    task.now.state = task.now.state.ask(ask)?;
    task.now.changed = d.now;
    let detail = json!({"state": task.now.state.name()});
    log(
        d,
        task.made.conversation,
        Some(&mut task),
        EventKind::TaskState,
        detail,
    )?;
    let above = task.made.parent;
    d.put(task);
    if had_no_credential {
        climb(d, above)?;
    }
    Ok(())
}
