//! Receipts: of keys, steps and claims.

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    facts::Facts,
    ids::TaskId,
    receipt::{Receipt, Scope},
};

use super::rows;
use crate::{
    StoreError,
    sqlite::query::{json, one},
};

/// A receipt that expired may have been swept while facts still have it: a new one under its key replaces what is
/// there, if anything is.
const REPLACE: &str = "INSERT INTO receipt (key, tenant, task_root, task, ordinal, expires, doc)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
    ON CONFLICT (key) DO UPDATE SET tenant = ?2, task_root = ?3, task = ?4, ordinal = ?5, expires = ?6, doc = ?7";
const INSERT: &str = "INSERT INTO receipt (key, tenant, task_root, task, ordinal, expires, doc)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

pub(super) fn receipts(conn: &Connection, facts: &Facts) -> Result<usize, StoreError> {
    let run = |statement: &mut CachedStatement<'_>, row: &Receipt| {
        let (tenant, step) = match &row.scope {
            Scope::Key { tenant, .. } | Scope::Claim { tenant, .. } => (tenant.0, None),
            Scope::Step { task, ordinal, .. } => {
                (tenant_of(conn, facts, *task)?, Some((*task, *ordinal)))
            }
        };
        Ok(statement.execute((
            row.key.0,
            tenant,
            step.map(|(task, _)| *task.root.as_bytes()),
            step.map(|(task, _)| task.n),
            step.map(|(_, ordinal)| ordinal),
            row.expires.map(|at| at.0),
            json(row)?,
        ))?)
    };
    rows(
        conn,
        &facts.tables().receipts,
        (INSERT, &run),
        (REPLACE, &run),
    )
}

/// A step's tenant is its task's.
fn tenant_of(conn: &Connection, facts: &Facts, task: TaskId) -> Result<u32, StoreError> {
    if let Some(task) = facts.tables().tasks.get(&task) {
        return Ok(task.made.tenant.0);
    }
    let sql = "SELECT tenant FROM task WHERE root = ?1 AND n = ?2";
    let found = one(conn, sql, &[task.root.as_bytes(), &task.n], |row| {
        Ok(row.get(0)?)
    })?;
    found.ok_or_else(|| StoreError::Constraint(format!("a step of {task}, which is absent")))
}
