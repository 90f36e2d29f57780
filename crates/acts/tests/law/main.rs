//! The law, told in scenarios and searched with random ones: every command is decided and applied in a world without a
//! store, and after each the invariants are recomputed from the rows. A test that begins with `i07_` shows I7, and so on.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests fail as tests do, by a panic that tells where"
)]

mod asks;
mod authorization;
mod cancel;
mod check;
mod claims;
mod cold;
mod fanout;
mod gates;
mod keys;
mod leases;
mod mailbox;
mod notices;
mod owed;
mod random;
mod redrive;
mod reentry;
mod rounds;
mod tenants;
mod versions;
mod walkthrough;
mod words;
mod world;
