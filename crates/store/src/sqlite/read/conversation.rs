//! Conversations and acts.

use rusqlite::{Connection, Row, ToSql};
use tertulia_acts::{
    conversation::Conversation,
    envelope::Act,
    ids::{ActId, ConversationId},
    party::Party,
    viewer::Viewer,
};

use super::Reader;
use crate::{
    StoreError,
    sqlite::{
        query::{doc, one, some},
        row::{conversation_columns, read_conversation},
    },
    visibility::{Eyes, conversation_is_visible},
};

/// An act that a row names, seen with the row.
pub(super) fn act_of_row(conn: &Connection, id: ActId) -> Result<Option<Act>, StoreError> {
    let query = "SELECT envelope, body FROM act WHERE root = ?1 AND conversation = ?2 AND seq = ?3";
    let at = id.conversation;
    one(conn, query, &[at.root.as_bytes(), &at.n, &id.seq], read_act)
}

/// As [`act_of_row`]; that it is absent is damage.
pub(super) fn act_that_is(conn: &Connection, id: ActId) -> Result<Act, StoreError> {
    act_of_row(conn, id)?.ok_or_else(|| StoreError::Corrupt(format!("{id} is absent")))
}

fn read_act(row: &Row<'_>) -> Result<Act, StoreError> {
    Ok(Act {
        envelope: doc(row, 0)?,
        body: doc(row, 1)?,
    })
}

/// A conversation, if `eyes` may see it.
pub(super) fn seen(
    conn: &Connection,
    eyes: &Eyes,
    id: ConversationId,
) -> Result<Option<Conversation>, StoreError> {
    let query = concat!(
        "SELECT ",
        conversation_columns!(),
        " FROM conversation c WHERE c.root = ?5 AND c.n = ?6 AND ",
        conversation_is_visible!()
    );
    one(
        conn,
        query,
        &eyes.and(&[id.root.as_bytes(), &id.n]),
        read_conversation,
    )
}

impl Reader {
    /// A conversation.
    pub fn conversation(
        &self,
        viewer: &Viewer,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError> {
        self.read(|conn| seen(conn, &Eyes::of(viewer), id))
    }

    /// The conversation that the viewer opened with `other` and calls `alias`, the newest if there were several.
    pub fn conversation_by_alias(
        &self,
        viewer: &Viewer,
        other: &Party,
        alias: &str,
    ) -> Result<Option<Conversation>, StoreError> {
        let query = concat!(
            "SELECT ",
            conversation_columns!(),
            " FROM conversation c
                WHERE c.tenant = ?1 AND c.creator = ?2 AND c.other = ?5 AND c.alias = ?6 AND ",
            conversation_is_visible!(),
            " ORDER BY c.root DESC, c.n DESC"
        );
        let (eyes, other) = (Eyes::of(viewer), other.to_string());
        self.read(|conn| one(conn, query, &eyes.and(&[&other, &alias]), read_conversation))
    }

    /// The acts of a conversation after a sequence number, in order; fewer where they weigh more than a page may.
    pub fn acts(
        &self,
        viewer: &Viewer,
        conversation: ConversationId,
        after: u32,
        limit: usize,
    ) -> Result<Option<Vec<Act>>, StoreError> {
        let query = "SELECT envelope, body FROM act
            WHERE root = ?1 AND conversation = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4";
        self.acts_of(viewer, conversation, query, (after, limit))
    }

    /// The last acts of a conversation before a sequence number, in order: what was said before. Fewer where they weigh more
    /// than a page may.
    pub fn history(
        &self,
        viewer: &Viewer,
        conversation: ConversationId,
        before: u32,
        limit: usize,
    ) -> Result<Option<Vec<Act>>, StoreError> {
        let query = "SELECT envelope, body FROM act
            WHERE root = ?1 AND conversation = ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4";
        let found = self.acts_of(viewer, conversation, query, (before, limit))?;
        Ok(found.map(|mut acts| {
            acts.reverse();
            acts
        }))
    }

    fn acts_of(
        &self,
        viewer: &Viewer,
        id: ConversationId,
        query: &str,
        (from, limit): (u32, usize),
    ) -> Result<Option<Vec<Act>>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|conn| {
            if seen(conn, &Eyes::of(viewer), id)?.is_none() {
                return Ok(None);
            }
            let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n, &from, &limit];
            some(conn, query, params, read_act, |act| act.body.weight()).map(Some)
        })
    }

    /// Several acts, in the order of `ids`, each if the viewer may see it.
    pub fn acts_named(
        &self,
        viewer: &Viewer,
        ids: &[ActId],
    ) -> Result<Vec<Option<Act>>, StoreError> {
        let query = concat!(
            "SELECT a.envelope, a.body FROM act a JOIN conversation c ON c.root = a.root AND c.n = a.conversation
                WHERE a.root = ?5 AND a.conversation = ?6 AND a.seq = ?7 AND ",
            conversation_is_visible!()
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            let act = |id: &ActId| {
                let at = id.conversation;
                let params: &[&dyn ToSql] = &[at.root.as_bytes(), &at.n, &id.seq];
                one(conn, query, &eyes.and(params), read_act)
            };
            ids.iter().map(act).collect()
        })
    }

    /// An act.
    pub fn act(&self, viewer: &Viewer, id: ActId) -> Result<Option<Act>, StoreError> {
        self.read(
            |conn| match seen(conn, &Eyes::of(viewer), id.conversation)? {
                Some(_) => act_of_row(conn, id),
                None => Ok(None),
            },
        )
    }
}
