//! A few read-only connections, lent one at a time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::{StoreError, sqlite::open::Place};

/// Connections; they are opened when they are first needed.
#[derive(Debug)]
pub(super) struct Pool {
    place: Place,
    most: usize,
    idle: Mutex<Idle>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct Idle {
    connections: Vec<Connection>,
    opened: usize,
}

/// A connection that goes back when this is dropped.
pub(super) struct Lent<'a> {
    pool: &'a Pool,
    conn: Option<Connection>,
}

impl Pool {
    pub(super) fn new(place: &Place, most: usize) -> Result<Self, StoreError> {
        // The first is opened now: a database that cannot be read is noticed here, and one in memory lives on.
        let idle = Idle {
            connections: vec![place.reader()?],
            opened: 1,
        };
        Ok(Self {
            place: place.clone(),
            most,
            idle: Mutex::new(idle),
            returned: Condvar::new(),
        })
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        // Nothing panics while it holds the list, and a list is never half-changed.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lends a connection; waits where all are lent.
    pub(super) fn lend(&self) -> Result<Lent<'_>, StoreError> {
        let mut idle = self.idle();
        loop {
            if let Some(conn) = idle.connections.pop() {
                return Ok(Lent {
                    pool: self,
                    conn: Some(conn),
                });
            }
            if idle.opened < self.most {
                let conn = self.place.reader()?;
                idle.opened += 1;
                return Ok(Lent {
                    pool: self,
                    conn: Some(conn),
                });
            }
            idle = self
                .returned
                .wait(idle)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Lent<'_> {
    /// The connection.
    pub(super) fn conn(&self) -> Result<&Connection, StoreError> {
        // It is there until this is dropped: the error is for the compiler.
        self.conn
            .as_ref()
            .ok_or_else(|| StoreError::Broken("a connection was given back".into()))
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pool.idle().connections.extend(self.conn.take());
        self.pool.returned.notify_one();
    }
}
