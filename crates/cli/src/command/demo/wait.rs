//! Waiting for news: one stream of events per conversation, all of which wake the same watcher.

use std::{sync::Arc, time::Duration};

use tertulia_worker::Client;
use tokio::{sync::Notify, task::JoinSet, time::Instant};

use crate::{exit::Exit, failure::Failure, output::Output};

/// How often the watcher looks by itself, beside being woken: for conversations that were just opened.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// After so long without news a person wants to know why.
const EXPLAIN_AFTER: Duration = Duration::from_secs(4);
/// After so long without news there will be none: a lost lease is taken up again within less.
const PATIENCE: Duration = Duration::from_mins(3);

/// The streams of all conversations that are known.
pub(super) struct Streams {
    client: Client,
    woken: Arc<Notify>,
    open: JoinSet<()>,
    quiet_since: Instant,
    explained: bool,
}

impl Streams {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            woken: Arc::default(),
            open: JoinSet::new(),
            quiet_since: Instant::now(),
            explained: false,
        }
    }

    /// Opens the stream of a conversation, from its beginning.
    pub(super) fn open(&mut self, conversation: &str) {
        let mut stream = self.client.conversation_events(conversation, 0);
        let woken = Arc::clone(&self.woken);
        self.open.spawn(async move {
            loop {
                match stream.next().await {
                    Ok(Some(_)) => woken.notify_one(),
                    Ok(None) => return,
                    Err(error) => {
                        tracing::warn!(%error, "a stream of events broke; looking without it");
                        return;
                    }
                }
            }
        });
    }

    /// Waits until there may be something new. Returns by itself after a while.
    ///
    /// # Errors
    /// There was no news for so long that none is to be expected.
    pub(super) async fn news(&mut self, output: Output) -> Result<(), Failure> {
        let woken = tokio::time::timeout(LOOK_EVERY, self.woken.notified()).await;
        if woken.is_ok() {
            self.quiet_since = Instant::now();
            return Ok(());
        }
        let quiet = self.quiet_since.elapsed();
        if quiet > EXPLAIN_AFTER && !self.explained {
            self.explained = true;
            output.note(
                "nothing is said just now; after a run that was cut off, its leases are waited for (30 s) before \
                 others go on",
            );
        }
        if quiet > PATIENCE {
            let text = format!("nothing was said for {} min", PATIENCE.as_secs() / 60);
            return Err(Failure::new(Exit::Ended, text).help(
                "start the demo again with the same --data to go on, or without to begin anew",
            ));
        }
        Ok(())
    }
}
