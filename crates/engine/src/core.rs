//! The core: batches of commands, each one transaction and one fsync. Synchronous, and all that it knows of the world
//! is the store and what is handed in (SEMANTICS 14, 19): the shell chooses the batches and the instants.

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind},
};

use tertulia_acts::{
    ask::AskState,
    command::{Answer, Command},
    decide::{Decision, Undecided, decide},
    digest::{Digest, Ids},
    event::EventKind,
    facts::{Change, Facts, Need},
    ids::{ConversationId, TaskId, TenantId},
    limits::{FACTS_KEPT, LOAD_ROUNDS},
    performative::Performative,
    reason::Reason,
    time::Timestamp,
};
use tertulia_store::{Store, StoreError};

/// A command with the ids that it may draw.
#[derive(Debug, Clone)]
pub struct Job {
    /// The command.
    pub command: Command,
    /// Its generator: the same seed draws the same ids.
    pub ids: Ids,
}

/// Why one command of a batch was not carried out, told to its caller alone. Nothing of it is stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Undone {
    /// It could not be decided or written: an error of ours.
    #[error("an internal error: {0}")]
    Broken(String),
    /// The storage failed after others of its batch had been stored singly.
    #[error(transparent)]
    Unstored(StoreError),
}

/// Who waits for what a batch brings.
pub trait Follow {
    /// The next command that waits, if there is one. It is told what news there is until now, and, after the first, what
    /// the one before was answered.
    fn next(&mut self, news: &News, last: Option<&Result<Answer, Undone>>) -> Option<Job>;
}

/// Nobody waits.
struct Nobody;

impl Follow for Nobody {
    fn next(&mut self, _: &News, _: Option<&Result<Answer, Undone>>) -> Option<Job> {
        None
    }
}

/// What became of a batch.
#[derive(Debug)]
pub struct Applied {
    /// What each command is answered, in order.
    pub answers: Vec<Result<Answer, Undone>>,
    /// Who is to be woken.
    pub news: News,
    /// Whether anything was written: a batch that only looks does not try the storage.
    pub written: bool,
}

impl Applied {
    /// Why some of the batch could not be stored, if so.
    #[must_use]
    pub fn unstored(&self) -> Option<StoreError> {
        self.answers.iter().find_map(|answer| match answer {
            Err(Undone::Unstored(error)) => Some(error.clone()),
            _ => None,
        })
    }
}

/// What a commit has news about.
#[derive(Debug, Default)]
pub struct News {
    /// Conversations with new events.
    pub conversations: BTreeSet<ConversationId>,
    /// Tasks with new events.
    pub tasks: BTreeSet<TaskId>,
    /// Tasks that came to rest: they ended, or wait for somebody.
    pub rested: BTreeSet<TaskId>,
    /// Agents that may have work, and how much more than before.
    pub agents: BTreeMap<(TenantId, String), usize>,
    /// Whether a configuration changed.
    pub configuration: bool,
    /// The earliest instant at which something written is due.
    pub due: Option<Timestamp>,
    /// Acts by performative.
    pub acts: BTreeMap<Performative, u64>,
    /// Refusals and failures by reason.
    pub reasons: BTreeMap<Reason, u64>,
    /// Events by kind.
    pub events: BTreeMap<EventKind, u64>,
    /// Consultations.
    pub folds: u64,
}

/// The core over a store.
#[derive(Debug)]
pub struct Core<S> {
    store: S,
    facts: Facts,
}

impl<S: Store> Core<S> {
    /// A core that knows nothing yet.
    pub fn new(store: S) -> Self {
        Self {
            store,
            facts: Facts::default(),
        }
    }

    /// The store.
    pub const fn store(&mut self) -> &mut S {
        &mut self.store
    }

    /// Applies a batch at `now`. When this returns, what it did is durable.
    ///
    /// # Errors
    /// The storage failed: nothing of the batch is stored, or, where the error is fatal, nobody may be told what is.
    pub fn apply(&mut self, batch: &[Job], now: Timestamp) -> Result<Applied, StoreError> {
        self.apply_with(batch, now, &mut Nobody)
    }

