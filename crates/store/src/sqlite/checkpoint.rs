//! Moving pages from the log to the file, on a connection of its own, so that the writer does not wait for it
//! (SEMANTICS 14).

use rusqlite::Connection;

use super::open::Place;
use crate::StoreError;

/// Moves pages from the log to the file. A thread calls [`checkpoint`](Self::checkpoint) now and then.
#[derive(Debug)]
pub struct Checkpointer {
    conn: Connection,
}

impl Checkpointer {
    pub(super) fn new(place: &Place) -> Result<Self, StoreError> {
        Ok(Self {
            conn: place.checkpointer()?,
        })
    }

    /// Moves what can be moved without waiting for readers or the writer, and tells how many pages of the log are
    /// left. When none is, the writer begins the log anew.
    ///
    /// # Errors
    /// The storage fails. An error of the disk's confirmation is fatal here too.
    pub fn checkpoint(&mut self) -> Result<u32, StoreError> {
        let left = self
            .conn
            .query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
                let (log, moved): (i64, i64) = (row.get(1)?, row.get(2)?);
                Ok(log - moved)
            })?;
        Ok(u32::try_from(left).unwrap_or(0))
    }
}
