//! A draft: what one command would change, over facts that it cannot.

use std::collections::BTreeSet;

use super::{Change, Facts, Need, Row, Tables};
use crate::{
    agent::{Agent, Version, Workload},
    artifact::Artifact,
    ask::{Ask, AskState},
    commitment::Commitment,
    conversation::{Conversation, ConversationKind},
    delivery::InvalidDelivery,
    digest::{Digest, Hash16, Ids},
    envelope::{Act, Refusal},
    fingerprint::Fingerprint,
    group::Group,
    hop::{Hop, InvalidActivation},
    ids::{ActId, AskId, CommitmentId, ConversationId, GroupId, HopId, RootId, TaskId, TenantId},
    inbox::Inbox,
    lease::Lease,
    party::Party,
    receipt::{Receipt, Scope},
    root::Root,
    slot::{Class, Head, Slot},
    task::{InvalidTransition, Task},
    tenant::{ApiKey, Principal, Tenant},
    time::Timestamp,
};

/// Why a command was not decided, or was decided to change nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// Facts are to be loaded first; the command is then decided anew.
    Missing(Vec<Need>),
    /// A decision of governance that leaves no trace in the store: the act is refused (SEMANTICS 18).
    Refused(Refusal),
    /// The call cannot be carried out at all.
    Fault(Fault),
    /// The rules contradict the facts: an error of ours.
    Broken(String),
}

/// A call that cannot be carried out, and is no decision of governance (SEMANTICS 18).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// What the call names is absent, or foreign.
    #[error("there is no {0} here that you may see")]
    NotFound(String),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// The call is malformed in a way that only the facts show.
    #[error("{0}")]
    Invalid(String),
    /// The lease was swept: its worker sent no heartbeat in time.
    #[error("the lease was lost: no heartbeat came in time, and the task goes to another attempt")]
    LeaseLost,
    /// The lease has ended, and its last operation was another.
    #[error("the hop token is finished: its lease ended by {0}")]
    HopFinished(String),
    /// The handler made a new step before it came to all those recorded.
    #[error(
        "the handler's run differs from its last one: step `{step}` is new while {unread} recorded steps are unread; \
         name steps that depend on time or model output, or record the value first"
    )]
    ReplayDiverged {
        /// The new step.
        step: String,
        /// How many recorded ones it has not come to.
        unread: usize,
    },
    /// The configuration changed while the call was judged; it is judged again.
    #[error("the configuration changed while the call was judged")]
    Stale,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

macro_rules! broken {
    ($($error:ty),+) => { $(impl From<$error> for Stop {
        fn from(error: $error) -> Self { Self::Broken(error.to_string()) }
    })+ };
}
broken!(
    InvalidTransition,
    InvalidDelivery,
    InvalidActivation,
    crate::commitment::InvalidCommitment
);

