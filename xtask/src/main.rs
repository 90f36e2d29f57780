//! What the repository does to itself. `cargo xtask` lists the commands; each has one file.

mod bench;
mod report;
mod test;
mod tidy;
mod venv;
mod verify;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// The tasks of the repository.
#[derive(Parser)]
#[command(name = "xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// All checks before a change is handed in: format, lints, tests, docs, dependencies, tidy.
    Verify(verify::Arguments),
    /// Checks what the compiler does not: arrows between crates, file sizes, names, SQL.
    Tidy,
    /// Installs what the tests need and runs everything that the README promises.
    Test,
    /// Measures the release build beside the official Python SDK, and writes docs/performance.md.
    Bench(bench::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Workspace::locate().and_then(|workspace| match arguments.task {
        Task::Verify(chosen) => verify::run(&workspace, &chosen),
        Task::Tidy => tidy::run(&workspace),
        Task::Test => test::run(&workspace),
        Task::Bench(chosen) => bench::run(&workspace, &chosen),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::line(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
