//! The virtual environment in which the Python peers and tests live, below the target folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::report::Stages;
use crate::workspace::Workspace;

/// Pinned with hashes; the peers of the interop tests and what runs the Python tests.
const REQUIREMENTS: &str = "tests/interop/requirements.txt";
/// The Python worker package.
const CLIENT: &str = "clients/python";

/// Makes the virtual environment, unless it already holds these very requirements, and
/// returns its interpreter.
pub(crate) fn install(workspace: &Workspace, stages: &Stages, target: &Path) -> Result<PathBuf> {
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
        // The requirements hold its build backend, pinned: nothing more is fetched.
        client.args(["--no-deps", "--no-build-isolation", "--editable", CLIENT]);
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
