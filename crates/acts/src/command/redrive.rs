//! Redrive: a dead letter is sent again, as a new task with a new deadline; the old one stays failed (SEMANTICS 6). Who
//! redrives is who asks, whoever delegated it first: the sender and the provenance of the new act say so.

use serde_json::json;

use super::{
    Answer, Caller, Opening, Place,
    open::{Opener, open},
    send::new_root,
};
use crate::{
    body::NewArtifact,
    conversation::ConversationKind,
    delivery::Delivery,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Fault, Need, Stop},
    ids::{RootId, TaskId},
    reason::Reason,
    receipt::Outcome,
    task::{Task, TaskState},
    time::Millis,
    transition::log,
};

/// A redrive.
#[derive(Debug, Clone)]
pub struct Redrive {
    /// The task whose letter is dead.
    pub task: TaskId,
    /// How long the new one may take.
    pub within: Option<Millis>,
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    caller: &Caller,
    redrive: &Redrive,
) -> Result<Answer, Stop> {
    let absent = || Stop::Fault(Fault::NotFound(format!("task {}", redrive.task)));
    let task = d
        .find_task(redrive.task)?
        .filter(|task| task.made.tenant == caller.tenant)
        .ok_or_else(absent)?;
    let root = d.root(task.id().root)?;
    if root.principal != caller.party {
        return Err(absent());
    }
    if let Some(again) = task.now.redriven_as {
        let act = d.task(again)?.made.opening;
        return Ok(Answer::again(Outcome::Accepted { task: again, act }));
    }
    if !matches!(task.now.delivery, Delivery::Dead { .. }) {
        let state = task.now.state.name();
        let message = match task.now.state {
            TaskState::Done { .. } | TaskState::Refused { .. } => {
                format!("{} was answered: it is {state}", task.id())
            }
            _ => format!("{} is {state}: its letter is not dead", task.id()),
        };
        let refusal = Refusal::saying(Reason::AlreadyAnswered, message)
            .with("task", task.id())
            .with("state", state);
        return Err(refusal.into());
    }
    let outcome = send_again(d, caller, redrive, &task)?;
    if let Outcome::Accepted { task: again, .. } = outcome {
        let mut task = d.task(task.id())?;
        task.now.redriven_as = Some(again);
        log(
            d,
            task.made.conversation,
            Some(&mut task),
            EventKind::MailboxRedriven,
            json!({"as": again}),
        )?;
        d.put(task);
    }
    Ok(Answer::first(outcome))
}

fn send_again(
    d: &mut Draft<'_>,
    caller: &Caller,
    redrive: &Redrive,
    task: &Task,
) -> Result<Outcome, Stop> {
    let act = d.act(task.made.opening)?;
    let brought = act.envelope.artifacts.iter();
    d.foresee(brought.map(|brought| Need::Artifact(task.id().root, brought.digest)))?;
    let mut artifacts = Vec::with_capacity(act.envelope.artifacts.len());
    for brought in &act.envelope.artifacts {
        let artifact = d
            .artifact(task.id().root, brought.digest)?
            .ok_or_else(|| Stop::Broken(format!("artifact {} is absent", brought.digest)))?;
        artifacts.push(NewArtifact::new(
            brought.name.clone(),
            brought.media_type.clone(),
            artifact.bytes.to_vec(),
        ));
    }
    let (to, contract) = (task.made.debtor.clone(), task.made.contract.clone());
    let mut opening =
        Opening::new(task.made.performative, to, act.body, contract).bringing(artifacts);
    opening.within = redrive.within;
    opening.place = Place::New;
    opening.work_id.clone_from(&task.made.work_id);
    opening.parent_work_id.clone_from(&task.made.parent_work_id);
    let root = match task.made.parent {
        None => new_root(d, caller)?,
        Some(_) => still_open(d, task)?,
    };
    let opener = Opener {
        tenant: caller.tenant,
        sender: &caller.party,
        root,
        under: None,
        group: None,
        conversation: None,
        opens: (ConversationKind::Opened, None),
        letter: Some(task),
        key: None,
    };
    open(d, &opener, &opening)
}

/// The root of a child's letter, if it is open. Whether the task that delegated it is does not matter: what comes of the
/// letter is a late result to that one, and the root's principal reads it.
fn still_open(d: &Draft<'_>, task: &Task) -> Result<RootId, Stop> {
    let root = d.root(task.id().root)?;
    if root.ended.is_none() {
        return Ok(root.id);
    }
    let message = format!(
        "the root of {} has ended; send the work again as a new root",
        task.id()
    );
    let refusal = Refusal::saying(Reason::RootClosed, message).with("root", root.id);
    Err(refusal.into())
}
