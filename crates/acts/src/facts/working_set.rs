//! The working set: what is known, by key.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{BuildHasherDefault, DefaultHasher},
};

use super::{Change, Need, Row, Tables};
use crate::{
    digest::{Digest, Hash16},
    fingerprint::Fingerprint,
    ids::{AskId, CommitmentId, ConversationId, RootId, TaskId, TenantId},
    party::Party,
    receipt::Scope,
    slot::{Class, Head},
};

/// A set that is asked for its members and never gone through. Its size is bounded with that of the facts.
#[expect(
    clippy::disallowed_types,
    reason = "nothing sees its order, and its hasher has a fixed seed (SEMANTICS 19)"
)]
type Members<T> = std::collections::HashSet<T, BuildHasherDefault<DefaultHasher>>;

/// Slots with a head and no lease, by the version that they ask for, in the order in which they go.
type Ready = BTreeMap<Digest, BTreeSet<(Head, ConversationId)>>;

/// What is known. Rows are found by key; the sets that rules ask for are found by these indexes, which hold at least
/// the members: whoever reads one looks at each row again.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    tables: Tables,
    /// What stays known.
    known: Members<Need>,
    /// What is known until the next commit, and ready slots: few.
    passing: BTreeSet<Need>,
    fresh: Members<RootId>,
    pub(crate) children: BTreeMap<TaskId, BTreeSet<TaskId>>,
    pub(crate) queues: BTreeMap<(String, ConversationId), BTreeSet<TaskId>>,
    pub(crate) ready: BTreeMap<(TenantId, String, Class), Ready>,
    pub(crate) asks_to: BTreeMap<TaskId, BTreeSet<AskId>>,
    pub(crate) asks_of: BTreeMap<TaskId, BTreeSet<AskId>>,
    pub(crate) steps: BTreeMap<TaskId, BTreeMap<u32, Hash16>>,
    pub(crate) aliases: BTreeMap<(TenantId, Party, Party, String), BTreeSet<ConversationId>>,
    pub(crate) owed: BTreeMap<(RootId, String, Fingerprint), BTreeSet<CommitmentId>>,
}

impl Facts {
    /// The tables.
    #[must_use]
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// Takes in a row that the store holds.
    pub fn load<R: Row>(&mut self, row: R) {
        let key = row.key();
        let indexed = row.clone();
        if R::table_mut(&mut self.tables).load(key, row) {
            self.index(&indexed.into_change());
        }
    }

    /// Says that `need` was loaded: what it names and is not here does not exist.
    pub fn know(&mut self, need: Need) {
        if passes(&need) {
            self.passing.insert(need);
        } else {
            self.known.insert(need);
        }
    }

    /// Whether `need` was loaded, or lies under a root made since.
    #[must_use]
    pub fn knows(&self, need: &Need) -> bool {
        if need.root().is_some_and(|root| self.fresh.contains(&root)) {
            return true;
        }
        if !passes(need) {
            return self.known.contains(need);
        }
        let Need::Ready {
            tenant,
            agent,
            versions,
            ..
        } = need
        else {
            return self.passing.contains(need);
        };
        // One that was loaded for more is good for less.
        self.passing.range(need..).next().is_some_and(|found| {
            matches!(found, Need::Ready { tenant: t, agent: a, versions: v, .. } if t == tenant && a == agent && v == versions)
        })
    }

    /// Whether what `need` names cannot exist, since its root has not come to its number yet.
    pub(crate) fn unborn(&self, need: &Need) -> bool {
        need.number().is_some_and(|(root, n)| {
            let row = self.tables.roots.get(&root);
            row.is_some_and(|row| n >= row.next)
        })
    }

    /// Whether the one row that `need` names is here, though it may have come along with others.
    pub(crate) fn holds(&self, need: &Need) -> bool {
        let t = &self.tables;
        match need {
            Need::Root(id) => t.roots.get(id).is_some(),
            Need::Conversation(id) => t.conversations.get(id).is_some(),
            Need::Task(id) => t.tasks.get(id).is_some(),
            Need::Hop(id) => t.hops.get(id).is_some(),
            Need::Token(token) => t.leases.get(token).is_some(),
            Need::Slot(agent, id) => t.slots.get(&(agent.clone(), *id)).is_some(),
            Need::Group(id) => t.groups.get(id).is_some(),
            Need::Commitment(id) => t.commitments.get(id).is_some(),
            _ => false,
        }
    }

