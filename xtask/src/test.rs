//! `cargo xtask test`: installs what the tests need, then runs everything that the README
//! promises. Python peers live in a virtual environment below the target folder, so nothing
//! outside of the checkout changes, except for Debian's `python3-venv` where it is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::report::Stages;
use crate::workspace::Workspace;

/// Pinned with hashes; the peers of the interop tests and what runs the Python tests.
const REQUIREMENTS: &str = "tests/interop/requirements.txt";
/// The Python worker package.
const CLIENT: &str = "clients/python";
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
        Some(install(workspace, &stages, &target)?)
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

/// Makes the virtual environment, unless it already holds these very requirements, and
/// returns its interpreter.
fn install(workspace: &Workspace, stages: &Stages, target: &Path) -> Result<PathBuf> {
    let requirements = fs::read_to_string(workspace.path(REQUIREMENTS))
        .with_context(|| format!("the Python tests need {REQUIREMENTS}, which cannot be read"))?;
    let folder = target.join("venv");
    let python = folder.join("bin").join("python");
    // Written last, so that an interrupted installation is begun anew.
    let installed = folder.join("installed-requirements.txt");

    if fs::read_to_string(&installed).is_ok_and(|text| text == requirements) {
        stages.announce("Python environment is up to date");
    } else {
        ensure_venv_module(workspace, stages)?;
        let mut venv = workspace.command("python3");
        venv.args(["-m", "venv", "--clear"]).arg(&folder);
        stages.require("make a Python environment", &mut venv)?;
        let mut peers = pip(workspace, &python);
        peers.args(["--require-hashes", "--requirement", REQUIREMENTS]);
        stages.require("install the Python peers", &mut peers)?;
    }
    if workspace.path(CLIENT).join("pyproject.toml").is_file() {
        let mut client = pip(workspace, &python);
        client.args(["--no-deps", "--editable", CLIENT]);
        stages.require("install the Python worker package", &mut client)?;
    }
    fs::write(&installed, requirements)
        .with_context(|| format!("cannot write {}", installed.display()))?;
    Ok(python)
}

fn pip(workspace: &Workspace, python: &Path) -> Command {
    let mut command = workspace.command(python);
    command.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    command
}

/// Debian ships Python without `ensurepip`; its package manager has it.
fn ensure_venv_module(workspace: &Workspace, stages: &Stages) -> Result<()> {
    let mut probe = workspace.command("python3");
    probe.args(["-c", "import ensurepip, venv"]);
    let works = probe
        .output()
        .context("python3 is missing: install Python 3.11 or newer")?;
    if works.status.success() {
        return Ok(());
    }
    let mut install = if is_root(workspace) {
        workspace.command("apt-get")
    } else {
        let mut sudo = workspace.command("sudo");
        sudo.arg("apt-get");
        sudo
    };
    install.env("DEBIAN_FRONTEND", "noninteractive");
    install.args([
        "install",
        "--yes",
        "--no-install-recommends",
        "python3-venv",
    ]);
    stages
        .require("python3-venv is missing: installing it", &mut install)
        .context("`python3 -m venv` does not work; install the package python3-venv")
}

fn is_root(workspace: &Workspace) -> bool {
    let mut command = workspace.command("id");
    command.arg("-u");
    command
        .output()
        .is_ok_and(|output| output.stdout.trim_ascii() == b"0")
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
