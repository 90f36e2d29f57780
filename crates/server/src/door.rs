//! The door put together: routes, and what stands around each call.

use std::{any::Any, sync::Arc};

use axum::{
    Router, middleware,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{HeaderName, header};
use tertulia_engine::Engine;
use tower_http::{
    catch_panic::CatchPanicLayer,
    request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer},
    sensitive_headers::SetSensitiveRequestHeadersLayer,
};

use crate::{
    a2a,
    app::{App, Settings},
    headers::HOP_TOKEN,
    openapi,
    problem::{Code, Problem},
    trace, unread,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The native API and the agents over A2A, complete.
pub fn router(engine: Engine, settings: Settings) -> Router {
    let agents = a2a::agents(engine.clone(), settings.clone());
    dress(native(engine, settings).merge(agents))
}

/// The routes of the native API alone, to be merged with those of other protocols and then [`dress`]ed.
pub fn native(engine: Engine, settings: Settings) -> Router {
    let (router, _) = openapi::calls(settings.public_url.as_deref());
    let app = App {
        engine,
        settings: Arc::new(settings),
    };
    router
        .route("/openapi.json", get(openapi::show))
        .with_state(app)
}

/// What stands around each call, of whatever protocol: a request id, a trace, an answer where there is no such address,
/// and one where a handler panics.
pub fn dress(router: Router) -> Router {
    let secret = [
        header::AUTHORIZATION,
        HeaderName::from_static("x-api-key"),
        HeaderName::from_static(HOP_TOKEN),
    ];
    router
        .fallback(|| async { Problem::new(Code::NotFound, "there is nothing at this address") })
        .method_not_allowed_fallback(|| async {
            Problem::new(
                Code::MethodNotAllowed,
                "this address has other methods; see /openapi.json",
            )
        })
        .layer(middleware::map_request(unread::read_on))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(trace::layer())
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .layer(SetRequestIdLayer::new(REQUEST_ID, MakeRequestUuid))
        .layer(SetSensitiveRequestHeadersLayer::new(secret))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the layer hands over what a panic left"
)]
fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let what = panic
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a handler panicked".to_owned());
    Problem::internal(what).into_response()
}
