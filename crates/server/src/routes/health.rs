//! Whether the process lives, and whether it takes work.

use axum::extract::State;
use http::StatusCode;

use crate::{
    app::App,
    problem::{Code, Problem},
};

/// The process lives.
#[utoipa::path(
    get, path = "/healthz", tag = "operators", security(()),
    responses((status = 200, description = "It does", body = String, content_type = "text/plain")),
)]
pub(crate) async fn lives() -> &'static str {
    "ok\n"
}

/// The process takes work: it does not shut down, and the last batch could be stored.
#[utoipa::path(
    get, path = "/readyz", tag = "operators", security(()),
    responses((status = 200, description = "It does", body = String, content_type = "text/plain")),
)]
pub(crate) async fn takes_work(
    State(app): State<App>,
) -> Result<(StatusCode, &'static str), Problem> {
    if app.engine.draining() {
        return Err(Problem::new(Code::Draining, "the process shuts down"));
    }
    if !app.engine.is_ready() {
        let detail = "the last batch could not be stored; the server's log tells why";
        return Err(Problem::new(Code::StorageUnavailable, detail));
    }
    Ok((StatusCode::OK, "ok\n"))
}
