//! A principal's inbox, read by cursor.

use axum::{Json, extract::State};

use super::{Answered, conversations::After};
use crate::{
    app::App, auth::Authenticated, body::Asked, problem::Problem, sight::Sight,
    view::inbox::InboxView, wire::task::limit,
};

/// The entries of the caller's inbox after a number.
#[utoipa::path(
    get, path = "/v1/inbox", tag = "principals",
    params(After),
    responses((status = 200, description = "The entries, in order", body = InboxView)),
)]
pub(crate) async fn list(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Asked(page): Asked<After>,
) -> Answered<InboxView> {
    let limit = limit(page.limit)?;
    let sight = Sight::of(&app.engine, &caller);
    let found = app
        .engine
        .reader()
        .inbox(&sight.viewer, page.after, limit)?;
    if page.after > found.last {
        let what = format!(
            "the last entry is {}, and the cursor stands behind it",
            found.last
        );
        return Err(Problem::malformed("after", what));
    }
    let next = found.entries.last().map_or(page.after, |read| read.entry.n);
    let entries = found.entries.into_iter().map(Into::into).collect();
    Ok(Json(InboxView { entries, next }))
}
