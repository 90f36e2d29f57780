//! How sure a worker can be that it still holds a lease.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;

/// When a lease was last confirmed, and how often it must be.
#[derive(Debug)]
pub(crate) struct Pulse {
    every: Duration,
    confirmed: Mutex<Instant>,
}

impl Pulse {
    /// A lease that was granted about `granted`.
    pub(crate) fn new(every: Duration, granted: Instant) -> Self {
        Self {
            every,
            confirmed: Mutex::new(granted),
        }
    }

    /// How often to send a heartbeat.
    pub(crate) const fn every(&self) -> Duration {
        self.every
    }

    /// The server confirmed the lease in a call begun at `begun`.
    pub(crate) fn confirm(&self, begun: Instant) {
        let mut confirmed = self.confirmed();
        *confirmed = begun.max(*confirmed);
    }

    /// When the next heartbeat is due.
    pub(crate) fn due(&self) -> Instant {
        *self.confirmed() + self.every
    }

    /// How long the lease certainly lasts. A lease is a good deal longer than two heartbeats, so that one may be lost
    /// (SEMANTICS 3: 30 s and 10 s).
    pub(crate) fn left(&self) -> Duration {
        (*self.confirmed() + self.every * 2).saturating_duration_since(Instant::now())
    }

    fn confirmed(&self) -> MutexGuard<'_, Instant> {
        // An instant is whole at any time, whoever panicked.
        self.confirmed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_counted_from_when_its_confirmation_was_asked_for() {
        let now = Instant::now();
        let pulse = Pulse::new(Duration::from_secs(10), now);
        assert_eq!(pulse.due(), now + Duration::from_secs(10));
        assert!(pulse.left() <= Duration::from_secs(20));
        assert!(pulse.left() > Duration::from_secs(10));
        pulse.confirm(now + Duration::from_secs(3));
        pulse.confirm(now + Duration::from_secs(1));
        assert_eq!(pulse.due(), now + Duration::from_secs(13));
    }
}
