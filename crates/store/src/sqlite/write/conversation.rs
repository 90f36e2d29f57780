//! Roots, conversations and who takes part in them, acts, events.

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    conversation::{Conversation, ConversationKind},
    envelope::Act,
    event::Event,
    facts::{Standing, Table},
    ids::{ActId, ConversationId, RootId},
    root::Root,
};

use super::{append, rows};
use crate::{StoreError, sqlite::query::json};

pub(super) fn roots(conn: &Connection, table: &Table<RootId, Root>) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO root (id, tenant, principal, doc) VALUES (?1, ?2, ?3, ?4)",
            &|statement, row| {
                let principal = row.principal.to_string();
                Ok(statement.execute((row.id.as_bytes(), row.tenant.0, principal, json(row)?))?)
            },
        ),
        (
            "UPDATE root SET doc = ?2 WHERE id = ?1",
            &|statement, row| Ok(statement.execute((row.id.as_bytes(), json(row)?))?),
        ),
    )
}

pub(super) fn conversations(
    conn: &Connection,
    table: &Table<ConversationId, Conversation>,
) -> Result<usize, StoreError> {
    let written = rows(
        conn,
        table,
        (
            "INSERT INTO conversation
                (root, n, tenant, creator, other, alias, standing, consults_root, consults, doc)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            &insert,
        ),
        (
            "UPDATE conversation SET standing = ?3, doc = ?4 WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                let id = row.id;
                Ok(statement.execute((id.root.as_bytes(), id.n, stands(row), json(row)?))?)
            },
        ),
    )?;
    if written > 0 {
        participants(conn, table)?;
    }
    Ok(written)
}

fn stands(row: &Conversation) -> bool {
    row.kind == ConversationKind::Standing && row.is_open()
}

fn insert(statement: &mut CachedStatement<'_>, row: &Conversation) -> Result<usize, StoreError> {
    let party = |place: usize| row.participants.get(place).map(|one| one.party.to_string());
    let consults = match row.kind {
        ConversationKind::Consults(id) => Some(id),
        _ => None,
    };
    Ok(statement.execute((
        row.id.root.as_bytes(),
        row.id.n,
        row.tenant.0,
        party(0),
        party(1),
        &row.alias,
        stands(row),
        consults.map(|id| *id.root.as_bytes()),
        consults.map(|id| id.n),
        json(row)?,
    ))?)
}

/// Who takes part is fixed when a conversation is opened; a migration changes versions only.
fn participants(
    conn: &Connection,
    table: &Table<ConversationId, Conversation>,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO participant (root, n, party, tenant) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = conn.prepare_cached(sql)?;
    for entry in table
        .unwritten()
        .filter(|entry| entry.standing == Standing::New)
    {
        let row = &entry.row;
        for one in &row.participants {
            let party = one.party.to_string();
            statement.execute((row.id.root.as_bytes(), row.id.n, party, row.tenant.0))?;
        }
    }
    Ok(())
}

pub(super) fn acts(conn: &Connection, table: &Table<ActId, Act>) -> Result<usize, StoreError> {
    let sql = "INSERT INTO act (root, conversation, seq, tenant, envelope, body)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let written = append(
        conn,
        table,
        (sql, &|statement, row| {
            let ActId { conversation, seq } = row.envelope.id;
            let (root, tenant) = (conversation.root.as_bytes(), row.envelope.tenant.0);
            let (envelope, body) = (json(&row.envelope)?, json(&row.body)?);
            Ok(statement.execute((root, conversation.n, seq, tenant, envelope, body))?)
        }),
    )?;
    for entry in table
        .unwritten()
        .filter(|entry| !entry.row.envelope.artifacts.is_empty())
    {
        mentions(conn, &entry.row)?;
    }
    Ok(written)
}

/// Where an artifact is brought or named, those who take part may read it.
fn mentions(conn: &Connection, act: &Act) -> Result<(), StoreError> {
    let sql =
        "INSERT OR IGNORE INTO mention (root, digest, conversation_root, conversation, tenant)
        VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = conn.prepare_cached(sql)?;
    let (root, at) = (act.envelope.root, act.envelope.id.conversation);
    for artifact in &act.envelope.artifacts {
        let digest = artifact.digest.0;
        let tenant = act.envelope.tenant.0;
        statement.execute((root.as_bytes(), digest, at.root.as_bytes(), at.n, tenant))?;
    }
    Ok(())
}

pub(super) fn events(
    conn: &Connection,
    table: &Table<(ConversationId, u32), Event>,
) -> Result<usize, StoreError> {
    let sql = "INSERT INTO event (root, conversation, n, tenant, task_root, task, task_n, at, kind, detail)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
    append(
        conn,
        table,
        (sql, &|statement, row| {
            let Event {
                conversation,
                n,
                tenant,
                task,
                task_n,
                kind,
                detail,
                at,
            } = row;
            let detail = if detail.is_empty() {
                None
            } else {
                Some(json(detail)?)
            };
            Ok(statement.execute((
                conversation.root.as_bytes(),
                conversation.n,
                n,
                tenant.0,
                task.map(|task| *task.root.as_bytes()),
                task.map(|task| task.n),
                task_n,
                at.0,
                kind.name(),
                detail,
            ))?)
        }),
    )
}
