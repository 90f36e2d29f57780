//! Who may see what: one predicate, here and nowhere else (SEMANTICS 13; I15).
//!
//! - Nothing is seen across tenants.
//! - A principal sees what lies under its roots.
//! - Whoever takes part in a conversation sees it, its tasks and its acts: so an agent sees those it is pinned in.
//! - A hop also sees the tasks whose parent is its task, with their conversations, and, if its task is a fold, the
//!   conversation that it consults. Of its ancestors it sees the genealogy only, which stands in its own task.
//! - The owner of an agent sees that agent's mailbox and dead letters, as listings of tasks.
//!
//! The fragments are SQL over a row called `t` (a task) or `c` (a conversation), and over the parameters `?1` to `?4`,
//! which [`Eyes`] binds; a query's own parameters begin at `?5`.

use rusqlite::ToSql;
use tertulia_acts::viewer::Viewer;

/// A viewer as parameters `?1` to `?4` of a query.
pub(crate) struct Eyes {
    tenant: u32,
    party: String,
    hop_root: Option<[u8; 16]>,
    hop_task: Option<u32>,
}

impl Eyes {
    /// What `viewer` looks with.
    pub(crate) fn of(viewer: &Viewer) -> Self {
        Self {
            tenant: viewer.tenant.0,
            party: viewer.party.to_string(),
            hop_root: viewer.task.map(|task| *task.root.as_bytes()),
            hop_task: viewer.task.map(|task| task.n),
        }
    }

    /// The parameters of a query: the viewer's four, then its own.
    pub(crate) fn and<'a>(&'a self, own: &[&'a dyn ToSql]) -> Vec<&'a dyn ToSql> {
        let mut all: Vec<&dyn ToSql> =
            vec![&self.tenant, &self.party, &self.hop_root, &self.hop_task];
        all.extend_from_slice(own);
        all
    }
}

/// Whether the viewer may see the task `t`.
macro_rules! task_is_visible {
    () => {
        "(t.tenant = ?1 AND (
            EXISTS (SELECT 1 FROM root r WHERE r.id = t.root AND r.tenant = ?1 AND r.principal = ?2)
            OR EXISTS (SELECT 1 FROM participant p
                WHERE p.root = t.conversation_root AND p.n = t.conversation AND p.party = ?2 AND p.tenant = ?1)
            OR (t.root = ?3 AND t.parent = ?4)))"
    };
}

/// Whether the viewer may see the conversation `c`.
macro_rules! conversation_is_visible {
    () => {
        "(c.tenant = ?1 AND (
            EXISTS (SELECT 1 FROM root r WHERE r.id = c.root AND r.tenant = ?1 AND r.principal = ?2)
            OR EXISTS (SELECT 1 FROM participant p
                WHERE p.root = c.root AND p.n = c.n AND p.party = ?2 AND p.tenant = ?1)
            OR (?4 IS NOT NULL AND (
                EXISTS (SELECT 1 FROM task child
                    WHERE child.conversation_root = c.root AND child.conversation = c.n
                      AND child.root = ?3 AND child.parent = ?4 AND child.tenant = ?1)
                OR EXISTS (SELECT 1 FROM task fold JOIN conversation f
                    ON f.root = fold.conversation_root AND f.n = fold.conversation
                    WHERE fold.root = ?3 AND fold.n = ?4 AND fold.tenant = ?1 AND fold.debtor = ?2
                      AND f.consults_root = c.root AND f.consults = c.n)))))"
    };
}

/// Whether the viewer may see the task `t` as an entry of its debtor's mailbox or dead letters: the agent itself, and
/// its owner.
macro_rules! mailbox_is_visible {
    () => {
        "(t.tenant = ?1 AND (t.debtor = ?2 OR EXISTS (SELECT 1 FROM agent a
            WHERE a.tenant = ?1 AND 'agent:' || a.name = t.debtor AND a.owner = ?2)))"
    };
}

pub(crate) use {conversation_is_visible, mailbox_is_visible, task_is_visible};
