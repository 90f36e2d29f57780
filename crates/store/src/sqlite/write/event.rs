//! Events, packed: those that one batch logged in one conversation about one task stand in one row, since they are the
//! most numerous things of all and are read in pages.

use rusqlite::{CachedStatement, Connection};
use serde_json::{Map, Value};
use tertulia_acts::{
    event::Event,
    facts::{Standing, Table},
    ids::{ConversationId, TaskId},
};

use crate::{StoreError, sqlite::query::json};

/// A pack must begin behind all that is there. If it does not, a number would be given twice, and the row lacks its
/// events, which is a constraint. (A condition of the insertion itself would cost a temporary table each time.)
const INSERT: &str =
    "INSERT INTO event (root, conversation, last, tenant, task_root, task, task_last, at, events)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, CASE
        WHEN EXISTS (SELECT 1 FROM event WHERE root = ?1 AND conversation = ?2 AND last >= ?10)
          OR EXISTS (SELECT 1 FROM event WHERE task_root = ?5 AND task = ?6 AND task_last >= ?11)
        THEN NULL ELSE ?9 END)";

/// Events that follow each other in a conversation, at one instant, about one task or none.
struct Pack<'a> {
    first: &'a Event,
    last: &'a Event,
    task: Option<TaskId>,
    /// The numbers in the task of the first and the last that are about it.
    task_numbers: Option<(u32, u32)>,
    /// The kind of each, its number in the task or 0, its detail.
    events: Vec<(&'static str, u32, &'a Map<String, Value>)>,
}

impl<'a> Pack<'a> {
    fn of(event: &'a Event) -> Self {
        Self {
            first: event,
            last: event,
            task: event.task,
            task_numbers: event.task.map(|_| (event.task_n, event.task_n)),
            events: vec![(event.kind.name(), event.task_n, &event.detail)],
        }
    }

    /// Takes an event in, if it is the next.
    fn take(&mut self, event: &'a Event) -> bool {
        let place = (event.conversation, event.n, event.tenant, event.at);
        let Event {
            conversation,
            n,
            tenant,
            at,
            ..
        } = self.last;
        let follows = place == (*conversation, n + 1, *tenant, *at);
        let follows_in_task = match (self.task, event.task) {
            (_, None) | (None, Some(_)) => true,
            (Some(task), Some(other)) => {
                let last = self.task_numbers.map_or(0, |(_, last)| last);
                task == other && event.task_n == last + 1
            }
        };
        if !(follows && follows_in_task) {
            return false;
        }
        if event.task.is_some() {
            let first = self.task_numbers.map_or(event.task_n, |(first, _)| first);
            self.task_numbers = Some((first, event.task_n));
            self.task = event.task;
        }
        self.last = event;
        self.events
            .push((event.kind.name(), event.task_n, &event.detail));
        true
    }

    fn write(&self, statement: &mut CachedStatement<'_>) -> Result<(), StoreError> {
        let Event {
            conversation,
            tenant,
            at,
            ..
        } = self.last;
        statement.execute((
            conversation.root.as_bytes(),
            conversation.n,
            self.last.n,
            tenant.0,
            self.task.map(|task| *task.root.as_bytes()),
            self.task.map(|task| task.n),
            self.task_numbers.map(|(_, last)| last),
            at.0,
            json(&self.events)?,
            self.first.n,
            self.task_numbers.map(|(first, _)| first),
        ))?;
        Ok(())
    }
}

pub(super) fn events(
    conn: &Connection,
    table: &Table<(ConversationId, u32), Event>,
) -> Result<usize, StoreError> {
    let mut events = Vec::new();
    for entry in table.unwritten() {
        if entry.standing != Standing::New {
            let message = "an event that is written was changed";
            return Err(StoreError::Constraint(message.into()));
        }
        events.push(&entry.row);
    }
    if events.is_empty() {
        return Ok(0);
    }
    events.sort_by_key(|event| (event.conversation, event.n));
    let mut statement = conn.prepare_cached(INSERT)?;
    let mut pack: Option<Pack<'_>> = None;
    for event in &events {
        let taken = pack.as_mut().is_some_and(|pack| pack.take(event));
        if !taken && let Some(full) = pack.replace(Pack::of(event)) {
            full.write(&mut statement)?;
        }
    }
    if let Some(last) = pack {
        last.write(&mut statement)?;
    }
    Ok(events.len())
}
