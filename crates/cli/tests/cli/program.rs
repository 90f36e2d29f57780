//! Runs of the program.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

/// A run that ended.
pub(crate) struct Run {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// The data, which is one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout, self.stderr))
    }

    /// The error, which is one JSON value.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let last = self.stderr.lines().last().unwrap_or_default();
        let value: Value =
            serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {}", self.stderr));
        value["error"].clone()
    }

    /// The same run, which must have ended so.
    #[track_caller]
    pub(crate) fn exits(self, exit: i32) -> Self {
        assert_eq!(
            self.exit, exit,
            "stdout: {}\nstderr: {}",
            self.stdout, self.stderr
        );
        self
    }
}

/// The program, knowing nothing of the environment's servers and keys.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tertulia"));
    command
        .current_dir(folder)
        .env_remove("TERTULIA_URL")
        .env_remove("TERTULIA_KEY")
        .env_remove("TERTULIA_LOG")
        .stdin(Stdio::null());
    command
}

/// Runs the program in a folder.
#[track_caller]
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    ended(program(folder).args(arguments).output().unwrap())
}

/// What a run came to.
pub(crate) fn ended(output: Output) -> Run {
    Run {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
