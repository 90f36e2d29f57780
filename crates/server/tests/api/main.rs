//! The native API over real sockets: a real engine in a folder of its own, called as programs call it.

#![expect(
    clippy::too_many_lines,
    reason = "a test tells a story from its beginning to its end, and a table of cases is as long as it is"
)]
#![expect(
    clippy::unwrap_used,
    reason = "what the tests share may panic as the tests themselves do"
)]

mod agents;
mod asks;
mod credentials;
mod documents;
mod foreign;
mod framing;
mod house;
mod input;
mod limits;
mod refusals;
mod streams;
mod tasks;
mod workers;
