//! Sending.

use axum::{Json, extract::State};
use tertulia_acts::{
    command::{Command, Send},
    receipt::Outcome,
};

use super::{Answered, Waits, outcome};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Asked, Given},
    headers::{HOP_TOKEN, Key, Token},
    problem::Problem,
    sight::Sight,
    view::receipt::{ReceiptView, Receipted},
    wire::opening::OpeningIn,
};

/// Sends an opening act outside a hop. It opens a root of its own.
#[utoipa::path(
    post, path = "/v1/acts", tag = "principals",
    request_body = OpeningIn,
    params(Waits, ("Idempotency-Key" = Option<String>, Header, description = "Makes it safe to repeat")),
    responses((status = 200, description = "What came of it, a refuse too", body = Receipted)),
)]
pub(crate) async fn send(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Key(key): Key,
    Token(token): Token,
    Asked(waits): Asked<Waits>,
    Given(opening): Given<OpeningIn>,
) -> Answered<Receipted> {
    // Ignored, it would open a root that forgets who asked.
    if token.is_some() {
        let what = "under a hop token an act is a `delegate`: send it to /v1/hops/delegate";
        return Err(Problem::malformed(HOP_TOKEN, what));
    }
    let send = Send {
        opening: opening.outside()?,
        key,
    };
    let _seat = waits.seat(&app, caller.tenant, &caller.party)?;
    let command = Command::Send(caller.clone(), Box::new(send));
    let (outcome, replayed) = outcome(&app, command).await?;
    let sight = Sight::of(&app.engine, &caller);
    if let (Some(wait), Outcome::Accepted { task, act }) = (waits.span(), &outcome)
        && let Some(read) = app.engine.ended(&sight.viewer, *task, wait).await?
    {
        sight.holds()?;
        let task = Box::new(sight.show(read)?);
        return Ok(Json(Receipted {
            receipt: ReceiptView::Accepted { task, act: *act },
            replayed,
        }));
    }
    let receipt = sight.receipt(outcome, None)?;
    Ok(Json(Receipted { receipt, replayed }))
}
