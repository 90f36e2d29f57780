//! The pinned definition of a remote agent, and a client for what it names.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use serde::Deserialize;
use tertulia_a2a::client::{Peer, Settings};
use tertulia_acts::agent::{RemoteAgent, Runner};
use tertulia_worker::{Assignment, Context, HandlerError};

/// How long one call of a peer may take: less than a lease that was just prolonged lasts for certain, which is two
/// heartbeats.
const CALL: Duration = Duration::from_secs(15);

/// Clients by the digest of the version that names their peer. A version never changes.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    peers: Mutex<HashMap<String, Arc<Peer>>>,
}

/// `GET /v1/agents/{name}/versions/{digest}`, as far as it matters here.
#[derive(Deserialize)]
struct Version {
    definition: Definition,
}

#[derive(Deserialize)]
struct Definition {
    runner: Runner,
}

impl Definitions {
    /// The peer that the pinned definition of the task's agent names, or why there is none.
    pub(super) async fn peer(
        &self,
        ctx: &Context,
        task: &Assignment,
    ) -> Result<Result<Arc<Peer>, String>, HandlerError> {
        let Some(digest) = &task.agent.version else {
            return Err(HandlerError::new("the lease names no version"));
        };
        let known = || self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(peer) = known().get(digest) {
            return Ok(Ok(Arc::clone(peer)));
        }
        let Runner::A2a(remote) = fetch(ctx, &task.agent.name, digest).await? else {
            let text = "the conversation is pinned to a version that is run by a worker";
            return Err(HandlerError::new(text));
        };
        let settings = match settings(&remote) {
            Ok(settings) => settings,
            Err(why) => return Ok(Err(why)),
        };
        let peer = match Peer::new(&settings) {
            Ok(peer) => Arc::new(peer),
            Err(error) => return Ok(Err(error.to_string())),
        };
        // A token from the environment may be there only after a restart; so only what could be set up is kept.
        known().insert(digest.clone(), Arc::clone(&peer));
        Ok(Ok(peer))
    }
}

async fn fetch(ctx: &Context, name: &str, digest: &str) -> Result<Runner, HandlerError> {
    let client = ctx.client();
    let mut url = client.base().clone();
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty()
            .extend(["v1", "agents", name, "versions", digest]);
    }
    let response = client.http().get(url).timeout(CALL).send().await?;
    let version: Version = response.error_for_status()?.json().await?;
    Ok(version.definition.runner)
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
