//! Conversations.

use rusqlite::Row;
use tertulia_acts::{
    conversation::{Conversation, ConversationKind, ConversationState, Participant},
    ids::{ConversationId, TenantId},
    time::Timestamp,
};

use crate::{
    StoreError,
    sqlite::query::{digest, maybe, party, root},
};

/// The columns of the conversation `c` that [`read_conversation`] reads.
macro_rules! conversation_columns {
    () => {
        "c.root, c.n, c.tenant, c.kind, c.consults_root, c.consults, c.alias, c.creator, c.creator_version, \
         c.other, c.other_version, c.open, c.last_seq, c.last_event, c.open_tasks, c.made"
    };
}
pub(in crate::sqlite) use conversation_columns;

/// How a kind is written.
pub(in crate::sqlite) const fn kind_name(kind: ConversationKind) -> &'static str {
    match kind {
        ConversationKind::Opened => "opened",
        ConversationKind::Standing => "standing",
        ConversationKind::Branch => "branch",
        ConversationKind::Consults(_) => "consults",
        ConversationKind::Alone => "alone",
    }
}

/// The conversation of a row.
pub(in crate::sqlite) fn read_conversation(row: &Row<'_>) -> Result<Conversation, StoreError> {
    let participant = |at: usize| {
        Ok::<_, StoreError>(Participant {
            party: party(row, at)?,
            version: maybe(row, at + 1, digest)?,
        })
    };
    let mut participants = vec![participant(7)?];
    participants.extend(maybe(row, 9, |_, at| participant(at))?);
    Ok(Conversation {
        id: ConversationId::new(root(row, 0)?, row.get(1)?),
        tenant: TenantId(row.get(2)?),
        participants,
        kind: read_kind(row)?,
        alias: row.get(6)?,
        state: if row.get(11)? {
            ConversationState::Open
        } else {
            ConversationState::Closed
        },
        last_seq: row.get(12)?,
        last_event: row.get(13)?,
        open_tasks: row.get(14)?,
        made: Timestamp(row.get(15)?),
    })
}

fn read_kind(row: &Row<'_>) -> Result<ConversationKind, StoreError> {
    Ok(match row.get_ref(3)?.as_str()? {
        "opened" => ConversationKind::Opened,
        "standing" => ConversationKind::Standing,
        "branch" => ConversationKind::Branch,
        "consults" => ConversationKind::Consults(ConversationId::new(root(row, 4)?, row.get(5)?)),
        "alone" => ConversationKind::Alone,
        other => {
            return Err(StoreError::Corrupt(format!(
                "a conversation of kind {other}"
            )));
        }
    })
}
