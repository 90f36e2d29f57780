//! What happens at the peer when the work here is broken off: it is cancelled there too, if the task was cancelled or
//! its time was over. A worker that drains, or a lease that was lost, cancels nothing: another goes on.
//!
//! What was being sent when the work was broken off may have become a task at the peer all the same: it is looked for.
//!
//! A task that is parked on a question of the peer has no lease, so that no heartbeat tells of its end: it is looked
//! after until it is taken up again. What is parked when this process ends is not; its end does not reach the peer.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tertulia_a2a::client::Peer;
use tertulia_worker::{Assignment, Client, Context, Outcome, wire::TaskState};

use super::sending::{Intended, Listed, listed};

/// How often to look how the task ended.
const LOOKS: u32 = 5;
/// How long between looks.
const BETWEEN: Duration = Duration::from_secs(1);
/// How long between looks at two parked tasks, so that many of them are no load.
const BETWEEN_PARKED: Duration = Duration::from_millis(50);

/// Cancels at the peer when it is dropped before the task came to its end there, if the task here is over by then.
pub(super) struct Parting {
    what: Option<What>,
}

#[derive(Clone)]
struct What {
    client: Client,
    task: String,
    peer: Arc<Peer>,
    remote: Remote,
}

/// What the peer has of the task.
#[derive(Clone)]
enum Remote {
    /// Nothing.
    Nothing,
    /// Perhaps the request.
    Perhaps(Intended),
    /// A task of this id.
    Task(String),
}

impl Parting {
    pub(super) fn new(ctx: &Context, task: &Assignment, peer: &Arc<Peer>) -> Self {
        Self {
            what: Some(What {
                client: ctx.client().clone(),
                task: task.task.id.clone(),
                peer: Arc::clone(peer),
                remote: Remote::Nothing,
            }),
        }
    }

    /// The request is about to be sent.
    pub(super) fn sends(&mut self, intended: &Intended) {
        self.is(Remote::Perhaps(intended.clone()));
    }

    /// It is a task of this id at the peer.
    pub(super) fn sent(&mut self, remote: &str) {
        self.is(Remote::Task(remote.to_owned()));
    }

    fn is(&mut self, remote: Remote) {
        if let Some(what) = &mut self.what {
            what.remote = remote;
        }
    }

    /// The handler came to its end. Where another attempt is to follow, the task may be over all the same.
    pub(super) fn ends(mut self, with: &Outcome) {
        if !matches!(with, Outcome::Fail { retry: true, .. }) {
            self.what = None;
        }
    }

    /// The handler waits for an answer, without a lease.
    pub(super) fn park(mut self, parked: &Parked) {
        if let Some(what) = self.what.take() {
            parked.watch(what);
        }
    }
}

impl Drop for Parting {
    fn drop(&mut self) {
        let has_something = |what: &What| !matches!(what.remote, Remote::Nothing);
        let Some(what) = self.what.take().filter(has_something) else {
            return;
        };
        // Outside a runtime the program is ending, and nothing can be sent any more.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(cancel_if_over(what));
        }
    }
}

async fn cancel_if_over(what: What) {
    for _ in 0..LOOKS {
        match what.look(&what.client).await {
            Some(Stands::Over) => return what.cancel().await,
            // Another attempt goes on, or it has its end.
            Some(Stands::Open | Stands::Ended) => return,
            None => {}
        }
        tokio::time::sleep(BETWEEN).await;
    }
}

/// How a task stands here, as far as the peer is concerned.
enum Stands {
    /// It may be taken up again.
    Open,
    /// It has an end that is the peer's own, or is seen no longer.
    Ended,
    /// It was cancelled, or failed without the peer: there is nothing more to do there.
    Over,
}

impl What {
    async fn look(&self, client: &Client) -> Option<Stands> {
        match client.task(&self.task).await {
            Ok(task) => Some(match task.state {
                TaskState::Cancelled | TaskState::Cancelling | TaskState::Failed => Stands::Over,
                state if state.is_terminal() => Stands::Ended,
                _ => Stands::Open,
            }),
            Err(error) => {
                tracing::debug!(task = self.task, %error, "a look at a task failed");
                None
            }
        }
    }

    async fn cancel(&self) {
        let Some(remote) = self.remote().await else {
            tracing::info!(task = self.task, "there is nothing to cancel at the peer");
            return;
        };
        match self.peer.cancel(&remote).await {
            Ok(_) => tracing::info!(task = self.task, "cancelled at the peer"),
            Err(error) => tracing::warn!(task = self.task, %error, "not cancelled at the peer"),
        }
    }
}

impl What {
    /// The task's id at the peer. A request that was under way may become a task a little later.
    async fn remote(&self) -> Option<String> {
        let intended = match &self.remote {
            Remote::Nothing => return None,
            Remote::Task(remote) => return Some(remote.clone()),
            Remote::Perhaps(intended) => intended,
        };
        for _ in 0..LOOKS {
            match listed(&self.peer, intended).await {
                Ok(Listed::There(remote)) => return Some(remote),
                Ok(_) => {}
                Err(error) => tracing::debug!(task = self.task, %error, "the peer lists nothing"),
            }
            tokio::time::sleep(BETWEEN).await;
        }
        None
    }
}

/// The tasks that are parked on a question of their peer.
#[derive(Clone, Default)]
pub(super) struct Parked {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    tasks: BTreeMap<String, What>,
    watched: bool,
    /// Through which one looks: the one whose credential is the latest.
    client: Option<Client>,
}

impl Parked {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, one looks through this client.
    pub(super) fn look_through(&self, client: Client) {
        self.kept().client = Some(client);
    }

    /// A task was taken up again: whoever works on it sees its end.
    pub(super) fn resumed(&self, task: &str) {
        self.kept().tasks.remove(task);
    }

    fn watch(&self, what: What) {
        let mut kept = self.kept();
        kept.tasks.insert(what.task.clone(), what);
        if !std::mem::replace(&mut kept.watched, true) {
            tokio::spawn(watch(self.clone()));
        }
    }

    /// The next task after `seen`, and through which client to look at it. None ends the round.
    fn after(&self, seen: Option<&String>) -> Option<(What, Client)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let kept = self.kept();
        let from = seen.map_or(Unbounded, Excluded);
        let (_, what) = kept.tasks.range::<String, _>((from, Unbounded)).next()?;
        let client = kept.client.as_ref().unwrap_or(&what.client).clone();
        Some((what.clone(), client))
    }

    /// Whether there is nothing to look at any more; then the watch ends, and the next task begins another.
    fn rests(&self) -> bool {
        let mut kept = self.kept();
        kept.watched = !kept.tasks.is_empty();
        !kept.watched
    }
}

/// Looks at all parked tasks, round after round, until none is left.
async fn watch(parked: Parked) {
    while !parked.rests() {
        tokio::time::sleep(BETWEEN).await;
        let mut seen = None;
        while let Some((what, client)) = parked.after(seen.as_ref()) {
            match what.look(&client).await {
                Some(Stands::Over) => {
                    parked.resumed(&what.task);
                    what.cancel().await;
                }
                Some(Stands::Ended) => parked.resumed(&what.task),
                Some(Stands::Open) | None => {}
            }
            seen = Some(what.task);
            tokio::time::sleep(BETWEEN_PARKED).await;
        }
    }
}
