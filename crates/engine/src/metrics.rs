//! What is counted. Counters rise with commits, so they tell what happened, not what was tried.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tertulia_acts::{event::EventKind, performative::Performative, reason::Reason};

use crate::core::News;

/// The upper bounds of the buckets of commit latency, in microseconds.
pub const LATENCY_BUCKETS: [u64; 12] = [
    250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 512_000, 2_048_000,
];

/// The counters of an engine.
#[derive(Debug, Default)]
pub struct Metrics {
    counted: Mutex<Counted>,
    latency: [AtomicU64; LATENCY_BUCKETS.len()],
    latency_sum: AtomicU64,
    commits: AtomicU64,
    commands: AtomicU64,
    timer_lag: AtomicU64,
    queue: AtomicU64,
    overloaded: AtomicU64,
}

#[derive(Debug, Default, Clone)]
struct Counted {
    acts: BTreeMap<Performative, u64>,
    reasons: BTreeMap<Reason, u64>,
    events: BTreeMap<EventKind, u64>,
    folds: u64,
}

/// The counters as they stand.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Acts by performative.
    pub acts: BTreeMap<Performative, u64>,
    /// Refusals, failures and cancels that were stored, by reason.
    pub reasons: BTreeMap<Reason, u64>,
    /// Events by kind.
    pub events: BTreeMap<EventKind, u64>,
    /// Consultations.
    pub folds: u64,
    /// Commits by latency: how many took at most so many microseconds; the last counts all.
    pub latency: Vec<(u64, u64)>,
    /// Microseconds that all commits took together.
    pub latency_sum: u64,
    /// Batches committed, each with one fsync.
    pub commits: u64,
    /// Commands answered in them.
    pub commands: u64,
    /// Milliseconds by which the last timer fired late.
    pub timer_lag: u64,
    /// Commands that wait for the writer.
    pub queue: u64,
    /// Commands that were turned away.
    pub overloaded: u64,
}

impl Metrics {
    fn counted(&self) -> MutexGuard<'_, Counted> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn commit(&self, commands: usize, took: Duration, news: &News) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(bucket) = LATENCY_BUCKETS.iter().position(|most| micros <= *most) {
            self.latency[bucket].fetch_add(1, Ordering::Relaxed);
        }
        self.latency_sum.fetch_add(micros, Ordering::Relaxed);
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.commands.fetch_add(commands as u64, Ordering::Relaxed);
        let mut counted = self.counted();
        for (performative, n) in &news.acts {
            *counted.acts.entry(*performative).or_default() += n;
        }
        for (reason, n) in &news.reasons {
            *counted.reasons.entry(*reason).or_default() += n;
        }
        for (kind, n) in &news.events {
            *counted.events.entry(*kind).or_default() += n;
        }
        counted.folds += news.folds;
    }

    pub(crate) fn lag(&self, millis: i64) {
        self.timer_lag
            .store(u64::try_from(millis).unwrap_or(0), Ordering::Relaxed);
    }

    pub(crate) fn queue(&self, waiting: usize) {
        self.queue.store(waiting as u64, Ordering::Relaxed);
    }

    pub(crate) fn overload(&self) {
        self.overloaded.fetch_add(1, Ordering::Relaxed);
    }

    /// The counters as they stand.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let counted = self.counted().clone();
        let mut sum = 0;
        let latency = LATENCY_BUCKETS
            .iter()
            .zip(&self.latency)
            .map(|(most, count)| {
                sum += count.load(Ordering::Relaxed);
                (*most, sum)
            });
        let latency = latency.collect();
        Snapshot {
            acts: counted.acts,
            reasons: counted.reasons,
            events: counted.events,
            folds: counted.folds,
            latency,
            latency_sum: self.latency_sum.load(Ordering::Relaxed),
            commits: self.commits.load(Ordering::Relaxed),
            commands: self.commands.load(Ordering::Relaxed),
            timer_lag: self.timer_lag.load(Ordering::Relaxed),
            queue: self.queue.load(Ordering::Relaxed),
            overloaded: self.overloaded.load(Ordering::Relaxed),
        }
    }
}
