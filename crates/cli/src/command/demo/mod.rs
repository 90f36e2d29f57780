//! `tertulia demo`: three agents explain an incident through the engine, before the eyes of whoever looks. The server
//! runs in this process on an embedded store; the agents are workers that call it over loopback like any others.
//!
//! The request carries a key of its own, so that a demo that was killed goes on where it stood when it is started again
//! with the same data, and one that has ended is told again from the store.

mod diagnosis;
mod line;
mod wait;
mod watcher;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Value, json};
use tertulia_incident::{
    agents::{to_coordinator, workers},
    cases::{self, Archive, DEFINITIONS},
    diagnosis::Diagnosis,
};
use tertulia_worker::{
    CancellationToken, Client,
    wire::{Act, Receipt, Task, TaskState, TreeTask},
};
use tokio::task::JoinSet;

use self::watcher::Watcher;
use crate::{
    api::{self, Api},
    arguments::Demo,
    embedded::Embedded,
    exit::Exit,
    failure::Failure,
    house,
    output::{FAINT, Output, Room, STRONG, painted, safe, task},
};

/// How long handlers may take to finish once the demo is left; then they give their leases back, and a later run goes on
/// at once.
const GRACE: Duration = Duration::from_secs(1);

pub(super) async fn run(demo: &Demo, output: Output) -> Result<Exit, Failure> {
    house::log("error", output);
    let folder = demo.data.clone().unwrap_or_else(fresh_folder);
    let server = Embedded::start(&folder).await?;
    output.note(&painted(
        FAINT,
        &format!(
            "the data lies in {}; if this run is cut off, the same command with --data {} goes on",
            folder.display(),
            quoted(&folder)
        ),
    ));
    let told = match Client::new(server.url(), None) {
        Ok(client) => perform(demo, &folder, &client, output).await,
        Err(error) => Err(failed("the server", &error)),
    };
    server.stop().await;
    told
}

/// Has the agents work and tells of it, until there is a diagnosis or whoever looks has seen enough.
async fn perform(
    demo: &Demo,
    folder: &Path,
    client: &Client,
    output: Output,
) -> Result<Exit, Failure> {
    for (file, definition) in DEFINITIONS {
        let name = file.trim_end_matches(".md");
        let put = client.put_agent_markdown(name, definition).await;
        put.map_err(|error| failed(&format!("the definition of agent:{name}"), &error))?;
    }
    let mut staff = Staff::of(client);
    let mut told = tokio::select! {
        told = tell(&demo.case, folder, client, output) => told,
        broken = staff.broken() => Err(broken),
        interrupted = interrupted() => interrupted.map(|()| Exit::Interrupted),
    };
    if demo.keep && matches!(told, Ok(Exit::Done | Exit::Ended)) {
        output.note(&format!("serving on at {} until Ctrl-C", client.base()));
        told = tokio::select! {
            broken = staff.broken() => Err(broken),
            interrupted = interrupted() => interrupted.and(told),
        };
    }
    staff.leave().await;
    told
}

async fn interrupted() -> Result<(), Failure> {
    let interrupted = tokio::signal::ctrl_c().await;
    interrupted.map_err(|error| Failure::internal("signals cannot be waited for").because(&error))
}

/// A folder of its own among the temporary ones. It stays, so that what happened can be read again.
fn fresh_folder() -> PathBuf {
    let name = format!("tertulia-demo-{}", hex::encode(rand::random::<[u8; 8]>()));
    std::env::temp_dir().join(name)
}

async fn tell(case: &str, folder: &Path, client: &Client, output: Output) -> Result<Exit, Failure> {
    let api = Api::new(client.base().as_str(), None)?;
    let root = send(client, case).await?;
    let room = output.room();
    let mut watcher = Watcher::new(api.clone(), client.clone(), &root, &room);
    watcher.follow(output).await?;
    ended(&api, &root, folder, &room, output).await
}

/// The workers of the three agents.
struct Staff {
    leaving: CancellationToken,
    at_work: JoinSet<Result<(), tertulia_worker::Error>>,
}

impl Staff {
    fn of(client: &Client) -> Self {
        let leaving = CancellationToken::new();
        let mut at_work = JoinSet::new();
        for worker in workers(client, &Archive::Bundled) {
            let worker = worker.name("demo").grace(GRACE);
            at_work.spawn(worker.run(leaving.clone()));
        }
        Self { leaving, at_work }
    }

    /// Waits for ever, unless a worker ends before it is to.
    async fn broken(&mut self) -> Failure {
        match self.at_work.join_next().await {
            Some(Ok(Err(error))) => failed("a worker", &error),
            Some(Err(error)) => Failure::internal("a worker broke").because(&error),
            Some(Ok(Ok(()))) | None => Failure::internal("a worker ended by itself"),
        }
    }

    async fn leave(mut self) {
        self.leaving.cancel();
        while let Some(left) = self.at_work.join_next().await {
            if !matches!(left, Ok(Ok(()))) {
                tracing::warn!(?left, "a worker did not end as it should");
            }
        }
    }
}

