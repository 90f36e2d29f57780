//! Fan-outs.

use serde::Serialize;
use tertulia_acts::{
    group::{FiredBy, Group, GroupMode, GroupState},
    ids::{GroupId, TaskId},
};
use utoipa::ToSchema;

use super::instant::Instant;
use crate::wire::operation::Mode;

/// A fan-out: when its sender goes on, and where it stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Group)]
pub(crate) struct GroupView {
    /// Its id.
    #[schema(value_type = String)]
    id: GroupId,
    /// When its sender goes on.
    #[schema(value_type = Mode)]
    mode: GroupMode,
    /// `open` or `fired`.
    state: &'static str,
    /// What made it fire: `met`, `unmeetable` or `deadline`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    fired_by: Option<FiredBy>,
    /// Branches that ended, however.
    ended: u32,
    /// Branches that ended with a result.
    results: u32,
    /// When it fires with what there is.
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline: Option<Instant>,
    /// Branches that ended, in the order in which they did.
    #[schema(value_type = Vec<String>)]
    arrived: Vec<TaskId>,
}

impl GroupView {
    /// A group of which `arrivals` tells the ended branches with their places.
    pub(crate) fn new(group: &Group, mut arrivals: Vec<(u32, TaskId)>) -> Self {
        arrivals.sort_unstable();
        // What ended after it fired is no part of what its owner went on with: a later run must see the same.
        let (state, fired_by, ended) = match group.state {
            GroupState::Open => ("open", None, group.ended),
            GroupState::Fired { by, ended } => ("fired", Some(by), ended),
        };
        arrivals.truncate(usize::try_from(ended).unwrap_or(usize::MAX));
        Self {
            id: group.id,
            mode: group.mode,
            state,
            fired_by,
            ended: group.ended,
            results: group.results,
            deadline: group.deadline.map(Instant),
            arrived: arrivals.into_iter().map(|(_, task)| task).collect(),
        }
    }
}
