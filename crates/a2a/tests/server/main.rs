//! The server over real sockets: an engine on a folder of its own, keys, and workers that act on the engine directly.

#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "helpers of tests are tests, and read best at their calls"
)]

mod cards;
mod house;
mod i01_outcomes;
mod i15_foreign;
mod keys;
mod listing;
mod peer;
mod protocol;
mod rest;
mod streams;
mod tasks;
mod under_hop;
mod worker;
