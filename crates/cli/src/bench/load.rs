//! The load: so many clients, each sending its next message when the last one was answered.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tertulia_worker::Client;
use tokio::task::JoinSet;

use super::{process, report::Measured};
use crate::{failure::Failure, output::Output};

/// How long one exchange may take.
const PATIENCE: Duration = Duration::from_mins(1);

struct Shared {
    url: String,
    counting: AtomicBool,
    stopping: AtomicBool,
    exchanges: AtomicU64,
}

/// Runs the load, and measures after the warm-up.
pub(super) async fn run(
    url: &str,
    pid: u32,
    clients: u32,
    warm_up: Duration,
    seconds: Duration,
    output: Output,
) -> Result<Measured, Failure> {
    let shared = Arc::new(Shared {
        url: url.to_owned(),
        counting: AtomicBool::new(false),
        stopping: AtomicBool::new(false),
        exchanges: AtomicU64::new(0),
    });
    let client = Client::new(url, None)
        .map_err(|error| Failure::usage(format!("{url} cannot be called")).because(&error))?;
    let http = client.http().clone();
    let spinner = output.spinner(&format!("{clients} clients"));
    let mut running = JoinSet::new();
    for client in 0..clients {
        running.spawn(exchange_until_stopped(
            Arc::clone(&shared),
            http.clone(),
            client,
        ));
    }
    tokio::time::sleep(warm_up).await;
    shared.counting.store(true, Ordering::SeqCst);
    let (begun, before) = (Instant::now(), process::processor(pid)?);
    while begun.elapsed() < seconds {
        tokio::time::sleep(Duration::from_millis(200).min(seconds)).await;
        spinner.tell(&format!(
            "{clients} clients, {} exchanges",
            shared.exchanges.load(Ordering::Relaxed)
        ));
    }
    shared.counting.store(false, Ordering::SeqCst);
    let (elapsed, processor) = (
        begun.elapsed(),
        process::processor(pid)?.saturating_sub(before),
    );
    shared.stopping.store(true, Ordering::SeqCst);
    let mut latencies = Vec::new();
    while let Some(joined) = running.join_next().await {
        latencies.extend(
            joined.map_err(|error| {
                Failure::internal("a client of the load failed").because(&error)
            })??,
        );
    }
    latencies.sort_unstable();
    Ok(Measured {
        clients,
        exchanges: latencies.len() as u64,
        elapsed,
        processor,
        latencies,
    })
}

/// One client: its latencies while they were counted.
async fn exchange_until_stopped(
    shared: Arc<Shared>,
    http: reqwest::Client,
    client: u32,
) -> Result<Vec<Duration>, Failure> {
    let mut latencies = Vec::new();
    let mut n = 0_u64;
    while !shared.stopping.load(Ordering::Relaxed) {
        n += 1;
        let begun = Instant::now();
        let answer = exchange(&shared.url, &http, client, n).await?;
        let took = begun.elapsed();
        if answer["result"]["task"]["status"]["state"] != "TASK_STATE_COMPLETED" {
            return Err(Failure::usage(format!(
                "an exchange did not complete: {answer}"
            )));
        }
        if shared.counting.load(Ordering::Relaxed) {
            shared.exchanges.fetch_add(1, Ordering::Relaxed);
            latencies.push(took);
        }
    }
    Ok(latencies)
}

async fn exchange(
    url: &str,
    http: &reqwest::Client,
    client: u32,
    n: u64,
) -> Result<Value, Failure> {
    let message = json!({
        "messageId": format!("bench-{client}-{n}"),
        "role": "ROLE_USER",
        "parts": [{"text": format!("exchange {n} of client {client}")}],
    });
    let call =
        json!({"jsonrpc": "2.0", "id": n, "method": "SendMessage", "params": {"message": message}});
    let failed = |error: reqwest::Error| {
        Failure::usage(format!("{url} did not answer an exchange")).because(&error)
    };
    let post = http
        .post(url)
        .timeout(PATIENCE)
        .header("A2A-Version", "1.0");
    let answer = post.json(&call).send().await.map_err(failed)?;
    answer.json().await.map_err(failed)
}
