//! One table of the working set.

use std::collections::BTreeMap;

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
}

/// Rows by key, in order.
#[derive(Debug, Clone)]
pub struct Table<K, R> {
    rows: BTreeMap<K, Entry<R>>,
    unwritten: Vec<K>,
}

impl<K, R> Default for Table<K, R> {
    fn default() -> Self {
        Self {
            rows: BTreeMap::new(),
            unwritten: Vec::new(),
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
            },
        );
        true
    }

    /// Takes in a row as it shall stand.
    pub(crate) fn put(&mut self, key: K, row: R) {
        let before = self.rows.get(&key).map(|entry| entry.standing);
        let standing = match before {
            None | Some(Standing::New) => Standing::New,
            Some(Standing::Stored | Standing::Changed) => Standing::Changed,
        };
        if matches!(before, None | Some(Standing::Stored)) {
            self.unwritten.push(key.clone());
        }
        self.rows.insert(key, Entry { row, standing });
    }

    /// The rows that the store does not have as they stand, each once, in the order in which they were first changed.
    pub fn unwritten(&self) -> impl Iterator<Item = &Entry<R>> {
        self.unwritten.iter().filter_map(|key| self.rows.get(key))
    }

    /// The store has written them.
    pub(crate) fn written(&mut self) {
        for key in self.unwritten.drain(..) {
            if let Some(entry) = self.rows.get_mut(&key) {
                entry.standing = Standing::Stored;
            }
        }
    }

    /// Forgets rows that were written and are never read from here again.
    pub(crate) fn forget_written(&mut self) {
        self.written();
        self.rows.clear();
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
    fn what_is_here_is_newer_than_what_is_loaded() {
        let mut table = Table::default();
        table.put(1, "new");
        assert!(!table.load(1, "old"));
        assert_eq!(table.get(&1), Some(&"new"));
    }
}
