//! What happens at the peer when the work here is broken off: it is cancelled there too, if the task was cancelled or
//! its time was over. A worker that drains, or a lease that was lost, cancels nothing: another goes on.

use std::{sync::Arc, time::Duration};

use tertulia_a2a::client::Peer;
use tertulia_worker::{Assignment, Client, Context, wire::TaskState};

/// How often to look how the task ended.
const LOOKS: u32 = 5;
/// How long between looks.
const BETWEEN: Duration = Duration::from_secs(1);

/// Cancels at the peer when it is dropped before it was told to forget.
pub(super) struct Parting {
    what: Option<What>,
}

struct What {
    client: Client,
    task: String,
    peer: Arc<Peer>,
    remote: String,
}

impl Parting {
    pub(super) fn new(ctx: &Context, task: &Assignment, peer: &Arc<Peer>, remote: &str) -> Self {
        Self {
            what: Some(What {
                client: ctx.client().clone(),
                task: task.task.id.clone(),
                peer: Arc::clone(peer),
                remote: remote.to_owned(),
            }),
        }
    }

    /// The handler came to its end.
    pub(super) fn forget(mut self) {
        self.what = None;
    }
}

impl Drop for Parting {
    fn drop(&mut self) {
        let Some(what) = self.what.take() else {
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
        match what.client.task(&what.task).await.map(|task| task.state) {
            Ok(TaskState::Cancelled | TaskState::Cancelling | TaskState::Failed) => {
                match what.peer.cancel(&what.remote).await {
                    Ok(_) => tracing::info!(task = what.task, "cancelled at the peer"),
                    Err(error) => {
                        tracing::warn!(task = what.task, %error, "not cancelled at the peer");
                    }
                }
                return;
            }
            // Another attempt goes on, or it has its end.
            Ok(_) => return,
            Err(error) => tracing::debug!(task = what.task, %error, "a last look failed"),
        }
        tokio::time::sleep(BETWEEN).await;
    }
}
