//! `delegate_all`: a fan-out. Branches pass the gates one by one, in order; a refused branch is an answered branch
//! (SEMANTICS 7).

use std::borrow::Cow;

use super::{Opening, Place, delegate::branch, holder::Holder};
use crate::{
    envelope::Refusal,
    facts::{Draft, Fault, Need, Stop},
    group::{Group, GroupMode, GroupState},
    ids::GroupId,
    limits::FAN_OUT,
    reason::Reason,
    receipt::Outcome,
    time::Millis,
    transition::fire,
};

/// Asks several at once.
#[derive(Debug, Clone)]
pub struct DelegateAll {
    /// What is asked of each.
    pub branches: Vec<Opening>,
    /// When the sender goes on.
    pub mode: GroupMode,
    /// When it goes on with what there is.
    pub within: Option<Millis>,
    /// Whether branches that are open then go on; their replies are late results of the group.
    pub keep_rest: bool,
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    holder: &Holder,
    all: &DelegateAll,
) -> Result<Outcome, Stop> {
    let count = all.branches.len();
    if count == 0 || count > FAN_OUT {
        let message = format!("a fan-out has 1 to {FAN_OUT} branches; this one has {count}");
        return Err(Refusal::saying(Reason::Breadth, message)
            .with("branches", count)
            .with("limit", FAN_OUT)
            .into());
    }
    if let GroupMode::Quorum(results) = all.mode
        && !(1..=count).contains(&(results as usize))
    {
        let message =
            format!("a quorum of {results} results: expected 1 to {count}, as there are branches");
        return Err(Fault::Invalid(message).into());
    }
    for opening in &all.branches {
        opening.can_open()?;
        if opening.to.is_principal() {
            let message = format!(
                "a branch goes to an agent; {} is a principal: inform it by `delegate`",
                opening.to
            );
            return Err(Refusal::saying(Reason::IllegalAct, message).into());
        }
    }
    let root = holder.task.id().root;
    let tenant = holder.task.made.tenant;
    let openings: Vec<Cow<'_, Opening>> = all
        .branches
        .iter()
        .map(|opening| opening.distinct(d, root))
        .collect::<Result<_, _>>()?;
    foresee(d, holder, &openings)?;
    let id = GroupId::new(root, d.number(root)?);
    let deadline = all.within.map(|within| d.now.after(within));
    d.put(Group {
        id,
        tenant,
        owner: holder.task.id(),
        branches: Vec::new(),
        mode: all.mode,
        keep_rest: all.keep_rest,
        ended: 0,
        results: 0,
        deadline,
        state: GroupState::Open,
        closing: false,
    });
    let mut branches = Vec::with_capacity(count);
    let mut tasks = Vec::with_capacity(count);
    for opening in &openings {
        let outcome = branch(d, holder, opening, Some(id))?;
        if let Outcome::Accepted { task, .. }
        | Outcome::Refused {
            task: Some(task), ..
        } = &outcome
        {
            tasks.push(*task);
        }
        branches.push(outcome);
    }
    let mut group = d
        .find_group(id)?
        .ok_or_else(|| Stop::Broken("a group vanished".into()))?;
    group.branches = tasks;
    fire(d, group, None)?;
    Ok(Outcome::FannedOut {
        group: id,
        branches,
    })
}

/// Asks for what opening so many reads.
fn foresee(d: &Draft<'_>, holder: &Holder, openings: &[Cow<'_, Opening>]) -> Result<(), Stop> {
    let root = holder.task.id().root;
    let tenant = holder.task.made.tenant;
    let mut needs = Vec::new();
    for opening in openings {
        let name = opening.to.name().to_owned();
        needs.push(Need::Agent(tenant, name.clone()));
        needs.push(Need::Commitments(root, name.clone(), opening.fingerprint()));
        if let Place::In(id) = opening.place {
            needs.push(Need::Conversation(id));
            needs.push(Need::Slot(name.clone(), id));
            needs.push(Need::Queue(name, id));
        }
        let artifacts = opening.artifacts().iter();
        needs.extend(artifacts.map(|brought| Need::Artifact(root, brought.reference().digest)));
    }
    d.foresee(needs)?;
    let mut needs = Vec::new();
    for opening in openings {
        let name = opening.to.name();
        // A refusal says how that stands which is owed already.
        let owed = d.owed(root, name, opening.fingerprint())?;
        needs.extend(owed.iter().map(|row| Need::Task(row.task)));
        if let Place::In(id) = opening.place {
            // Which of those before it in its slot goes first is looked for anew.
            let queue = d.queue(name, id)?;
            needs.extend(queue.iter().filter_map(|task| task.now.hop).map(Need::Hop));
        }
    }
    d.foresee(needs)
}
