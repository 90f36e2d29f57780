//! Mailboxes and dead letters, as listings of tasks: for the agent itself and for its owner; dead letters also for
//! whoever may see the task.

use rusqlite::{Connection, ToSql};
use tertulia_acts::{ids::TaskId, task::Task, viewer::Viewer};

use super::{Reader, page, total};
use crate::{
    StoreError,
    read::Page,
    sqlite::query::{self, agent, all, one},
    visibility::{Eyes, agent_is_own, mailbox_is_visible, task_is_visible},
};

impl Reader {
    /// What an agent has to do, the oldest first: its open tasks, whose delivery is pending, held or taken. None where
    /// the viewer is neither the agent nor its owner.
    pub fn mailbox(
        &self,
        viewer: &Viewer,
        name: &str,
        after: Option<TaskId>,
        limit: usize,
    ) -> Result<Option<Page<Task, TaskId>>, StoreError> {
        const FROM: &str = concat!(
            "FROM task t WHERE t.tenant = ?1 AND t.debtor = ?5 AND t.open = 1
                AND t.delivery IN ('pending', 'held', 'taken') AND ",
            mailbox_is_visible!()
        );
        const AFTER: &str =
            "AND (?6 IS NULL OR (t.root, t.n) > (?6, ?7)) ORDER BY t.root, t.n LIMIT ?8";
        const OWN: &str = concat!(
            "SELECT 1 FROM agent a WHERE a.name = ?5 AND ",
            agent_is_own!()
        );
        let (eyes, debtor) = (Eyes::of(viewer), agent(name));
        self.read(|conn| {
            if one(conn, OWN, &eyes.and(&[&name]), |_| Ok(()))?.is_none() {
                return Ok(None);
            }
            let params = eyes.and(&[&debtor]);
            let total = total(conn, FROM, &params)?;
            let tasks = tasks(conn, &format!("{FROM} {AFTER}"), &params, (after, limit))?;
            Ok(Some(page(tasks, limit, total, Task::id)))
        })
    }

    /// Tasks whose delivery died, the newest first.
    pub fn dead_letters(
        &self,
        viewer: &Viewer,
        before: Option<TaskId>,
        limit: usize,
    ) -> Result<Page<Task, TaskId>, StoreError> {
        const FROM: &str = concat!(
            "FROM task t WHERE t.tenant = ?1 AND t.delivery = 'dead' AND (",
            task_is_visible!(),
            " OR ",
            mailbox_is_visible!(),
            ")"
        );
        const BEFORE: &str =
            "AND (?5 IS NULL OR (t.root, t.n) < (?5, ?6)) ORDER BY t.root DESC, t.n DESC LIMIT ?7";
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            let params = eyes.and(&[]);
            let total = total(conn, FROM, &params)?;
            let tasks = tasks(conn, &format!("{FROM} {BEFORE}"), &params, (before, limit))?;
            Ok(page(tasks, limit, total, Task::id))
        })
    }
}

fn tasks(
    conn: &Connection,
    from: &str,
    params: &[&dyn ToSql],
    (cursor, limit): (Option<TaskId>, usize),
) -> Result<Vec<Task>, StoreError> {
    let (root, n) = (cursor.map(|id| *id.root.as_bytes()), cursor.map(|id| id.n));
    let limit = super::and_one(limit);
    let mut params = params.to_vec();
    params.extend([&root as &dyn ToSql, &n, &limit]);
    all(
        conn,
        &format!("SELECT t.made, t.now {from}"),
        &params,
        |row| query::task(row, 0),
    )
}
