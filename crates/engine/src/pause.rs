//! The pause of sweeping: after an outage or a jump of the clock that is longer than a third of a lease, workers that
//! live could not say so in time. They get the time to (SEMANTICS 3).

use tertulia_acts::{
    limits::{SWEEP_PAUSE, UNTENDED_MOST},
    time::Timestamp,
};

/// How many leases are swept, and when. Instants in, decisions out.
#[derive(Debug, Clone)]
pub(crate) struct Pause {
    /// The last instant at which heartbeats could be taken.
    tended: Timestamp,
    /// Since when nothing can be stored, if so.
    failing_since: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Pause {
    /// At a start: the last commit is the last that is known of the time before.
    pub(crate) fn new(last_commit: Timestamp) -> Self {
        Self {
            tended: last_commit,
            failing_since: None,
            until: None,
        }
    }

    /// The writer looks after its work, at `now`. It does so often: a long time without that is an outage.
    pub(crate) fn tend(&mut self, now: Timestamp) {
        self.after(self.tended, now);
        self.tended = now;
    }

    /// Nothing could be stored at `now`, no heartbeat either.
    pub(crate) fn failed(&mut self, now: Timestamp) {
        self.failing_since.get_or_insert(now);
    }

    /// Something was stored at `now`.
    pub(crate) fn stored(&mut self, now: Timestamp) {
        if let Some(since) = self.failing_since.take() {
            self.after(since, now);
        }
    }

    fn after(&mut self, last: Timestamp, now: Timestamp) {
        let untended = now.since(last);
        if untended > UNTENDED_MOST {
            tracing::info!(
                untended_ms = untended.0,
                pause_ms = SWEEP_PAUSE.0,
                "no heartbeat could be taken for so long: leases are not swept for a while"
            );
            self.until = Some(now.after(SWEEP_PAUSE));
        }
    }

    /// How many leases a batch at `now` may sweep; none that is told if as many as there are. While nothing can be stored
    /// it is one, by which the storage is tried: when it is back, the others are still there to be kept.
    pub(crate) fn sweeps(&self, now: Timestamp) -> Option<usize> {
        if self.until.is_some_and(|until| now < until) {
            Some(0)
        } else {
            self.failing_since.map(|_| 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use tertulia_acts::{limits::LEASE, time::Millis};

    use super::*;

    const START: Timestamp = Timestamp(1_000_000);

    fn after(millis: i64) -> Timestamp {
        START.after(Millis(millis))
    }

    #[test]
    fn a_start_soon_after_the_last_commit_pauses_nothing() {
        let mut pause = Pause::new(START);
        pause.tend(after(LEASE.0 / 3));
        assert_eq!(None, pause.sweeps(after(LEASE.0 / 3)));
    }

    #[test]
    fn a_start_after_an_outage_pauses_for_a_lease_and_no_longer() {
        let mut pause = Pause::new(START);
        let begun = LEASE.0 / 3 + 1;
        pause.tend(after(begun));
        assert_eq!(Some(0), pause.sweeps(after(begun)));
        for passed in (0..LEASE.0).step_by(500) {
            pause.tend(after(begun + passed));
            assert_eq!(Some(0), pause.sweeps(after(begun + passed)), "{passed}");
        }
        pause.tend(after(begun + LEASE.0));
        assert_eq!(None, pause.sweeps(after(begun + LEASE.0)));
    }

    #[test]
    fn a_jump_of_the_clock_pauses_and_a_busy_second_does_not() {
        let mut pause = Pause::new(START);
        pause.tend(START);
        pause.tend(after(1_500));
        assert_eq!(None, pause.sweeps(after(1_500)));
        let jumped = 1_500 + 86_400_000;
        pause.tend(after(jumped));
        assert_eq!(Some(0), pause.sweeps(after(jumped + LEASE.0 - 1)));
        assert_eq!(None, pause.sweeps(after(jumped + LEASE.0)));
    }

    #[test]
    fn a_storage_that_failed_for_long_pauses_when_it_is_back() {
        let mut pause = Pause::new(START);
        pause.failed(after(0));
        assert_eq!(Some(1), pause.sweeps(after(0)));
        for passed in (0..=20_000).step_by(500) {
            pause.tend(after(passed));
            pause.failed(after(passed));
        }
        pause.stored(after(20_000));
        assert_eq!(Some(0), pause.sweeps(after(20_000 + LEASE.0 - 1)));
        assert_eq!(None, pause.sweeps(after(20_000 + LEASE.0)));
        // A short failure is none to speak of.
        pause.failed(after(90_000));
        pause.stored(after(91_000));
        assert_eq!(None, pause.sweeps(after(91_000)));
    }
}
