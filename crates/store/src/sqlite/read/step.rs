//! The steps of a task, its ledger, and results that came too late.

use tertulia_acts::{
    artifact::LateResult,
    hop::LedgerEntry,
    ids::{HopId, TaskId, TenantId},
    receipt::Receipt,
    time::Timestamp,
    viewer::Viewer,
};

use super::{Reader, task};
use crate::{
    StoreError,
    sqlite::query::{all, doc},
    visibility::Eyes,
};

impl Reader {
    /// The steps of a task, by ordinal.
    pub fn steps(&self, viewer: &Viewer, id: TaskId) -> Result<Option<Vec<Receipt>>, StoreError> {
        let query = "SELECT doc FROM receipt WHERE task_root = ?1 AND task = ?2
            AND task IS NOT NULL ORDER BY ordinal";
        self.of_task(viewer, id, query)
    }

    /// The late results of a task, in the order in which they came.
    pub fn late_results(
        &self,
        viewer: &Viewer,
        id: TaskId,
    ) -> Result<Option<Vec<LateResult>>, StoreError> {
        let query = "SELECT doc FROM late_result WHERE root = ?1 AND task = ?2 ORDER BY n";
        self.of_task(viewer, id, query)
    }

    /// What is booked on the hops of a task, by hop and number.
    pub fn ledger(
        &self,
        viewer: &Viewer,
        id: TaskId,
    ) -> Result<Option<Vec<LedgerEntry>>, StoreError> {
        let query = "SELECT l.hop, l.n, l.tenant, l.at FROM hop h
            JOIN ledger l ON l.root = h.root AND l.hop = h.n
            WHERE h.root = ?1 AND h.task = ?2 ORDER BY l.hop, l.n";
        self.read(|conn| {
            if task::seen(conn, &Eyes::of(viewer), id)?.is_none() {
                return Ok(None);
            }
            let entries = all(conn, query, &[id.root.as_bytes(), &id.n], |row| {
                Ok(LedgerEntry {
                    hop: HopId::new(id.root, row.get(0)?),
                    n: row.get(1)?,
                    tenant: TenantId(row.get(2)?),
                    at: Timestamp(row.get(3)?),
                })
            })?;
            Ok(Some(entries))
        })
    }

    fn of_task<T: serde::de::DeserializeOwned>(
        &self,
        viewer: &Viewer,
        id: TaskId,
        query: &str,
    ) -> Result<Option<Vec<T>>, StoreError> {
        self.read(|conn| match task::seen(conn, &Eyes::of(viewer), id)? {
            Some(_) => all(conn, query, &[id.root.as_bytes(), &id.n], |row| doc(row, 0)).map(Some),
            None => Ok(None),
        })
    }
}
