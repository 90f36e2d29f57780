//! The store over SQLite: one connection that writes, some that read, one that moves pages from the log to the file.

mod checkpoint;
mod due;
mod load;
mod migrate;
mod open;
mod query;
mod read;
mod row;
mod write;

use std::{fs::File, path::Path};

use rusqlite::Connection;
use tertulia_acts::{
    command::Due,
    facts::{Facts, Need},
    time::Timestamp,
};

use self::open::Place;
pub use self::{checkpoint::Checkpointer, read::Reader};
use crate::{Store, StoreError};

/// Readers of one store: more threads than that wait for each other.
const READERS: usize = 4;

/// A database, as the one who writes it has it.
#[derive(Debug)]
pub struct Sqlite {
    // Closed before the lock is given back.
    conn: Connection,
    place: Place,
    /// Held as long as this lives: another process that opens the folder is refused.
    _lock: Option<File>,
}

impl Sqlite {
    /// Opens the database in `folder`, or makes one, and brings it to the newest version.
    ///
    /// # Errors
    /// Another process has the folder; its database was lost; the database was made by a newer version or another build; the
    /// storage fails.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        let (lock, place) = open::take(folder)?;
        open::check(folder, &lock)?;
        let conn = place.writer()?;
        open::mark(folder, &lock)?;
        Ok(Self {
            conn,
            place,
            _lock: Some(lock),
        })
    }

    /// A database in memory, for tests and simulations: the same code, nothing on disk. It is gone when this and its
    /// readers are.
    ///
    /// # Errors
    /// No memory.
    pub fn memory() -> Result<Self, StoreError> {
        let place = Place::memory();
        Ok(Self {
            conn: place.writer()?,
            place,
            _lock: None,
        })
    }

    /// A reader of this database. Make one and clone it: its clones share a pool of connections.
    ///
    /// # Errors
    /// The storage is unavailable.
    pub fn reader(&self) -> Result<Reader, StoreError> {
        Reader::new(&self.place, READERS)
    }

    /// What moves pages from the log to the file, for a thread of its own (SEMANTICS 14). Without it the writer does
    /// it now and then.
    ///
    /// # Errors
    /// The storage is unavailable.
    pub fn checkpointer(&self) -> Result<Checkpointer, StoreError> {
        Checkpointer::new(&self.place)
    }

    /// Bounds the database to `pages` pages of 8 KiB, or takes the bound away. At the bound it is full
    /// ([`StoreError::Full`]).
    ///
    /// # Errors
    /// The storage is unavailable.
    pub fn limit_pages(&mut self, pages: Option<u32>) -> Result<(), StoreError> {
        // The largest that the file format knows.
        let pages = pages.unwrap_or(4_294_967_294);
        self.conn
            .pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
        Ok(())
    }

    /// How many pages of 8 KiB the database has.
    ///
    /// # Errors
    /// The storage is unavailable.
    pub fn pages(&mut self) -> Result<u32, StoreError> {
        Ok(self
            .conn
            .pragma_query_value(None, "page_count", |row| row.get(0))?)
    }

    fn run(&self, sql: &str) -> Result<(), StoreError> {
        self.conn.prepare_cached(sql)?.execute([])?;
        Ok(())
    }
}

impl Store for Sqlite {
    fn begin(&mut self) -> Result<(), StoreError> {
        self.rollback()?;
        // Not IMMEDIATE: nobody else writes, so the lock is always to be had when the first row is written, and a
        // batch that only reads takes none.
        self.run("BEGIN")
    }

    fn load(&mut self, needs: &[Need], facts: &mut Facts) -> Result<(), StoreError> {
        needs
            .iter()
            .try_for_each(|need| load::load(&self.conn, need, facts))
    }

    fn commit(&mut self, facts: &Facts, now: Timestamp) -> Result<(), StoreError> {
        if self.conn.is_autocommit() {
            self.begin()?;
        }
        let written = write::write(&self.conn, facts, now).and_then(|()| self.run("COMMIT"));
        if let Err(error) = written {
            // What went wrong first is what is told; a transaction that SQLite ended itself is fine.
            return match self.rollback() {
                Err(fatal) if fatal.is_fatal() => Err(fatal),
                _ => Err(error),
            };
        }
        Ok(())
    }

    fn has_room(&mut self) -> Result<(), StoreError> {
        match &self.place {
            Place::File(file) => open::has_room(file),
            Place::Memory(_) => Ok(()),
        }
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        if self.conn.is_autocommit() {
            Ok(())
        } else {
            self.run("ROLLBACK")
        }
    }

    fn last_now(&mut self) -> Result<Option<Timestamp>, StoreError> {
        let now = query::one(&self.conn, "SELECT last_now FROM meta", &[], |row| {
            Ok(row.get(0)?)
        })?;
        Ok(now.flatten().map(Timestamp))
    }

    fn due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError> {
        due::due(&self.conn, now, limit)
    }

    fn next_due(&mut self) -> Result<Option<Timestamp>, StoreError> {
        due::next(&self.conn)
    }

    fn sweep(&mut self, now: Timestamp, limit: usize) -> Result<usize, StoreError> {
        due::sweep(&self.conn, now, limit)
    }
}
