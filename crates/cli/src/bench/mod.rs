//! `tertulia bench`: the whole path over HTTP on loopback, under load from this same machine. One exchange is an A2A
//! JSON-RPC `SendMessage` that waits for its result; the server in between stores the act, a worker claims it and settles
//! it, and the reply is stored, each durable before it is answered.

mod load;
mod process;
mod report;
mod server;
mod work;

use std::time::Duration;

use crate::{arguments, exit::Exit, failure::Failure, output::Output};

pub(crate) use self::report::Report;

/// How long the load runs before anything is counted.
const WARM_UP: Duration = Duration::from_secs(2);
/// The agent that the load is for.
const AGENT: &str = "bench";

/// Runs the bench as the arguments say.
pub(crate) async fn run(bench: arguments::Bench, output: Output) -> Result<Exit, Failure> {
    let seconds = Duration::from_secs(u64::from(bench.seconds));
    let mut reports = Vec::new();
    for clients in &bench.clients {
        let report = match (&bench.peer, bench.peer_pid) {
            (Some(url), Some(pid)) => {
                peer(url, pid, bench.name.as_deref(), *clients, seconds, output).await?
            }
            _ => ours(*clients, seconds, output).await?,
        };
        output.data(&report.to_json(), |out| report.write(out))?;
        reports.push(report);
    }
    Ok(Exit::Done)
}

/// A server of our own, with a fresh folder, for each number of clients.
async fn ours(clients: u32, seconds: Duration, output: Output) -> Result<Report, Failure> {
    let server = server::Server::start().await?;
    server.register(AGENT).await?;
    let idle = process::resident(server.pid())?;
    let workers = work::Workers::start(server.url(), AGENT);
    let url = format!("{}/a2a/{AGENT}", server.url());
    let before = server.counters().await?;
    let measured = load::run(&url, server.pid(), clients, WARM_UP, seconds, output).await?;
    let after = server.counters().await?;
    workers.stop().await;
    let per_fsync = after.commands_per_commit_since(&before);
    let report = Report {
        name: "tertulia".into(),
        measured,
        idle_bytes: Some(idle),
        resident_bytes: process::resident(server.pid())?,
        per_fsync,
    };
    server.stop().await?;
    Ok(report)
}

/// Another server that is running already and answers the same exchange by itself.
async fn peer(
    url: &str,
    pid: u32,
    name: Option<&str>,
    clients: u32,
    seconds: Duration,
    output: Output,
) -> Result<Report, Failure> {
    let measured = load::run(url, pid, clients, WARM_UP, seconds, output).await?;
    Ok(Report {
        name: name.unwrap_or(url).to_owned(),
        measured,
        idle_bytes: None,
        resident_bytes: process::resident(pid)?,
        per_fsync: None,
    })
}
