//! What reaches principals, and what is kept: inboxes, artifacts, late results.

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    artifact::{Artifact, LateResult},
    digest::Digest,
    facts::Table,
    ids::{RootId, TaskId, TenantId},
    inbox::{Inbox, InboxEntry},
    party::Party,
};

use super::{append, rows};
use crate::{StoreError, sqlite::query::json};

pub(super) fn inboxes(
    conn: &Connection,
    table: &Table<(TenantId, Party), Inbox>,
) -> Result<usize, StoreError> {
    let run = |statement: &mut CachedStatement<'_>, row: &Inbox| {
        let Inbox {
            tenant,
            principal,
            last,
        } = row;
        Ok(statement.execute((tenant.0, principal.to_string(), last))?)
    };
    rows(
        conn,
        table,
        (
            "INSERT INTO inbox (tenant, principal, last) VALUES (?1, ?2, ?3)",
            &run,
        ),
        (
            "UPDATE inbox SET last = ?3 WHERE tenant = ?1 AND principal = ?2",
            &run,
        ),
    )
}

pub(super) fn entries(
    conn: &Connection,
    table: &Table<(TenantId, Party, u32), InboxEntry>,
) -> Result<usize, StoreError> {
    let sql = "INSERT INTO inbox_entry (tenant, principal, n, act_root, act_conversation, act_seq,
        task_root, task, ask_root, ask, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    append(
        conn,
        table,
        (sql, &|statement, row| {
            let at = row.act.conversation;
            Ok(statement.execute((
                row.tenant.0,
                row.principal.to_string(),
                row.n,
                at.root.as_bytes(),
                at.n,
                row.act.seq,
                row.task.map(|task| *task.root.as_bytes()),
                row.task.map(|task| task.n),
                row.ask.map(|ask| *ask.root.as_bytes()),
                row.ask.map(|ask| ask.n),
                row.at.0,
            ))?)
        }),
    )
}

pub(super) fn artifacts(
    conn: &Connection,
    table: &Table<(RootId, Digest), Artifact>,
) -> Result<usize, StoreError> {
    let insert = "INSERT INTO artifact (root, digest, tenant, media_type, name, made, late, bytes)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let update = "UPDATE artifact SET late = ?3 WHERE root = ?1 AND digest = ?2";
    rows(
        conn,
        table,
        (insert, &|statement, row| {
            let Artifact {
                root,
                digest,
                tenant,
                media_type,
                name,
                bytes,
                late,
                made,
            } = row;
            Ok(statement.execute((
                root.as_bytes(),
                digest.0,
                tenant.0,
                media_type,
                name,
                made.0,
                late,
                &**bytes,
            ))?)
        }),
        (update, &|statement, row| {
            Ok(statement.execute((row.root.as_bytes(), row.digest.0, row.late))?)
        }),
    )
}

pub(super) fn late_results(
    conn: &Connection,
    table: &Table<(TaskId, u32), LateResult>,
) -> Result<usize, StoreError> {
    let sql = "INSERT INTO late_result (root, task, n, tenant, doc) VALUES (?1, ?2, ?3, ?4, ?5)";
    let written = append(
        conn,
        table,
        (sql, &|statement, row| {
            let task = row.task;
            Ok(statement.execute((
                task.root.as_bytes(),
                task.n,
                row.n,
                row.tenant.0,
                json(row)?,
            ))?)
        }),
    )?;
    for entry in table.unwritten() {
        mentions(conn, &entry.row)?;
    }
    Ok(written)
}

/// Whoever sees the task of a late result may read what that brought.
fn mentions(conn: &Connection, late: &LateResult) -> Result<(), StoreError> {
    let sql =
        "INSERT OR IGNORE INTO mention (root, digest, conversation_root, conversation, tenant)
        SELECT root, ?3, conversation_root, conversation, tenant FROM task WHERE root = ?1 AND n = ?2";
    for artifact in &late.artifacts {
        let task = late.task;
        conn.prepare_cached(sql)?
            .execute((task.root.as_bytes(), task.n, artifact.digest.0))?;
    }
    Ok(())
}
