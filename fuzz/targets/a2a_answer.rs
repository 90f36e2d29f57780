//! An answer of an A2A peer to one of our calls: read or refused, never a panic.

use tertulia_a2a::wire::{Task, jsonrpc::parse_response};

pub(crate) fn run(bytes: &[u8]) {
    // Either way is fine: a peer may say anything.
    let _read_or_refused = parse_response::<Task>(bytes, 1024 * 1024);
}
