//! Asks: seen by whoever sees the task that asks, and by the one who is asked.

use rusqlite::ToSql;
use tertulia_acts::{ask::Ask, envelope::Act, ids::AskId, viewer::Viewer};

use super::{Reader, conversation::act_that_is};
use crate::{
    StoreError,
    sqlite::query::{all, doc, one},
    visibility::{Eyes, ask_is_own, task_is_visible},
};

impl Reader {
    /// An ask, with the act that asks.
    pub fn ask(&self, viewer: &Viewer, id: AskId) -> Result<Option<(Ask, Act)>, StoreError> {
        let query = concat!(
            "SELECT q.doc FROM ask q JOIN task t ON t.root = q.root AND t.n = q.asker
                WHERE q.root = ?5 AND q.n = ?6 AND (",
            ask_is_own!(),
            " OR ",
            task_is_visible!(),
            ")"
        );
        let eyes = Eyes::of(viewer);
        let params: &[&dyn ToSql] = &[id.root.as_bytes(), &id.n];
        self.read(|conn| {
            let ask = one(conn, query, &eyes.and(params), |row| doc::<Ask>(row, 0))?;
            ask.map(|ask| act_that_is(conn, ask.query).map(|act| (ask, act)))
                .transpose()
        })
    }

    /// The open asks that the viewer may answer, with the acts that ask, the oldest first: those addressed to it, and
    /// those addressed to the task that it is at work on.
    pub fn asks_open_for(&self, viewer: &Viewer) -> Result<Vec<(Ask, Act)>, StoreError> {
        // Two selects, since each has an index of its own.
        let query = concat!(
            "SELECT q.doc FROM ask q WHERE q.open = 1 AND q.addressee_party IS NOT NULL
                AND q.tenant = ?1 AND q.addressee_party = ?2 AND ",
            ask_is_own!(),
            " UNION ALL SELECT q.doc FROM ask q WHERE q.open = 1 AND q.addressee_task IS NOT NULL
                AND q.addressee_task_root = ?3 AND q.addressee_task = ?4 AND ",
            ask_is_own!()
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| {
            let mut asks = all(conn, query, &eyes.and(&[]), |row| doc::<Ask>(row, 0))?;
            asks.sort_by_key(|ask| (ask.made, ask.id));
            asks.into_iter()
                .map(|ask| act_that_is(conn, ask.query).map(|act| (ask, act)))
                .collect()
        })
    }
}
