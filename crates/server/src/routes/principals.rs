//! Principals: the people and services of a tenant.

use axum::{Json, extract::State};
use serde::Serialize;
use tertulia_acts::{
    command::{Command, Configure},
    party::Party,
    tenant::Principal,
};
use utoipa::ToSchema;

use super::{Answered, outcome};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Given, Named},
    sight::Sight,
    view::instant::Instant,
    wire::principal::PrincipalIn,
};

/// A principal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Principal)]
pub(crate) struct PrincipalView {
    /// Who it is.
    #[schema(value_type = String)]
    party: Party,
    /// Who answers for what it starts, if it is a service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    responsible: Option<Party>,
    /// Whether it adds principals and makes keys for them.
    administers: bool,
    /// When it was added.
    created_at: Instant,
}

impl From<Principal> for PrincipalView {
    fn from(row: Principal) -> Self {
        Self {
            party: row.party,
            responsible: row.responsible,
            administers: row.administers,
            created_at: Instant(row.made),
        }
    }
}

/// The principals that the caller may see.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Principals)]
pub(crate) struct PrincipalsView {
    principals: Vec<PrincipalView>,
}

/// What adding a principal came to.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AddedPrincipal)]
pub(crate) struct AddedPrincipalView {
    /// Who it is.
    #[schema(value_type = String)]
    party: Party,
    /// Whether anything is other than before.
    changed: bool,
}

/// All principals of the tenant, for its administrators; for others, themselves.
#[utoipa::path(
    get, path = "/v1/principals", tag = "agents",
    responses((status = 200, description = "The principals, by name", body = PrincipalsView)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
) -> Answered<PrincipalsView> {
    let sight = Sight::of(&app.engine, &caller);
    let rows = app.engine.reader().principals(&sight.viewer)?;
    Ok(Json(PrincipalsView {
        principals: rows.into_iter().map(PrincipalView::from).collect(),
    }))
}

/// Adds a principal, or changes who answers for it and whether it administers. Only administrators do.
#[utoipa::path(
    put, path = "/v1/principals/{party}", tag = "agents",
    params(("party" = String, Path, description = "`user:NAME` or `service:NAME`")),
    request_body = PrincipalIn,
    responses((status = 200, description = "Whether that changed anything", body = AddedPrincipalView)),
)]
pub(crate) async fn put(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Named(party): Named<Party>,
    Given(given): Given<PrincipalIn>,
) -> Answered<AddedPrincipalView> {
    let configure = Configure::Principal {
        tenant: caller.tenant,
        party: party.clone(),
        responsible: given.responsible,
        administers: given.administers,
    };
    let command = Command::Configure(Some(caller), Box::new(configure));
    let (_, replayed) = outcome(&app, command).await?;
    Ok(Json(AddedPrincipalView {
        party,
        changed: !replayed,
    }))
}
