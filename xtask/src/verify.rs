//! `cargo xtask verify`: all checks before a change is handed in.

use anyhow::Result;

use crate::report::Stages;
use crate::tidy;
use crate::workspace::Workspace;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only what needs no test run and no installation: format, lints, tidy.
    #[arg(long)]
    quick: bool,
    /// Also asks the advisory database, which needs the network.
    #[arg(long, conflicts_with = "quick")]
    advisories: bool,
}

pub(crate) fn run(workspace: &Workspace, arguments: &Arguments) -> Result<()> {
    let mut stages = Stages::new();
    stages.check(
        "format",
        workspace.cargo().args(["fmt", "--all", "--check"]),
    );
    stages.check(
        "lints",
        workspace.cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--locked",
            "--",
            "-D",
            "warnings",
        ]),
    );
    stages.announce("tidy");
    let tidied = tidy::run(workspace);
    stages.keep("tidy", tidied);

    if !arguments.quick {
        stages.check(
            "tests",
            workspace
                .cargo()
                .args(["test", "--workspace", "--locked", "--no-fail-fast"]),
        );
        stages.check(
            "documentation",
            workspace.cargo().env("RUSTDOCFLAGS", "-D warnings").args([
                "doc",
                "--workspace",
                "--no-deps",
                "--locked",
            ]),
        );
        check_dependencies(workspace, &mut stages, arguments.advisories)?;
    }
    stages.finish()
}

/// Licences, banned and doubled crates, sources: the rules are in deny.toml.
fn check_dependencies(workspace: &Workspace, stages: &mut Stages, advisories: bool) -> Result<()> {
    if !workspace.has_cargo_subcommand("deny") {
        stages.require(
            "cargo-deny is missing: installing it, which takes some minutes",
            workspace
                .cargo()
                .args(["install", "cargo-deny", "--locked"]),
        )?;
    }
    let mut command = workspace.cargo();
    command.args(["deny", "--locked", "check", "bans", "licenses", "sources"]);
    if advisories {
        command.arg("advisories");
    }
    stages.check("dependencies", &mut command);
    Ok(())
}
