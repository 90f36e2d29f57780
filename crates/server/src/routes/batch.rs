//! Several operations in one call.

use axum::{Json, extract::State};
use futures_util::future::join_all;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tertulia_acts::{command::Caller, digest::HopToken, ids::AskId, limits::BATCH_ITEMS};
use utoipa::ToSchema;

use super::{Answered, hops::carry_out};
use crate::wire::object::read_as_object;
use crate::{
    app::App,
    auth::Authenticated,
    body::{Given, value},
    headers::Step,
    problem::{Problem, ProblemView},
    view::receipt::Receipted,
    wire::{
        line,
        operation::{self, Sent, Source},
    },
};

/// Several operations.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Batch)]
pub(crate) struct BatchIn {
    /// The operations, at most 256. Those under one token are carried out in order.
    #[schema(value_type = Vec<BatchItem>)]
    operations: Vec<Map<String, Value>>,
}

/// One operation of a batch: these members, and beside them those of its body.
#[derive(Deserialize, ToSchema)]
pub(crate) struct BatchItem {
    /// The hop token that it is under.
    token: String,
    /// Its name.
    operation: String,
    /// The step's name.
    #[serde(default)]
    step: Option<String>,
    /// The ask in whose handling it is made.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    handling: Option<AskId>,
    /// Recorded steps that the run has come to, by ordinal.
    #[serde(default)]
    steps_read: Vec<u32>,
}

/// An operation that was read, with its place in the batch.
type Placed = (usize, Step, Sent);

/// The results, in the order of the operations.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BatchResults)]
pub(crate) struct BatchView {
    results: Vec<ResultView>,
}

/// What came of one operation.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[schema(as = BatchResult)]
pub(crate) enum ResultView {
    /// What it was answered.
    Receipted(Box<Receipted>),
    /// It could not be carried out.
    Problem {
        /// Why.
        problem: ProblemView,
    },
}

/// Carries out several operations. Each has a result of its own; one that fails stops no other.
#[utoipa::path(
    post, path = "/v1/hops/batch", tag = "workers",
    request_body = BatchIn,
    responses((status = 200, description = "The results, in order", body = BatchView)),
)]
pub(crate) async fn batch(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Given(given): Given<BatchIn>,
) -> Answered<BatchView> {
    if given.operations.is_empty() || given.operations.len() > BATCH_ITEMS {
        let what = format!("expected 1 to {BATCH_ITEMS} operations");
        return Err(Problem::malformed("operations", what));
    }
    // Those of one lease go one after the other, as a handler makes them; those of several go together.
    let mut leases: Vec<(HopToken, Vec<Placed>)> = Vec::new();
    let mut results: Vec<Option<ResultView>> = Vec::new();
    for (i, item) in given.operations.into_iter().enumerate() {
        match read(&format!("operations[{i}]"), item) {
            Ok((token, step, sent)) => {
                results.push(None);
                match leases.iter_mut().find(|(other, _)| *other == token) {
                    Some((_, operations)) => operations.push((i, step, sent)),
                    None => leases.push((token, vec![(i, step, sent)])),
                }
            }
            Err(problem) => results.push(Some(problem.into())),
        }
    }
    let all = leases
        .into_iter()
        .map(|(token, operations)| in_order(&app, &caller, token, operations));
    for (i, result) in join_all(all).await.into_iter().flatten() {
        results[i] = Some(result);
    }
    Ok(Json(BatchView {
        results: results.into_iter().flatten().collect(),
    }))
}

fn read(at: &str, mut item: Map<String, Value>) -> Result<(HopToken, Step, Sent), Problem> {
    let mut head = Map::new();
    for name in ["token", "operation", "step", "handling", "steps_read"] {
        head.extend(item.remove_entry(name));
    }
    let head: BatchItem = value(at, Value::Object(head))?;
    let token = head.token.parse();
    let token = token.map_err(|error| Problem::malformed(&format!("{at}.token"), error))?;
    if let Some(name) = &head.step {
        line(&format!("{at}.step"), name)?;
    }
    let step = Step {
        name: head.step,
        handling: head.handling,
        read: head.steps_read,
    };
    let operation = operation::named(&format!("{at}.operation"), &head.operation)?;
    let sent = operation::read(
        operation,
        Source::Member {
            at,
            value: Value::Object(item),
        },
    )?;
    Ok((token, step, sent))
}

async fn in_order(
    app: &App,
    caller: &Caller,
    token: HopToken,
    operations: Vec<Placed>,
) -> Vec<(usize, ResultView)> {
    let mut results = Vec::with_capacity(operations.len());
    for (i, step, sent) in operations {
        let result = carry_out(app, caller.clone(), token, step, sent).await;
        let view = match result {
            Ok(receipted) => ResultView::Receipted(Box::new(receipted)),
            Err(problem) => problem.into(),
        };
        results.push((i, view));
    }
    results
}

impl From<Problem> for ResultView {
    fn from(problem: Problem) -> Self {
        Self::Problem {
            problem: problem.view(),
        }
    }
}

read_as_object!(BatchIn);
