//! Calls of workers: claims, heartbeats, operations, batches. [`Worker`](crate::Worker) makes them for you.

use std::time::Duration;

use http::HeaderName;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    Client,
    acts::{HOP_TOKEN, IDEMPOTENCY_KEY},
};
use crate::{
    problem::{Error, Problem},
    wire::{
        BatchItem, Beat, Claim, Lease, Operation, Receipted,
        lease::{Beats, Leases},
    },
};

const HANDLING: HeaderName = HeaderName::from_static("handling");
const STEPS_READ: HeaderName = HeaderName::from_static("steps-read");

/// What goes with an operation that is a step (SEMANTICS 4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepHeaders<'a> {
    /// The step's name.
    pub name: Option<&'a str>,
    /// The ask in whose handling it is made.
    pub handling: Option<&'a str>,
    /// Ordinals of the recorded steps that the run has come to without calling.
    pub read: &'a [u32],
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Item {
    Problem { problem: Problem },
    Receipt(Receipted),
}

impl Client {
    /// Claims leases. Repeat the same claim until there is an answer: it then returns the same leases.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn claim(&self, claim: &Claim) -> Result<Vec<Lease>, Error> {
        let call = self.post(&["claims"]).lasting(claim.wait());
        let leases: Leases = call.json(claim).harmless().read().await?;
        Ok(leases.leases)
    }

    /// Prolongs leases, at most 256 at a time, within `most`. The answers are in the order of the tokens.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn heartbeat(&self, tokens: &[&str], most: Duration) -> Result<Vec<Beat>, Error> {
        let call = self.post(&["hops", "heartbeat"]).within(most);
        let body = json!({"tokens": tokens});
        let beats: Beats = call.json(&body).harmless().read().await?;
        Ok(beats.hops)
    }

    /// Carries out an operation under a hop token. It may be repeated: the same content gets the same receipt.
    ///
    /// # Errors
    /// The call could not be carried out. A refuse is no error but a receipt.
    pub async fn operate(
        &self,
        token: &str,
        operation: &Operation,
        step: StepHeaders<'_>,
    ) -> Result<Receipted, Error> {
        self.operate_with(token, operation.name(), operation, step)
            .await
    }

    /// The same, with a body that was rendered before.
    pub(crate) async fn operate_with<B: Serialize + ?Sized>(
        &self,
        token: &str,
        operation: &str,
        body: &B,
        step: StepHeaders<'_>,
    ) -> Result<Receipted, Error> {
        let mut call = self.post(&["hops", operation]).header(HOP_TOKEN, token);
        if let Some(name) = step.name {
            call = call.header(IDEMPOTENCY_KEY, name);
        }
        if let Some(ask) = step.handling {
            call = call.header(HANDLING, ask);
        }
        if !step.read.is_empty() {
            let ordinals: Vec<String> = step.read.iter().map(u32::to_string).collect();
            call = call.header(STEPS_READ, &ordinals.join(","));
        }
        call.json(body).harmless().receipt().await
    }

    /// Carries out up to 256 operations in one call. Each has a result of its own, in order.
    ///
    /// # Errors
    /// The call as a whole could not be carried out.
    pub async fn batch(
        &self,
        operations: &[BatchItem],
    ) -> Result<Vec<Result<Receipted, Problem>>, Error> {
        let call = self.post(&["hops", "batch"]);
        let body = json!({"operations": operations});
        let results: Results = call.json(&body).harmless().read().await?;
        let results = results.results.into_iter().map(|item| match item {
            Item::Problem { problem } => Err(problem),
            Item::Receipt(receipt) => Ok(receipt),
        });
        Ok(results.collect())
    }
}
