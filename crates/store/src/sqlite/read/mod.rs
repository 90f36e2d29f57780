//! The reading side: methods by concept, each on a snapshot of its own, each short.

mod artifact;
mod ask;
mod catalog;
mod commitment;
mod conversation;
mod event;
mod inbox;
mod mailbox;
mod metrics;
mod pool;
mod step;
mod task;

use std::sync::Arc;

use rusqlite::{Connection, ToSql};

use self::pool::Pool;
use super::{open::Place, query::one};
use crate::{
    StoreError,
    read::{COUNTED_MOST, Page, Total},
};

/// Reads of what was committed. Cheap to clone: the clones share a pool of connections.
#[derive(Debug, Clone)]
pub struct Reader {
    pool: Arc<Pool>,
}

impl Reader {
    pub(super) fn new(place: &Place, connections: usize) -> Result<Self, StoreError> {
        Ok(Self {
            pool: Arc::new(Pool::new(place, connections)?),
        })
    }

    /// Reads from one snapshot.
    fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let lent = self.pool.lend()?;
        read(Snapshot::of(lent.conn()?)?.0)
    }
}

/// A transaction that only reads. As the library's own, but its two statements are prepared once.
struct Snapshot<'a>(&'a Connection);

impl<'a> Snapshot<'a> {
    fn of(conn: &'a Connection) -> Result<Self, StoreError> {
        conn.prepare_cached("BEGIN")?.execute([])?;
        Ok(Self(conn))
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // A read that failed may have ended it; if it cannot be ended, the next one that begins tells.
        let ended = self.0.prepare_cached("COMMIT");
        let _told_then = ended.and_then(|mut commit| commit.execute([]));
    }
}

/// Counts the rows of a query that selects them with `LIMIT` one above [`COUNTED_MOST`].
fn total(conn: &Connection, from: &str, params: &[&dyn ToSql]) -> Result<Total, StoreError> {
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 {from} LIMIT {})",
        COUNTED_MOST + 1
    );
    let n = one(conn, &sql, params, |row| Ok(row.get(0)?))?;
    Ok(Total::counted(n.unwrap_or(0)))
}

/// `LIMIT` for a page and one more, which tells whether there is another page.
fn and_one(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1)
}

/// A page of rows that were selected with [`and_one`].
fn page<T, C>(
    mut rows: Vec<T>,
    limit: usize,
    total: Total,
    cursor: impl Fn(&T) -> C,
) -> Page<T, C> {
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(cursor);
    Page { rows, next, total }
}
