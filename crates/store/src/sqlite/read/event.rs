//! Events from a cursor on (SEMANTICS 15). A page at a time: no stream holds a snapshot.

use rusqlite::Row;
use tertulia_acts::{
    event::{Event, EventKind},
    ids::{ConversationId, TaskId, TenantId},
    time::Timestamp,
    viewer::Viewer,
};

use super::{Reader, conversation, task};
use crate::{
    StoreError,
    read::Events,
    sqlite::query::{all, doc, root},
    visibility::Eyes,
};

/// The columns that [`read_event`] reads.
macro_rules! events {
    () => {
        "SELECT root, conversation, n, tenant, task_root, task, task_n, at, kind, detail FROM event"
    };
}

fn read_event(row: &Row<'_>) -> Result<Event, StoreError> {
    let task: Option<u32> = row.get(5)?;
    let task = task
        .map(|n| Ok::<_, StoreError>(TaskId::new(root(row, 4)?, n)))
        .transpose()?;
    let name = row.get_ref(8)?.as_str()?;
    let kind = EventKind::ALL
        .iter()
        .find(|kind| kind.name() == name)
        .copied();
    let silent = row.get_ref(9)? == rusqlite::types::ValueRef::Null;
    Ok(Event {
        conversation: ConversationId::new(root(row, 0)?, row.get(1)?),
        n: row.get(2)?,
        tenant: TenantId(row.get(3)?),
        task,
        task_n: row.get(6)?,
        at: Timestamp(row.get(7)?),
        kind: kind.ok_or_else(|| StoreError::Corrupt(format!("an event of kind {name}")))?,
        detail: if silent {
            serde_json::Map::new()
        } else {
            doc(row, 9)?
        },
    })
}

impl Reader {
    /// The events of a conversation after a number, in order.
    pub fn events_of_conversation(
        &self,
        viewer: &Viewer,
        id: ConversationId,
        after: u32,
        limit: usize,
    ) -> Result<Option<Events>, StoreError> {
        let query = concat!(
            events!(),
            " WHERE root = ?1 AND conversation = ?2 AND n > ?3 ORDER BY n LIMIT ?4"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|conn| {
            let Some(seen) = conversation::seen(conn, &Eyes::of(viewer), id)? else {
                return Ok(None);
            };
            let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n, &after, &limit];
            let events = all(conn, query, params, read_event)?;
            Ok(Some(Events {
                events,
                last: seen.last_event,
            }))
        })
    }

    /// The events of a task after a number, in order.
    pub fn events_of_task(
        &self,
        viewer: &Viewer,
        id: TaskId,
        after: u32,
        limit: usize,
    ) -> Result<Option<Events>, StoreError> {
        let query = concat!(
            events!(),
            " WHERE task_root = ?1 AND task = ?2 AND task_n > ?3 AND task_n > 0 ORDER BY task_n LIMIT ?4"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|conn| {
            let Some(seen) = task::seen(conn, &Eyes::of(viewer), id)? else {
                return Ok(None);
            };
            let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n, &after, &limit];
            let events = all(conn, query, params, read_event)?;
            Ok(Some(Events {
                events,
                last: seen.now.last_event,
            }))
        })
    }
}
