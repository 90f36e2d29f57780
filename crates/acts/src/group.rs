//! Fan-out groups (SEMANTICS 7).

use serde::{Deserialize, Serialize};

use crate::{
    ids::{GroupId, TaskId, TenantId},
    time::Timestamp,
};

/// A fan-out: branches under one task, and when their sender goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its id.
    pub id: GroupId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The task that fanned out.
    pub owner: TaskId,
    /// The branches, in the order in which they were made.
    pub branches: Vec<TaskId>,
    /// When the sender goes on.
    pub mode: GroupMode,
    /// Whether branches that are still open when it fires go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_rest: bool,
    /// Branches that ended, however.
    pub ended: u32,
    /// Branches that ended with a result.
    pub results: u32,
    /// When it fires with what there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Where it stands.
    pub state: GroupState,
    /// Whether it fired while branches were open that upkeep must close.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closing: bool,
}

/// When the sender of a fan-out goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupMode {
    /// At each end.
    Each,
    /// When all have ended.
    All,
    /// When so many results are there.
    Quorum(u32),
}

/// Where a group stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum GroupState {
    /// It waits.
    Open,
    /// It fired.
    Fired {
        /// What made it.
        by: FiredBy,
        /// Ends that it fired with.
        ended: u32,
    },
}

/// What made a group fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FiredBy {
    /// What it waited for was there.
    Met,
    /// It could no longer be met.
    Unmeetable,
    /// Its deadline.
    Deadline,
}

impl Group {
    /// Whether it fires now, before its deadline, and why.
    #[must_use]
    pub fn fires(&self) -> Option<FiredBy> {
        if self.state != GroupState::Open {
            return None;
        }
        let branches = u32::try_from(self.branches.len()).unwrap_or(u32::MAX);
        let open = branches - self.ended;
        match self.mode {
            GroupMode::Each | GroupMode::All => (open == 0).then_some(FiredBy::Met),
            GroupMode::Quorum(q) if self.results >= q => Some(FiredBy::Met),
            GroupMode::Quorum(q) if self.results + open < q => Some(FiredBy::Unmeetable),
            GroupMode::Quorum(_) => None,
        }
    }

    /// When the engine must look at it next without being asked: its deadline while it waits, at once while it has
    /// branches to close (SEMANTICS 14).
    #[must_use]
    pub fn next_due(&self) -> Option<Timestamp> {
        if self.closing {
            return Some(Timestamp(0));
        }
        self.deadline.filter(|_| self.state == GroupState::Open)
    }

    /// Whether a handler that has seen `seen` ends has something to read.
    #[must_use]
    pub fn is_met(&self, seen: u32) -> bool {
        matches!(self.state, GroupState::Fired { .. })
            || (self.mode == GroupMode::Each && self.ended > seen)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ids::RootId;

    fn group(mode: GroupMode, branches: u32, ended: u32, results: u32) -> Group {
        let root = RootId::from_bytes([1; 16]);
        Group {
            id: GroupId::new(root, 1),
            tenant: TenantId(1),
            owner: TaskId::new(root, 2),
            branches: (0..branches).map(|n| TaskId::new(root, 10 + n)).collect(),
            mode,
            keep_rest: false,
            ended,
            results,
            deadline: None,
            state: GroupState::Open,
            closing: false,
        }
    }

    #[test]
    fn a_quorum_fires_when_met_and_when_it_can_no_longer_be() {
        assert_eq!(
            group(GroupMode::Quorum(2), 3, 2, 2).fires(),
            Some(FiredBy::Met)
        );
        assert_eq!(
            group(GroupMode::Quorum(2), 3, 2, 0).fires(),
            Some(FiredBy::Unmeetable)
        );
        assert_eq!(group(GroupMode::Quorum(2), 3, 2, 1).fires(), None);
    }

    #[test]
    fn each_is_met_at_every_end_and_fires_at_the_last() {
        let two = group(GroupMode::Each, 3, 2, 1);
        assert!(two.is_met(1) && !two.is_met(2) && two.fires().is_none());
        assert_eq!(group(GroupMode::Each, 3, 3, 1).fires(), Some(FiredBy::Met));
    }

    #[test]
    fn it_is_due_while_it_waits_and_while_it_closes() {
        let mut group = group(GroupMode::All, 3, 0, 0);
        assert_eq!(group.next_due(), None);
        group.deadline = Some(Timestamp(7));
        assert_eq!(group.next_due(), Some(Timestamp(7)));
        let by = FiredBy::Met;
        group.state = GroupState::Fired { by, ended: 1 };
        assert_eq!(group.next_due(), None, "its deadline is past caring");
        group.closing = true;
        assert_eq!(group.next_due(), Some(Timestamp(0)));
    }

    proptest! {
        #[test]
        fn a_group_whose_branches_all_ended_has_fired(
            branches in 1_u32..20, results in 0_u32..20, q in 1_u32..20,
        ) {
            let results = results.min(branches);
            for mode in [GroupMode::Each, GroupMode::All, GroupMode::Quorum(q)] {
                prop_assert!(group(mode, branches, branches, results).fires().is_some());
            }
        }
    }
}
