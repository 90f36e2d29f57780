//! The law is pure: nothing that `acts` is built from does I/O, or knows a clock, randomness
//! or async (DESIGN 5). Clippy bans what the standard library offers: crates/acts/clippy.toml.

use anyhow::Result;
use serde_json::Value;

use super::Finding;
use crate::workspace::{Workspace, output};

const ACTS: &str = "tertulia-acts";

/// Crates that must not be found under `acts`, however deep.
const BANNED: [&str; 19] = [
    "async-std",
    "axum",
    "chrono",
    "fastrand",
    "futures",
    "futures-util",
    "getrandom",
    "hyper",
    "mio",
    "postgres",
    "rand",
    "rand_core",
    "reqwest",
    "rusqlite",
    "smol",
    "socket2",
    "tokio",
    "tokio-postgres",
    "tonic",
];

/// Checks everything that is compiled into `acts` when it is built alone.
pub(super) fn check(workspace: &Workspace, metadata: &Value) -> Result<Vec<Finding>> {
    let exists = metadata["packages"]
        .as_array()
        .is_some_and(|packages| packages.iter().any(|package| package["name"] == ACTS));
    if !exists {
        return Ok(vec![Finding::Error(format!(
            "the crate {ACTS} is missing (DESIGN 5)"
        ))]);
    }
    let mut tree = workspace.cargo();
    tree.args(["tree", "--package", ACTS, "--edges", "normal,no-proc-macro"]);
    tree.args(["--prefix", "none", "--format", "{p}", "--locked"]);
    Ok(banned_in(&output(&mut tree)?))
}

/// `tree` holds one package a line: its name, a space, its version.
fn banned_in(tree: &str) -> Vec<Finding> {
    BANNED
        .iter()
        .filter(|banned| {
            tree.lines()
                .any(|line| line.split(' ').next() == Some(banned))
        })
        .map(|banned| {
            Finding::Error(format!(
                "{ACTS} is built with {banned}: it has no I/O, clock, randomness or async \
                 (DESIGN 5); `cargo tree -p {ACTS} -i {banned}` shows how it came in"
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_banned_crate_is_found_however_deep() {
        let findings = banned_in("tertulia-acts v0.1.0 (/x)\nuuid v1.29.3\ngetrandom v0.4.3\n");
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].to_string().contains("built with getrandom"),
            "{findings:?}"
        );
    }

    #[test]
    fn names_are_compared_whole() {
        assert_eq!(
            banned_in("tertulia-acts v0.1.0 (/x)\nrand_pcg v1.0.0\ntokio-x v1.0.0"),
            []
        );
    }
}
