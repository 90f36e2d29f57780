//! A body of A2A's HTTP+JSON binding: read or refused, never a panic; what was read is written to what reads the same.

use tertulia_a2a::wire::{Limits, SendMessageRequest, rest::parse_body};

pub(crate) fn run(bytes: &[u8]) {
    let limits = Limits::generous();
    let Ok(request) = parse_body::<SendMessageRequest>(bytes, &limits) else {
        return;
    };
    let written = serde_json::to_vec(&request).expect("a request that was read can be written");
    let again =
        parse_body::<SendMessageRequest>(&written, &limits).expect("what was written can be read");
    assert_eq!(again, request);
}
