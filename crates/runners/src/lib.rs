//! The residents of the house: what runs agents that no program of the user's serves. They claim work like any worker,
//! through the worker SDK and over HTTP, and know nothing of the engine.
//!
//! [`Runners`] looks which agents say `runner: a2a` and lets an [`a2a`] runner work for each.
//!
//! ```no_run
//! use tertulia_runners::Runners;
//! use tertulia_worker::{CancellationToken, Client, Error};
//!
//! # async fn example() -> Result<(), Error> {
//! let client = Client::new("http://127.0.0.1:7300", None)?;
//! let shutdown = CancellationToken::new();
//! Runners::new(client).run(shutdown).await;
//! # Ok(())
//! # }
//! ```

pub mod a2a;
mod supervision;

pub use supervision::{Directory, Runners};
