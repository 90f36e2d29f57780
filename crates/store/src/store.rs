//! The writing side, as any store offers it.

use tertulia_acts::{
    command::Due,
    facts::{Facts, Need},
    time::Timestamp,
};

use crate::StoreError;

/// A store, as the one thread that writes sees it. Synchronous: what waits is this thread.
pub trait Store: Send {
    /// Begins a batch. Facts that are loaded now stand until its end.
    ///
    /// # Errors
    /// The storage is unavailable.
    fn begin(&mut self) -> Result<(), StoreError>;

    /// Loads the rows that `needs` name, and says that they are known. Where a need is followed by others as a rule,
    /// these are loaded with it. Rows that `facts` has already are left as they are there: they are the same or newer.
    ///
    /// # Errors
    /// The storage is unavailable, or holds what cannot be read.
    fn load(&mut self, needs: &[Need], facts: &mut Facts) -> Result<(), StoreError>;

    /// Writes every row that `facts` holds and the store does not, and `now` as the last committed instant, in one
    /// transaction that is durable when this returns; then the caller calls [`Facts::written`]. If there is none,
    /// nothing is written. On an error nothing is stored and the batch has ended.
    ///
    /// # Errors
    /// See [`StoreError`]; [`StoreError::blames_command`] tells whether the commands of the batch are run again singly.
    fn commit(&mut self, facts: &Facts, now: Timestamp) -> Result<(), StoreError>;

    /// Ends a batch without storing anything; harmless where none has begun.
    ///
    /// # Errors
    /// The storage is unavailable.
    fn rollback(&mut self) -> Result<(), StoreError>;

    /// Tries whether the storage, after it failed, has room for a batch and takes a write. Nothing of it stays.
    ///
    /// # Errors
    /// It does not.
    fn has_room(&mut self) -> Result<(), StoreError>;

    /// The `now` of the last commit. Time never goes back behind it (SEMANTICS 14).
    ///
    /// # Errors
    /// The storage is unavailable.
    fn last_now(&mut self) -> Result<Option<Timestamp>, StoreError>;

    /// What is due at `now`, the longest overdue first, at most `limit`. Picked without locks: each becomes an
    /// ordinary command that looks again (SEMANTICS 14).
    ///
    /// # Errors
    /// The storage is unavailable.
    fn due(&mut self, now: Timestamp, limit: usize) -> Result<Vec<Due>, StoreError>;

    /// When something is due next, in the past too.
    ///
    /// # Errors
    /// The storage is unavailable.
    fn next_due(&mut self) -> Result<Option<Timestamp>, StoreError>;

    /// Forgets receipts that expired before `now`, at most `limit`, in a transaction of its own, and tells how many.
    /// Whoever keeps facts may have such a receipt still: to the rules it is the same as an expired one.
    ///
    /// # Errors
    /// The storage is unavailable.
    fn sweep(&mut self, now: Timestamp, limit: usize) -> Result<usize, StoreError>;
}
