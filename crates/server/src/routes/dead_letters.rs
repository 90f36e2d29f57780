//! Dead letters.

use axum::{Json, extract::State};
use serde::Deserialize;
use tertulia_acts::{delivery::Delivery, ids::TaskId, task::Task};
use utoipa::IntoParams;

use super::Answered;
use crate::{
    app::App,
    auth::Authenticated,
    body::Asked,
    problem::Problem,
    sight::Sight,
    view::{
        instant::Instant,
        listing::{Counted, DeadLetterView, DeadLettersView},
        task::TaskView,
    },
    wire::task::limit,
};

/// A page of dead letters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Before {
    /// The `next` of the page before.
    #[param(value_type = Option<String>)]
    before: Option<TaskId>,
    /// How many, at most; 100 is the most there can be.
    limit: Option<usize>,
}

/// Dead letters of what the caller asked, and of agents that it is or owns, the newest first.
#[utoipa::path(
    get, path = "/v1/dead-letters", tag = "principals",
    params(Before),
    responses((status = 200, description = "A page of them", body = DeadLettersView)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Asked(query): Asked<Before>,
) -> Answered<DeadLettersView> {
    let sight = Sight::of(&app.engine, &caller);
    let limit = limit(query.limit)?;
    let page = app
        .engine
        .reader()
        .dead_letters(&sight.viewer, query.before, limit)?;
    let letters = page.rows.into_iter().map(|task| letter(&sight, task));
    let Counted {
        total,
        total_is_more,
    } = page.total.into();
    Ok(Json(DeadLettersView {
        dead_letters: letters.collect::<Result<_, _>>()?,
        total,
        total_is_more,
        next: page.next.map(|id| id.to_string()),
    }))
}

fn letter(sight: &Sight, task: Task) -> Result<DeadLetterView, Problem> {
    let Delivery::Dead { reason, at } = task.now.delivery else {
        return Err(Problem::internal(format!(
            "{} is listed as dead and is not",
            task.id()
        )));
    };
    Ok(DeadLetterView {
        reason,
        attempts: task.now.attempts,
        last_error: task.now.last_error.clone(),
        at: Instant(at),
        task: entry(sight, task)?,
    })
}

/// A task of a mailbox: with its acts for whom it may be seen by, else the row alone (SEMANTICS 13).
pub(super) fn entry(sight: &Sight, task: Task) -> Result<TaskView, Problem> {
    if let Some(view) = sight.task(task.id())? {
        return Ok(view);
    }
    let waiting = sight.waiting(&task)?;
    let mut view = TaskView::from(task);
    view.waiting = waiting;
    Ok(view)
}
