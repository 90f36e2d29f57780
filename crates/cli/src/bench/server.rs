//! The server under load: this same program as `tertulia dev`, in a process of its own, so that what it costs can be told
//! from what the load costs.

use std::process::Stdio;

use serde_json::Value;
use tertulia_worker::Client;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, Command},
};

use crate::failure::Failure;

/// A running server with a folder of its own.
pub(super) struct Server {
    child: Child,
    url: String,
}

/// Counters of the server.
pub(super) struct Counters {
    commits: f64,
    commands: f64,
}

impl Counters {
    /// How many commands shared a commit between the two.
    pub(super) fn commands_per_commit_since(&self, before: &Self) -> Option<f64> {
        let commits = self.commits - before.commits;
        (commits > 0.0).then(|| (self.commands - before.commands) / commits)
    }
}

impl Server {
    /// Starts one on a free port. It ends with this value.
    pub(super) async fn start() -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::internal("this program cannot find itself").because(&error)
        })?;
        let mut child = Command::new(program)
            .args(["dev", "--port", "0", "--json"])
            .env_remove("TERTULIA_URL")
            .env_remove("TERTULIA_KEY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| Failure::internal("the server cannot be started").because(&error))?;
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| Failure::internal("the server has no output"))?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line).await?;
        let url = serde_json::from_str::<Value>(&line)
            .ok()
            .and_then(|value| value["url"].as_str().map(str::to_owned))
            .ok_or_else(|| Failure::internal("the server ended before it listened"))?;
        Ok(Self { child, url })
    }

    /// Where it listens.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Its process.
    pub(super) fn pid(&self) -> u32 {
        self.child.id().unwrap_or_default()
    }

    fn client(&self) -> Result<Client, Failure> {
        Client::new(&self.url, None)
            .map_err(|error| Failure::internal("the server cannot be called").because(&error))
    }

    /// Adds an agent that may have any number of conversations.
    pub(super) async fn register(&self, name: &str) -> Result<(), Failure> {
        let definition = format!(
            "---\nname: {name}\ndescription: Answers at once.\nowner: user:dev\nlimits:\n  \
             max_concurrent_conversations: 100000\n---\n"
        );
        let refused = |error: tertulia_worker::Error| {
            Failure::internal("the agent of the bench cannot be added").because(&error)
        };
        self.client()?
            .put_agent_markdown(name, &definition)
            .await
            .map_err(refused)?;
        Ok(())
    }

    /// Its counters now.
    pub(super) async fn counters(&self) -> Result<Counters, Failure> {
        let unread = |error: reqwest::Error| {
            Failure::internal("the server's metrics cannot be read").because(&error)
        };
        let client = self.client()?;
        let get = client.http().get(format!("{}/metrics", self.url));
        let text = get
            .send()
            .await
            .map_err(unread)?
            .text()
            .await
            .map_err(unread)?;
        let value = |name: &str| {
            text.lines()
                .find_map(|line| {
                    line.strip_prefix(name)?
                        .strip_prefix(' ')?
                        .trim()
                        .parse::<f64>()
                        .ok()
                })
                .ok_or_else(|| Failure::internal(format!("the server's metrics have no {name}")))
        };
        Ok(Counters {
            commits: value("tertulia_commit_seconds_count")?,
            commands: value("tertulia_commands_total")?,
        })
    }

    /// Ends it.
    pub(super) async fn stop(mut self) -> Result<(), Failure> {
        self.child.kill().await?;
        Ok(())
    }
}
