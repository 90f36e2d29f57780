//! The program as the shell runs it: transcripts, exit codes, and a server with its client end to end.
#![expect(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod conversing;
mod keys;
mod program;
mod reading;
mod server;
mod stopping;

/// What people type and read. `TRYCMD=overwrite cargo test -p tertulia` writes the transcripts anew.
#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    cases
        .env("NO_COLOR", "1")
        .env("COLUMNS", "100")
        .case("tests/transcripts/*.md");
}
