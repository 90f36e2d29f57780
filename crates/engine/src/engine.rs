//! The engine: the one API of the house. A call is put in its lane and answered when it is durable.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::JoinHandle,
    time::Duration,
};

use tertulia_acts::{
    command::{Answer, Caller, Claim, Command, Configure},
    digest::{Digest, Ids},
    facts::Fault,
    ids::{ConversationId, TaskId, TenantId},
    limits::{JUDGEMENTS, WAITS_PER_CALLER},
    party::Party,
    task::TaskState,
    time::Timestamp,
    viewer::Viewer,
};
use tertulia_store::{Checkpointer, Reader, Sqlite, Store as _, StoreError, read::TaskRead};
use tokio::sync::oneshot;

use crate::{
    clock::{Clock, SystemClock, Time},
    core::{Core, Job},
    credentials::Credentials,
    error::{Answered, EngineError},
    lanes::{Full, Lane, Lanes},
    metrics::Metrics,
    standing::Standing,
    waits::{Seat, Waits},
    watch::{Hub, Watch},
    writer::{Waiting, Writer},
};

/// How often a call that waits looks by itself, beside being woken: then it also sees that the engine stops.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often the log is moved to the file.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(2);
/// When to send again after the engine was overloaded.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Where the data lies.
#[derive(Debug, Clone)]
pub enum DataFolder {
    /// In this folder; it is made if it is not there.
    Path(PathBuf),
    /// In a folder that goes with the engine.
    Temporary,
}

/// How an engine is started.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the data lies.
    pub data: DataFolder,
}

/// What the engine's threads share.
pub(crate) struct Shared {
    pub(crate) lanes: Lanes<Waiting>,
    pub(crate) hub: Hub,
    pub(crate) standing: Standing,
    waits: Waits,
    pub(crate) metrics: Metrics,
    pub(crate) credentials: Credentials,
    pub(crate) time: Time,
    /// Whether the last batch could be stored.
    pub(crate) stored: AtomicBool,
    draining: AtomicBool,
    reader: Reader,
    folder: PathBuf,
    threads: Mutex<Vec<JoinHandle<()>>>,
    _temporary: Option<tempfile::TempDir>,
}

/// The engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    shared: Arc<Shared>,
}

