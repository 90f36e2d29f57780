//! A person, the program and a worker: what is asked is answered, and can be read back.

use std::{fs, path::Path};

use serde_json::Value;
use tertulia_worker::{
    Assignment, CancellationToken, Client, Context, Handler, HandlerError, Outcome, Worker,
};

use crate::server::Server;

const LOGS: &str = "---\nname: logs\ndescription: Reads logs.\nowner: user:dev\nskills:\n  - id: read\n    \
                    description: Reads them.\n    tags: [incident]\n---\n\nYou read logs.\n";

/// A server for which `logs` is defined.
fn server(folder: &Path) -> Server {
    let server = Server::dev(folder);
    fs::write(folder.join("logs.md"), LOGS).unwrap();
    server
        .client(folder, &["agents", "add", "logs.md"])
        .exits(0);
    server
}

/// Asks first where the task says so; declines, fails, or repeats what was asked.
struct Logs;

impl Handler for Logs {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let text = task.text();
        if text == "decline" {
            return Ok(Outcome::decline("not my kind of work"));
        }
        if text == "ask" {
            let answer = ctx.ask("which service?").await?;
            return Ok(Outcome::text(answer.text().unwrap_or_default()));
        }
        Ok(Outcome::text(format!("read: {text}\u{1b}[2J")))
    }
}

/// Runs `then` while a worker for `logs` is at work.
fn with_worker(server: &Server, then: impl FnOnce()) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let client = Client::new(&server.url, None).unwrap();
    let shutdown = CancellationToken::new();
    let worker = Worker::new(client, "logs")
        .handler(Logs)
        .run(shutdown.clone());
    let worker = runtime.spawn(worker);
    then();
    shutdown.cancel();
    runtime.block_on(worker).unwrap().unwrap();
}

#[test]
fn agents_are_added_found_shown_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);

    let again = client(&["--json", "agents", "add", "logs.md"])
        .exits(0)
        .json();
    assert_eq!(again["agents"][0]["changed"], false);
    let found = client(&["--json", "agents", "find", "--tag", "incident"])
        .exits(0)
        .json();
    assert_eq!(found["agents"][0]["name"], "logs");
    let none = client(&["--json", "agents", "find", "--tag", "other"])
        .exits(0)
        .json();
    assert_eq!(none["agents"], Value::Array(Vec::new()));

    // What is shown is the file that it could be added from.
    let shown = client(&["agents", "show", "logs"]).exits(0);
    fs::write(folder.path().join("shown.md"), &shown.stdout).unwrap();
    let again = client(&["--json", "agents", "add", "shown.md"])
        .exits(0)
        .json();
    assert_eq!(again["agents"][0]["changed"], false, "{}", shown.stdout);

    client(&["agents", "show", "nobody"]).exits(4);
    client(&["agents", "remove", "logs"]).exits(0);
    let refused = client(&["delegate", "logs", "read"]).exits(1);
    assert!(
        refused.stderr.contains("refuse (unknown-recipient)"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_file_that_is_wrong_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::dev(folder.path());
    fs::write(folder.path().join("a.md"), LOGS).unwrap();
    fs::write(folder.path().join("b.md"), LOGS.replace("user:dev", "dev")).unwrap();
    let refused = server
        .client(folder.path(), &["agents", "add", "a.md", "b.md"])
        .exits(2);
    assert!(
        refused
            .stderr
            .contains("b.md:4:8: `owner`: `dev` owns no agent"),
        "{}",
        refused.stderr
    );
    let agents = server
        .client(folder.path(), &["--json", "agents", "list"])
        .exits(0)
        .json();
    assert_eq!(agents["agents"], Value::Array(Vec::new()));
}

#[test]
fn a_task_is_sent_once_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);

    let sent = client(&[
        "delegate",
        "logs",
        "find",
        "it",
        "--no-wait",
        "--idempotency-key",
        "k",
    ])
    .exits(0);
    let id = sent.stdout.trim();
    let again = client(&[
        "delegate",
        "logs",
        "find it",
        "--no-wait",
        "--idempotency-key",
        "k",
    ])
    .exits(0);
    assert_eq!(again.stdout.trim(), id, "the same key made two tasks");
    let other = client(&[
        "delegate",
        "logs",
        "other",
        "--no-wait",
        "--idempotency-key",
        "k",
    ])
    .exits(1);
    assert!(other.stderr.contains("key-reused"), "{}", other.stderr);

    let task = client(&["--json", "show", "task", id]).exits(0).json();
    assert_eq!(
        (&task["state"], &task["agent"]),
        (&"queued".into(), &"agent:logs".into())
    );
    let conversation = task["conversation"].as_str().unwrap();
    let shown = client(&["show", "conversation", conversation]).exits(0);
    assert!(
        shown.stdout.contains("user:dev → agent:logs  find it"),
        "{}",
        shown.stdout
    );
    let mailbox = client(&["--json", "show", "mailbox", "logs"])
        .exits(0)
        .json();
    assert_eq!(mailbox["deliveries"][0]["id"], id);
    let tree = client(&["show", "task", id, "--tree"]).exits(0);
    assert!(
        tree.stdout.starts_with("agent:logs  request  queued"),
        "{}",
        tree.stdout
    );
}

