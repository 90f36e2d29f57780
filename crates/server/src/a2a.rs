//! The agents of the house over A2A: the same callers as the native API, in that protocol's words.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use http::HeaderMap;
use tertulia_a2a::server::{self, Denied};
use tertulia_acts::limits::BLOCKING_WAIT_MOST;
use tertulia_engine::Engine;

use crate::{
    app::Settings,
    auth::identify,
    problem::{Code, Problem},
};

/// The routes of A2A.
pub(crate) fn agents(engine: Engine, settings: Settings) -> Router {
    let Settings {
        auth,
        public_url,
        default_agent,
        public_cards,
        allowance: _,
    } = settings;
    let house = engine.clone();
    let authenticator = move |headers: &HeaderMap, host: Option<&str>, peer: Option<SocketAddr>| {
        identify(&house, &auth, headers, host, peer).map_err(denied)
    };
    server::router(
        engine,
        server::Settings {
            authenticator: Arc::new(authenticator),
            base_url: public_url,
            default_agent,
            public_tenant: public_cards,
            longest_wait: Duration::from_millis(BLOCKING_WAIT_MOST.0.unsigned_abs()),
        },
    )
}

fn denied(problem: Problem) -> Denied {
    match problem.code {
        Code::Unauthenticated => Denied::Unauthenticated(problem.detail),
        Code::Forbidden => Denied::Forbidden(problem.detail),
        Code::Malformed => Denied::Malformed(problem.detail),
        _ => Denied::Unavailable(problem.detail),
    }
}
