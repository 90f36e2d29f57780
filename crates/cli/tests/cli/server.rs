//! A server in a process of its own, ended when the test is over.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::Value;

use crate::program::{Run, program, run};

/// A server that listens.
pub(crate) struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) ready: Value,
    pub(crate) url: String,
}

impl Server {
    /// Starts `tertulia --json …`, and waits until it says that it listens.
    #[track_caller]
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut child = program(folder)
            .arg("--json")
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        if line.is_empty() {
            let mut stderr = String::new();
            child
                .stderr
                .take()
                .unwrap()
                .read_to_string(&mut stderr)
                .unwrap();
            panic!("the server did not start: {stderr}");
        }
        let ready: Value = serde_json::from_str(&line).unwrap();
        let url = ready["url"].as_str().unwrap().to_owned();
        Self {
            child,
            stdout,
            ready,
            url,
        }
    }

    /// `tertulia dev` on any free port, with its data in `folder/data`.
    #[track_caller]
    pub(crate) fn dev(folder: &Path) -> Self {
        Self::start(folder, &["dev", "--port", "0", "--data", "data"])
    }

    /// Runs the program as a client of this server.
    #[track_caller]
    pub(crate) fn client(&self, folder: &Path, arguments: &[&str]) -> Run {
        run(folder, &[&["--url", &self.url], arguments].concat())
    }

    /// Sends a signal, waits for the end, and tells the exit code and what was printed since it listened.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn signal(mut self, signal: &str) -> (i32, String, String) {
        let killed = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        let mut stdout = String::new();
        self.stdout.read_to_string(&mut stdout).unwrap();
        let mut stderr = String::new();
        self.child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        let exit = self.child.wait().unwrap().code().unwrap_or(-1);
        (exit, stdout, stderr)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; the rest of a failed test is told by the test.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
