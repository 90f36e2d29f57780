//! A draft: what one command would change, over facts that it cannot.

use std::collections::BTreeSet;

use super::{Change, Facts, Need, Row, Stop, Tables};
use crate::{
    conversation::Conversation,
    digest::Ids,
    ids::{ConversationId, RootId},
    root::Root,
    time::Timestamp,
};

/// What one command would change. It reads its own rows first, then the facts.
#[derive(Debug)]
pub struct Draft<'a> {
    pub(super) facts: &'a Facts,
    pub(super) own: Tables,
    fresh: BTreeSet<RootId>,
    ids: Ids,
    /// The instant of the batch.
    pub now: Timestamp,
}

impl<'a> Draft<'a> {
    /// An empty draft over `facts` at `now`, drawing ids from `ids`.
    #[must_use]
    pub fn new(facts: &'a Facts, now: Timestamp, ids: Ids) -> Self {
        Self {
            facts,
            own: Tables::default(),
            fresh: BTreeSet::new(),
            ids,
            now,
        }
    }

    /// What it would change.
    #[must_use]
    pub fn into_changes(mut self) -> Vec<Change> {
        self.own.take_changes()
    }

    /// Takes back all that it would change.
    pub fn discard(&mut self) {
        self.own = Tables::default();
        self.fresh.clear();
    }

    /// Draws a new root.
    pub fn new_root(&mut self) -> RootId {
        let root = self.ids.root(self.now);
        self.fresh.insert(root);
        root
    }

    /// Takes the next number under `root`.
    ///
    /// # Errors
    /// The root is to be loaded, or absent.
    pub fn number(&mut self, root: RootId) -> Result<u32, Stop> {
        self.change(&root, || Need::Root(root), Root::number)
    }

    /// Changes a row that others name, in place where the draft has it already.
    fn change<R: Row, T>(
        &mut self,
        key: &R::Key,
        need: impl FnOnce() -> Need + Clone,
        change: impl FnOnce(&mut R) -> T,
    ) -> Result<T, Stop> {
        if let Some(row) = R::table_mut(&mut self.own).unwritten_mut(key) {
            return Ok(change(row));
        }
        let mut row: R = self.must(key, need)?;
        let done = change(&mut row);
        self.put(row);
        Ok(done)
    }

    /// Changes a conversation that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn change_conversation<T>(
        &mut self,
        id: ConversationId,
        change: impl FnOnce(&mut Conversation) -> T,
    ) -> Result<T, Stop> {
        self.change(&id, || Need::Conversation(id), change)
    }

    /// Makes `row` stand.
    pub fn put<R: Row>(&mut self, row: R) {
        R::table_mut(&mut self.own).put(row.key(), row);
    }

    /// Asks that `need` be known.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn need(&self, need: Need) -> Result<(), Stop> {
        if self.knows(&need) {
            Ok(())
        } else {
            Err(Stop::Missing(vec![need]))
        }
    }

    fn knows(&self, need: &Need) -> bool {
        let root = match need {
            Need::Artifact(root, _) => Some(*root),
            Need::Act(id) => Some(id.conversation.root),
            need => need.root(),
        };
        let fresh = root.is_some_and(|root| self.fresh.contains(&root));
        fresh || self.facts.knows(need) || self.facts.unborn(need)
    }

    /// Asks for all that is read next at once, so that what is done to many is loaded in few rounds.
    ///
    /// # Errors
    /// Some of it is to be loaded.
    pub fn foresee(&self, needs: impl IntoIterator<Item = Need>) -> Result<(), Stop> {
        let missing: BTreeSet<Need> = needs
            .into_iter()
            .filter(|need| !self.knows(need) && !self.facts.holds(need))
            .collect();
        if missing.is_empty() {
            Ok(())
        } else {
            Err(Stop::Missing(missing.into_iter().collect()))
        }
    }

    fn seen<R: Row>(&self, key: &R::Key) -> Option<R> {
        R::table(&self.own)
            .get(key)
            .or_else(|| R::table(self.facts.tables()).get(key))
            .cloned()
    }

    pub(super) fn find<R: Row>(
        &self,
        key: &R::Key,
        need: impl FnOnce() -> Need,
    ) -> Result<Option<R>, Stop> {
        match self.seen(key) {
            Some(row) => Ok(Some(row)),
            None => self.need(need()).map(|()| None),
        }
    }

    pub(super) fn must<R: Row>(
        &self,
        key: &R::Key,
        need: impl FnOnce() -> Need + Clone,
    ) -> Result<R, Stop> {
        let missing = need.clone();
        self.find(key, need)?.ok_or_else(|| {
            Stop::Broken(format!("a row that others name is absent: {:?}", missing()))
        })
    }
}