/// Why an engine did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The storage could not be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder could not be made, or a thread not be started.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl Engine {
    /// Opens the data and starts the writer.
    ///
    /// # Errors
    /// The folder is in use, its data cannot be read, or it was made by a newer version.
    pub fn start(options: &Options) -> Result<Self, StartError> {
        Self::start_with(options, Box::new(SystemClock))
    }

    /// The same, with a clock of one's own.
    ///
    /// # Errors
    /// See [`Engine::start`].
    pub fn start_with(options: &Options, clock: Box<dyn Clock>) -> Result<Self, StartError> {
        let (folder, temporary) = match &options.data {
            DataFolder::Path(path) => (path.clone(), None),
            DataFolder::Temporary => {
                let folder = tempfile::Builder::new().prefix("tertulia-").tempdir()?;
                (folder.path().to_owned(), Some(folder))
            }
        };
        let mut store = Sqlite::open(&folder)?;
        let last = store.last_now()?.unwrap_or(Timestamp(0));
        let reader = store.reader()?;
        let checkpointer = store.checkpointer()?;
        let shared = Arc::new(Shared {
            lanes: Lanes::new(),
            hub: Hub::default(),
            standing: Standing::default(),
            waits: Waits::default(),
            metrics: Metrics::default(),
            credentials: Credentials::default(),
            time: Time::new(clock, last),
            stored: AtomicBool::new(true),
            draining: AtomicBool::new(false),
            reader,
            folder,
            threads: Mutex::default(),
            _temporary: temporary,
        });
        let writer = Writer::new(Core::new(store), Arc::clone(&shared), last)?;
        let writing = std::thread::Builder::new()
            .name("writer".into())
            .spawn(move || writer.run())?;
        let weak = Arc::downgrade(&shared);
        let moving = std::thread::Builder::new()
            .name("checkpoint".into())
            .spawn(move || checkpoints(checkpointer, &weak))?;
        shared
            .threads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend([writing, moving]);
        Ok(Self { shared })
    }

    /// Carries out a command, and answers when that is durable. A command that was judged by a configuration that has
    /// changed since is judged again.
    ///
    /// # Errors
    /// See [`EngineError`].
    pub async fn call(&self, mut command: Command) -> Answered {
        self.carry_out(&mut command).await
    }

    /// The same; leaves in the command the caller as it was judged at last.
    async fn carry_out(&self, command: &mut Command) -> Answered {
        for _ in 0..JUDGEMENTS {
            match self.submit(command.clone()).await? {
                Answer::Fault(Fault::Stale) => self.judge_again(command)?,
                answer => return Ok(answer),
            }
        }
        Err(EngineError::Busy)
    }

    async fn submit(&self, command: Command) -> Answered {
        let (reply, answered) = oneshot::channel();
        let (lane, bytes) = (Lane::of(&command), command.weight());
        // The seed of the command's ids is drawn here, by the shell.
        let job = Job {
            command,
            ids: Ids::new(rand::random()),
        };
        match self.shared.lanes.push(lane, Waiting { job, reply }, bytes) {
            Ok(()) => {}
            Err(Full::Closed) => return Err(EngineError::Draining),
            Err(Full::Overloaded) => {
                self.shared.metrics.overload();
                return Err(EngineError::Overloaded {
                    retry_after: RETRY_AFTER,
                });
            }
        }
        answered.await.unwrap_or(Err(EngineError::Draining))
    }

    fn judge_again(&self, command: &mut Command) -> Result<(), EngineError> {
        let Some(caller) = command.caller_mut() else {
            return Err(EngineError::Internal(
                "a command without a caller was judged".into(),
            ));
        };
        let Shared {
            credentials,
            reader,
            ..
        } = &*self.shared;
        if let Some(key) = caller.credential {
            let old = caller.epoch;
            let look = || credentials.look_up(reader, key);
            *caller = look()?.ok_or(EngineError::Revoked)?;
            if caller.epoch == old {
                // What is remembered is as old as what was judged.
                credentials.forget();
                *caller = look()?.ok_or(EngineError::Revoked)?;
            }
        } else {
            let tenant = reader.tenant(caller.tenant)?;
            caller.epoch = tenant.ok_or(EngineError::Revoked)?.epoch;
        }
        Ok(())
    }

    /// Claims work; where there is none, waits for it, at most `wait`.
    ///
    /// # Errors
    /// See [`EngineError`].
    pub async fn claim(&self, mut caller: Caller, claim: Claim, wait: Duration) -> Answered {
        let notify = self.shared.hub.agent(caller.tenant, &claim.agent);
        let until = tokio::time::Instant::now() + wait;
        let mut seat = None;
        loop {
            // In line before it looks: what comes while it looks wakes it, or whoever waits next.
            let mut woken = std::pin::pin!(notify.notified());
            woken.as_mut().enable();
            let mut command = Command::Claim(caller.clone(), claim.clone());
            let answer = self.carry_out(&mut command).await?;
            if let Some(judged) = command.caller_mut() {
                // Judged again, it stays so for the looks that follow.
                caller.clone_from(judged);
            }
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            if !answer.grants_nothing() || left.is_zero() || self.draining() {
                return Ok(answer);
            }
            if seat.is_none() {
                seat = Some(self.seat(caller.tenant, &caller.party)?);
            }
            let mut place = self.shared.standing.stand(&caller, &claim);
            let looks_anyway = tokio::time::timeout(left.min(LOOK_EVERY), woken);
            let answered = tokio::select! {
                biased;
                answer = place.answered() => Some(answer?),
                _ = looks_anyway => {
                    if place.leave() { None } else { Some(place.answered().await?) }
                }
            };
            match answered {
                // It is judged again with the next look.
                None | Some(Answer::Fault(Fault::Stale)) => {}
                Some(answer) if answer.grants_nothing() => {}
                Some(answer) => return Ok(answer),
            }
        }
    }

    /// How many claims wait for work now.
    #[must_use]
    pub fn claims_waiting(&self) -> usize {
        self.shared.standing.len()
    }

    /// A place for one more call of a caller that waits or streams: whoever does so holds one, and takes it before
    /// anything is stored.
    ///
    /// # Errors
    /// So many calls of this caller wait already ([`WAITS_PER_CALLER`]).
    pub fn seat(&self, tenant: TenantId, party: &Party) -> Result<Seat, EngineError> {
        let most = WAITS_PER_CALLER;
        let seat = self.shared.waits.sit(tenant, party);
        seat.ok_or(EngineError::TooManyWaits { most })
    }

    /// Waits until a task has ended, or asks something of the viewer, at most `wait`, and reads it.
    ///
    /// # Errors
    /// The storage failed.
    pub async fn ended(
        &self,
        viewer: &Viewer,
        task: TaskId,
        wait: Duration,
    ) -> Result<Option<TaskRead>, EngineError> {
        let mut watch = self.watch_rest(task);
        let until = tokio::time::Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            let last = left.is_zero() || self.draining();
            if last || self.shared.reader.is_at_rest(viewer, task)? != Some(false) {
                let read = self.shared.reader.task(viewer, task)?;
                let waits = read.as_ref().is_some_and(|read| goes_on(viewer, read));
                if !waits || last {
                    return Ok(read);
                }
            }
            let _looks_anyway = tokio::time::timeout(left.min(LOOK_EVERY), watch.changed()).await;
        }
    }

    /// Reads, from the last commit.
    #[must_use]
    pub fn reader(&self) -> &Reader {
        &self.shared.reader
    }

    /// The instant now. It never goes back: where the clock was set back, time goes on from where it was.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.shared.time.now()
    }

    /// For whom a key speaks, if it speaks for anyone.
    ///
    /// # Errors
    /// The storage failed.
    pub fn authenticate(&self, key: &str) -> Result<Option<Caller>, EngineError> {
        Ok(self
            .shared
            .credentials
            .look_up(&self.shared.reader, Digest::of(key.as_bytes()))?)
    }

    /// Whether the credential of a caller still speaks for it. Whoever waits or streams asks before it answers: a key may
    /// be revoked meanwhile.
    ///
    /// # Errors
    /// It was revoked, or the storage failed.
    pub fn holds(&self, caller: &Caller) -> Result<(), EngineError> {
        let Some(key) = caller.credential else {
            return Ok(());
        };
        match self.shared.credentials.look_up(&self.shared.reader, key)? {
            Some(_) => Ok(()),
            None => Err(EngineError::Revoked),
        }
    }

    /// A party as a caller that needs no credential: for `dev`, and for the house's own runners.
    ///
    /// # Errors
    /// The storage failed.
    pub fn trusted(&self, tenant: &str, party: &Party) -> Result<Option<Caller>, EngineError> {
        let credentials = &self.shared.credentials;
        Ok(credentials.trusted(&self.shared.reader, tenant, party)?)
    }

    /// Makes the tenant called `name`, if there is none, and tells its number.
    ///
    /// # Errors
    /// See [`EngineError`].
    pub async fn tenant(&self, name: &str) -> Result<TenantId, EngineError> {
        let tenants = self.shared.reader.tenants()?;
        if let Some(tenant) = tenants.iter().find(|tenant| tenant.name == name) {
            return Ok(tenant.id);
        }
        let id = TenantId(tenants.iter().map(|tenant| tenant.id.0).max().unwrap_or(0) + 1);
        self.call(Command::Configure(
            None,
            Box::new(Configure::Tenant {
                id,
                name: name.into(),
            }),
        ))
        .await?;
        Ok(id)
    }

    /// Waits for news of a task.
    #[must_use]
    pub fn watch_task(&self, id: TaskId) -> Watch {
        self.shared.hub.task(id)
    }

    /// Waits for a task to come to rest: to end, or to wait for somebody. What it passes on its way is no news.
    #[must_use]
    pub fn watch_rest(&self, id: TaskId) -> Watch {
        self.shared.hub.rest(id)
    }

    /// Waits for news of a conversation.
    #[must_use]
    pub fn watch_conversation(&self, id: ConversationId) -> Watch {
        self.shared.hub.conversation(id)
    }

    /// Whether a worker waits for work of this agent now.
    #[must_use]
    pub fn has_worker(&self, tenant: TenantId, agent: &str) -> bool {
        self.shared.hub.is_waited_for(tenant, agent)
    }

    /// The counters.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// Whether it takes work: it is not stopping, and the last batch could be stored.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.draining() && self.shared.stored.load(Ordering::Relaxed)
    }

    /// Whether it is stopping.
    #[must_use]
    pub fn draining(&self) -> bool {
        self.shared.draining.load(Ordering::Relaxed)
    }

    /// Where the data lies.
    #[must_use]
    pub fn folder(&self) -> &std::path::Path {
        &self.shared.folder
    }

    /// Begins to stop: waiting claims and reads return, and whoever asks is told.
    pub fn drain(&self) {
        self.shared.draining.store(true, Ordering::Relaxed);
    }

    /// Stops: what was taken in is stored and answered, nothing more is taken in.
    pub async fn stop(&self) {
        self.drain();
        self.shared.lanes.close();
        let threads = std::mem::take(
            &mut *self
                .shared
                .threads
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let joined = tokio::task::spawn_blocking(move || {
            threads
                .into_iter()
                .map(JoinHandle::join)
                .filter(Result::is_err)
                .count()
        });
        if !matches!(joined.await, Ok(0)) {
            tracing::error!("a thread of the engine ended by a panic");
        }
    }
}

