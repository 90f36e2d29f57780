//! One table of the working set.

use std::collections::{BTreeMap, btree_map};

/// How a row of the working set stands to the store's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// As the store has it.
    Stored,
    /// The store does not have it yet.
    New,
    /// The store has an earlier one.
    Changed,
}

/// A row with its standing.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry<R> {
    /// The row.
    pub row: R,
    /// How it stands to the store's.
    pub standing: Standing,
    /// The batch in which it came to stand so; after that batch it is as the store has it.
    batch: u64,
}

/// Rows by key, in order.
#[derive(Debug, Clone)]
pub struct Table<K, R> {
    rows: BTreeMap<K, Entry<R>>,
    unwritten: Vec<K>,
    /// Batches written before this one.
    batch: u64,
}

impl<R> Entry<R> {
    fn is_unwritten(&self, batch: u64) -> bool {
        self.standing != Standing::Stored && self.batch == batch
    }
}

impl<K, R> Default for Table<K, R> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            unwritten: Vec::new(),
            batch: 0,
        }
    }
}

impl<K: Ord + Clone, R> Table<K, R> {
    /// The row under `key`.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&R> {
        self.rows.get(key).map(|entry| &entry.row)
    }

    /// The rows, in the order of their keys.
    pub fn rows(&self) -> impl Iterator<Item = &R> {
        self.rows.values().map(|entry| &entry.row)
    }

    /// The rows from `from` on, in the order of their keys.
    pub fn rows_from(&self, from: &K) -> impl Iterator<Item = &R> {
        self.rows.range(from.clone()..).map(|(_, entry)| &entry.row)
    }

    /// Takes in a row that the store holds. One that is here already stays: it is the same or newer.
    /// Tells whether it was taken in.
    pub(crate) fn load(&mut self, key: K, row: R) -> bool {
        if self.rows.contains_key(&key) {
            return false;
        }
        self.rows.insert(
            key,
            Entry {
                row,
                standing: Standing::Stored,
                batch: self.batch,
            },
        );
        true
    }

    /// Takes in a row as it shall stand.
    pub(crate) fn put(&mut self, key: K, row: R) {
        let batch = self.batch;
        match self.rows.entry(key) {
            btree_map::Entry::Vacant(place) => {
                self.unwritten.push(place.key().clone());
                place.insert(Entry {
                    row,
                    standing: Standing::New,
                    batch,
                });
            }
            btree_map::Entry::Occupied(mut place) => {
                if !place.get().is_unwritten(batch) {
                    self.unwritten.push(place.key().clone());
                    place.get_mut().standing = Standing::Changed;
                    place.get_mut().batch = batch;
                }
                place.get_mut().row = row;
            }
        }
    }

    /// The row under `key`, if it was put and not written yet, to be changed further.
    pub(crate) fn unwritten_mut(&mut self, key: &K) -> Option<&mut R> {
        let batch = self.batch;
        self.rows
            .get_mut(key)
            .filter(|entry| entry.is_unwritten(batch))
            .map(|entry| &mut entry.row)
    }

    /// The unwritten rows, in the order in which they were first changed, taken out.
    pub(crate) fn take_unwritten(&mut self) -> impl Iterator<Item = R> {
        let rows = &mut self.rows;
        self.unwritten
            .drain(..)
            .filter_map(|key| rows.remove(&key))
            .map(|entry| entry.row)
    }

    /// The rows that the store does not have as they stand, each once, in the order in which they were first changed.
    pub fn unwritten(&self) -> impl Iterator<Item = &Entry<R>> {
        self.unwritten.iter().filter_map(|key| self.rows.get(key))
    }

    /// The store has written them.
    pub(crate) fn written(&mut self) {
        self.unwritten.clear();
        self.batch += 1;
    }

    /// The store has written them, and they are never read from here again.
    pub(crate) fn forget_written(&mut self) {
        self.unwritten.clear();
        self.rows.clear();
    }

    /// How many rows are unwritten.
    pub(crate) fn changed(&self) -> usize {
        self.unwritten.len()
    }

    /// How many rows are here.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_changed_often_is_written_once_and_as_it_stands_last() {
        let mut table = Table::default();
        table.put(1, "a");
        table.put(1, "b");
        assert!(table.load(2, "x"));
        table.put(2, "y");
        let unwritten: Vec<_> = table
            .unwritten()
            .map(|entry| (entry.row, entry.standing))
            .collect();
        assert_eq!(unwritten, [("b", Standing::New), ("y", Standing::Changed)]);
        table.written();
        assert_eq!(table.unwritten().count(), 0);
        table.put(1, "c");
        assert_eq!(
            table.unwritten().next().unwrap().standing,
            Standing::Changed
        );
    }

    #[test]
    fn only_a_row_that_is_not_written_is_changed_in_place_and_taken_out() {
        let mut table = Table::default();
        assert!(table.load(1, "a"));
        assert_eq!(table.unwritten_mut(&1), None);
        table.put(3, "c");
        table.put(2, "b");
        *table.unwritten_mut(&3).unwrap() = "d";
        assert_eq!(table.take_unwritten().collect::<Vec<_>>(), ["d", "b"]);
        assert_eq!((table.len(), table.unwritten().count()), (1, 0));
    }

    #[test]
    fn what_is_here_is_newer_than_what_is_loaded() {
        let mut table = Table::default();
        table.put(1, "new");
        assert!(!table.load(1, "old"));
        assert_eq!(table.get(&1), Some(&"new"));
    }
}
