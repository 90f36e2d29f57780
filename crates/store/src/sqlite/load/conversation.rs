//! Roots, conversations and acts.

use rusqlite::Connection;
use tertulia_acts::{
    conversation::Conversation,
    envelope::Act,
    facts::{Facts, Need},
    ids::{ActId, ConversationId, RootId},
    party::Party,
    root::Root,
};

use super::single;
use crate::{
    StoreError,
    sqlite::{
        query::{all, doc},
        row::{conversation_columns, read_conversation, read_root, root_columns},
    },
};

pub(super) fn root(conn: &Connection, id: RootId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = concat!("SELECT ", root_columns!(), " FROM root r WHERE r.id = ?1");
    single::<Root>(
        conn,
        facts,
        Need::Root(id),
        &id,
        (query, &[id.as_bytes()]),
        read_root,
    )
}

pub(super) fn conversation(
    conn: &Connection,
    id: ConversationId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = concat!(
        "SELECT ",
        conversation_columns!(),
        " FROM conversation c WHERE c.root = ?1 AND c.n = ?2"
    );
    let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n];
    let need = Need::Conversation(id);
    single::<Conversation>(conn, facts, need, &id, (query, params), read_conversation)
}

/// The open conversation of kind `standing` of two parties under a root, whoever opened it.
pub(super) fn standing(
    conn: &Connection,
    root: RootId,
    a: &Party,
    b: &Party,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = concat!(
        "SELECT ",
        conversation_columns!(),
        " FROM conversation c WHERE c.root = ?1 AND c.creator = ?2 AND c.other = ?3
            AND c.kind = 'standing' AND c.open = 1"
    );
    let (first, second) = (a.to_string(), b.to_string());
    for (creator, other) in [(&first, &second), (&second, &first)] {
        let params: &[&dyn rusqlite::ToSql] = &[root.as_bytes(), creator, other];
        for row in all(conn, query, params, read_conversation)? {
            facts.load(row);
        }
    }
    facts.know(Need::Standing(root, a.clone(), b.clone()));
    Ok(())
}

/// The conversations that one party opened with another and calls by an alias, with their roots.
pub(super) fn alias(conn: &Connection, need: &Need, facts: &mut Facts) -> Result<(), StoreError> {
    let Need::Alias {
        tenant,
        creator,
        other,
        alias,
    } = need
    else {
        return Err(StoreError::Broken(format!("not an alias: {need:?}")));
    };
    let query = concat!(
        "SELECT ",
        conversation_columns!(),
        " FROM conversation c WHERE c.tenant = ?1 AND c.creator = ?2 AND c.other = ?3 AND c.alias = ?4"
    );
    let (creator, other) = (creator.to_string(), other.to_string());
    let params: &[&dyn rusqlite::ToSql] = &[&tenant.0, &creator, &other, alias];
    for row in all(conn, query, params, read_conversation)? {
        root(conn, row.id.root, facts)?;
        facts.load(row);
    }
    facts.know(need.clone());
    Ok(())
}

pub(super) fn act(conn: &Connection, id: ActId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = "SELECT envelope, body FROM act WHERE root = ?1 AND conversation = ?2 AND seq = ?3";
    let params: &[&dyn rusqlite::ToSql] =
        &[id.conversation.root.as_bytes(), &id.conversation.n, &id.seq];
    single::<Act>(conn, facts, Need::Act(id), &id, (query, params), |row| {
        Ok(Act {
            envelope: doc(row, 0)?,
            body: doc(row, 1)?,
        })
    })
}
