//! Commitments.

use axum::{Json, extract::State};
use serde::Deserialize;
use tertulia_acts::ids::{CommitmentId, RootId};
use tertulia_engine::read::CommitmentFilter;
use utoipa::IntoParams;

use super::Answered;
use crate::{
    app::App,
    body::Asked,
    problem::Problem,
    sight::Sight,
    view::listing::{CommitmentsView, Counted},
    wire::task::{agent, limit},
};

/// Which commitments to list. What is not named does not matter.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CommitmentQuery {
    /// Under this root.
    #[param(value_type = Option<String>)]
    root: Option<RootId>,
    /// Of this status.
    status: Option<String>,
    /// Owed by this agent, by name.
    agent: Option<String>,
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    before: Option<CommitmentId>,
    /// How many, at most; 100 is the most there can be.
    limit: Option<usize>,
}

/// Every status.
const STATUSES: [&str; 7] = [
    "conditional",
    "active",
    "satisfied",
    "violated",
    "cancelled",
    "released",
    "transferred",
];

/// Commitments whose tasks the caller sees, the newest first.
#[utoipa::path(
    get, path = "/v1/commitments", tag = "principals",
    params(CommitmentQuery, ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "A page of them", body = CommitmentsView)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    sight: Sight,
    Asked(query): Asked<CommitmentQuery>,
) -> Answered<CommitmentsView> {
    if let Some(status) = &query.status
        && !STATUSES.contains(&status.as_str())
    {
        let what = format!("expected one of {}", STATUSES.join(", "));
        return Err(Problem::malformed("status", what));
    }
    let debtor = query.agent.as_deref().map(agent).transpose()?;
    let filter = CommitmentFilter {
        root: query.root,
        status: query.status,
        debtor: debtor.map(|party| party.name().to_owned()),
    };
    let limit = limit(query.limit)?;
    let page = app
        .engine
        .reader()
        .commitments(&sight.viewer, &filter, query.before, limit)?;
    let Counted {
        total,
        total_is_more,
    } = page.total.into();
    Ok(Json(CommitmentsView {
        commitments: page.rows.into_iter().map(Into::into).collect(),
        total,
        total_is_more,
        next: page.next.map(|id| id.to_string()),
    }))
}
