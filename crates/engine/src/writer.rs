//! The writer: one thread that takes batches from the lanes, lets the core apply them, and then, when they are durable,
//! answers (SEMANTICS 14). It also does what has come due.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use tertulia_acts::{
    command::{Command, Due},
    digest::Ids,
    limits::{BATCH_COMMANDS, DUE_PER_BATCH},
    time::{Millis, Timestamp},
};
use tertulia_store::{Store, StoreError};
use tokio::sync::oneshot;

use crate::{
    core::{Applied, Core, Job},
    engine::Shared,
    error::{Answered, EngineError},
    pause::Pause,
    standing::Serving,
};

/// The exit code of a process whose disk did not confirm a write: `EX_IOERR` of sysexits.
pub const EXIT_DISK: i32 = 74;

/// The exit code of a process whose writer failed by an error of ours: `EX_SOFTWARE` of sysexits.
const EXIT_INTERNAL: i32 = 70;

/// How long the writer sleeps at most: the floor of upkeep.
const NAP: Duration = Duration::from_millis(500);
/// How long after a failure something due is tried again.
const AGAIN: Millis = Millis::seconds(10);
/// How soon it looks again for what is due, where there was nothing or it failed.
const SOONEST: Millis = Millis(200);
/// How often the storage is tried after it failed.
const TRY_EVERY: Millis = Millis::seconds(1);
/// How often expired receipts are swept.
const SWEEP_EVERY: Millis = Millis::seconds(60);

/// A command with the one who waits for its answer.
pub(crate) struct Waiting {
    pub(crate) job: Job,
    pub(crate) reply: oneshot::Sender<Answered>,
}

pub(crate) struct Writer<S> {
    core: Core<S>,
    shared: Arc<Shared>,
    pause: Pause,
    next_due: Option<Timestamp>,
    /// Due things that could not be done, and when to try them again: so that one does not hold up the others.
    failing: BTreeMap<Due, Timestamp>,
    next_sweep: Timestamp,
    /// When to try the storage again, after it failed.
    next_try: Timestamp,
}

impl<S: Store> Writer<S> {
    /// A writer that goes on after `last`, the instant of the last commit.
    pub(crate) fn new(
        mut core: Core<S>,
        shared: Arc<Shared>,
        last: Timestamp,
    ) -> Result<Self, StoreError> {
        let next_due = core.store().next_due()?;
        Ok(Self {
            core,
            shared,
            pause: Pause::new(last),
            next_due,
            failing: BTreeMap::new(),
            next_sweep: Timestamp(0),
            next_try: Timestamp(0),
        })
    }

    /// Works until the lanes are closed and empty. A panic ends the process: nobody would be answered any more, and what
    /// was acknowledged is on disk.
    pub(crate) fn run(self) {
        let worked = catch_unwind(AssertUnwindSafe(move || self.work()));
        if worked.is_err() {
            tracing::error!("fatal: the writer panicked; the process ends");
            std::process::exit(EXIT_INTERNAL);
        }
    }

    fn work(mut self) {
        loop {
            let wait = self.wait();
            let Some(batch) = self.shared.lanes.take(BATCH_COMMANDS, wait) else {
                break;
            };
            self.shared.metrics.queue(self.shared.lanes.waiting());
            let now = self.now();
            if self.shared.time.is_steadied() {
                self.pause.tend(now);
            }
            self.try_storage(now);
            let due = self.pick(now);
            self.sweep(now);
            if !batch.is_empty() || !due.is_empty() {
                self.apply(batch, due, now);
            }
        }
        tracing::info!("the writer has ended");
    }

    fn now(&self) -> Timestamp {
        self.shared.time.now()
    }

    fn wait(&self) -> Duration {
        let Some(due) = self.next_due else { return NAP };
        let millis = due.since(self.now()).0;
        Duration::from_millis(u64::try_from(millis).unwrap_or(0)).min(NAP)
    }

    fn pick(&mut self, now: Timestamp) -> Vec<Due> {
        let Some(next) = self.next_due.filter(|next| *next <= now) else {
            return Vec::new();
        };
        self.failing.retain(|_, again| *again > now);
        match self.due(now) {
            Ok(due) => {
                if due.is_empty() {
                    // What was to be due then has ended before; without a later instant the writer would not sleep.
                    let soonest = now.after(SOONEST);
                    self.next_due = self.look_ahead(now).map(|next| next.max(soonest));
                } else if next.0 > 0 {
                    self.shared.metrics.lag(now.since(next).0);
                }
                due
            }
            Err(error) => {
                tracing::warn!(%error, "what is due could not be looked up");
                self.next_due = Some(now.after(Millis::seconds(1)));
                Vec::new()
            }
        }
    }

    /// What is due and to be done now: neither what failed a moment ago, nor leases while sweeping pauses. As these may
    /// stand before all others, it looks at more and more until it has enough.
    fn due(&mut self, now: Timestamp) -> Result<Vec<Due>, StoreError> {
        let sweeps = self.pause.sweeps(now).unwrap_or(usize::MAX);
        let mut limit = DUE_PER_BATCH + self.failing.len();
        loop {
            let found = self.core.store().due(now, limit)?;
            let all = found.len() < limit;
            let mut leases = 0;
            let mut swept = |due: &Due| {
                leases += usize::from(matches!(due, Due::Lease(_)));
                !matches!(due, Due::Lease(_)) || leases <= sweeps
            };
            let due: Vec<Due> = found
                .into_iter()
                .filter(|due| !self.failing.contains_key(due))
                .filter(&mut swept)
                .take(DUE_PER_BATCH)
                .collect();
            if all || due.len() == DUE_PER_BATCH {
                return Ok(due);
            }
            limit *= 2;
        }
    }

