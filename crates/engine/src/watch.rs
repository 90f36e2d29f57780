//! Watching: whoever waits for news of a task or a conversation, or for work, is woken after the commit that brings it.
//! A wake-up says only "look again": what there is, the store tells (SEMANTICS 15).

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tertulia_acts::ids::{ConversationId, TaskId, TenantId};
use tokio::sync::{Notify, watch};

use crate::core::News;

/// Who waits.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    tasks: Board<TaskId>,
    rests: Board<TaskId>,
    conversations: Board<ConversationId>,
    agents: Mutex<HashMap<(TenantId, String), Arc<Notify>>>,
}

#[derive(Debug)]
struct Board<K> {
    senders: Mutex<HashMap<K, watch::Sender<()>>>,
}

impl<K> Default for Board<K> {
    fn default() -> Self {
        Self {
            senders: Mutex::default(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing panics while it holds one of these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Hash + Eq> Board<K> {
    fn subscribe(&self, key: K) -> watch::Receiver<()> {
        let mut senders = lock(&self.senders);
        // Whoever is gone is forgotten before the board grows.
        if senders.len() >= 1024 && senders.len() == senders.capacity() {
            senders.retain(|_, sender| sender.receiver_count() > 0);
        }
        senders
            .entry(key)
            .or_insert_with(|| watch::channel(()).0)
            .subscribe()
    }

    fn wake<'a>(&self, keys: impl IntoIterator<Item = &'a K>)
    where
        K: 'a,
    {
        let mut senders = lock(&self.senders);
        if senders.is_empty() {
            return;
        }
        for key in keys {
            let gone = senders
                .get(key)
                .is_some_and(|sender| sender.send(()).is_err());
            if gone {
                senders.remove(key);
            }
        }
    }
}

/// Waits for news of one thing.
#[derive(Debug)]
pub struct Watch {
    receiver: watch::Receiver<()>,
}

impl Watch {
    /// Returns when there was a commit about it since the last call, or since the watch began.
    pub async fn changed(&mut self) {
        if self.receiver.changed().await.is_err() {
            // Nobody is left to tell: the engine is gone, and with it all news.
            std::future::pending::<()>().await;
        }
    }
}

impl Hub {
    pub(crate) fn task(&self, id: TaskId) -> Watch {
        Watch {
            receiver: self.tasks.subscribe(id),
        }
    }

    /// The same, of a task's coming to rest alone.
    pub(crate) fn rest(&self, id: TaskId) -> Watch {
        Watch {
            receiver: self.rests.subscribe(id),
        }
    }

    pub(crate) fn conversation(&self, id: ConversationId) -> Watch {
        Watch {
            receiver: self.conversations.subscribe(id),
        }
    }

    /// What wakes those who wait for work of an agent.
    pub(crate) fn agent(&self, tenant: TenantId, name: &str) -> Arc<Notify> {
        let mut agents = lock(&self.agents);
        // Names that nobody waits for are forgotten before the board grows; they may not even exist.
        if agents.len() >= 1024 && agents.len() == agents.capacity() {
            agents.retain(|_, notify| Arc::strong_count(notify) > 1);
        }
        Arc::clone(agents.entry((tenant, name.to_owned())).or_default())
    }

    /// Whether somebody waits for work of an agent now.
    pub(crate) fn is_waited_for(&self, tenant: TenantId, name: &str) -> bool {
        lock(&self.agents)
            .get(&(tenant, name.to_owned()))
            .is_some_and(|notify| Arc::strong_count(notify) > 1)
    }

    pub(crate) fn wake(&self, news: &News) {
        self.tasks.wake(&news.tasks);
        self.rests.wake(&news.rested);
        self.conversations.wake(&news.conversations);
        let agents = lock(&self.agents);
        for (agent, more) in &news.agents {
            if let Some(notify) = agents.get(agent) {
                // One waiter for each thing to do; one where capacity alone may have come free.
                for _ in 0..(*more).clamp(1, 256) {
                    notify.notify_one();
                }
            }
        }
    }
}
