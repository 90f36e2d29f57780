//! The residents of the house: what runs agents that no program of the user's serves. They claim work like any worker,
//! through the worker SDK and over HTTP, and know nothing of the engine.
//!
//! [`Runners`] asks a [`Directory`] which versions of which agents say `runner: a2a`, and lets an [`a2a`] runner work for
//! each. It claims those versions only: the others are worked on by programs of the user's.
//!
//! ```no_run
//! use tertulia_acts::allowance::Allowance;
//! use tertulia_runners::{Directory, Runners};
//! use tertulia_worker::CancellationToken;
//!
//! # async fn example(directory: impl Directory) {
//! let shutdown = CancellationToken::new();
//! Runners::new(directory, Allowance::loopback()).run(shutdown).await;
//! # }
//! ```

pub mod a2a;
mod supervision;

pub use supervision::{Directory, Runners, Versions};
