//! Asks.

use rusqlite::Connection;
use tertulia_acts::{
    ask::Ask,
    facts::{Facts, Need},
    ids::{AskId, TaskId},
};

use super::single;
use crate::{
    StoreError,
    sqlite::query::{all, doc},
};

pub(super) fn ask(conn: &Connection, id: AskId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = "SELECT doc FROM ask WHERE root = ?1 AND n = ?2";
    let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n];
    single::<Ask>(conn, facts, Need::Ask(id), &id, (query, params), |row| {
        doc(row, 0)
    })
}

/// The open asks addressed to a task.
pub(super) fn to_task(
    conn: &Connection,
    task: TaskId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query =
        "SELECT doc FROM ask WHERE addressee_task_root = ?1 AND addressee_task = ?2 AND open = 1";
    set(conn, query, task, facts)?;
    facts.know(Need::AsksTo(task));
    Ok(())
}

/// The open asks that a task made.
pub(super) fn of_task(
    conn: &Connection,
    task: TaskId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    set(
        conn,
        "SELECT doc FROM ask WHERE root = ?1 AND asker = ?2 AND open = 1",
        task,
        facts,
    )?;
    facts.know(Need::AsksOf(task));
    Ok(())
}

fn set(conn: &Connection, query: &str, task: TaskId, facts: &mut Facts) -> Result<(), StoreError> {
    let params: &[&dyn rusqlite::ToSql] = &[task.root.as_bytes(), &task.n];
    for row in all(conn, query, params, |row| doc::<Ask>(row, 0))? {
        facts.load(row);
    }
    Ok(())
}
