//! A JSON-RPC call of an A2A peer: read or refused with a code, never a panic; what was read is written and read again.

use tertulia_a2a::wire::{Limits, jsonrpc::parse_call};

pub(crate) fn run(bytes: &[u8]) {
    let limits = Limits::generous();
    match parse_call(bytes, &limits) {
        Ok(call) => {
            if let Err(error) = call.decode(&limits) {
                assert!(
                    error.to_json_rpc()["message"]
                        .as_str()
                        .is_some_and(|text| !text.is_empty()),
                    "a refusal says nothing"
                );
            }
        }
        Err(refused) => {
            assert!(
                refused.error.to_json_rpc()["code"]
                    .as_i64()
                    .is_some_and(|code| code < 0),
                "a refusal has no code"
            );
        }
    }
}
