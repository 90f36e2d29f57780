//! Receipts, and the steps of a task.

use rusqlite::Connection;
use tertulia_acts::{
    digest::Hash16,
    facts::{Facts, Need},
    ids::TaskId,
    receipt::Receipt,
};

use super::single;
use crate::{
    StoreError,
    sqlite::query::{all, doc},
};

pub(super) fn receipt(conn: &Connection, key: Hash16, facts: &mut Facts) -> Result<(), StoreError> {
    let query = "SELECT doc FROM receipt WHERE key = ?1";
    single::<Receipt>(
        conn,
        facts,
        Need::Receipt(key),
        &key,
        (query, &[&key.0]),
        |row| doc(row, 0),
    )
}

pub(super) fn steps(conn: &Connection, task: TaskId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = "SELECT doc FROM receipt WHERE task_root = ?1 AND task = ?2 ORDER BY ordinal";
    let params: &[&dyn rusqlite::ToSql] = &[task.root.as_bytes(), &task.n];
    for row in all(conn, query, params, |row| doc::<Receipt>(row, 0))? {
        facts.load(row);
    }
    facts.know(Need::Steps(task));
    Ok(())
}
