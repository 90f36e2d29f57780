//! Roots, conversations and who takes part in them, acts.

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    conversation::{Conversation, ConversationKind},
    envelope::Act,
    facts::{Standing, Table},
    ids::{ActId, ConversationId, RootId},
    party::Party,
    root::Root,
};

use super::{append, rows};
use crate::{
    StoreError,
    sqlite::{query::json, row::kind_name},
};

pub(super) fn roots(conn: &Connection, table: &Table<RootId, Root>) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO root (id, tenant, principal, responsible, made, next, evidence, open_tasks, ended)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            &|statement, row| {
                Ok(statement.execute((
                    row.id.as_bytes(),
                    row.tenant.0,
                    row.principal.to_string(),
                    row.responsible.as_ref().map(Party::to_string),
                    row.made.0,
                    row.next,
                    row.evidence,
                    row.open_tasks,
                    row.ended.map(|at| at.0),
                ))?)
            },
        ),
        // Whose it is, and since when, stays.
        (
            "UPDATE root SET next = ?2, evidence = ?3, open_tasks = ?4, ended = ?5 WHERE id = ?1",
            &|statement, row| {
                let ended = row.ended.map(|at| at.0);
                let (id, next) = (row.id.as_bytes(), row.next);
                Ok(statement.execute((id, next, row.evidence, row.open_tasks, ended))?)
            },
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
                (root, n, tenant, kind, consults_root, consults, alias, creator, other, made,
                 creator_version, other_version, open, last_seq, last_event, open_tasks)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
            &insert,
        ),
        // Why it exists and who takes part stays; at which version they do may be migrated.
        (
            "UPDATE conversation SET creator_version = ?3, other_version = ?4, open = ?5,
                last_seq = ?6, last_event = ?7, open_tasks = ?8 WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                Ok(statement.execute((
                    row.id.root.as_bytes(),
                    row.id.n,
                    pinned(row, 0),
                    pinned(row, 1),
                    row.is_open(),
                    row.last_seq,
                    row.last_event,
                    row.open_tasks,
                ))?)
            },
        ),
    )?;
    if written > 0 {
        participants(conn, table)?;
    }
    Ok(written)
}

fn pinned(row: &Conversation, place: usize) -> Option<[u8; 32]> {
    let version = row.participants.get(place)?.version;
    version.map(|version| version.0)
}

fn insert(statement: &mut CachedStatement<'_>, row: &Conversation) -> Result<usize, StoreError> {
    let (creator, other) = match &row.participants[..] {
        [creator] => (creator, None),
        [creator, other] => (creator, Some(other)),
        others => {
            let count = others.len();
            let message = format!("{} has {count} participants, and not one or two", row.id);
            return Err(StoreError::Constraint(message));
        }
    };
    let consults = match row.kind {
        ConversationKind::Consults(id) => Some(id),
        _ => None,
    };
    Ok(statement.execute(rusqlite::params![
        row.id.root.as_bytes(),
        row.id.n,
        row.tenant.0,
        kind_name(row.kind),
        consults.map(|id| *id.root.as_bytes()),
        consults.map(|id| id.n),
        row.alias,
        creator.party.to_string(),
        other.map(|other| other.party.to_string()),
        row.made.0,
        pinned(row, 0),
        pinned(row, 1),
        row.is_open(),
        row.last_seq,
        row.last_event,
        row.open_tasks,
    ])?)
}

/// Who takes part is fixed when a conversation is opened; a migration changes versions only.
fn participants(
    conn: &Connection,
    table: &Table<ConversationId, Conversation>,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO participant (tenant, party, root, n) VALUES (?1, ?2, ?3, ?4)";
    let mut statement = conn.prepare_cached(sql)?;
    for entry in table
        .unwritten()
        .filter(|entry| entry.standing == Standing::New)
    {
        let row = &entry.row;
        for one in &row.participants {
            let party = one.party.to_string();
            statement.execute((row.tenant.0, party, row.id.root.as_bytes(), row.id.n))?;
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
