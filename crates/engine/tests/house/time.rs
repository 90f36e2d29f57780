//! Outages and clocks that are set: who lives is not swept for what it could not say, and time goes on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use tertulia_acts::{
    command::{Answer, Command, Pulse},
    limits::{LEASE, SWEEP_PAUSE},
    time::{Millis, Timestamp},
};
use tertulia_engine::{Clock, DataFolder, Engine, Options};

use crate::house::{House, accepted};

/// Two clocks: one that is set, and one that nobody sets.
#[derive(Clone, Default)]
struct TwoClocks {
    told: Arc<AtomicI64>,
    steady: Arc<AtomicU64>,
}

impl TwoClocks {
    fn at(now: Timestamp) -> Self {
        let clocks = Self::default();
        clocks.told.store(now.0, Ordering::SeqCst);
        clocks
    }

    fn set_by(&self, span: Millis) {
        self.told.fetch_add(span.0, Ordering::SeqCst);
    }

    /// Time passes, in steps after each of which the writer has looked.
    async fn pass(&self, engine: &Engine, span: Millis) {
        let step = 5_000;
        for _ in 0..span.0 / step {
            self.set_by(Millis(step));
            self.steady.fetch_add(step.unsigned_abs(), Ordering::SeqCst);
            // The writer looks at the time before it carries out a command.
            engine.tenant("default").await.expect("a tenant");
            let caller = engine.trusted("default", &crate::house::party("agent:deployments"));
            let caller = caller.expect("readable").expect("a tenant");
            let beat = Command::Heartbeat(caller, Vec::new());
            engine.call(beat).await.expect("answered");
        }
    }
}

impl Clock for TwoClocks {
    fn now(&self) -> Timestamp {
        Timestamp(self.told.load(Ordering::SeqCst))
    }

    fn steady(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.steady.load(Ordering::SeqCst)))
    }
}

/// A house whose worker holds a lease, then closed for `outage` and opened again.
async fn after_an_outage(outage: Millis) -> (House, Engine, TwoClocks, Command) {
    let house = House::new().await;
    accepted(&house.send("user:ana", "agent:logs", "x", None).await);
    let grant = house.claim("logs", "c1").await.expect("work");
    let beat = Command::Heartbeat(house.caller("agent:logs"), vec![grant.token]);
    house.engine.stop().await;
    house.clock.move_by(outage);
    let clocks = TwoClocks::at(house.clock.now());
    let options = Options {
        data: DataFolder::Path(house.folder.path().to_owned()),
    };
    let engine = Engine::start_with(&options, Box::new(clocks.clone())).expect("an engine");
    (house, engine, clocks, beat)
}

async fn lives(engine: &Engine, beat: &Command) -> bool {
    match engine.call(beat.clone()).await.expect("answered") {
        Answer::Pulses(pulses) => matches!(pulses[..], [Pulse::Live { .. }]),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_worker_that_lives_keeps_its_lease_over_an_outage() {
    let (_house, engine, clocks, beat) = after_an_outage(Millis(LEASE.0 * 3)).await;
    clocks.pass(&engine, Millis(SWEEP_PAUSE.0 - 5_000)).await;
    assert!(lives(&engine, &beat).await);
    engine.stop().await;
}

#[tokio::test]
async fn a_worker_that_is_gone_is_swept_when_the_pause_is_over() {
    let (_house, engine, clocks, beat) = after_an_outage(Millis(LEASE.0 * 3)).await;
    clocks.pass(&engine, Millis(SWEEP_PAUSE.0 + 5_000)).await;
    assert!(!lives(&engine, &beat).await);
    engine.stop().await;
}

#[tokio::test]
async fn a_jump_of_the_clock_sweeps_nobody_who_lives() {
    let (_house, engine, clocks, beat) = after_an_outage(Millis(0)).await;
    clocks.pass(&engine, Millis(5_000)).await;
    clocks.set_by(Millis::hours(10));
    clocks.pass(&engine, Millis(10_000)).await;
    assert!(lives(&engine, &beat).await);
    engine.stop().await;
}

#[tokio::test]
async fn a_clock_that_is_set_back_does_not_stop_time() {
    let (_house, engine, clocks, beat) = after_an_outage(Millis(0)).await;
    let before = engine.now();
    clocks.set_by(Millis::hours(-1));
    assert_eq!(engine.now(), before);
    // A lease runs out as it would have: an hour would have to pass if time stood.
    clocks.pass(&engine, Millis(LEASE.0 + 5_000)).await;
    assert_eq!(engine.now(), before.after(Millis(LEASE.0 + 5_000)));
    assert!(!lives(&engine, &beat).await);
    engine.stop().await;
}
