//! Claims and heartbeats.

use std::{fmt, time::Duration};

use serde::Deserialize;
use tertulia_acts::{
    command::Claim,
    digest::{ClaimSecret, Digest, HopToken},
    limits::{BATCH_ITEMS, CLAIM_LEASES, CLAIM_WAIT_MOST},
    party::is_name,
};
use utoipa::ToSchema;

use super::{line, object::read_as_object};
use crate::problem::Problem;

/// A request for work.
#[derive(Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Claim)]
pub(crate) struct ClaimIn {
    /// For this agent, by name.
    agent: String,
    /// So many leases at most; 1 where nothing is said, at most 64.
    #[serde(default = "one")]
    max: u32,
    /// How long to wait for work, in milliseconds; at most a minute.
    #[serde(default)]
    wait_ms: u64,
    /// What the worker calls this request: a repeat gets the same leases.
    request_id: String,
    /// What the worker drew with it: 32 to 128 random hex digits. Hop tokens are made from it.
    secret: String,
    /// What the worker calls itself.
    #[serde(default)]
    worker: Option<String>,
    /// The versions that it serves, by digest; any, if none is named.
    #[serde(default)]
    #[schema(value_type = Vec<String>)]
    versions: Vec<Digest>,
}

const fn one() -> u32 {
    1
}

impl fmt::Debug for ClaimIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The secret makes hop tokens: it is never shown.
        f.debug_struct("ClaimIn")
            .field("agent", &self.agent)
            .finish_non_exhaustive()
    }
}

impl ClaimIn {
    /// The claim, and how long it waits.
    pub(crate) fn into_command(self) -> Result<(Claim, Duration), Problem> {
        if !is_name(&self.agent) {
            let what = "expected the name of an agent, without `agent:`";
            return Err(Problem::malformed("agent", what));
        }
        if self.max == 0 || self.max > CLAIM_LEASES {
            let what = format!("expected 1 to {CLAIM_LEASES}");
            return Err(Problem::malformed("max", what));
        }
        if self.versions.len() > BATCH_ITEMS {
            let what = format!("at most {BATCH_ITEMS} digests are taken");
            return Err(Problem::malformed("versions", what));
        }
        line("request_id", &self.request_id)?;
        let worker = self.worker.unwrap_or_default();
        if !worker.is_empty() {
            line("worker", &worker)?;
        }
        let bytes = hex::decode(&self.secret)
            .map_err(|_| Problem::malformed("secret", "expected 32 to 128 hex digits"))?;
        let secret =
            ClaimSecret::new(bytes).map_err(|error| Problem::malformed("secret", error))?;
        let wait = Duration::from_millis(self.wait_ms).min(wait_most());
        let claim = Claim {
            agent: self.agent,
            max: self.max,
            versions: self.versions,
            request: self.request_id,
            secret,
            worker,
        };
        Ok((claim, wait))
    }
}

/// How long a call may wait, at most.
pub(crate) fn wait_most() -> Duration {
    Duration::from_millis(CLAIM_WAIT_MOST.0.unsigned_abs())
}

/// A heartbeat for all the leases of a worker.
#[derive(Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Heartbeat)]
pub(crate) struct HeartbeatIn {
    /// Their tokens, at most 256.
    tokens: Vec<String>,
}

impl fmt::Debug for HeartbeatIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeartbeatIn")
            .field("tokens", &self.tokens.len())
            .finish()
    }
}

impl HeartbeatIn {
    /// The tokens.
    pub(crate) fn into_tokens(self) -> Result<Vec<HopToken>, Problem> {
        if self.tokens.is_empty() || self.tokens.len() > BATCH_ITEMS {
            let what = format!("expected 1 to {BATCH_ITEMS} tokens");
            return Err(Problem::malformed("tokens", what));
        }
        let tokens = self.tokens.iter().enumerate();
        let tokens = tokens.map(|(i, token)| {
            token
                .parse()
                .map_err(|error| Problem::malformed(&format!("tokens[{i}]"), error))
        });
        tokens.collect()
    }
}

read_as_object!(ClaimIn, HeartbeatIn);
