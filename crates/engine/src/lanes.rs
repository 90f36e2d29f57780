//! The lanes before the writer: heartbeats, then what ends work, then claims, then posts, with a share of each batch for
//! every one that waits; bounded in number and bytes (SEMANTICS 14). Upkeep comes after them, with a share of its own: the
//! writer picks what is due itself.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tertulia_acts::{
    command::{Command, HopOperation},
    limits::{WRITER_QUEUE, WRITER_QUEUE_BYTES},
};

/// The lanes, in the order in which they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    Heartbeat,
    Settle,
    Claim,
    Post,
}

const LANES: usize = 4;

impl Lane {
    /// The lane that a command goes in.
    pub(crate) const fn of(command: &Command) -> Self {
        match command {
            Command::Heartbeat(..) => Self::Heartbeat,
            Command::UnderHop(_, under) => match under.operation {
                HopOperation::Delegate(_) | HopOperation::DelegateAll(_) => Self::Post,
                _ => Self::Settle,
            },
            Command::Answer(..) | Command::Cancel(..) => Self::Settle,
            Command::Claim(..) => Self::Claim,
            Command::Send(..)
            | Command::Redrive(..)
            | Command::Close(..)
            | Command::Migrate(..)
            | Command::Configure(..)
            | Command::Due(_) => Self::Post,
        }
    }
}

/// A bounded queue of so many lanes.
#[derive(Debug)]
pub(crate) struct Lanes<T> {
    state: Mutex<State<T>>,
    arrived: Condvar,
}

#[derive(Debug)]
struct State<T> {
    queues: [VecDeque<(T, usize)>; LANES],
    count: usize,
    bytes: usize,
    closed: bool,
    /// Whether somebody waits for something to arrive: waking nobody costs a system call too.
    awaited: bool,
}

/// Why something was not taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Full {
    /// There is too much already.
    Overloaded,
    /// Nothing is taken in any more.
    Closed,
}

impl<T> Lanes<T> {
    pub(crate) fn new() -> Self {
        let state = State {
            queues: Default::default(),
            count: 0,
            bytes: 0,
            closed: false,
            awaited: false,
        };
        Self {
            state: Mutex::new(state),
            arrived: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing panics while it holds this lock; a poisoned one is as good as any.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in a command of so many bytes.
    pub(crate) fn push(&self, lane: Lane, item: T, bytes: usize) -> Result<(), Full> {
        let mut state = self.lock();
        if state.closed {
            return Err(Full::Closed);
        }
        if state.count >= WRITER_QUEUE
            || (state.count > 0 && state.bytes + bytes > WRITER_QUEUE_BYTES)
        {
            return Err(Full::Overloaded);
        }
        state.queues[lane as usize].push_back((item, bytes));
        state.count += 1;
        state.bytes += bytes;
        let awaited = std::mem::take(&mut state.awaited);
        drop(state);
        if awaited {
            self.arrived.notify_one();
        }
        Ok(())
    }

    /// The next batch: what is there, at most `most`; if nothing is, waits for it, at most `wait`. None once it is closed
    /// and empty.
    pub(crate) fn take(&self, most: usize, wait: Duration) -> Option<Vec<T>> {
        let mut state = self.lock();
        if state.count == 0 && !state.closed {
            state.awaited = true;
            let waited = self.arrived.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            state.awaited = false;
        }
        if state.count == 0 && state.closed {
            return None;
        }
        let mut batch = Vec::with_capacity(most.min(state.count));
        // First a share for each lane, then by their order.
        for most_of_lane in [most / LANES, most] {
            for lane in 0..LANES {
                for _ in 0..most_of_lane {
                    if batch.len() >= most {
                        break;
                    }
                    let Some((item, bytes)) = state.queues[lane].pop_front() else {
                        break;
                    };
                    state.count -= 1;
                    state.bytes -= bytes;
                    batch.push(item);
                }
            }
        }
        Some(batch)
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().count
    }

    /// Takes nothing in any more; what is there is still handed out.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use tertulia_acts::{
        command::{Caller, Close},
        ids::{ConversationId, RootId, TenantId},
        party::Party,
    };

    use super::*;

    fn caller() -> Caller {
        Caller {
            tenant: TenantId(1),
            party: Party::agent("logs").unwrap(),
            epoch: 1,
            credential: None,
        }
    }

    fn post() -> Command {
        let conversation = ConversationId::new(RootId::from_bytes([0; 16]), 1);
        Command::Close(caller(), Close { conversation })
    }

    fn heartbeat() -> Command {
        Command::Heartbeat(caller(), Vec::new())
    }

    #[test]
    fn heartbeats_go_first_and_every_lane_has_a_share() {
        let lanes = Lanes::new();
        for n in 0..20 {
            lanes.push(Lane::of(&post()), n, 1).unwrap();
        }
        for n in 100..120 {
            lanes.push(Lane::of(&heartbeat()), n, 1).unwrap();
        }
        let batch = lanes.take(10, Duration::ZERO).unwrap();
        assert_eq!(batch, [100, 101, 0, 1, 102, 103, 104, 105, 106, 107]);
        assert_eq!(lanes.waiting(), 30);
    }

    #[test]
    fn it_is_bounded_in_number_and_bytes_and_takes_one_of_any_size() {
        let lanes = Lanes::new();
        lanes
            .push(Lane::of(&post()), 0, WRITER_QUEUE_BYTES * 2)
            .unwrap();
        assert_eq!(lanes.push(Lane::of(&post()), 1, 1), Err(Full::Overloaded));
        assert_eq!(lanes.take(10, Duration::ZERO).unwrap(), [0]);
        for n in 0..WRITER_QUEUE {
            lanes.push(Lane::of(&post()), n, 0).unwrap();
        }
        assert_eq!(lanes.push(Lane::of(&post()), 0, 0), Err(Full::Overloaded));
    }

    #[test]
    fn a_closed_one_hands_out_what_it_has_and_then_ends() {
        let lanes = Lanes::new();
        lanes.push(Lane::of(&post()), 7, 1).unwrap();
        lanes.close();
        assert_eq!(lanes.push(Lane::of(&post()), 8, 1), Err(Full::Closed));
        assert_eq!(lanes.take(10, Duration::ZERO), Some(vec![7]));
        assert_eq!(lanes.take(10, Duration::from_mins(1)), None);
    }
}
