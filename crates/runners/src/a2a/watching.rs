//! How a task stands at a peer: by its stream where it streams, else asked again and again.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use tertulia_a2a::{
    client::{Error, Events, Peer},
    map::{Heard, heard},
    wire::{ErrorKind, Message, Role, StreamResponse, Task, TaskStatus, Timestamp},
};
use tokio::time::Instant;

/// The pause between two questions how a task stands, at first.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest.
const PAUSE_MOST: Duration = Duration::from_secs(5);
/// How long a peer may be away before the attempt is given up.
const PATIENCE: Duration = Duration::from_mins(1);

/// How the marks of waits for a credential begin.
const NEEDS_CREDENTIAL: &str = "needs-credential ";

/// What is new.
pub(super) enum News {
    /// The peer tells how far it is.
    Said(Box<Message>),
    /// It asks; by this mark the question is known again.
    Asks(String, Option<Box<Message>>),
    /// It waits for a credential, out of band; by this mark the wait is known again.
    NeedsCredential(String, Option<Box<Message>>),
    /// It no longer does, and says nothing else.
    HasCredential(String),
    /// It has ended.
    Ended(Box<Task>),
    /// The peer knows it no longer.
    Gone,
    /// The peer was away too long.
    Away(String),
    /// The peer answers what the protocol does not allow.
    Nonsense(String),
}

/// Watches one task.
pub(super) struct Watching {
    peer: Arc<Peer>,
    remote: String,
    events: Option<Events>,
    pause: Duration,
    failing: Option<Instant>,
    /// The messages and marks that were told.
    told: HashSet<String>,
    /// Whether it was told last that the peer waits for a credential.
    needs_credential: bool,
    /// What the peer said before the stream began that shows it.
    missed: VecDeque<Message>,
}

impl Watching {
    pub(super) fn new(peer: &Arc<Peer>, remote: &str) -> Self {
        Self {
            peer: Arc::clone(peer),
            remote: remote.to_owned(),
            events: None,
            pause: Duration::ZERO,
            failing: None,
            told: HashSet::new(),
            needs_credential: false,
            missed: VecDeque::new(),
        }
    }

    /// What was told by an earlier run is not told again.
    pub(super) fn was_told(&mut self, mark: &str) {
        self.needs_credential = mark.starts_with(NEEDS_CREDENTIAL);
        // A question is also a message of the peer's history, and no progress there; so is a wait for a credential.
        let question = mark
            .strip_prefix("asks ")
            .or_else(|| mark.strip_prefix(NEEDS_CREDENTIAL))
            .and_then(|rest| rest.split_once(' '));
        self.told.extend(question.map(|(id, _)| id.to_owned()));
        self.told.insert(mark.to_owned());
    }

    /// A task as its stream begins: what was said before it stands in the history alone.
    fn snapshot(&mut self, task: Task) -> TaskStatus {
        if matches!(heard(task.status.state), Heard::GoesOn) {
            let said = task
                .history
                .into_iter()
                .filter(|message| message.role == Role::Agent && !message.parts.is_empty());
            self.missed.extend(said);
        }
        task.status
    }

    /// Waits for what is new.
    pub(super) async fn next(&mut self) -> News {
        loop {
            while let Some(message) = self.missed.pop_front() {
                if self.told.insert(message.message_id.clone()) {
                    return News::Said(Box::new(message));
                }
            }
            let status = match self.status().await {
                Ok(status) => {
                    self.failing = None;
                    status
                }
                Err(Error::Peer(error)) if error.kind == ErrorKind::TaskNotFound => {
                    return News::Gone;
                }
                Err(Error::Nonsense(why)) => return News::Nonsense(why),
                Err(error) => {
                    self.events = None;
                    let since = *self.failing.get_or_insert_with(Instant::now);
                    if since.elapsed() > PATIENCE {
                        return News::Away(error.to_string());
                    }
                    continue;
                }
            };
            if let Some(news) = self.judge(status).await {
                return news;
            }
        }
    }

    /// The next status: from the stream, from a new one, or asked for.
    async fn status(&mut self) -> Result<TaskStatus, Error> {
        if let Some(events) = &mut self.events {
            loop {
                match events.next().await? {
                    Some(StreamResponse::Task(task)) => return Ok(self.snapshot(task)),
                    Some(StreamResponse::StatusUpdate(update)) => return Ok(update.status),
                    // Artifacts are read with the task's end.
                    Some(StreamResponse::ArtifactUpdate(_) | StreamResponse::Message(_)) => {}
                    None => break,
                }
            }
            self.events = None;
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).clamp(PAUSE, PAUSE_MOST);
        if self.peer.streams().await?
            && let Ok(events) = self.peer.subscribe(&self.remote).await
        {
            self.events = Some(events);
            // The stream begins with the task; a peer whose stream does not is asked.
            if let Some(Ok(Some(StreamResponse::Task(task)))) = self.first().await {
                return Ok(self.snapshot(task));
            }
        }
        Ok(self.peer.get(&self.remote, Some(0)).await?.status)
    }

    async fn first(&mut self) -> Option<Result<Option<StreamResponse>, Error>> {
        Some(self.events.as_mut()?.next().await)
    }

    async fn judge(&mut self, status: TaskStatus) -> Option<News> {
        match heard(status.state) {
            Heard::GoesOn => {
                let waited = std::mem::replace(&mut self.needs_credential, false);
                let said = status.message.filter(|message| {
                    !message.parts.is_empty() && self.told.insert(message.message_id.clone())
                });
                match said {
                    Some(message) => Some(News::Said(message)),
                    None if waited => {
                        let at = at(status.timestamp);
                        Some(News::HasCredential(format!("has-credential {at}")))
                    }
                    None => None,
                }
            }
            Heard::NeedsCredential => {
                let id = status.message.as_ref().map(|message| &message.message_id);
                let id = id.cloned().unwrap_or_default();
                let mark = format!("{NEEDS_CREDENTIAL}{id} {}", at(status.timestamp));
                // One wait is told once, whatever instant a peer gives it each time it is asked.
                let waits = std::mem::replace(&mut self.needs_credential, true);
                let new = self.told.insert(mark.clone()) && !waits;
                // Its words are no progress when they are found in the history.
                self.told.insert(id);
                new.then_some(News::NeedsCredential(mark, status.message))
            }
            Heard::Asks => {
                let mark = mark(&status);
                // The same question may be seen again, until the peer has taken its answer in.
                let new = self.told.insert(mark.clone());
                let id = status
                    .message
                    .as_ref()
                    .map(|message| message.message_id.clone());
                self.told.extend(id);
                new.then_some(News::Asks(mark, status.message))
            }
            Heard::Result | Heard::Ended { .. } => {
                // Read whole, since a stream tells only what changed.
                match self.peer.get(&self.remote, Some(0)).await {
                    Ok(task) => Some(News::Ended(Box::new(task))),
                    Err(Error::Peer(error)) if error.kind == ErrorKind::TaskNotFound => {
                        Some(News::Gone)
                    }
                    Err(error) => {
                        tracing::debug!(%error, "the end of a task could not be read yet");
                        self.events = None;
                        None
                    }
                }
            }
        }
    }
}

/// What a question is known again by.
pub(super) fn mark(status: &TaskStatus) -> String {
    let id = status
        .message
        .as_ref()
        .map_or("", |message| &message.message_id);
    format!("asks {id} {}", at(status.timestamp))
}

fn at(timestamp: Option<Timestamp>) -> i64 {
    timestamp.map_or(0, Timestamp::as_millis)
}
