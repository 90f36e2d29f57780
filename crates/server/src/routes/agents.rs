//! Finding agents.

use axum::{Json, extract::State};
use serde::Deserialize;
use tertulia_acts::ids::TaskId;
use utoipa::IntoParams;

use super::{Answered, dead_letters::entry};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Asked, Named},
    problem::Problem,
    sight::Sight,
    view::{
        agent::{AgentView, AgentsView},
        listing::{Counted, MailboxView},
    },
    wire::{agent::AgentQuery, task::limit},
};

/// The agents of the caller's tenant that are found by what is named.
#[utoipa::path(
    get, path = "/v1/agents", tag = "agents",
    params(AgentQuery),
    responses((status = 200, description = "The agents, by name", body = AgentsView)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Asked(query): Asked<AgentQuery>,
) -> Answered<AgentsView> {
    let all = app.engine.reader().agents(caller.tenant)?;
    let found = all.into_iter().filter(|read| !read.agent.retired);
    let found = found.filter(|read| query.finds(&read.version.definition));
    let agents = found.map(|read| {
        let waited_for = app.engine.has_worker(caller.tenant, &read.agent.name);
        AgentView::new(read, waited_for)
    });
    Ok(Json(AgentsView {
        agents: agents.collect(),
    }))
}

/// An agent with its current version; a retired one too.
#[utoipa::path(
    get, path = "/v1/agents/{name}", tag = "agents",
    params(("name" = String, Path)),
    responses((status = 200, description = "The agent", body = AgentView)),
)]
pub(crate) async fn get(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(name): Named<String>,
) -> Answered<AgentView> {
    let read = app
        .engine
        .reader()
        .agent(caller.tenant, &name)?
        .ok_or_else(|| absent(&name))?;
    let waited_for = app.engine.has_worker(caller.tenant, &name);
    Ok(Json(AgentView::new(read, waited_for)))
}

/// An agent that is not there, or is of another tenant.
pub(super) fn absent(name: &str) -> Problem {
    let name: String = name.chars().take(80).collect();
    Problem::not_found(format_args!("agent:{name}"))
}

/// A page of a mailbox.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AfterTask {
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<TaskId>,
    /// How many, at most; 100 is the most there can be.
    limit: Option<usize>,
}

/// What an agent has to do, the oldest first: for the agent and its owner.
#[utoipa::path(
    get, path = "/v1/agents/{name}/mailbox", tag = "agents",
    params(("name" = String, Path), AfterTask),
    responses((status = 200, description = "A page of its open deliveries", body = MailboxView)),
)]
pub(crate) async fn mailbox(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(name): Named<String>,
    Asked(query): Asked<AfterTask>,
) -> Answered<MailboxView> {
    let sight = Sight::of(&app.engine, &caller);
    let limit = limit(query.limit)?;
    let found = app
        .engine
        .reader()
        .mailbox(&sight.viewer, &name, query.after, limit)?;
    let page = found.ok_or_else(|| absent(&name))?;
    let deliveries = page.rows.into_iter().map(|task| entry(&sight, task));
    let Counted {
        total,
        total_is_more,
    } = page.total.into();
    Ok(Json(MailboxView {
        deliveries: deliveries.collect::<Result<_, _>>()?,
        total,
        total_is_more,
        next: page.next.map(|id| id.to_string()),
    }))
}
