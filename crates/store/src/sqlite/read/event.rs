//! Events from a cursor on (SEMANTICS 15). A page at a time: no stream holds a snapshot.

use tertulia_acts::{
    event::Event,
    ids::{ConversationId, TaskId},
    viewer::Viewer,
};

use super::{Reader, conversation, task};
use crate::{
    StoreError,
    read::Events,
    sqlite::query::{all, doc},
    visibility::Eyes,
};

impl Reader {
    /// The events of a conversation after a number, in order.
    pub fn events_of_conversation(
        &self,
        viewer: &Viewer,
        id: ConversationId,
        after: u32,
        limit: usize,
    ) -> Result<Option<Events>, StoreError> {
        let query = "SELECT doc FROM event
            WHERE root = ?1 AND conversation = ?2 AND n > ?3 ORDER BY n LIMIT ?4";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|conn| {
            let Some(seen) = conversation::seen(conn, &Eyes::of(viewer), id)? else {
                return Ok(None);
            };
            let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n, &after, &limit];
            let events = all(conn, query, params, |row| doc::<Event>(row, 0))?;
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
        let query = "SELECT doc FROM event
            WHERE task_root = ?1 AND task = ?2 AND task_n > ?3 AND task_n > 0 ORDER BY task_n LIMIT ?4";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|conn| {
            let Some(seen) = task::seen(conn, &Eyes::of(viewer), id)? else {
                return Ok(None);
            };
            let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n, &after, &limit];
            let events = all(conn, query, params, |row| doc::<Event>(row, 0))?;
            Ok(Some(Events {
                events,
                last: seen.now.last_event,
            }))
        })
    }
}
