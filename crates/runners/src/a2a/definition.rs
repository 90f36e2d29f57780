//! The pinned definition of a remote agent, and a client for what it names.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde::Deserialize;
use tertulia_a2a::client::{Peer, Settings};
use tertulia_acts::{
    agent::{RemoteAgent, Retry, Runner},
    allowance::Allowance,
};
use tertulia_worker::{Assignment, Context, HandlerError};

/// How long one call of a peer may take: less than a lease that was just prolonged lasts for certain, which is two
/// heartbeats.
const CALL: Duration = Duration::from_secs(15);

/// How often a version of an agent is tried.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tries(u32);

impl Tries {
    /// Whether the attempt that is under way is the last.
    pub(super) const fn are_over(self, task: &Assignment) -> bool {
        task.attempt >= self.0
    }
}

/// Where a version of an agent lives.
#[derive(Debug, Clone)]
pub(super) struct Residence {
    /// The peer, or why there is none.
    pub(super) peer: Result<Arc<Peer>, String>,
    /// How often it is tried.
    pub(super) tries: Tries,
}

/// Residences by the digest of the version that names them. A version never changes.
#[derive(Debug, Clone)]
pub(super) struct Definitions {
    allowance: Arc<Allowance>,
    known: Arc<Mutex<HashMap<String, Residence>>>,
}

/// `GET /v1/agents/{name}/versions/{digest}`, as far as it matters here.
#[derive(Deserialize)]
struct Version {
    definition: Definition,
}

#[derive(Deserialize)]
struct Definition {
    runner: Runner,
    #[serde(default)]
    retry: Retry,
}

impl Definitions {
    pub(super) fn new(allowance: Arc<Allowance>) -> Self {
        Self {
            allowance,
            known: Arc::default(),
        }
    }

    /// Where the pinned version of the task's agent lives.
    pub(super) async fn residence(
        &self,
        ctx: &Context,
        task: &Assignment,
    ) -> Result<Residence, HandlerError> {
        let Some(digest) = &task.agent.version else {
            return Err(HandlerError::new("the lease names no version"));
        };
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(residence) = known().get(digest) {
            return Ok(residence.clone());
        }
        let definition = fetch(ctx, &task.agent.name, digest).await?;
        let Runner::A2a(remote) = definition.runner else {
            // Only versions that live elsewhere are claimed.
            return Err(HandlerError::new("this version is run by a worker"));
        };
        // Judged here too: it may have been stored when more was allowed.
        let allowed = self.allowance.judge_remote(&remote);
        let peer = allowed
            .map_err(|error| error.to_string())
            .and_then(|()| settings(&remote))
            .and_then(|settings| Peer::new(&settings).map_err(|error| error.to_string()))
            .map(Arc::new);
        let residence = Residence {
            peer,
            tries: Tries(definition.retry.attempts()),
        };
        // A token from the environment may be there only after a restart; so only what could be set up is kept.
        if residence.peer.is_ok() {
            known().insert(digest.clone(), residence.clone());
        }
        Ok(residence)
    }
}

async fn fetch(ctx: &Context, name: &str, digest: &str) -> Result<Definition, HandlerError> {
    let client = ctx.client();
    let mut url = client.base().clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty()
            .extend(["v1", "agents", name, "versions", digest]);
    }
    let response = client.http().get(url).timeout(CALL).send().await?;
    let version: Version = response.error_for_status()?.json().await?;
    Ok(version.definition)
}

fn settings(remote: &RemoteAgent) -> Result<Settings, String> {
    let token = match &remote.token_env {
        None => None,
        Some(name) => Some(std::env::var(name).map_err(|_| {
            format!(
                "the environment variable {name}, which holds the token for {}, is not set",
                remote.url
            )
        })?),
    };
    let mut headers = BTreeMap::new();
    for (name, value) in &remote.headers {
        let value = match value {
            serde_json::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        headers.insert(name.clone(), value);
    }
    Ok(Settings {
        url: remote.url.clone(),
        token,
        headers,
        allow_private: remote.allow_private,
        timeout: CALL,
    })
}