    /// The same; once the batch is decided, those who wait for what it brings are decided after it and stored by the same
    /// commit. Their answers come last. Where the batch had to be run singly there are none: nobody was asked to follow.
    ///
    /// # Errors
    /// See [`apply`](Self::apply).
    pub fn apply_with(
        &mut self,
        batch: &[Job],
        now: Timestamp,
        follow: &mut impl Follow,
    ) -> Result<Applied, StoreError> {
        match self.try_apply(batch, now, follow) {
            Ok(applied) => Ok(applied),
            Err(error) => {
                self.forget()?;
                if !error.blames_command() {
                    return Err(error);
                }
                self.apply_singly(batch, now, &error)
            }
        }
    }

    /// Forgets what is known, and whatever batch was begun.
    fn forget(&mut self) -> Result<(), StoreError> {
        self.facts = Facts::default();
        self.store.rollback()
    }

    /// A command of the batch is to blame: each is run by itself, and the culprit alone fails. If the storage fails on
    /// the way, what was stored until then is answered all the same, and the rest is told.
    fn apply_singly(
        &mut self,
        batch: &[Job],
        now: Timestamp,
        cause: &StoreError,
    ) -> Result<Applied, StoreError> {
        let mut applied = Applied {
            answers: Vec::with_capacity(batch.len()),
            news: News::default(),
            written: false,
        };
        for job in batch {
            let error = match self.try_apply(std::slice::from_ref(job), now, &mut Nobody) {
                Ok(one) => {
                    applied.answers.extend(one.answers);
                    applied.news.add(one.news);
                    applied.written |= one.written;
                    continue;
                }
                Err(error) => self.forget().err().unwrap_or(error),
            };
            if error.is_fatal() {
                return Err(error);
            }
            if error.blames_command() {
                tracing::error!(command = job.command.name(), %error, %cause, "a command could not be written");
                let broken = Undone::Broken(error.to_string());
                applied.answers.push(Err(broken));
                continue;
            }
            let unstored = Err(Undone::Unstored(error));
            applied.answers.resize(batch.len(), unstored);
            break;
        }
        Ok(applied)
    }

    fn try_apply(
        &mut self,
        batch: &[Job],
        now: Timestamp,
        follow: &mut impl Follow,
    ) -> Result<Applied, StoreError> {
        self.store.begin()?;
        let mut applied = Applied {
            answers: Vec::with_capacity(batch.len()),
            news: News::default(),
            written: false,
        };
        self.load_ahead(batch)?;
        for job in batch {
            self.carry_out(job, now, &mut applied)?;
        }
        let mut next = follow.next(&applied.news, None);
        while let Some(job) = next {
            self.carry_out(&job, now, &mut applied)?;
            next = follow.next(&applied.news, applied.answers.last());
        }
        if applied.written {
            self.store.commit(&self.facts, now)?;
            self.facts.written();
        } else {
            self.store.rollback()?;
        }
        // What was only looked at counts too.
        if self.facts.size() > FACTS_KEPT {
            self.facts = Facts::default();
        }
        Ok(applied)
    }

    /// Decides a command over the facts, and changes these as it says.
    fn carry_out(
        &mut self,
        job: &Job,
        now: Timestamp,
        applied: &mut Applied,
    ) -> Result<(), StoreError> {
        let answer = match self.decide(job, now)? {
            Ok(decision) => {
                applied.written |= !decision.changes.is_empty();
                applied.news.note(&decision.changes);
                self.facts.apply(decision.changes);
                Ok(decision.answer)
            }
            Err(broken) => Err(broken),
        };
        applied.answers.push(answer);
        Ok(())
    }

