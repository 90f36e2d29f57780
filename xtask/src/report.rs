//! Progress: one line per stage on standard error, with the time since the start.
#![expect(
    clippy::print_stderr,
    reason = "the one place where xtask speaks; standard output belongs to the programs it runs"
)]

use std::iter;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Prints one line of our own.
pub(crate) fn line(text: &str) {
    eprintln!("xtask: {text}");
}

/// Prints lines as they are, such as a table.
pub(crate) fn text(lines: &str) {
    eprintln!("{}", lines.trim_end());
}

/// The command as a person would type it, without the environment we took from it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = iter::once(name).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Runs programs one after the other and remembers which of them failed.
pub(crate) struct Stages {
    started: Instant,
    failed: Vec<String>,
}

impl Stages {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            failed: Vec::new(),
        }
    }

    /// Says, with the elapsed time, what begins now.
    pub(crate) fn announce(&self, title: &str) {
        line(&format!(
            "[{:>6.1}s] {title}",
            self.started.elapsed().as_secs_f64()
        ));
    }

    /// Runs a program that later stages need: its failure ends the task.
    pub(crate) fn require(&self, title: &str, command: &mut Command) -> Result<()> {
        self.announce(title);
        let status = command
            .status()
            .with_context(|| format!("cannot start {}", shown(command)))?;
        if !status.success() {
            bail!("{title} failed: `{}` ended with {status}", shown(command));
        }
        Ok(())
    }

    /// Runs a check on which nothing depends: its failure is kept for [`Stages::finish`].
    pub(crate) fn check(&mut self, title: &str, command: &mut Command) {
        let outcome = self.require(title, command);
        self.keep(title, outcome);
    }

    /// Keeps the outcome of a check that is no program.
    pub(crate) fn keep(&mut self, title: &str, outcome: Result<()>) {
        if let Err(error) = outcome {
            line(&format!("error: {error:#}"));
            self.failed.push(title.to_owned());
        }
    }

    /// Fails, naming them, if any check failed.
    pub(crate) fn finish(self) -> Result<()> {
        if !self.failed.is_empty() {
            bail!("failed: {}", self.failed.join(", "));
        }
        self.announce("everything passed");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exits_with(code: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exit {code}")]);
        command
    }

    #[test]
    fn a_failed_check_fails_the_task_after_the_others_ran() {
        let mut stages = Stages::new();
        stages.check("first", &mut exits_with("3"));
        stages.check("second", &mut exits_with("0"));
        let error = stages.finish().unwrap_err().to_string();
        assert_eq!(error, "failed: first");
    }

    #[test]
    fn passed_checks_pass_the_task() {
        let mut stages = Stages::new();
        stages.check("only", &mut exits_with("0"));
        stages.finish().unwrap();
    }

    #[test]
    fn a_failure_shows_the_command_as_it_would_be_typed() {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "exit 3"]).env_remove("CARGO_PKG_NAME");
        let error = Stages::new()
            .require("it", &mut command)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "it failed: `sh -c exit 3` ended with exit status: 3");
    }

    #[test]
    fn a_program_that_does_not_exist_is_named() {
        let stages = Stages::new();
        let error = stages
            .require("it", &mut Command::new("no-such-program"))
            .unwrap_err();
        assert!(error.to_string().contains("no-such-program"), "{error}");
    }
}
