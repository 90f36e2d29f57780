//! What a draft finds by what it hangs on: its own rows of the set, and those of the facts.

use std::collections::BTreeSet;

use super::{Draft, Need, Stop};
use crate::{
    ask::{Addressee, Ask, AskState},
    commitment::Commitment,
    conversation::{Conversation, ConversationKind},
    digest::Digest,
    fingerprint::Fingerprint,
    ids::{AskId, CommitmentId, ConversationId, RootId, TaskId, TenantId},
    party::Party,
    receipt::{Receipt, Scope},
    slot::{Class, Head},
    task::Task,
};

impl Draft<'_> {
    /// The names of a tenant's agents.
    ///
    /// # Errors
    /// They are to be loaded.
    pub fn directory(&self, tenant: TenantId) -> Result<Vec<String>, Stop> {
        self.need(Need::Directory(tenant))?;
        let rows = self.facts.tables().agents.rows();
        Ok(rows
            .filter(|agent| agent.tenant == tenant && !agent.retired)
            .map(|agent| agent.name.clone())
            .collect())
    }

    /// The open conversation in which `a` and `b` go on talking under `root`.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn standing(
        &self,
        root: RootId,
        a: &Party,
        b: &Party,
    ) -> Result<Option<Conversation>, Stop> {
        let (first, second) = if a <= b { (a, b) } else { (b, a) };
        self.need(Need::Standing(root, first.clone(), second.clone()))?;
        let from = ConversationId::new(root, 0);
        let of_root = |row: &&Conversation| row.id.root == root;
        let own = self.own.conversations.rows_from(&from);
        let all = self.facts.tables().conversations.rows_from(&from);
        let found = own
            .take_while(of_root)
            .chain(all.take_while(of_root))
            .map(|row| row.id)
            .collect::<BTreeSet<_>>();
        for id in found {
            let row = self.conversation(id)?;
            if row.kind == ConversationKind::Standing
                && row.is_open()
                && row.participant(a).is_some()
                && row.participant(b).is_some()
            {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The conversation that `creator` opened with `other` and calls `alias`.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn alias(
        &self,
        tenant: TenantId,
        creator: &Party,
        other: &Party,
        alias: &str,
    ) -> Result<Option<Conversation>, Stop> {
        self.need(Need::Alias {
            tenant,
            creator: creator.clone(),
            other: other.clone(),
            alias: alias.to_owned(),
        })?;
        let key = (tenant, creator.clone(), other.clone(), alias.to_owned());
        let own = self
            .own
            .conversations
            .rows()
            .filter(|row| row.called().as_ref() == Some(&key));
        let mut ids: BTreeSet<ConversationId> = own.map(|row| row.id).collect();
        ids.extend(self.facts.aliases.get(&key).into_iter().flatten());
        ids.first().map(|id| self.conversation(*id)).transpose()
    }

    /// The open tasks in a slot.
    ///
    /// # Errors
    /// They are to be loaded.
    pub fn queue(&self, agent: &str, conversation: ConversationId) -> Result<Vec<Task>, Stop> {
        let key = (agent.to_owned(), conversation);
        self.need(Need::Queue(key.0.clone(), conversation))?;
        let own = self.own.tasks.rows().filter(|task| {
            task.made.conversation == conversation
                && task.made.debtor.is_agent()
                && task.made.debtor.name() == agent
        });
        let mut ids: BTreeSet<TaskId> = own.map(Task::id).collect();
        ids.extend(self.facts.queues.get(&key).into_iter().flatten());
        self.open(ids)
    }

    /// The open children of a task.
    ///
    /// # Errors
    /// They are to be loaded.
    pub fn children(&self, parent: TaskId) -> Result<Vec<Task>, Stop> {
        self.need(Need::Children(parent))?;
        let own = self
            .own
            .tasks
            .rows()
            .filter(|task| task.made.parent == Some(parent));
        let mut ids: BTreeSet<TaskId> = own.map(Task::id).collect();
        ids.extend(self.facts.children.get(&parent).into_iter().flatten());
        self.open(ids)
    }

    fn open(&self, ids: BTreeSet<TaskId>) -> Result<Vec<Task>, Stop> {
        let mut tasks = Vec::new();
        for id in ids {
            let task = self.task(id)?;
            if task.is_open() {
                tasks.push(task);
            }
        }
        Ok(tasks)
    }

    /// Slots of one class with a head that is due and no lease, in the order in which they go: the first `limit` among
    /// the versions that `admits` lets through.
    ///
    /// # Errors
    /// `admits` has one. That the slots are known is asked for before ([`Need::Ready`]).
    pub fn ready(
        &self,
        tenant: TenantId,
        agent: &str,
        class: Class,
        limit: usize,
        admits: impl Fn(Digest) -> Result<bool, Stop>,
    ) -> Result<Vec<(Head, ConversationId)>, Stop> {
        // A claim reads this before it changes anything of this class: its own draft has no such slots.
        let Some(ready) = self.facts.ready.get(&(tenant, agent.to_owned(), class)) else {
            return Ok(Vec::new());
        };
        let mut heads = Vec::new();
        for (version, slots) in ready {
            if admits(*version)? {
                let due = slots.iter().take_while(|(head, _)| head.due <= self.now);
                heads.extend(due.take(limit));
            }
        }
        heads.sort_unstable();
        heads.truncate(limit);
        Ok(heads)
    }

    /// The steps of a task, by ordinal.
    ///
    /// # Errors
    /// They are to be loaded.
    pub fn steps(&self, task: TaskId) -> Result<Vec<Receipt>, Stop> {
        self.need(Need::Steps(task))?;
        let own = self
            .own
            .receipts
            .rows()
            .filter_map(|receipt| match receipt.scope {
                Scope::Step {
                    task: of, ordinal, ..
                } if of == task => Some((ordinal, receipt.key)),
                _ => None,
            });
        let mut keys = self.facts.steps.get(&task).cloned().unwrap_or_default();
        keys.extend(own);
        keys.into_values()
            .map(|key| self.must(&key, || Need::Receipt(key)))
            .collect()
    }

    /// The open asks addressed to a task.
    ///
    /// # Errors
    /// They are to be loaded.
    pub fn asks_to(&self, task: TaskId) -> Result<Vec<Ask>, Stop> {
        self.need(Need::AsksTo(task))?;
        let own = self
            .own
            .asks
            .rows()
            .filter(|ask| ask.addressee == Addressee::Task(task));
        let mut ids: BTreeSet<AskId> = own.map(|ask| ask.id).collect();
        ids.extend(self.facts.asks_to.get(&task).into_iter().flatten());
        self.open_asks(ids)
    }

    /// The open asks that a task made.
    ///
    /// # Errors
    /// They are to be loaded.
    pub fn asks_of(&self, task: TaskId) -> Result<Vec<Ask>, Stop> {
        self.need(Need::AsksOf(task))?;
        let own = self.own.asks.rows().filter(|ask| ask.asker == task);
        let mut ids: BTreeSet<AskId> = own.map(|ask| ask.id).collect();
        ids.extend(self.facts.asks_of.get(&task).into_iter().flatten());
        self.open_asks(ids)
    }

    fn open_asks(&self, ids: BTreeSet<AskId>) -> Result<Vec<Ask>, Stop> {
        let mut asks = Vec::new();
        for id in ids {
            let ask: Ask = self.must(&id, || Need::Ask(id))?;
            if ask.state == AskState::Open {
                asks.push(ask);
            }
        }
        Ok(asks)
    }

    /// All commitments of a debtor to one thing under a root, in the order in which they were made.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn owed(
        &self,
        root: RootId,
        debtor: &str,
        fingerprint: Fingerprint,
    ) -> Result<Vec<Commitment>, Stop> {
        let key = (root, debtor.to_owned(), fingerprint);
        self.need(Need::Commitments(root, key.1.clone(), fingerprint))?;
        let own = self.own.commitments.rows().filter(|row| {
            row.id.root == root && row.debtor == debtor && row.fingerprint == fingerprint
        });
        let mut ids: BTreeSet<CommitmentId> = own.map(|row| row.id).collect();
        ids.extend(self.facts.owed.get(&key).into_iter().flatten());
        ids.into_iter().map(|id| self.commitment(id)).collect()
    }
}
