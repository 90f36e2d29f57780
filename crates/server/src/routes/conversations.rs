//! Conversations: read, closed, migrated.

use axum::{Json, extract::State};
use serde::Deserialize;
use tertulia_acts::{
    command::{Close, Command},
    ids::ConversationId,
};
use utoipa::IntoParams;

use super::{Answered, receipted};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Asked, Given, Named},
    problem::Problem,
    sight::Sight,
    view::{act::ActView, conversation::ConversationView, receipt::Receipted},
    wire::{conversation::MigrateIn, operation::Nothing, task::limit},
};

/// A page of numbered rows.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct After {
    /// After this number.
    #[serde(default)]
    pub(crate) after: u32,
    /// How many, at most; 100 is the most there can be.
    pub(crate) limit: Option<usize>,
}

/// A conversation with a page of its acts.
#[utoipa::path(
    get, path = "/v1/conversations/{id}", tag = "principals",
    params(("id" = String, Path), After, ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "The conversation", body = ConversationView)),
)]
pub(crate) async fn get(
    State(app): State<App>,
    sight: Sight,
    Named(id): Named<ConversationId>,
    Asked(page): Asked<After>,
) -> Answered<ConversationView> {
    let limit = limit(page.limit)?;
    let reader = app.engine.reader();
    let absent = || Problem::not_found(format_args!("conversation {id}"));
    let acts = reader
        .acts(&sight.viewer, id, page.after, limit)?
        .ok_or_else(absent)?;
    let conversation = reader.conversation(&sight.viewer, id)?.ok_or_else(absent)?;
    let last = acts.last().map(|act| act.envelope.id.seq);
    let next = last.filter(|last| *last < conversation.last_seq);
    let acts = acts.into_iter().map(ActView::from).collect();
    Ok(Json(ConversationView::new(conversation, acts, next)))
}

/// Closes a conversation. Refused while tasks in it are open.
#[utoipa::path(
    post, path = "/v1/conversations/{id}/close", tag = "principals",
    request_body = Nothing,
    params(("id" = String, Path)),
    responses((status = 200, description = "What came of it", body = Receipted)),
)]
pub(crate) async fn close(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(conversation): Named<ConversationId>,
    Given(Nothing {}): Given<Nothing>,
) -> Answered<Receipted> {
    let command = Command::Close(caller.clone(), Close { conversation });
    receipted(&app, &caller, command).await
}

/// Pins one participant to another version, for tasks accepted later.
#[utoipa::path(
    post, path = "/v1/conversations/{id}/migrate", tag = "principals",
    request_body = MigrateIn,
    params(("id" = String, Path)),
    responses((status = 200, description = "What came of it", body = Receipted)),
)]
pub(crate) async fn migrate(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(conversation): Named<ConversationId>,
    Given(given): Given<MigrateIn>,
) -> Answered<Receipted> {
    let command = Command::Migrate(caller.clone(), given.into_command(conversation));
    receipted(&app, &caller, command).await
}
