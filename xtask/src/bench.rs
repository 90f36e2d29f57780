//! `cargo xtask bench`: the whole path under load, and in the same run the official Python SDK's
//! server doing the same exchange in memory. Prints a table with the aims and writes it into
//! docs/performance.md. A missed aim is told and fails nothing: machines differ.

mod figures;
mod page;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use self::figures::Figures;
use self::page::Run;
use crate::report::{self, Stages};
use crate::venv;
use crate::workspace::{Workspace, output};

/// The official SDK's server.
const PEER: &str = "tests/interop/peers/sdk_server.py";
/// What the peer is called in the table.
const PEER_NAME: &str = "python a2a-sdk 1.3.0";
/// The page that holds the table.
const PAGE: &str = "docs/performance.md";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// How long each number of clients is measured, in seconds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// How many clients there are at once; each number is a run of its own.
    #[arg(long, value_delimiter = ',', default_values_t = [16, 256],
          value_parser = clap::value_parser!(u32).range(1..=4096))]
    clients: Vec<u32>,
    /// Only print the table.
    #[arg(long)]
    dry: bool,
}

pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let stages = Stages::new();
    let target = workspace.target_directory()?;
    let python = venv::install(workspace, &stages, &target)?;
    let binary = build(workspace, &stages, &target)?;

    stages.announce("tertulia, durable at each answer");
    let ours = measure(workspace, &binary, arguments, &[])?;
    stages.announce(&format!("{PEER_NAME}, in memory"));
    let peer = Peer::start(workspace, &python)?;
    let pid = peer.child.id().to_string();
    let of_peer = ["--peer", &peer.url, "--peer-pid", &pid, "--name", PEER_NAME];
    let theirs = measure(workspace, &binary, arguments, &of_peer)?;
    drop(peer);

    let run = Run {
        date: date(workspace)?,
        machine: machine()?,
        commit: commit(workspace)?,
        seconds: arguments.seconds,
        ours,
        theirs,
    };
    let table = run.to_markdown();
    report::text(&table);
    if !arguments.dry {
        let path = workspace.path(PAGE);
        let page = workspace.read(Path::new(PAGE))?;
        let written = page::with_table(&page, &table).with_context(|| format!("in {PAGE}"))?;
        fs::write(&path, written).with_context(|| format!("cannot write {PAGE}"))?;
        stages.announce(&format!("written into {PAGE}"));
    }
    Ok(())
}

/// Builds `tertulia` for release and says where it is.
fn build(workspace: &Workspace, stages: &Stages, target: &Path) -> Result<PathBuf> {
    let mut command = workspace.cargo();
    command.args(["build", "--release", "--locked"]);
    command.args(["--package", "tertulia", "--bin", "tertulia"]);
    stages.require("build tertulia for release", &mut command)?;
    let binary = target
        .join("release")
        .join(format!("tertulia{}", std::env::consts::EXE_SUFFIX));
    if !binary.is_file() {
        bail!(
            "cargo built no {}: is a build target configured?",
            binary.display()
        );
    }
    Ok(binary)
}

/// Runs the load and reads its figures, one line for each number of clients. Its progress goes to
/// standard error as it happens.
fn measure(
    workspace: &Workspace,
    binary: &Path,
    arguments: &Arguments,
    more: &[&str],
) -> Result<Vec<Figures>> {
    let clients: Vec<String> = arguments.clients.iter().map(u32::to_string).collect();
    let mut command = workspace.command(binary);
    command.args(["bench", "--json", "--clients", &clients.join(",")]);
    command.args(["--seconds", &arguments.seconds.to_string()]);
    command
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    let mut bench = Ended(start(&mut command)?);
    let stdout = bench
        .0
        .stdout
        .take()
        .context("the bench has no standard output")?;
    let mut measured = Vec::new();
    for line in BufReader::new(stdout).lines() {
        let line = line.context("the bench's output cannot be read")?;
        let value: Value = serde_json::from_str(&line)
            .with_context(|| format!("the bench printed what is no JSON: {line}"))?;
        let figures = Figures::read(&value)?;
        report::line(&figures.to_string());
        measured.push(figures);
    }
    let status = bench.0.wait().context("the bench's end is unknown")?;
    if !status.success() {
        bail!("the bench ended with {status}; what it said is above");
    }
    if measured.len() != arguments.clients.len() {
        bail!(
            "the bench reported {} runs of {}",
            measured.len(),
            clients.len()
        );
    }
    Ok(measured)
}

/// The official SDK's server, which ends with this value.
struct Peer {
    child: Ended,
    url: String,
}

impl Peer {
    fn start(workspace: &Workspace, python: &Path) -> Result<Self> {
        let mut command = workspace.command(python);
        command
            .arg(PEER)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = Ended(start(&mut command)?);
        let stdout = child.0.stdout.take();
        let mut line = String::new();
        BufReader::new(stdout.context("the peer has no standard output")?)
            .read_line(&mut line)
            .context("the peer's output cannot be read")?;
        let said: Value = serde_json::from_str(&line).with_context(|| {
            format!("{PEER} did not say where it listens; what it said is above")
        })?;
        let url = said["url"].as_str();
        let url = url
            .with_context(|| format!("{PEER} names no url: {line}"))?
            .to_owned();
        Ok(Self { child, url })
    }
}

/// A program that is ended with this value, however the task ends.
struct Ended(Child);

impl Ended {
    fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // Both fail only if it has ended already.
        let _ended = self.0.kill();
        let _waited = self.0.wait();
    }
}

fn start(command: &mut Command) -> Result<Child> {
    let shown = report::shown(command);
    command
        .spawn()
        .with_context(|| format!("cannot start {shown}"))
}

fn date(workspace: &Workspace) -> Result<String> {
    let mut command = workspace.command("date");
    command.args(["-u", "+%Y-%m-%d"]);
    Ok(output(&mut command)?.trim().to_owned())
}

fn machine() -> Result<String> {
    let cores = std::thread::available_parallelism().context("the number of cores is unknown")?;
    let cpuinfo =
        fs::read_to_string("/proc/cpuinfo").context("the bench measures on Linux only")?;
    Ok(page::machine(cores.get(), &cpuinfo))
}

/// The commit that was built, and whether something in it was changed.
fn commit(workspace: &Workspace) -> Result<String> {
    let mut command = workspace.command("git");
    command.args(["rev-parse", "--short", "HEAD"]);
    let id = output(&mut command)?.trim().to_owned();
    let mut command = workspace.command("git");
    command.args(["status", "--porcelain", "--untracked-files=no"]);
    let changed = output(&mut command)?;
    Ok(if changed.trim().is_empty() {
        id
    } else {
        format!("{id} with changes")
    })
}
