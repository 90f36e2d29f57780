//! Waking: a parked activation becomes ready when what it waits for has come, or when it is asked something.

use serde_json::json;

use super::{log, refresh};
use crate::{
    ask::AskState,
    event::EventKind,
    facts::{Draft, Need, Stop},
    group::{FiredBy, Group, GroupState},
    hop::{Activation, Wait},
    ids::TaskId,
    task::Task,
};

/// Whether what a hop waits for is there.
pub(crate) fn is_met(d: &Draft<'_>, on: &Wait) -> Result<bool, Stop> {
    match on {
        Wait::Tasks { tasks } => {
            d.foresee(tasks.iter().copied().map(Need::Task))?;
            for id in tasks {
                if d.find_task(*id)?.is_some_and(|task| task.is_open()) {
                    return Ok(false);
                }
            }
            Ok(true)
        }
        Wait::Group { group, seen } => Ok(d
            .find_group(*group)?
            .is_none_or(|group| group.is_met(*seen))),
        Wait::Ask { ask } => Ok(d
            .find_ask(*ask)?
            .is_none_or(|ask| ask.state != AskState::Open)),
    }
}

/// Makes the parked activation of `waiter` ready, if what it waits for is there or a question is addressed to it.
pub(crate) fn wake(d: &mut Draft<'_>, waiter: TaskId) -> Result<(), Stop> {
    let task = d.task(waiter)?;
    let Some(hop) = task.now.hop.filter(|_| task.is_open()) else {
        return Ok(());
    };
    let mut hop = d.hop(hop)?;
    let Activation::Parked { on } = &hop.state else {
        return Ok(());
    };
    if !is_met(d, on)? && d.asks_to(waiter)?.is_empty() {
        return Ok(());
    }
    hop.state = hop.state.ready()?;
    d.put(hop);
    refresh(d, task.made.debtor.name(), task.made.conversation)
}

/// A branch of a group has ended, or the group's deadline has come: it may fire, and its owner may go on.
pub(crate) fn fire(d: &mut Draft<'_>, mut group: Group, by: Option<FiredBy>) -> Result<(), Stop> {
    let owner = group.owner;
    if let Some(by) = by
        .or_else(|| group.fires())
        .filter(|_| group.state == GroupState::Open)
    {
        group.state = GroupState::Fired {
            by,
            ended: group.ended,
        };
        let rest = usize::try_from(group.ended).unwrap_or(usize::MAX) < group.branches.len();
        group.closing = rest && !group.keep_rest;
        let mut task: Task = d.task(owner)?;
        let detail = json!({"group": group.id, "fired_by": by, "ended": group.ended, "results": group.results});
        log(
            d,
            task.made.conversation,
            Some(&mut task),
            EventKind::TaskGroupFired,
            detail,
        )?;
        d.put(task);
    }
    d.put(group);
    wake(d, owner)
}
