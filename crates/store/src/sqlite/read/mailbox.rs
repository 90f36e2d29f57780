//! Mailboxes and dead letters, as listings of tasks: for the agent itself and for its owner; dead letters also for
//! whoever may see the task.

use rusqlite::ToSql;
use tertulia_acts::{ids::TaskId, party::Party, task::Task, viewer::Viewer};

use super::{Reader, total};
use crate::{
    StoreError,
    read::Page,
    sqlite::query::{self, agent, all, one},
    visibility::{Eyes, mailbox_is_visible, task_is_visible},
};

/// Cuts a page from rows of which one too many was asked for.
pub(super) fn cut<T, C>(
    mut rows: Vec<T>,
    limit: usize,
    total: crate::read::Total,
    cursor: impl Fn(&T) -> C,
) -> Page<T, C> {
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(cursor);
    Page { rows, next, total }
}

/// `LIMIT` for a page and one more.
pub(super) fn and_one(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

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
        let (eyes, debtor) = (Eyes::of(viewer), agent(name));
        let itself = viewer.party.is_agent() && viewer.party.name() == name;
        self.read(|conn| {
            if !itself && !owns(conn, viewer, name)? {
                return Ok(None);
            }
            let total = total(conn, FROM, &eyes.and(&[&debtor]))?;
            let sql = format!(
                "SELECT t.made, t.now {FROM} AND (?6 IS NULL OR (t.root, t.n) > (?6, ?7)) \
                 ORDER BY t.root, t.n LIMIT ?8"
            );
            let rows = page(conn, &sql, &eyes, &[&debtor], (after, limit))?;
            Ok(Some(cut(rows, limit, total, Task::id)))
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
            "FROM task t WHERE t.tenant = ?1 AND t.delivery = 'dead' AND ?5 AND (",
            task_is_visible!(),
            " OR ",
            mailbox_is_visible!(),
            ")"
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            let total = total(conn, FROM, &eyes.and(&[&true]))?;
            let sql = format!(
                "SELECT t.made, t.now {FROM} AND (?6 IS NULL OR (t.root, t.n) < (?6, ?7)) \
                 ORDER BY t.root DESC, t.n DESC LIMIT ?8"
            );
            let rows = page(conn, &sql, &eyes, &[&true], (before, limit))?;
            Ok(cut(rows, limit, total, Task::id))
        })
    }
}

fn page(
    conn: &rusqlite::Connection,
    sql: &str,
    eyes: &Eyes,
    own: &[&dyn ToSql],
    (cursor, limit): (Option<TaskId>, usize),
) -> Result<Vec<Task>, StoreError> {
    let (root, n) = (cursor.map(|id| *id.root.as_bytes()), cursor.map(|id| id.n));
    let limit = and_one(limit);
    let mut params = eyes.and(own);
    params.extend([&root as &dyn ToSql, &n, &limit]);
    all(conn, sql, &params, |row| query::task(row, 0))
}

/// Whether the viewer owns the agent.
fn owns(conn: &rusqlite::Connection, viewer: &Viewer, name: &str) -> Result<bool, StoreError> {
    let query = "SELECT owner = ?3 FROM agent WHERE tenant = ?1 AND name = ?2";
    let owner: Option<Party> = Some(viewer.party.clone()).filter(Party::is_principal);
    let Some(owner) = owner.map(|party| party.to_string()) else {
        return Ok(false);
    };
    let owns = one(conn, query, &[&viewer.tenant.0, &name, &owner], |row| {
        Ok(row.get(0)?)
    })?;
    Ok(owns.unwrap_or(false))
}
