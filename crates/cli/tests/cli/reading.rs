//! What others wrote, as a person reads it: whole where it is piped, and without power over the terminal.

use std::fs;

use tertulia_worker::{
    Assignment, CancellationToken, Client, Context, Handler, HandlerError, Outcome, Worker,
};

use crate::{program::run, server::Server};

const DEFINITION: &str =
    "---\nname: logs\ndescription: Reads logs.\nowner: user:dev\n---\n\nYou read logs.\n";

/// Clears the screen, names the window, rings, overwrites the line, turns the direction.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\rall is well\u{202e}\u{9b}1m";

/// Fails once if it is asked to, and asks; then repeats what it was told.
struct Echo;

impl Handler for Echo {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let text = task.text();
        if text == "fail once" && task.attempt == 1 {
            return Ok(Outcome::retry(format!("no space left{HOSTILE}")));
        }
        if text.contains("ask") {
            ctx.ask(text.as_str()).await?;
        }
        ctx.progress(task.act.parts.clone()).await?;
        Ok(Outcome::text(text))
    }
}

#[test]
fn words_are_whole_where_they_are_piped_and_steer_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::dev(folder.path());
    fs::write(folder.path().join("logs.md"), DEFINITION).unwrap();
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);
    client(&["agents", "add", "logs.md"]).exits(0);

    let words = format!("{}{HOSTILE}the end", "when did it begin? ".repeat(60));
    let shown = words
        .replace('\u{1b}', "\\u{1b}")
        .replace('\u{7}', "\\u{7}")
        .replace('\r', "\\r")
        .replace('\u{202e}', "\\u{202e}")
        .replace('\u{9b}', "\\u{9b}");
    let sent = client(&["--json", "delegate", "logs", "--no-wait", &words])
        .exits(0)
        .json();
    let (task, conversation) = (
        sent["id"].as_str().unwrap(),
        sent["conversation"].as_str().unwrap(),
    );

    let runtime = tokio::runtime::Runtime::new().unwrap();
    let shutdown = CancellationToken::new();
    let worker = Worker::new(Client::new(&server.url, None).unwrap(), "logs").handler(Echo);
    let worker = runtime.spawn(worker.run(shutdown.clone()));
    let watched = client(&["watch", task]).exits(0);
    let asked = client(&["delegate", "logs", &format!("ask {words}")]).exits(6);

    for (what, run) in [
        ("watch", watched),
        ("question", asked),
        (
            "conversation",
            client(&["show", "conversation", conversation]).exits(0),
        ),
        ("inbox", client(&["show", "inbox"]).exits(0)),
        ("task", client(&["show", "task", task]).exits(0)),
        ("tree", client(&["show", "task", task, "--tree"]).exits(0)),
        ("tasks", client(&["show", "tasks"]).exits(0)),
        ("asks", client(&["show", "asks"]).exits(0)),
    ] {
        let told = if what == "question" {
            &run.stderr
        } else {
            &run.stdout
        };
        assert!(told.contains(&shown), "{what}: {told}");
        for text in [&run.stdout, &run.stderr] {
            let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!text.contains(steers), "{what}: {text:?}");
        }
    }
    // JSON is escaped too, and is the same text.
    let json = client(&["--json", "show", "task", task]).exits(0);
    assert!(
        !json.stdout.contains(['\u{1b}', '\u{9b}', '\u{202e}']),
        "{:?}",
        json.stdout
    );
    assert_eq!(json.json()["reply"]["parts"][0]["text"], words);
    shutdown.cancel();
    runtime.block_on(worker).unwrap().unwrap();
}

