//! Tasks, and the sets of them that rules ask for.

use rusqlite::Connection;
use tertulia_acts::{
    facts::{Facts, Need},
    ids::{ConversationId, TaskId},
    task::Task,
};

use super::{conversation, hop, single};
use crate::{
    StoreError,
    sqlite::query::{self, agent, all},
};

pub(super) fn task(conn: &Connection, id: TaskId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = "SELECT made, now FROM task WHERE root = ?1 AND n = ?2";
    let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n];
    single::<Task>(conn, facts, Need::Task(id), &id, (query, params), |row| {
        query::task(row, 0)
    })
}

/// A task; nothing is done with it that does not look at its root too.
pub(super) fn task_and_root(
    conn: &Connection,
    id: TaskId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    task(conn, id, facts)?;
    if facts.tables().tasks.get(&id).is_some() {
        conversation::root(conn, id.root, facts)?;
    }
    Ok(())
}

/// The open tasks whose parent is this one.
pub(super) fn children(
    conn: &Connection,
    parent: TaskId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = "SELECT made, now FROM task
        WHERE root = ?1 AND parent = ?2 AND parent IS NOT NULL AND open = 1";
    let params: &[&dyn rusqlite::ToSql] = &[parent.root.as_bytes(), &parent.n];
    for row in all(conn, query, params, |row| query::task(row, 0))? {
        facts.load(row);
    }
    facts.know(Need::Children(parent));
    Ok(())
}

/// The open tasks of an agent in a conversation, with the hops that tell which of them are ready.
pub(super) fn queue(
    conn: &Connection,
    name: &str,
    conversation: ConversationId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = "SELECT made, now FROM task
        WHERE conversation_root = ?1 AND conversation = ?2 AND debtor = ?3 AND open = 1";
    let debtor = agent(name);
    let params: &[&dyn rusqlite::ToSql] = &[conversation.root.as_bytes(), &conversation.n, &debtor];
    for row in all(conn, query, params, |row| query::task(row, 0))? {
        if let Some(id) = row.now.hop {
            hop::hop(conn, id, facts)?;
        }
        facts.load(row);
    }
    facts.know(Need::Queue(name.to_owned(), conversation));
    Ok(())
}
