//! Events from a cursor on (SEMANTICS 15). A page at a time: no stream holds a snapshot.

use std::ops::ControlFlow;

use rusqlite::{Connection, Row, ToSql};
use serde_json::{Map, Value};
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
    sqlite::query::{doc, each, maybe, root},
    visibility::Eyes,
};

/// The columns that [`read_pack`] reads.
macro_rules! packs {
    () => {
        "SELECT root, conversation, last, tenant, task_root, task, at, events FROM event"
    };
}

/// The events of a row, in their order.
fn read_pack(row: &Row<'_>) -> Result<Vec<Event>, StoreError> {
    let conversation = ConversationId::new(root(row, 0)?, row.get(1)?);
    let (tenant, at) = (TenantId(row.get(3)?), Timestamp(row.get(6)?));
    let about = maybe(row, 4, |row, at| {
        Ok(TaskId::new(root(row, at)?, row.get(at + 1)?))
    })?;
    let packed: Vec<(EventKind, u32, Map<String, Value>)> = doc(row, 7)?;
    // They are numbered without a gap up to the last one.
    let last: u32 = row.get(2)?;
    let count = u32::try_from(packed.len()).unwrap_or(u32::MAX);
    let Some(before) = last.checked_sub(count) else {
        let message = format!("{count} events up to number {last} of {conversation}");
        return Err(StoreError::Corrupt(message));
    };
    let numbers = before + 1..=last;
    let events = numbers
        .zip(packed)
        .map(|(n, (kind, task_n, detail))| Event {
            conversation,
            n,
            tenant,
            task: about.filter(|_| task_n > 0),
            task_n,
            kind,
            detail,
            at,
        });
    Ok(events.collect())
}

/// The first `limit` events that are wanted of the rows of a query.
fn unpack(
    conn: &Connection,
    query: &str,
    params: &[&dyn ToSql],
    limit: usize,
    wanted: impl Fn(&Event) -> bool,
) -> Result<Vec<Event>, StoreError> {
    let mut events = Vec::new();
    if limit == 0 {
        return Ok(events);
    }
    each(conn, query, params, |row| {
        events.extend(read_pack(row)?.into_iter().filter(&wanted));
        Ok(if events.len() < limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    events.truncate(limit);
    Ok(events)
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
            packs!(),
            " WHERE root = ?1 AND conversation = ?2 AND last > ?3 ORDER BY last"
        );
        self.read(|conn| {
            let Some(seen) = conversation::seen(conn, &Eyes::of(viewer), id)? else {
                return Ok(None);
            };
            let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n, &after];
            let events = unpack(conn, query, params, limit, |event| event.n > after)?;
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
            packs!(),
            " WHERE task_root = ?1 AND task = ?2 AND task_last > ?3 ORDER BY task_last"
        );
        self.read(|conn| {
            let Some(seen) = task::seen(conn, &Eyes::of(viewer), id)? else {
                return Ok(None);
            };
            let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n, &after];
            let events = unpack(conn, query, params, limit, |event| event.task_n > after)?;
            Ok(Some(Events {
                events,
                last: seen.now.last_event,
            }))
        })
    }
}