#[test]
fn an_attempt_that_failed_is_told_with_when_it_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::dev(folder.path());
    fs::write(folder.path().join("logs.md"), DEFINITION).unwrap();
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);
    client(&["agents", "add", "logs.md"]).exits(0);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let shutdown = CancellationToken::new();
    let worker = Worker::new(Client::new(&server.url, None).unwrap(), "logs").handler(Echo);
    let worker = runtime.spawn(worker.run(shutdown.clone()));

    let failed = "attempt 1 failed: no space left\\u{1b}[2J";
    let replied = client(&["delegate", "logs", "fail once"]).exits(0);
    assert_eq!(replied.stdout, "fail once\n");
    assert!(replied.stderr.contains(failed), "{}", replied.stderr);
    let tasks = client(&["--json", "show", "tasks"]).exits(0).json();
    let task = tasks["tasks"][0]["id"].as_str().unwrap();
    let watched = client(&["watch", task]).exits(0);
    let line = watched
        .stdout
        .lines()
        .find(|line| line.contains("mailbox.lease_lost"));
    let line = line.unwrap();
    assert!(
        line.contains(failed) && line.contains("; tries again at "),
        "{line}"
    );
    let shown = client(&["show", "task", task]).exits(0);
    assert!(shown.stdout.contains(failed), "{}", shown.stdout);
    shutdown.cancel();
    runtime.block_on(worker).unwrap().unwrap();
}

#[test]
fn an_agent_is_called_by_its_name_and_a_version_by_its_first_digits() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::dev(folder.path());
    let client = |arguments: &[&str]| server.client(folder.path(), arguments);
    fs::write(folder.path().join("logs.md"), DEFINITION).unwrap();
    let first = client(&["--json", "agents", "add", "logs.md"])
        .exits(0)
        .json();
    let first = first["agents"][0]["version"].as_str().unwrap();
    fs::write(
        folder.path().join("logs.md"),
        DEFINITION.replace("You read", "You write"),
    )
    .unwrap();
    client(&["agents", "add", "logs.md"]).exits(0);
    let digits = first.strip_prefix("sha256:").unwrap();
    for shortened in [
        first,
        digits,
        &first[..17],
        &digits[..10],
        &digits[..10].to_uppercase(),
    ] {
        let shown = client(&["agents", "show", "logs", "--version", shortened]).exits(0);
        assert!(
            shown.stdout.contains("You read logs."),
            "{shortened}: {}",
            shown.stdout
        );
        assert!(
            shown.stderr.contains(first),
            "{shortened}: {}",
            shown.stderr
        );
    }
    let other = if digits.starts_with("0000") {
        "1111"
    } else {
        "0000"
    };
    let absent = client(&["agents", "show", "logs", "--version", other]).exits(4);
    assert!(
        absent.stderr.contains("no version 0000 of agent:logs") || other == "1111",
        "{}",
        absent.stderr
    );
    client(&["agents", "show", "logs", "--version", "abc"]).exits(2);

    client(&["delegate", "logs", "x", "--no-wait"]).exits(0);
    for name in ["logs", "agent:logs"] {
        let count = |arguments: &[&str], member: &str| {
            let listed = client(&[&["--json"], arguments].concat()).exits(0).json();
            listed[member].as_array().unwrap().len()
        };
        assert_eq!(
            count(&["show", "tasks", "--agent", name], "tasks"),
            1,
            "{name}"
        );
        assert_eq!(
            count(&["commitments", "--agent", name], "commitments"),
            1,
            "{name}"
        );
        assert_eq!(count(&["show", "mailbox", name], "deliveries"), 1, "{name}");
        let made = client(&["--json", "keys", "create", name]).exits(0).json();
        assert_eq!(made["party"], "agent:logs");
        client(&["agents", "show", name]).exits(0);
    }
}

#[test]
fn a_folder_that_is_a_file_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("notes"), "").unwrap();
    for path in ["notes", "notes/below"] {
        let refused = run(folder.path(), &["init", path]).exits(2);
        assert!(
            refused
                .stderr
                .starts_with("error: notes is a file, and `init` writes into a folder"),
            "{}",
            refused.stderr
        );
    }
}
