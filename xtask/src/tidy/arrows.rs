//! Arrows between our crates point one way, and each crate obeys the lint table.

use std::fs;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Finding;

/// What one of our crates may know of the others.
struct Crate {
    name: &'static str,
    uses: &'static [&'static str],
    /// What its tests may use beyond that, to meet the real thing.
    tests_use: &'static [&'static str],
}

const ACTS: &str = "tertulia-acts";
const STORE: &str = "tertulia-store";
const ENGINE: &str = "tertulia-engine";
const A2A: &str = "tertulia-a2a";
const WORKER: &str = "tertulia-worker";
const RUNNERS: &str = "tertulia-runners";
const SERVER: &str = "tertulia-server";
const INCIDENT: &str = "tertulia-incident";

/// DESIGN 5. A crate that is not listed here may not join the workspace.
const HOUSE: [Crate; 10] = [
    Crate {
        name: ACTS,
        uses: &[],
        tests_use: &[],
    },
    Crate {
        name: STORE,
        uses: &[ACTS],
        tests_use: &[],
    },
    Crate {
        name: ENGINE,
        uses: &[ACTS, STORE],
        tests_use: &[],
    },
    Crate {
        name: A2A,
        uses: &[ACTS, ENGINE],
        tests_use: &[STORE],
    },
    // It speaks HTTP like a worker in any other language would.
    Crate {
        name: WORKER,
        uses: &[],
        tests_use: &[ACTS, STORE, ENGINE, SERVER],
    },
    Crate {
        name: RUNNERS,
        uses: &[ACTS, A2A, WORKER],
        tests_use: &[STORE, ENGINE, SERVER],
    },
    Crate {
        name: SERVER,
        uses: &[ACTS, ENGINE, A2A],
        tests_use: &[STORE, WORKER],
    },
    Crate {
        name: INCIDENT,
        uses: &[WORKER],
        tests_use: &[],
    },
    Crate {
        name: "tertulia",
        uses: &[ACTS, STORE, ENGINE, A2A, WORKER, RUNNERS, SERVER, INCIDENT],
        tests_use: &[],
    },
    Crate {
        name: "xtask",
        uses: &[],
        tests_use: &[],
    },
];

/// Crates of others that only one of ours may use.
const RESERVED: [(&str, &str); 1] = [("rusqlite", STORE)];

/// Checks every dependency of our packages, and that each inherits the lint table.
pub(super) fn check(metadata: &Value) -> Result<Vec<Finding>> {
    let packages = metadata["packages"]
        .as_array()
        .context("cargo metadata lists no packages")?;
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().context("a package has no name")?;
        let manifest = package["manifest_path"]
            .as_str()
            .context("a package has no manifest")?;
        let text =
            fs::read_to_string(manifest).with_context(|| format!("cannot read {manifest}"))?;
        findings.extend(check_lints(name, &text));

        let dependencies = package["dependencies"].as_array();
        for dependency in dependencies.with_context(|| format!("{name} has no dependency list"))? {
            let on = dependency["name"]
                .as_str()
                .context("a dependency has no name")?;
            let ours = !dependency["path"].is_null();
            let in_tests = dependency["kind"].as_str() == Some("dev");
            findings.extend(check_arrow(name, on, ours, in_tests));
        }
    }
    Ok(findings)
}

fn check_arrow(from: &str, to: &str, ours: bool, in_tests: bool) -> Option<Finding> {
    if !ours {
        let (_, owner) = RESERVED.iter().find(|(reserved, _)| *reserved == to)?;
        let text = format!("{from} uses {to}, which only {owner} may (DESIGN 5)");
        return (from != *owner && !in_tests).then_some(Finding::Error(text));
    }
    let Some(rule) = HOUSE.iter().find(|rule| rule.name == from) else {
        return Some(Finding::Error(format!(
            "{from} has no place in the house: give it one in xtask/src/tidy/arrows.rs (DESIGN 5)"
        )));
    };
    let allowed = rule.uses.contains(&to) || (in_tests && rule.tests_use.contains(&to));
    let what = if in_tests { "the tests of " } else { "" };
    (!allowed).then(|| {
        Finding::Error(format!(
            "{what}{from} may not use {to}: arrows between crates point one way (DESIGN 5)"
        ))
    })
}

