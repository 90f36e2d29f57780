//! `cargo xtask test`: installs what the tests need, then runs everything that the README
//! promises. Python peers live in a virtual environment below the target folder, so nothing
//! outside of the checkout changes, except for Debian's `python3-venv` where it is missing.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use crate::report::Stages;
use crate::venv;
use crate::workspace::Workspace;

/// What pytest runs, where it exists.
const PYTHON_TESTS: [&str; 2] = ["clients/python/tests", "tests/interop"];
/// Tells the Python tests which binary to start.
const BINARY_VARIABLE: &str = "TERTULIA_BIN";

pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    let mut stages = Stages::new();
    let target = workspace.target_directory()?;
    let suites: Vec<&str> = PYTHON_TESTS
        .into_iter()
        .filter(|suite| has_tests(&workspace.path(suite)))
        .collect();

    // First what can fail for want of something, so that it is known early.
    let python = if suites.is_empty() {
        None
    } else {
        Some(venv::install(workspace, &stages, &target)?)
    };
    let binary = build(workspace, &stages, &target)?;

    run_rust_tests(workspace, &mut stages);
    if let Some(python) = python {
        for suite in suites {
            let mut command = workspace.command(&python);
            command
                .args(["-m", "pytest", suite])
                .env(BINARY_VARIABLE, &binary);
            stages.check(&format!("Python tests in {suite}"), &mut command);
        }
    }
    stages.finish()
}

/// Builds `tertulia` and says where it is.
fn build(workspace: &Workspace, stages: &Stages, target: &Path) -> Result<PathBuf> {
    let mut command = workspace.cargo();
    command.args([
        "build",
        "--package",
        "tertulia",
        "--bin",
        "tertulia",
        "--locked",
    ]);
    stages.require("build tertulia", &mut command)?;
    let binary = target
        .join("debug")
        .join(format!("tertulia{}", std::env::consts::EXE_SUFFIX));
    if !binary.is_file() {
        bail!(
            "cargo built no {}: is a build target configured?",
            binary.display()
        );
    }
    Ok(binary)
}

/// Nextest runs tests apart from each other, but no examples in documentation.
fn run_rust_tests(workspace: &Workspace, stages: &mut Stages) {
    let all = ["--workspace", "--locked", "--no-fail-fast"];
    if workspace.has_cargo_subcommand("nextest") {
        stages.check(
            "Rust tests",
            workspace.cargo().args(["nextest", "run"]).args(all),
        );
        stages.check(
            "Rust documentation tests",
            workspace.cargo().args(["test", "--doc"]).args(all),
        );
    } else {
        stages.check("Rust tests", workspace.cargo().arg("test").args(all));
    }
}

/// Whether pytest would find a file below the folder.
fn has_tests(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|entries| {
        entries.flatten().any(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_test = name.starts_with("test_")
                && Path::new(&name).extension().is_some_and(|e| e == "py");
            is_test || (entry.path().is_dir() && has_tests(&entry.path()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_tests_if_pytest_would_find_a_file() {
        let root = tempfile::tempdir().unwrap();
        assert!(!has_tests(&root.path().join("absent")));
        fs::write(root.path().join("requirements.txt"), "").unwrap();
        fs::write(root.path().join("test_notes.txt"), "").unwrap();
        assert!(!has_tests(root.path()));
        fs::create_dir(root.path().join("a2a")).unwrap();
        fs::write(root.path().join("a2a/test_client.py"), "").unwrap();
        assert!(has_tests(root.path()));
    }
}
