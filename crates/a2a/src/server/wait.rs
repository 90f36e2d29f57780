//! Waiting until a task is at rest. Whoever hangs up meanwhile cancels nothing.

use std::time::Duration;

use tertulia_acts::ids::TaskId;
use tertulia_engine::{Watch, read::TaskRead};
use tokio::time::Instant;

use super::{call::Call, failure};
use crate::{map, wire::A2aError};

/// How often whoever waits looks whether the house stops.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What ended a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Woken {
    /// There is news.
    News,
    /// The house stops.
    Stopping,
    /// It has lasted long enough.
    TimeOver,
}

/// Waits for news, until an instant if one is given.
pub(super) async fn news(call: &Call, watch: &mut Watch, until: Option<Instant>) -> Woken {
    loop {
        if call.house.engine.draining() {
            return Woken::Stopping;
        }
        let next_look = Instant::now() + LOOK_EVERY;
        let wake = until.map_or(next_look, |until| until.min(next_look));
        if tokio::time::timeout_at(wake, watch.changed()).await.is_ok() {
            return Woken::News;
        }
        if until.is_some_and(|until| until <= Instant::now()) {
            return Woken::TimeOver;
        }
    }
}

/// Waits until a task has ended or waits for its caller, and reads it. When the house stops, or the wait has lasted as
/// long as the settings allow, it is read as it is: the caller goes on with `GetTask` or `SubscribeToTask`.
pub(super) async fn until_rest(call: &Call, id: TaskId) -> Result<TaskRead, A2aError> {
    let engine = &call.house.engine;
    let until = Instant::now() + call.house.settings.longest_wait;
    let mut watch = engine.watch_rest(id);
    let looked = engine.reader().is_at_rest(&call.viewer, id);
    let mut rests = looked.map_err(failure::engine)? != Some(false);
    loop {
        if rests {
            let read = call.read(id)?;
            let state = map::shown(&call.viewer, &read);
            if state.is_terminal() || state.is_interrupted() {
                return Ok(read);
            }
        }
        match news(call, &mut watch, Some(until)).await {
            Woken::News => rests = true,
            Woken::Stopping | Woken::TimeOver => return call.read(id),
        }
    }
}