fn check_lints(name: &str, manifest: &str) -> Option<Finding> {
    let inherits = manifest
        .split_once("[lints]")
        .and_then(|(_, rest)| rest.trim_start().lines().next())
        .is_some_and(|line| line.trim() == "workspace = true");
    (!inherits).then(|| {
        Finding::Error(format!(
            "{name} does not inherit the lint table: [lints] workspace = true"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(from: &str, to: &str, in_tests: bool) -> Option<String> {
        check_arrow(from, to, true, in_tests).map(|finding| finding.to_string())
    }

    #[test]
    fn arrows_of_the_design_are_allowed() {
        for (from, to) in [
            (STORE, ACTS),
            (ENGINE, STORE),
            (A2A, ENGINE),
            (RUNNERS, WORKER),
            (SERVER, A2A),
            ("tertulia", INCIDENT),
            (INCIDENT, WORKER),
        ] {
            assert_eq!(error_of(from, to, false), None, "{from} -> {to}");
        }
    }

    #[test]
    fn any_other_arrow_is_an_error() {
        for (from, to) in [
            (ACTS, STORE),
            (STORE, ENGINE),
            (WORKER, ACTS),
            (WORKER, ENGINE),
            (A2A, STORE),
            (SERVER, STORE),
            (INCIDENT, ENGINE),
            ("xtask", ACTS),
        ] {
            let error = error_of(from, to, false).expect("an error");
            assert!(
                error.starts_with("error: ") && error.ends_with("(DESIGN 5)"),
                "{error}"
            );
            assert!(error.contains(from) && error.contains(to), "{error}");
        }
    }

    #[test]
    fn tests_may_meet_the_real_thing_but_acts_knows_nobody() {
        assert_eq!(error_of(WORKER, SERVER, true), None);
        assert!(error_of(WORKER, SERVER, false).is_some());
        assert!(error_of(ACTS, ENGINE, true).is_some());
    }

    #[test]
    fn a_crate_without_a_place_is_an_error() {
        let error = error_of("tertulia-attic", ACTS, false).expect("an error");
        assert!(error.contains("no place in the house"), "{error}");
    }

    #[test]
    fn sqlite_stays_in_the_store() {
        assert_eq!(check_arrow(STORE, "rusqlite", false, false), None);
        assert!(check_arrow(ENGINE, "rusqlite", false, false).is_some());
        assert_eq!(check_arrow(ENGINE, "serde", false, false), None);
    }

    #[test]
    fn the_lint_table_is_inherited() {
        assert_eq!(check_lints("x", "[lints]\nworkspace = true\n"), None);
        assert!(check_lints("x", "[lints.rust]\nunsafe_code = \"allow\"\n").is_some());
        assert!(check_lints("x", "[package]\nname = \"x\"\n").is_some());
    }

    #[test]
    fn metadata_is_read_as_cargo_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("Cargo.toml");
        fs::write(&manifest, "[lints]\nworkspace = true\n").unwrap();
        let metadata = serde_json::json!({"packages": [{
            "name": ACTS,
            "manifest_path": manifest,
            "dependencies": [
                {"name": "serde", "kind": null},
                {"name": ENGINE, "kind": null, "path": "/somewhere/crates/engine"},
            ],
        }]});
        let findings = check(&metadata).unwrap();
        let expected = "tertulia-acts may not use tertulia-engine: \
                        arrows between crates point one way (DESIGN 5)";
        assert_eq!(findings, [Finding::Error(expected.to_owned())]);
    }
}
