//! The wire format against protobuf's own JSON, against bad input, and against chance.

#![expect(
    clippy::unwrap_used,
    reason = "in a test, a failed unwrap is the failure to report"
)]

mod errors;
mod golden;
mod property;
mod reading;
mod refusing;
