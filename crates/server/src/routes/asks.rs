//! Asks: read and answered.

use axum::{Json, extract::State};
use tertulia_acts::{command::Command, ids::AskId};

use super::{Answered, receipted};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Given, Named},
    headers::Key,
    problem::Problem,
    sight::Sight,
    view::{ask::AskView, listing::AsksView, receipt::Receipted},
    wire::answer::AnswerIn,
};

/// The asks that are open for the caller.
#[utoipa::path(
    get, path = "/v1/asks", tag = "principals",
    params(("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "The asks, the oldest first", body = AsksView)),
)]
pub(crate) async fn list(State(app): State<App>, sight: Sight) -> Answered<AsksView> {
    let asks = app.engine.reader().asks_open_for(&sight.viewer)?;
    let asks = asks
        .into_iter()
        .map(|(ask, question)| AskView::new(&ask, question, None));
    Ok(Json(AsksView {
        asks: asks.collect(),
    }))
}

/// An ask as it stands.
#[utoipa::path(
    get, path = "/v1/asks/{id}", tag = "principals",
    params(("id" = String, Path), ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "The ask", body = AskView)),
)]
pub(crate) async fn get(sight: Sight, Named(id): Named<AskId>) -> Answered<AskView> {
    let view = sight.ask(id)?;
    view.map(Json)
        .ok_or_else(|| Problem::not_found(format_args!("ask {id}")))
}

/// Answers an ask that is addressed to the caller, or says that there will be no answer.
#[utoipa::path(
    post, path = "/v1/asks/{id}/answer", tag = "principals",
    request_body = AnswerIn,
    params(("id" = String, Path), ("Idempotency-Key" = Option<String>, Header)),
    responses((status = 200, description = "What came of it", body = Receipted)),
)]
pub(crate) async fn answer(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Key(key): Key,
    Named(ask): Named<AskId>,
    Given(given): Given<AnswerIn>,
) -> Answered<Receipted> {
    let command = Command::Answer(caller.clone(), given.into_command(ask, key)?);
    receipted(&app, &caller, command).await
}
