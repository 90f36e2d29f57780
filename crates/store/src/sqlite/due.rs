//! What is due, picked without locks by partial indexes on open rows; and what expired and is forgotten.

use rusqlite::{Connection, Row};
use tertulia_acts::{
    command::Due,
    ids::{AskId, GroupId, TaskId},
    time::Timestamp,
};

use super::query::{all, digest, one, root};
use crate::StoreError;

/// What is due at `now`, the longest overdue first.
pub(super) fn due(conn: &Connection, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
    let mut found: Vec<(i64, Due)> = Vec::new();
    let params: &[&dyn rusqlite::ToSql] = &[&now.0, &i64::try_from(limit).unwrap_or(i64::MAX)];
    let mut pick = |sql: &str, read: &dyn Fn(&Row<'_>) -> Result<Due, StoreError>| {
        let picked = all(conn, sql, params, |row| Ok((row.get(0)?, read(row)?)))?;
        found.extend(picked);
        Ok::<(), StoreError>(())
    };
    pick(
        "SELECT due, token FROM lease WHERE due IS NOT NULL AND due <= ?1 ORDER BY due LIMIT ?2",
        &|row| Ok(Due::Lease(digest(row, 1)?)),
    )?;
    pick(
        "SELECT due, root, n FROM task WHERE due IS NOT NULL AND due <= ?1 ORDER BY due LIMIT ?2",
        &|row| Ok(Due::Task(TaskId::new(root(row, 1)?, row.get(2)?))),
    )?;
    pick(
        "SELECT due, root, n FROM ask WHERE due IS NOT NULL AND due <= ?1 ORDER BY due LIMIT ?2",
        &|row| Ok(Due::Ask(AskId::new(root(row, 1)?, row.get(2)?))),
    )?;
    pick(
        "SELECT due, root, n FROM task_group WHERE due IS NOT NULL AND due <= ?1 ORDER BY due LIMIT ?2",
        &|row| Ok(Due::Group(GroupId::new(root(row, 1)?, row.get(2)?))),
    )?;
    // Stable: at the same instant leases come first, and each kind stays in the order of its index.
    found.sort_by_key(|(at, _)| *at);
    Ok(found.into_iter().take(limit).map(|(_, due)| due).collect())
}

/// When something is due next.
pub(super) fn next(conn: &Connection) -> Result<Option<Timestamp>, StoreError> {
    const FIRST: [&str; 4] = [
        "SELECT min(due) FROM lease WHERE due IS NOT NULL",
        "SELECT min(due) FROM task WHERE due IS NOT NULL",
        "SELECT min(due) FROM ask WHERE due IS NOT NULL",
        "SELECT min(due) FROM task_group WHERE due IS NOT NULL",
    ];
    let mut next: Option<i64> = None;
    for sql in FIRST {
        let first = one(conn, sql, &[], |row| Ok(row.get::<_, Option<i64>>(0)?))?.flatten();
        next = next.into_iter().chain(first).min();
    }
    Ok(next.map(Timestamp))
}

/// Forgets receipts that expired.
pub(super) fn sweep(conn: &Connection, now: Timestamp, limit: usize) -> Result<usize, StoreError> {
    let sql = "DELETE FROM receipt WHERE rowid IN
        (SELECT rowid FROM receipt WHERE expires IS NOT NULL AND expires <= ?1 ORDER BY expires LIMIT ?2)";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(conn.prepare_cached(sql)?.execute((now.0, limit))?)
}
