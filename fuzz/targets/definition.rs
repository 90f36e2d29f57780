//! An agent's definition: read or refused with its place, never a panic; what was read is written and read again.

use tertulia_engine::catalog::{parse_definition, parse_definition_json, to_markdown};

pub(crate) fn run(bytes: &[u8]) {
    let _read_or_refused = parse_definition_json(bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    match parse_definition(text) {
        Ok(definition) => {
            let again =
                parse_definition(&to_markdown(&definition)).expect("what was written can be read");
            assert_eq!(
                again.digest(),
                definition.digest(),
                "a version changed by being written and read"
            );
        }
        Err(error) => assert!(error.to_string().len() < 8_192, "an error without an end"),
    }
}