#[test]
fn a_task_that_was_cancelled_is_watched_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);
    let sent = client(&["delegate", "logs", "find it", "--no-wait"]).exits(0);
    let id = sent.stdout.trim();

    client(&["cancel", id, "no", "longer", "needed"]).exits(0);
    let task = client(&["--json", "show", "task", id]).exits(0).json();
    assert_eq!(task["state"], "cancelled");

    // The events of a task that has ended come to their end.
    let watched = client(&["--json", "watch", "task", id]).exits(1);
    let events: Vec<Value> = watched
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let numbers: Vec<u64> = events
        .iter()
        .map(|event| event["n"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(events.last().unwrap()["detail"]["state"], "cancelled");
    let rest = client(&["--json", "watch", id, "--after", "2"]).exits(1);
    assert_eq!(rest.stdout.lines().count(), events.len() - 2);
}

#[test]
fn a_reply_is_the_data_of_a_delegation() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);
    with_worker(&server, || {
        let replied = client(&["delegate", "logs", "find", "it"]).exits(0);
        assert_eq!(replied.stdout, "read: find it\u{1b}[2J\n");
        // Beside the data it is told which task that is, and nothing else.
        assert!(
            replied.stderr.starts_with("agent:logs has it as task_")
                && replied.stderr.lines().count() == 1,
            "{}",
            replied.stderr
        );
        let replied = client(&["--json", "delegate", "logs", "and again"])
            .exits(0)
            .json();
        assert_eq!(replied["state"], "done");
        assert_eq!(
            replied["reply"]["parts"][0]["text"],
            "read: and again\u{1b}[2J"
        );
        let shown = client(&["show", "task", replied["id"].as_str().unwrap()]).exits(0);
        assert!(
            shown.stdout.contains("\\u{1b}[2J") && !shown.stdout.contains('\u{1b}'),
            "{}",
            shown.stdout
        );

        let declined = client(&["delegate", "logs", "decline"]).exits(1);
        assert_eq!(declined.stdout, "not my kind of work\n");
        assert!(
            declined.stderr.contains("tertulia explain declined"),
            "{}",
            declined.stderr
        );
    });
}

#[test]
fn a_question_is_answered_in_another_command() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);
    with_worker(&server, || {
        let asked = client(&["delegate", "logs", "ask"]).exits(6);
        assert_eq!(asked.stdout, "");
        assert!(
            asked.stderr.contains("the task asks: which service?"),
            "{}",
            asked.stderr
        );
        let asks = client(&["--json", "show", "asks"]).exits(0).json();
        let ask = asks["asks"][0]["id"].as_str().unwrap();
        assert!(
            asked.stderr.contains(&format!("tertulia answer {ask} ")),
            "{}",
            asked.stderr
        );
        let task = asks["asks"][0]["question"]["task"].as_str().unwrap();

        client(&["answer", ask, "checkout"]).exits(0);
        let watched = client(&["watch", "task", task]).exits(0);
        assert!(
            watched.stdout.contains("which service?"),
            "{}",
            watched.stdout
        );
        let done = client(&["--json", "show", "task", task]).exits(0).json();
        assert_eq!(done["reply"]["parts"][0]["text"], "checkout");
        let late = client(&["answer", ask, "cart"]).exits(1);
        assert!(
            late.stderr.contains("ask-closed") || late.stderr.contains("already-answered"),
            "{}",
            late.stderr
        );
    });
}

#[test]
fn what_is_absent_is_told_so_and_what_is_wrong_is_a_wrong_argument() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);
    let id = "task_01a22ed97848702c91dc467d8243c956_2";
    for arguments in [
        &["show", "task", id][..],
        &["show", "task", id, "--tree"],
        &["cancel", id],
        &["watch", "task", id],
        &["dead", "redrive", id],
        &["show", "mailbox", "nobody"],
        &["keys", "create", "user:ana"],
        &["keys", "create", "ana"],
    ] {
        let absent = client(arguments).exits(4);
        assert_eq!(absent.stdout, "", "{arguments:?}");
    }
    for arguments in [
        &["delegate", "logs", "x", "--data", "{"][..],
        &["delegate", "user ana", "x"],
        &["delegate", "logs", "x", "--deadline", "soon"],
        &["delegate", "logs"],
        &["watch", "something"],
        &["keys", "create", "ana:x"],
    ] {
        client(arguments).exits(2);
        // What asks for JSON is told of it in JSON, also where it is the arguments that are wrong.
        let failed = client(&[&["--json"], arguments].concat()).exits(2);
        assert_eq!(failed.stdout, "", "{arguments:?}");
        let error = failed.error();
        assert_eq!(error["exit"], 2, "{arguments:?}");
        let message = error["message"].as_str().unwrap();
        assert!(
            !message.is_empty() && !message.starts_with("error"),
            "{message}"
        );
    }
}
