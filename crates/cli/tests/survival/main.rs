//! `kill -9` of the real binary under load: nothing that was acknowledged is missing, no key made a second task, and what
//! was accepted is answered after a restart (I5, I6, I8).

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use tertulia_worker::{
    CancellationToken, Client, Retry,
    wire::{BatchItem, Claim, Opening, Operation, Part, Receipt, TaskState},
};

/// Kills in one run.
const KILLS: usize = 6;
/// Senders at once.
const SENDERS: usize = 8;
/// Requests of each.
const REQUESTS: usize = 30;

struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(data: &Path, port: u16) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tertulia"))
            .args(["dev", "--json", "--port", &port.to_string(), "--data"])
            .arg(data)
            .env_remove("TERTULIA_KEY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let value: serde_json::Value = serde_json::from_str(&line).expect("a line of JSON");
        let url = value["url"].as_str().expect("an url").to_owned();
        Self { child, url }
    }

    fn kill(&mut self) {
        // SIGKILL: the process gets no chance to do anything.
        self.child.kill().expect("killed");
        self.child.wait().expect("reaped");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A test that fails leaves no server behind; one that is dead already is fine.
        let _dead = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn patient(url: &str) -> Client {
    let retry = Retry {
        first: Duration::from_millis(20),
        most: Duration::from_millis(200),
        ..Retry::default()
    };
    Client::new(url, None).expect("a client").retrying(retry)
}

/// Task by key, as acknowledged.
type Acknowledged = Arc<Mutex<BTreeMap<String, String>>>;

async fn send_all(url: String, sender: usize, acknowledged: Acknowledged) {
    let client = patient(&url);
    for n in 0..REQUESTS {
        let key = format!("key-{sender}-{n}");
        let opening = Opening::request("echo")
            .text(format!("request {n} of {sender}"))
            .keyed(key.clone());
        let receipted = client.send(&opening).await.expect("answered in the end");
        let Receipt::Accepted { task, .. } = receipted.receipt else {
            panic!("{key}: {:?}", receipted.receipt)
        };
        let before = acknowledged
            .lock()
            .expect("a lock")
            .insert(key.clone(), task.id.clone());
        assert!(
            before.is_none(),
            "{key} was acknowledged twice by one sender"
        );
    }
}

/// Claims and settles until it is stopped; what a killed server lost is claimed anew.
async fn work(url: String, stop: CancellationToken) {
    let client = patient(&url);
    while !stop.is_cancelled() {
        let Ok(leases) = client
            .claim(&Claim::new("echo", 16, Duration::from_millis(300)))
            .await
        else {
            continue;
        };
        let replies: Vec<BatchItem> = leases
            .iter()
            .map(|lease| {
                let text = format!("echo of {}", lease.task.id);
                let reply = Operation::Reply {
                    parts: vec![Part::text(text)],
                    artifacts: Vec::new(),
                };
                BatchItem::new(lease.token.clone(), reply)
            })
            .collect();
        if !replies.is_empty() {
            // What is not settled is found by the reconciliation.
            let _settled = client.batch(&replies).await;
        }
    }
}

#[expect(clippy::too_many_lines, reason = "one run, told in its order")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn i05_i06_nothing_acknowledged_is_lost_by_kill_nine() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(folder.path(), 0);
    let url = server.url.clone();
    let port: u16 = url
        .rsplit(':')
        .next()
        .and_then(|port| port.trim_end_matches('/').parse().ok())
        .expect("a port");
    let definition = "---\nname: echo\ndescription: Repeats.\nowner: user:dev\n---\n";
    patient(&url)
        .put_agent_markdown("echo", definition)
        .await
        .expect("an agent");

    let acknowledged = Acknowledged::default();
    let stop = CancellationToken::new();
    let worker = tokio::spawn(work(url.clone(), stop.clone()));
    let mut senders = tokio::task::JoinSet::new();
    for sender in 0..SENDERS {
        senders.spawn(send_all(url.clone(), sender, Arc::clone(&acknowledged)));
    }
    // Each kill comes after some more were acknowledged, so that each run has something to lose.
    let step = SENDERS * REQUESTS / (KILLS + 1);
    for kill in 1..=KILLS {
        while acknowledged.lock().expect("a lock").len() < kill * step {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        server.kill();
        server = Server::start(folder.path(), port);
    }
    while let Some(sent) = senders.join_next().await {
        sent.expect("a sender ends");
    }
    let acknowledged = acknowledged.lock().expect("a lock").clone();
    assert_eq!(acknowledged.len(), SENDERS * REQUESTS);
    let client = patient(&url);
    for (key, id) in &acknowledged {
        let task = client
            .wait_for_task(id, Duration::from_secs(90))
            .await
            .expect("an acknowledged task is there");
        assert_eq!(
            task.state,
            TaskState::Done,
            "{key}: {id} is {:?}",
            task.state
        );
        let reply = task.reply.as_ref().expect("a reply");
        assert_eq!(
            reply.parts,
            [Part::text(format!("echo of {id}"))],
            "{key} has another's reply"
        );
        // The same key again: the same task, and no second one.
        let (sender, n) = key
            .trim_start_matches("key-")
            .split_once('-')
            .expect("a key");
        let again = Opening::request("echo")
            .text(format!("request {n} of {sender}"))
            .keyed(key.clone());
        let again = client.send(&again).await.expect("answered");
        assert!(again.replayed, "{key} was carried out again");
        let Receipt::Accepted { task, .. } = again.receipt else {
            panic!("{key}: {:?}", again.receipt)
        };
        assert_eq!(task.id, *id);
    }
    stop.cancel();
    worker.await.expect("the worker ends");
    assert_eq!(
        acknowledged
            .values()
            .collect::<std::collections::BTreeSet<_>>()
            .len(),
        acknowledged.len()
    );
    server.kill();
}
