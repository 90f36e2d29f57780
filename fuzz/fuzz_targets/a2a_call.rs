#![no_main]

#[path = "../targets/a2a_call.rs"]
mod target;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| target::run(bytes));
