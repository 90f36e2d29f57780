//! `delegate_all`: a fan-out. Branches pass the gates one by one, in order; a refused branch is an answered branch
//! (SEMANTICS 7).

use super::{Opening, delegate::branch, holder::Holder};
use crate::{
    envelope::Refusal,
    facts::{Draft, Need, Stop},
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
    d.foresee(all.branches.iter().flat_map(|opening| {
        let name = opening.to.name();
        [
            Need::Agent(tenant, name.to_owned()),
            Need::Commitments(root, name.to_owned(), opening.fingerprint),
        ]
    }))?;
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
    for opening in &all.branches {
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
