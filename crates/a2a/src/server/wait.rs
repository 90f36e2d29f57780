//! Waiting until a task is at rest. Whoever hangs up meanwhile cancels nothing.

use std::time::Duration;

use tertulia_acts::ids::TaskId;
use tertulia_engine::{Watch, read::TaskRead};

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
}

/// Waits for news.
pub(super) async fn news(call: &Call, watch: &mut Watch) -> Woken {
    loop {
        if call.house.engine.draining() {
            return Woken::Stopping;
        }
        let changed = tokio::time::timeout(LOOK_EVERY, watch.changed()).await;
        if changed.is_ok() {
            return Woken::News;
        }
    }
}

/// Waits until a task has ended or waits for its caller, and reads it. When the house stops, it is read as it is.
pub(super) async fn until_rest(call: &Call, id: TaskId) -> Result<TaskRead, A2aError> {
    let engine = &call.house.engine;
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
        if news(call, &mut watch).await == Woken::Stopping {
            return call.read(id);
        }
        rests = true;
    }
}
