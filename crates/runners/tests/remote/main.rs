//! Remote agents, run by the house: over real sockets, against a peer that does what the first word of a message says.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests; only tests themselves are exempt by configuration"
)]

mod ends;
mod house;
mod once;
mod peer;
mod tertulia;