/// Whether a task is neither over nor waiting for the viewer itself.
fn goes_on(viewer: &Viewer, read: &TaskRead) -> bool {
    if !read.task.is_open() {
        return false;
    }
    let asked = matches!(read.task.now.state, TaskState::AwaitingClarification { .. })
        && read.open_ask.as_ref().is_some_and(|(ask, _)| {
            matches!(&ask.addressee, tertulia_acts::ask::Addressee::Principal(party) if *party == viewer.party)
        });
    !asked
}

/// Moves the log to the file until the engine is gone or stops.
fn checkpoints(mut checkpointer: Checkpointer, shared: &std::sync::Weak<Shared>) {
    let step = Duration::from_millis(100);
    let mut since = Duration::ZERO;
    loop {
        std::thread::sleep(step);
        since += step;
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let stopping = shared.draining.load(Ordering::Relaxed);
        drop(shared);
        if since < CHECKPOINT_EVERY && !stopping {
            continue;
        }
        since = Duration::ZERO;
        match checkpointer.checkpoint() {
            Ok(_) => {}
            Err(error) if error.is_fatal() => {
                tracing::error!(%error, "fatal: the disk did not confirm a write; the process ends");
                std::process::exit(crate::writer::EXIT_DISK);
            }
            Err(error) => tracing::warn!(%error, "the log could not be moved to the file"),
        }
        if stopping {
            return;
        }
    }
}
