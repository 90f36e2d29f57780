//! The bytes of artifacts.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, header};
use tertulia_acts::{digest::Digest, ids::RootId};

use crate::{app::App, body::Named, problem::Problem, sight::Sight};

/// The bytes of an artifact of a root.
#[utoipa::path(
    get, path = "/v1/roots/{root}/artifacts/{digest}", tag = "principals",
    params(("root" = String, Path), ("digest" = String, Path), ("Hop-Token" = Option<String>, Header)),
    responses((status = 200, description = "Its bytes", content_type = "application/octet-stream", body = [u8])),
)]
pub(crate) async fn get(
    State(app): State<App>,
    sight: Sight,
    Named((root, digest)): Named<(RootId, Digest)>,
) -> Result<Response, Problem> {
    let found = app.engine.reader().artifact(&sight.viewer, root, digest)?;
    let artifact =
        found.ok_or_else(|| Problem::not_found(format_args!("artifact {digest} of {root}")))?;
    let mut response = artifact.bytes.to_vec().into_response();
    let headers = response.headers_mut();
    // The author's media type is told and never acted on: foreign bytes are not to run in a browser.
    let kind = HeaderValue::from_str(&artifact.media_type)
        .unwrap_or(HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    let sandbox = HeaderValue::from_static("sandbox; default-src 'none'");
    headers.insert(header::CONTENT_SECURITY_POLICY, sandbox);
    headers.insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_static("attachment"),
    );
    Ok(response)
}
