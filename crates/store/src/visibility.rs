//! Who may see what: one predicate, here and nowhere else (SEMANTICS 13; I15).
//!
//! - Nothing is seen across tenants.
//! - A principal sees what lies under its roots.
//! - Whoever takes part in a conversation sees it, its tasks and its acts: so an agent sees those it is pinned in.
//! - A hop also sees the tasks whose parent is its task, with their conversations, and, if its task is a fold, the
//!   conversation that it consults. Of its ancestors it sees the genealogy only, which stands in its own task.
//! - The owner of an agent sees that agent's mailbox and dead letters, as listings of tasks.
//!
//! - The owner of an agent also sees the agent's keys, beside its own. An administrator of a tenant sees its principals and
//!   their keys; others see of principals themselves.
//! - An inbox, and what a key was answered, are the viewer's own: they are found by who it is.
//!
//! The fragments are SQL over a row called `t` (a task), `c` (a conversation) and so on, and over the parameters `?1` to `?4`,
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

/// Whether the root `r` belongs to the viewer.
macro_rules! root_is_own {
    () => {
        "(r.tenant = ?1 AND r.principal = ?2)"
    };
}

/// Whether the viewer may see the task `t`.
macro_rules! task_is_visible {
    () => {
        concat!(
            "(t.tenant = ?1 AND (
                EXISTS (SELECT 1 FROM root r WHERE r.id = t.root AND ",
            $crate::visibility::root_is_own!(),
            ") OR EXISTS (SELECT 1 FROM participant p WHERE p.root = t.conversation_root
                AND p.n = t.conversation AND p.party = ?2 AND p.tenant = ?1)
                OR (t.root = ?3 AND t.parent = ?4)))"
        )
    };
}

/// The roots under which the viewer may see something: it narrows a listing before [`task_is_visible`] decides, so that
/// no listing goes through the tasks of all.
macro_rules! roots_in_sight {
    () => {
        concat!(
            "SELECT r.id FROM root r WHERE ",
            $crate::visibility::root_is_own!(),
            " UNION SELECT s.root FROM participant p
                JOIN task s ON s.conversation_root = p.root AND s.conversation = p.n
                WHERE p.tenant = ?1 AND p.party = ?2
            UNION SELECT ?3 WHERE ?3 IS NOT NULL"
        )
    };
}

/// Whether the viewer may see the conversation `c`.
macro_rules! conversation_is_visible {
    () => {
        concat!(
            "(c.tenant = ?1 AND (
                EXISTS (SELECT 1 FROM root r WHERE r.id = c.root AND ",
            $crate::visibility::root_is_own!(),
            ") OR EXISTS (SELECT 1 FROM participant p
                WHERE p.root = c.root AND p.n = c.n AND p.party = ?2 AND p.tenant = ?1)
                OR (?4 IS NOT NULL AND (
                    EXISTS (SELECT 1 FROM task child
                        WHERE child.conversation_root = c.root AND child.conversation = c.n
                          AND child.root = ?3 AND child.parent = ?4 AND child.tenant = ?1)
                    OR EXISTS (SELECT 1 FROM task fold JOIN conversation f
                        ON f.root = fold.conversation_root AND f.n = fold.conversation
                        WHERE fold.root = ?3 AND fold.n = ?4 AND fold.tenant = ?1 AND fold.debtor = ?2
                          AND fold.made ->> '$.folded_on' IS NOT NULL
                          AND f.consults_root = c.root AND f.consults = c.n)))))"
        )
    };
}

/// Whether the viewer is the agent `a`, or owns it.
macro_rules! agent_is_own {
    () => {
        "(a.tenant = ?1 AND (a.owner = ?2 OR 'agent:' || a.name = ?2))"
    };
}

/// The viewer and the agents that it owns, and, if it is an administrator, all principals: whose keys it may see.
macro_rules! parties_in_hand {
    () => {
        concat!(
            "SELECT ?2 UNION SELECT 'agent:' || a.name FROM agent a WHERE a.tenant = ?1 AND a.owner = ?2
            UNION SELECT p.party FROM principal p WHERE ",
            $crate::visibility::principal_is_visible!()
        )
    };
}

/// Whether the viewer is the principal `p`, or administers its tenant.
macro_rules! principal_is_visible {
    () => {
        "(p.tenant = ?1 AND (p.party = ?2 OR EXISTS (SELECT 1 FROM principal me
            WHERE me.tenant = ?1 AND me.party = ?2 AND me.doc ->> '$.administers')))"
    };
}

/// Whether the viewer may see the task `t` as an entry of its debtor's mailbox or dead letters.
macro_rules! mailbox_is_visible {
    () => {
        concat!(
            "(t.tenant = ?1 AND EXISTS (SELECT 1 FROM agent a
                WHERE a.tenant = ?1 AND a.name = substr(t.debtor, 7) AND 'agent:' || a.name = t.debtor AND ",
            $crate::visibility::agent_is_own!(),
            "))"
        )
    };
}

/// Whether the ask `q` is addressed to the viewer, or to the task that it is at work on.
macro_rules! ask_is_own {
    () => {
        "(q.tenant = ?1 AND (q.addressee_party = ?2
            OR (q.addressee_task_root = ?3 AND q.addressee_task = ?4)))"
    };
}

/// Whether the viewer may read the artifact `x`: its root belongs to it, or it sees a conversation in which the
/// artifact was brought or named.
macro_rules! artifact_is_visible {
    () => {
        concat!(
            "(x.tenant = ?1 AND (
                EXISTS (SELECT 1 FROM root r WHERE r.id = x.root AND ",
            $crate::visibility::root_is_own!(),
            ") OR EXISTS (SELECT 1 FROM mention i
                JOIN conversation c ON c.root = i.conversation_root AND c.n = i.conversation
                WHERE i.root = x.root AND i.digest = x.digest AND i.tenant = ?1 AND ",
            $crate::visibility::conversation_is_visible!(),
            ")))"
        )
    };
}

pub(crate) use {
    agent_is_own, artifact_is_visible, ask_is_own, conversation_is_visible, mailbox_is_visible,
    parties_in_hand, principal_is_visible, root_is_own, roots_in_sight, task_is_visible,
};