/// What one command would change. It reads its own rows first, then the facts.
#[derive(Debug)]
pub struct Draft<'a> {
    facts: &'a Facts,
    own: Tables,
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

    fn find<R: Row>(&self, key: &R::Key, need: impl FnOnce() -> Need) -> Result<Option<R>, Stop> {
        match self.seen(key) {
            Some(row) => Ok(Some(row)),
            None => self.need(need()).map(|()| None),
        }
    }

    fn must<R: Row>(&self, key: &R::Key, need: impl FnOnce() -> Need + Clone) -> Result<R, Stop> {
        let missing = need.clone();
        self.find(key, need)?.ok_or_else(|| {
            Stop::Broken(format!("a row that others name is absent: {:?}", missing()))
        })
    }

    /// The tenant.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn tenant(&self, id: TenantId) -> Result<Option<Tenant>, Stop> {
        self.find(&id, || Need::Tenant(id))
    }

    /// The principal.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn principal(&self, tenant: TenantId, party: &Party) -> Result<Option<Principal>, Stop> {
        self.find(&(tenant, party.clone()), || {
            Need::Principal(tenant, party.clone())
        })
    }

    /// The key.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn api_key(&self, digest: Digest) -> Result<Option<ApiKey>, Stop> {
        self.find(&digest, || Need::ApiKey(digest))
    }

    /// The agent, if it stands in the catalogue.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn agent(&self, tenant: TenantId, name: &str) -> Result<Option<Agent>, Stop> {
        self.find(&(tenant, name.to_owned()), || {
            Need::Agent(tenant, name.to_owned())
        })
    }

    /// An agent's workload; none is an empty one.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn workload(&self, tenant: TenantId, name: &str) -> Result<Workload, Stop> {
        let found = self.find(&(tenant, name.to_owned()), || {
            Need::Agent(tenant, name.to_owned())
        })?;
        Ok(found.unwrap_or_else(|| Workload {
            tenant,
            agent: name.to_owned(),
            leased: 0,
            open: 0,
        }))
    }

    /// A version of an agent.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn version(
        &self,
        tenant: TenantId,
        agent: &str,
        digest: Digest,
    ) -> Result<Option<Version>, Stop> {
        self.find(&(tenant, agent.to_owned(), digest), || {
            Need::Version(tenant, agent.to_owned(), digest)
        })
    }

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

    /// A root.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn root(&self, id: RootId) -> Result<Root, Stop> {
        self.must(&id, || Need::Root(id))
    }

    /// A conversation.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_conversation(&self, id: ConversationId) -> Result<Option<Conversation>, Stop> {
        self.find(&id, || Need::Conversation(id))
    }

    /// A conversation that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn conversation(&self, id: ConversationId) -> Result<Conversation, Stop> {
        self.must(&id, || Need::Conversation(id))
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

    /// An act.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn act(&self, id: ActId) -> Result<Act, Stop> {
        self.must(&id, || Need::Act(id))
    }

    /// A task.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_task(&self, id: TaskId) -> Result<Option<Task>, Stop> {
        self.find(&id, || Need::Task(id))
    }

    /// A task that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn task(&self, id: TaskId) -> Result<Task, Stop> {
        self.must(&id, || Need::Task(id))
    }

    /// A hop that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn hop(&self, id: HopId) -> Result<Hop, Stop> {
        self.must(&id, || Need::Hop(id))
    }

    /// The lease of a token.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_lease(&self, token: Digest) -> Result<Option<Lease>, Stop> {
        self.find(&token, || Need::Token(token))
    }

    /// A lease that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn lease(&self, token: Digest) -> Result<Lease, Stop> {
        self.must(&token, || Need::Token(token))
    }

    /// The slot of an agent in a conversation, if it had one.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn slot(&self, agent: &str, conversation: ConversationId) -> Result<Option<Slot>, Stop> {
        self.find(&(agent.to_owned(), conversation), || {
            Need::Slot(agent.to_owned(), conversation)
        })
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

    /// A receipt.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn receipt(&self, key: Hash16) -> Result<Option<Receipt>, Stop> {
        self.find(&key, || Need::Receipt(key))
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

    /// An ask.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_ask(&self, id: AskId) -> Result<Option<Ask>, Stop> {
        self.find(&id, || Need::Ask(id))
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
            .filter(|ask| ask.addressee == crate::ask::Addressee::Task(task));
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

    /// A group.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn find_group(&self, id: GroupId) -> Result<Option<Group>, Stop> {
        self.find(&id, || Need::Group(id))
    }

    /// A commitment that a row names.
    ///
    /// # Errors
    /// It is to be loaded, or absent.
    pub fn commitment(&self, id: CommitmentId) -> Result<Commitment, Stop> {
        self.must(&id, || Need::Commitment(id))
    }

    /// The last commitment of a debtor to one thing under a root.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn owed(
        &self,
        root: RootId,
        debtor: &str,
        fingerprint: Fingerprint,
    ) -> Result<Option<Commitment>, Stop> {
        let key = (root, debtor.to_owned(), fingerprint);
        self.need(Need::Commitments(root, key.1.clone(), fingerprint))?;
        let own = self.own.commitments.rows().filter(|row| {
            row.id.root == root && row.debtor == debtor && row.fingerprint == fingerprint
        });
        let mut ids: BTreeSet<CommitmentId> = own.map(|row| row.id).collect();
        ids.extend(self.facts.owed.get(&key).into_iter().flatten());
        ids.last().map(|id| self.commitment(*id)).transpose()
    }

    /// The head of a principal's inbox.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn inbox(&self, tenant: TenantId, principal: &Party) -> Result<Inbox, Stop> {
        let found = self.find(&(tenant, principal.clone()), || {
            Need::Inbox(tenant, principal.clone())
        })?;
        Ok(found.unwrap_or_else(|| Inbox {
            tenant,
            principal: principal.clone(),
            last: 0,
        }))
    }

    /// Whether the root has an artifact of this digest.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn has_artifact(&self, root: RootId, digest: Digest) -> Result<bool, Stop> {
        self.artifact(root, digest).map(|found| found.is_some())
    }

    /// An artifact of the root.
    ///
    /// # Errors
    /// It is to be loaded.
    pub fn artifact(&self, root: RootId, digest: Digest) -> Result<Option<Artifact>, Stop> {
        self.find(&(root, digest), || Need::Artifact(root, digest))
    }
}