    /// Loads at once what the batch is known to need. Claims for one agent need as much as all of them together.
    fn load_ahead(&mut self, batch: &[Job]) -> Result<(), StoreError> {
        let mut needs = BTreeSet::new();
        let mut ready: BTreeMap<(TenantId, String, Vec<Digest>), u32> = BTreeMap::new();
        for need in batch.iter().flat_map(|job| job.command.needs()) {
            if let Need::Ready {
                tenant,
                agent,
                versions,
                limit,
            } = need
            {
                let sum = ready.entry((tenant, agent, versions)).or_default();
                *sum = sum.saturating_add(limit);
            } else if !self.facts.knows(&need) {
                needs.insert(need);
            }
        }
        for ((tenant, agent, versions), limit) in ready {
            let need = Need::Ready {
                tenant,
                agent,
                versions,
                limit,
            };
            if !self.facts.knows(&need) {
                needs.insert(need);
            }
        }
        let needs: Vec<Need> = needs.into_iter().collect();
        if needs.is_empty() {
            Ok(())
        } else {
            self.store.load(&needs, &mut self.facts)
        }
    }

    /// Decides a command, loading what it asks for on the way.
    fn decide(
        &mut self,
        job: &Job,
        now: Timestamp,
    ) -> Result<Result<Decision, Undone>, StoreError> {
        for _ in 0..LOAD_ROUNDS {
            // `decide` is pure: a panic in it leaves the facts as they were.
            let facts = &self.facts;
            let decided = catch_unwind(AssertUnwindSafe(|| {
                decide(facts, &job.command, now, &job.ids)
            }));
            match decided {
                Ok(Ok(decision)) => return Ok(Ok(decision)),
                Ok(Err(Undecided::Missing(needs))) => self.store.load(&needs, &mut self.facts)?,
                Ok(Err(undecided)) => return Ok(Err(self.broken(job, undecided.to_string()))),
                Err(_) => return Ok(Err(self.broken(job, "a rule panicked".into()))),
            }
        }
        Ok(Err(self.broken(
            job,
            format!("{LOAD_ROUNDS} rounds of loading were not enough"),
        )))
    }

    fn broken(&self, job: &Job, why: String) -> Undone {
        tracing::error!(
            command = job.command.name(),
            facts = self.facts.len(),
            why,
            "a command could not be decided"
        );
        Undone::Broken(why)
    }
}

fn earlier(a: Option<Timestamp>, b: Option<Timestamp>) -> Option<Timestamp> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl News {
    fn note(&mut self, changes: &[Change]) {
        for change in changes {
            self.due = earlier(self.due, change.next_due());
            match change {
                Change::Event(event) => {
                    self.conversations.insert(event.conversation);
                    self.tasks.extend(event.task);
                    *self.events.entry(event.kind).or_default() += 1;
                }
                Change::Act(act) => {
                    *self.acts.entry(act.envelope.performative).or_default() += 1;
                    if let Some(refusal) = &act.envelope.refusal {
                        *self.reasons.entry(refusal.reason).or_default() += 1;
                    }
                }
                Change::Slot(slot) if slot.leased.is_none() && slot.head.is_some() => {
                    *self
                        .agents
                        .entry((slot.tenant, slot.agent.clone()))
                        .or_default() += 1;
                }
                // Capacity may have come free.
                Change::Workload(load) => {
                    self.agents
                        .entry((load.tenant, load.agent.clone()))
                        .or_default();
                }
                Change::Tenant(_) => self.configuration = true,
                Change::Task(task) => {
                    if task.now.state.is_at_rest() {
                        self.rested.insert(task.id());
                    }
                    if task.is_fold() && task.now.attempts == 0 && task.is_open() {
                        self.folds += 1;
                    }
                }
                Change::Ask(ask) if ask.state == AskState::Open => {
                    // Whom it asks may have changed.
                    self.rested.insert(ask.asker);
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.conversations.extend(other.conversations);
        self.tasks.extend(other.tasks);
        self.rested.extend(other.rested);
        for (agent, n) in other.agents {
            *self.agents.entry(agent).or_default() += n;
        }
        self.configuration |= other.configuration;
        self.due = earlier(self.due, other.due);
        for (performative, n) in other.acts {
            *self.acts.entry(performative).or_default() += n;
        }
        for (reason, n) in other.reasons {
            *self.reasons.entry(reason).or_default() += n;
        }
        for (kind, n) in other.events {
            *self.events.entry(kind).or_default() += n;
        }
        self.folds += other.folds;
    }
}
