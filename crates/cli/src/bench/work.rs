//! The worker of the bench: it claims as much as there is and settles in batches, as a lean program would.

use std::time::Duration;

use tertulia_worker::{
    CancellationToken, Client,
    wire::{BatchItem, Claim, Operation, Part},
};
use tokio::task::JoinSet;

/// Claims that wait at once.
const LOOPS: usize = 2;
/// Leases of one claim.
const LEASES: u32 = 64;

/// Workers that run until they are stopped.
pub(super) struct Workers {
    tasks: JoinSet<()>,
    stop: CancellationToken,
}

impl Workers {
    /// Starts them.
    pub(super) fn start(url: &str, agent: &'static str) -> Self {
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        for _ in 0..LOOPS {
            let (url, stop) = (url.to_owned(), stop.clone());
            tasks.spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = work(&url, agent) => {}
                }
            });
        }
        Self { tasks, stop }
    }

    /// Stops them.
    pub(super) async fn stop(mut self) {
        self.stop.cancel();
        while self.tasks.join_next().await.is_some() {}
    }
}

async fn work(url: &str, agent: &str) {
    // The load meets the same url and tells.
    let Ok(client) = Client::new(url, None) else {
        return;
    };
    loop {
        let Ok(leases) = client
            .claim(&Claim::new(agent, LEASES, Duration::from_secs(5)))
            .await
        else {
            // The load tells of a server that does not answer; here one only waits for it.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let replies: Vec<BatchItem> = leases
            .iter()
            .map(|lease| {
                let reply = Operation::Reply {
                    parts: vec![Part::text("done")],
                    artifacts: Vec::new(),
                };
                BatchItem::new(lease.token.clone(), reply)
            })
            .collect();
        if !replies.is_empty() {
            // One that is lost is claimed again when its lease ends; the load would tell.
            let _settled = client.batch(&replies).await;
        }
    }
}
