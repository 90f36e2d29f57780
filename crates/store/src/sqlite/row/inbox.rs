//! Entries of inboxes.

use rusqlite::Row;
use tertulia_acts::{
    ids::{ActId, AskId, ConversationId, TaskId, TenantId},
    inbox::InboxEntry,
    time::Timestamp,
};

use crate::{
    StoreError,
    sqlite::query::{maybe, party, root},
};

/// The columns of the entry `i` that [`read_entry`] reads.
macro_rules! entry_columns {
    () => {
        "i.tenant, i.principal, i.n, i.act_root, i.act_conversation, i.act_seq, i.task_root, i.task, \
         i.ask_root, i.ask, i.at"
    };
}
pub(in crate::sqlite) use entry_columns;

/// The entry of a row.
pub(in crate::sqlite) fn read_entry(row: &Row<'_>) -> Result<InboxEntry, StoreError> {
    Ok(InboxEntry {
        tenant: TenantId(row.get(0)?),
        principal: party(row, 1)?,
        n: row.get(2)?,
        act: ActId {
            conversation: ConversationId::new(root(row, 3)?, row.get(4)?),
            seq: row.get(5)?,
        },
        task: maybe(row, 6, |row, at| {
            Ok(TaskId::new(root(row, at)?, row.get(at + 1)?))
        })?,
        ask: maybe(row, 8, |row, at| {
            Ok(AskId::new(root(row, at)?, row.get(at + 1)?))
        })?,
        at: Timestamp(row.get(10)?),
    })
}