    /// Applies changes, so that the next command sees them.
    pub fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            if let Change::Root(root) = &change
                && self.tables.roots.get(&root.id).is_none()
            {
                self.fresh.insert(root.id);
            }
            self.unready(&change);
            self.index(&change);
            self.tables.put(change);
        }
    }

    /// The store has written every change. Logs, and what can be large, are let go.
    pub fn written(&mut self) {
        self.tables.acts.forget_written();
        self.tables.events.forget_written();
        self.tables.ledger.forget_written();
        self.tables.inbox_entries.forget_written();
        self.tables.artifacts.forget_written();
        self.tables.late_results.forget_written();
        self.tables.written();
        self.forget_partial();
    }

    /// How many rows are here.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// How many things are known: rows, and needs that were loaded, of which some found none.
    #[must_use]
    pub fn size(&self) -> usize {
        self.tables.len() + self.known.len() + self.passing.len()
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// Ready slots were loaded up to a limit, and some may be gone by now: they are loaded again in the next batch,
    /// except where the store had no more than there are (`limit` is then the largest there is).
    fn forget_partial(&mut self) {
        self.passing
            .retain(|need| matches!(need, Need::Ready { limit, .. } if *limit == u32::MAX));
    }

    /// Takes a slot's earlier head out of the queue of ready slots.
    fn unready(&mut self, change: &Change) {
        if let Change::Slot(slot) = change
            && let Some(before) = self.tables.slots.get(&slot.key())
            && let Some(head) = before.head
            && before.leased.is_none()
            && let Some(ready) = self
                .ready
                .get_mut(&(slot.tenant, slot.agent.clone(), head.class))
            && let Some(slots) = ready.get_mut(&before.version)
        {
            slots.remove(&(head, slot.conversation));
            if slots.is_empty() {
                ready.remove(&before.version);
            }
        }
    }

    fn index(&mut self, change: &Change) {
        match change {
            Change::Task(task) => {
                if let Some(parent) = task.made.parent {
                    let children = self.children.entry(parent).or_default();
                    if task.is_open() {
                        children.insert(task.id())
                    } else {
                        children.remove(&task.id())
                    };
                }
                if task.made.debtor.is_agent() {
                    let key = (task.made.debtor.name().to_owned(), task.made.conversation);
                    if task.is_open() {
                        self.queues.entry(key).or_default().insert(task.id());
                    } else if let Some(queue) = self.queues.get_mut(&key) {
                        queue.remove(&task.id());
                    }
                }
            }
            Change::Slot(slot) => {
                if let (Some(head), None) = (slot.head, slot.leased) {
                    self.ready
                        .entry((slot.tenant, slot.agent.clone(), head.class))
                        .or_default()
                        .entry(slot.version)
                        .or_default()
                        .insert((head, slot.conversation));
                }
            }
            Change::Conversation(conversation) => {
                if let Some(key) = conversation.called() {
                    self.aliases.entry(key).or_default().insert(conversation.id);
                }
            }
            Change::Ask(ask) => {
                self.asks_of.entry(ask.asker).or_default().insert(ask.id);
                if let crate::ask::Addressee::Task(task) = ask.addressee {
                    self.asks_to.entry(task).or_default().insert(ask.id);
                }
            }
            Change::Receipt(receipt) => {
                if let Scope::Step { task, ordinal, .. } = receipt.scope {
                    self.steps
                        .entry(task)
                        .or_default()
                        .insert(ordinal, receipt.key);
                }
            }
            Change::Commitment(commitment) => {
                let key = (
                    commitment.id.root,
                    commitment.debtor.clone(),
                    commitment.fingerprint,
                );
                self.owed.entry(key).or_default().insert(commitment.id);
            }
            _ => {}
        }
    }
}

/// Whether a need is known until the next commit only: ready slots are loaded up to a limit, and acts and artifacts are
/// let go.
const fn passes(need: &Need) -> bool {
    matches!(need, Need::Ready { .. } | Need::Artifact(..) | Need::Act(_))
}
