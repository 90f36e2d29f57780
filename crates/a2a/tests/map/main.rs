//! The map against golden files: each case's image must be, byte for byte, what `tests/golden-map` holds. To accept a
//! change on purpose, run with `TERTULIA_BLESS=1` and read the difference before it is committed.

#![expect(
    clippy::unwrap_used,
    clippy::needless_pass_by_value,
    reason = "helpers of tests are tests, and read best at their calls"
)]

mod events;
mod inwards;
mod rows;
mod states;

use std::path::Path;

use serde::Serialize;

/// Compares the JSON of a value with a golden file, or writes it.
fn golden(name: &str, value: &impl Serialize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden-map")
        .join(format!("{name}.json"));
    let found = format!("{}\n", serde_json::to_string_pretty(value).unwrap());
    if std::env::var_os("TERTULIA_BLESS").is_some() {
        std::fs::write(&path, found).unwrap();
        return;
    }
    let expected = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; see TERTULIA_BLESS", path.display()));
    assert_eq!(found, expected, "{name}");
}
