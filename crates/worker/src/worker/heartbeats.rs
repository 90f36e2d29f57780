//! Heartbeats of all live leases, in one call (SEMANTICS 3).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep, sleep_until},
};
use tokio_util::sync::CancellationToken;

use crate::{
    client::Client,
    pulse::Pulse,
    retry::Retry,
    wire::{Beat, BeatState},
};

/// Tokens that one call may carry.
const TOKENS: usize = 256;

/// The leases that a worker holds.
pub(super) struct Heartbeats {
    client: Client,
    leases: Mutex<Leases>,
    changed: Notify,
}

#[derive(Default)]
struct Leases {
    last: u64,
    live: HashMap<u64, Live>,
    /// Until when nobody looks at them; none if nobody looks until told.
    sleeps_until: Option<Instant>,
}

#[derive(Clone)]
struct Live {
    token: String,
    pulse: Arc<Pulse>,
    ended: CancellationToken,
}

/// A lease that is kept alive until this is dropped.
pub(super) struct KeptAlive {
    id: u64,
    heartbeats: Arc<Heartbeats>,
    ended: CancellationToken,
}

impl KeptAlive {
    /// Waits until the server says that the lease is over.
    pub(super) async fn ended(&self) {
        self.ended.cancelled().await;
    }
}

impl Drop for KeptAlive {
    fn drop(&mut self) {
        self.heartbeats.leases().live.remove(&self.id);
    }
}

impl Heartbeats {
    pub(super) fn new(client: Client) -> Self {
        Self {
            // A heartbeat that failed is followed by the next one, not repeated.
            client: client.retrying(Retry::NEVER),
            leases: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Keeps a lease alive from now on.
    pub(super) fn keep(self: &Arc<Self>, token: String, pulse: Arc<Pulse>) -> KeptAlive {
        let ended = CancellationToken::new();
        let mut leases = self.leases();
        leases.last += 1;
        let id = leases.last;
        let live = Live {
            token,
            pulse,
            ended: ended.clone(),
        };
        let due = live.pulse.due();
        leases.live.insert(id, live);
        // Leases come in thousands and most end before they are due: few are worth waking for.
        let earlier = leases.sleeps_until.is_none_or(|until| due < until);
        drop(leases);
        if earlier {
            self.changed.notify_one();
        }
        KeptAlive {
            id,
            heartbeats: Arc::clone(self),
            ended,
        }
    }

    /// Sends heartbeats when they are due, for ever.
    pub(super) async fn run(self: Arc<Self>) {
        loop {
            match self.next_due() {
                None => self.changed.notified().await,
                Some(due) if due <= Instant::now() => self.beat().await,
                Some(due) => tokio::select! {
                    () = self.changed.notified() => {}
                    () = sleep_until(due) => {}
                },
            }
        }
    }

    fn next_due(&self) -> Option<Instant> {
        let mut leases = self.leases();
        leases.sleeps_until = leases.live.values().map(|live| live.pulse.due()).min();
        leases.sleeps_until
    }

    /// Sends one for every live lease: those not due yet are spared a call of their own.
    async fn beat(&self) {
        let live: Vec<Live> = self.leases().live.values().cloned().collect();
        for some in live.chunks(TOKENS) {
            let tokens: Vec<&str> = some.iter().map(|live| live.token.as_str()).collect();
            let every = some.iter().map(|live| live.pulse.every()).min();
            let every = every.unwrap_or_default();
            let begun = Instant::now();
            match self.client.heartbeat(&tokens, every).await {
                Ok(beats) if beats.len() == some.len() => {
                    for (live, beat) in some.iter().zip(&beats) {
                        live.heard(beat, begun);
                    }
                }
                Ok(beats) => {
                    let (sent, answered) = (some.len(), beats.len());
                    tracing::error!(sent, answered, "heartbeats answered in part");
                    sleep(soon(every)).await;
                }
                Err(error) => {
                    // Leases outlast some heartbeats, and a late one revives them.
                    tracing::warn!(%error, leases = some.len(), "heartbeat failed");
                    sleep(soon(every)).await;
                }
            }
        }
    }

    fn leases(&self) -> MutexGuard<'_, Leases> {
        // Nothing is half done while the lock is held.
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    fn heard(&self, beat: &Beat, begun: Instant) {
        match beat.state {
            BeatState::Live => self.pulse.confirm(begun),
            // Its own operation ended it, and the answer to that is on its way.
            BeatState::Parked | BeatState::Settled | BeatState::Released => {
                self.pulse.confirm(begun);
            }
            BeatState::Lost | BeatState::Cancelled | BeatState::Deadline | BeatState::Unknown => {
                self.pulse.confirm(begun);
                tracing::info!(state = ?beat.state, "lease is over");
                self.ended.cancel();
            }
        }
    }
}

/// The wait after a heartbeat that failed.
fn soon(every: Duration) -> Duration {
    (every / 10).clamp(Duration::from_millis(20), Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn beat(state: &str) -> Beat {
        serde_json::from_value(json!({"state": state, "questions": 0})).unwrap()
    }

    fn kept() -> (Arc<Heartbeats>, KeptAlive, Live) {
        let client = Client::new("http://127.0.0.1:1", None).unwrap();
        let heartbeats = Arc::new(Heartbeats::new(client));
        let pulse = Pulse::new(Duration::from_secs(10), Instant::now());
        let kept = heartbeats.keep("00".to_owned(), Arc::new(pulse));
        let live = heartbeats.leases().live.values().next().cloned().unwrap();
        (heartbeats, kept, live)
    }

    #[test]
    fn only_a_lease_that_others_ended_stops_its_handler() {
        for (state, ends) in [
            ("live", false),
            ("parked", false),
            ("settled", false),
            ("lost", true),
            ("cancelled", true),
            ("deadline", true),
            ("unknown", true),
        ] {
            let (_heartbeats, kept, live) = kept();
            live.heard(&beat(state), Instant::now());
            assert_eq!(kept.ended.is_cancelled(), ends, "{state}");
        }
    }

    #[test]
    fn a_lease_is_kept_until_its_activation_ends() {
        let (heartbeats, kept, _) = kept();
        assert_eq!(heartbeats.leases().live.len(), 1);
        drop(kept);
        assert!(heartbeats.leases().live.is_empty());
    }
}