    fn apply(&mut self, mut batch: Vec<Waiting>, due: Vec<Due>, now: Timestamp) {
        // The lanes say who comes into the batch; in it, claims go last, so that they are granted what it brings.
        batch.sort_by_key(|waiting| matches!(waiting.job.command, Command::Claim(..)));
        let (mut jobs, mut replies) = (
            Vec::with_capacity(batch.len() + due.len()),
            Vec::with_capacity(batch.len()),
        );
        for waiting in batch {
            jobs.push(waiting.job);
            replies.push(waiting.reply);
        }
        jobs.extend(due.iter().map(|due| Job {
            command: Command::Due(due.clone()),
            ids: Ids::new(rand::random()),
        }));
        let begun = Instant::now();
        let mut serving = Serving::new(&self.shared.standing);
        let applied = self.core.apply_with(&jobs, now, &mut serving);
        match applied {
            Ok(mut applied) => {
                let served = applied.answers.split_off(jobs.len());
                let answered = serving.answer(served, &mut applied.news);
                self.shared.metrics.commit(
                    replies.len() + answered,
                    begun.elapsed(),
                    &applied.news,
                );
                self.answer(applied, replies, due, now);
            }
            Err(error) => {
                drop(serving);
                self.fail(&error, replies, now);
            }
        }
    }

    fn answer(
        &mut self,
        applied: Applied,
        replies: Vec<oneshot::Sender<Answered>>,
        due: Vec<Due>,
        now: Timestamp,
    ) {
        let fired = !due.is_empty();
        if applied.news.configuration {
            self.shared.credentials.forget();
        }
        let unstored = applied.unstored();
        if let Some(error) = &unstored {
            tracing::warn!(%error, "the rest of a batch could not be stored");
        }
        if unstored.is_some() {
            self.pause.failed(now);
        } else if applied.written {
            self.pause.stored(now);
        }
        self.shared
            .stored
            .store(unstored.is_none(), Ordering::Relaxed);
        let mut answers = applied.answers.into_iter();
        for (reply, answer) in replies.into_iter().zip(answers.by_ref()) {
            // Whoever hung up gets its answer from its receipt.
            let _gone = reply.send(answer.map_err(EngineError::from));
        }
        for (due, answer) in due.into_iter().zip(answers) {
            if answer.is_err() {
                self.failing.insert(due, now.after(AGAIN));
            }
        }
        self.shared.hub.wake(&applied.news);
        self.next_due = if fired {
            self.look_ahead(now)
        } else {
            [self.next_due, applied.news.due]
                .into_iter()
                .flatten()
                .min()
        };
    }

    /// When something is due next, as the store tells; what is failing, or paused, is not looked at without rest.
    fn look_ahead(&mut self, now: Timestamp) -> Option<Timestamp> {
        match self.core.store().next_due() {
            Ok(next) if self.failing.is_empty() && self.pause.sweeps(now).is_none() => next,
            Ok(next) => next.map(|next| next.max(now.after(SOONEST))),
            Err(error) => {
                tracing::warn!(%error, "what is due could not be looked up");
                Some(now.after(Millis::seconds(1)))
            }
        }
    }

    fn fail(
        &mut self,
        error: &StoreError,
        replies: Vec<oneshot::Sender<Answered>>,
        now: Timestamp,
    ) {
        if error.is_fatal() {
            // Whether the last commit is on disk is not known: nobody may be answered any more (SEMANTICS 14).
            tracing::error!(%error, "fatal: the disk did not confirm a write; the process ends");
            std::process::exit(EXIT_DISK);
        }
        tracing::warn!(%error, commands = replies.len(), "a batch could not be stored");
        self.next_try = now.after(TRY_EVERY);
        self.pause.failed(now);
        self.shared.stored.store(false, Ordering::Relaxed);
        for reply in replies {
            let _gone = reply.send(Err(EngineError::from(error.clone())));
        }
        // What is due waits for the storage too.
        if self.next_due.is_some_and(|next| next <= now) {
            self.next_due = Some(now.after(Millis::seconds(1)));
        }
    }

    /// Where the last batch could not be stored, tries whether it could be now: nobody sends work to a server that says
    /// it is not ready, so it finds out by itself.
    fn try_storage(&mut self, now: Timestamp) {
        if self.shared.stored.load(Ordering::Relaxed) || now < self.next_try {
            return;
        }
        self.next_try = now.after(TRY_EVERY);
        match self.core.store().has_room() {
            Ok(()) => {
                tracing::info!("the storage takes writes again");
                self.pause.stored(now);
                self.shared.stored.store(true, Ordering::Relaxed);
            }
            Err(error) if error.is_fatal() => self.fail(&error, Vec::new(), now),
            Err(error) => tracing::debug!(%error, "the storage still takes no writes"),
        }
    }

    fn sweep(&mut self, now: Timestamp) {
        if now < self.next_sweep {
            return;
        }
        self.next_sweep = now.after(SWEEP_EVERY);
        if let Err(error) = self.core.store().sweep(now, DUE_PER_BATCH) {
            tracing::warn!(%error, "expired receipts could not be swept");
        }
    }
}
