//! The door: the native API over HTTP (docs/api.md), its credentials, its OpenAPI document, streams of events, health
//! and metrics.
//!
//! ```no_run
//! use tertulia_engine::{DataFolder, Engine, Options};
//! use tertulia_server::{Auth, Settings, router, serve};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Engine::start(&Options { data: DataFolder::Temporary })?;
//! let settings = Settings::new(Auth::Required);
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
//! serve(listener, router(engine, settings), std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```

#![expect(
    unused_qualifications,
    reason = "the macro that describes a call names its parameters by a path that is longer than it must be"
)]

mod a2a;
mod app;
mod auth;
mod body;
mod door;
mod headers;
mod listen;
mod openapi;
mod problem;
mod routes;
mod sight;
mod trace;
mod unread;
mod view;
mod wire;

pub use self::{
    app::{Auth, Settings},
    auth::identify,
    door::{dress, native, router},
    listen::{Bounds, serve, serve_within},
    openapi::document,
    problem::{Code, Problem},
};
