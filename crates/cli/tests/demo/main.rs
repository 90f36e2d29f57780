//! The demo as whoever clones the repository sees it: the real binary, piped.
#![expect(
    clippy::unwrap_used,
    reason = "functions shared by tests, which clippy does not see as tests"
)]

mod citations;
mod killed;
mod run;
mod story;