/// Sends the request of the case, or finds it sent by a run before.
async fn send(client: &Client, case: &str) -> Result<Task, Failure> {
    let asked = cases::request(case).map_err(|error| Failure::usage(error.to_string()))?;
    let opening = to_coordinator(&asked)
        .map_err(|error| Failure::internal("the request cannot be written").because(&error))?;
    let opening = opening.keyed(format!("demo/{case}"));
    let sent = client.send(&opening).await;
    match sent.map_err(|error| failed("the request", &error))?.receipt {
        Receipt::Accepted { task, .. } => Ok(*task),
        Receipt::Refused { act, .. } if act.reason_code() == "key-reused" => Err(Failure::usage(
            "the data is of another version of this demo, whose request was another one",
        )
        .help("give another folder with --data, or none")),
        Receipt::Refused { act, .. } => Err(Failure::new(
            Exit::Ended,
            format!(
                "the request was refused, {}: {}",
                act.reason_code(),
                act.message.as_deref().unwrap_or_default()
            ),
        )),
        other => Err(Failure::internal(format!(
            "the request was answered `{}`",
            other.name()
        ))),
    }
}

fn failed(what: &str, error: &tertulia_worker::Error) -> Failure {
    Failure::internal(format!("{what} failed")).because(error)
}

/// Tells what it came to: the tree of tasks, the diagnosis, and how to read all of it again.
async fn ended(
    api: &Api,
    root: &Task,
    folder: &Path,
    room: &Room,
    output: Output,
) -> Result<Exit, Failure> {
    let tree = api.get(&["tasks", &root.id, "tree"]).value().await?;
    let tasks: Vec<TreeTask> = api::read(&tree["tasks"])?;
    output.data(&tree, |out| {
        writeln!(
            out,
            "\n{}",
            painted(
                STRONG,
                "The tree of tasks, with the hops that worked on them"
            )
        )?;
        task::tree(&tasks, room, out)
    })?;
    output.shortened(room);
    let top = api.get(&["tasks", &root.id]).value().await?;
    let top: Task = api::read(&top)?;
    let exit = if let Some(found) = result(&top)? {
        let value = serde_json::to_value(&found)
            .map_err(|error| Failure::internal("the diagnosis has no JSON form").because(&error))?;
        output.data(&json!({"diagnosis": value}), |out| {
            writeln!(out)?;
            diagnosis::in_full(&found, out)
        })?;
        Exit::Done
    } else {
        output.warn(&format!(
            "there is no diagnosis: the task is {}",
            task::state(&top)
        ));
        Exit::Ended
    };
    output.data(&next(&top, folder), |out| {
        writeln!(
            out,
            "\n{}",
            painted(STRONG, "All of this is in the store. Read it again:")
        )?;
        for command in commands(&top, folder) {
            writeln!(out, "  {command}")?;
        }
        Ok(())
    })?;
    Ok(exit)
}

/// The diagnosis that the task ended with, if it did.
fn result(task: &Task) -> Result<Option<Diagnosis>, Failure> {
    let reply = task
        .reply
        .as_deref()
        .filter(|_| task.state == TaskState::Done);
    match reply.and_then(Act::data::<Diagnosis>) {
        None => Ok(None),
        Some(Ok(diagnosis)) => Ok(Some(diagnosis)),
        Some(Err(error)) => {
            Err(Failure::internal("the result is no incident-diagnosis/v1").because(&error))
        }
    }
}

fn next(root: &Task, folder: &Path) -> Value {
    json!({"task": root.id, "conversation": root.conversation, "data": folder, "next": commands(root, folder)})
}

fn commands(root: &Task, folder: &Path) -> [String; 3] {
    let (task, conversation) = (safe(&root.id), safe(&root.conversation));
    let (program, data) = (called(), quoted(folder));
    [
        format!("{program} show --data {data} task {task} --tree"),
        format!("{program} show --data {data} conversation {conversation}"),
        format!("{program} dev --data {data}"),
    ]
}

/// The program as it was called, so that the commands work from where this one did, also without it on the path.
fn called() -> String {
    let called = std::env::args_os().next();
    called.map_or_else(|| "tertulia".to_owned(), |path| quoted(Path::new(&path)))
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if text.chars().all(plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_as_a_shell_takes_it() {
        assert_eq!(quoted(Path::new("/data/demo-1")), "/data/demo-1");
        assert_eq!(quoted(Path::new("my data")), "'my data'");
        assert_eq!(quoted(Path::new("it's")), r"'it'\''s'");
    }

    #[test]
    fn every_definition_is_called_as_its_file() {
        for (file, definition) in DEFINITIONS {
            let name = file.trim_end_matches(".md");
            assert!(definition.contains(&format!("name: {name}\n")), "{file}");
        }
    }

    #[test]
    fn only_a_task_that_is_done_has_a_result() {
        let task = |value: Value| -> Task { serde_json::from_value(value).unwrap() };
        let failed = task(
            json!({"id": "t", "performative": "request", "state": "failed",
                                 "reply": {"performative": "failure", "parts": []}}),
        );
        assert_eq!(result(&failed).unwrap(), None);
        let wrong = task(
            json!({"id": "t", "performative": "request", "state": "done",
                                "reply": {"performative": "inform", "parts": [{"data": {"status": 1}}]}}),
        );
        assert_eq!(result(&wrong).unwrap_err().exit, Exit::Internal);
    }
}
