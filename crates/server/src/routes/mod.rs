//! The calls, one file for each kind of thing.

pub(crate) mod acts;
pub(crate) mod agents;
pub(crate) mod artifacts;
pub(crate) mod asks;
pub(crate) mod batch;
pub(crate) mod claims;
pub(crate) mod commitments;
pub(crate) mod conversations;
pub(crate) mod dead_letters;
pub(crate) mod definitions;
pub(crate) mod events;
pub(crate) mod health;
pub(crate) mod hops;
pub(crate) mod inbox;
pub(crate) mod keys;
pub(crate) mod metrics;
pub(crate) mod principals;
pub(crate) mod tasks;

use std::time::Duration;

use axum::Json;
use serde::Deserialize;
use tertulia_acts::{
    command::{Answer, Caller, Command},
    ids::TenantId,
    party::Party,
    receipt::Outcome,
};
use tertulia_engine::Seat;
use utoipa::IntoParams;

use crate::{app::App, problem::Problem, sight::Sight, view::receipt::Receipted, wire::claim};

/// What a handler answers.
pub(crate) type Answered<T> = Result<Json<T>, Problem>;

/// How long a call waits.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Waits {
    /// Waits so many milliseconds for the task to end or to ask, at most a minute.
    wait_ms: Option<u64>,
}

impl Waits {
    /// How long, if at all.
    pub(crate) fn span(&self) -> Option<Duration> {
        let millis = self.wait_ms.filter(|millis| *millis > 0)?;
        Some(Duration::from_millis(millis).min(claim::wait_most()))
    }

    /// A place to wait in, if it waits: held until the call has ended.
    pub(crate) fn seat(
        &self,
        app: &App,
        tenant: TenantId,
        party: &Party,
    ) -> Result<Option<Seat>, Problem> {
        let seat = self.span().map(|_| app.engine.seat(tenant, party));
        Ok(seat.transpose()?)
    }
}

/// What came of a command, and whether it had come of it before.
pub(crate) async fn outcome(app: &App, command: Command) -> Result<(Outcome, bool), Problem> {
    match app.engine.call(command).await? {
        Answer::Outcome { outcome, replayed } => Ok((outcome, replayed)),
        Answer::Fault(fault) => Err(fault.into()),
        Answer::Granted(_) | Answer::Pulses(_) => Err(Problem::internal(
            "a command was answered what another asks for",
        )),
    }
}

/// Carries out a command outside any hop.
pub(crate) async fn receipted(app: &App, caller: &Caller, command: Command) -> Answered<Receipted> {
    let (outcome, replayed) = outcome(app, command).await?;
    let receipt = Sight::of(&app.engine, caller).receipt(outcome, None)?;
    Ok(Json(Receipted { receipt, replayed }))
}
