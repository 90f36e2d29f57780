//! The house: it takes commands in, lets `acts` decide them over facts from the store, and answers when that is durable.
//!
//! [`core`] is synchronous and knows only a store and what is handed in; [`Engine`] is the shell around it: lanes, one
//! writer thread, timers, and wake-ups for those who watch. No rule is decided here and no protocol is known.

pub mod catalog;
mod clock;
pub mod core;
mod credentials;
mod engine;
mod error;
mod lanes;
mod metrics;
mod pause;
mod standing;
mod waits;
mod watch;
mod writer;

// What reads return, for those who translate it: they know the engine, not the store.
pub use tertulia_store::{StoreError, read};

pub use self::{
    clock::{Clock, SystemClock},
    engine::{DataFolder, Engine, Options, StartError},
    error::{Answered, EngineError},
    metrics::{LATENCY_BUCKETS, Metrics, Snapshot},
    waits::Seat,
    watch::Watch,
    writer::EXIT_DISK,
};
