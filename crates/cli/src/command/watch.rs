//! `tertulia watch`: what happens to a task or in a conversation, as it happens. A lost connection is taken up again from
//! the last event, so nothing is missed and nothing comes twice (SEMANTICS 15).

use std::time::Duration;

use futures_util::StreamExt as _;
use serde_json::Value;
use sse_stream::{Sse, SseStream};
use tertulia_worker::wire::{Event, TaskState};
use tokio::time::{sleep, timeout};

use crate::{
    api::{self, Api},
    arguments::Watch,
    exit::Exit,
    failure::Failure,
    output::{Output, Room, event},
};

/// Without a byte for so long, a connection is taken for dead.
const SILENCE: Duration = Duration::from_mins(1);
/// The first wait before a lost stream is opened again; it doubles with each.
const PAUSE: Duration = Duration::from_millis(250);
/// The waits before the stream is given up.
const ATTEMPTS: u32 = 8;

/// What is watched.
struct Watched {
    kind: &'static str,
    id: String,
}

pub(super) async fn run(api: &Api, watch: Watch, output: Output) -> Result<Exit, Failure> {
    let watched = watched(&watch)?;
    let mut cursor = watch.after;
    let mut failed = 0;
    let room = output.room();
    loop {
        match follow(api, &watched, &mut cursor, &mut failed, &room, output).await {
            Ok(Some(exit)) => return Ok(exit),
            Ok(None) => {}
            Err(failure)
                if matches!(failure.exit, Exit::Unreachable | Exit::Busy) && failed < ATTEMPTS => {}
            Err(failure) => return Err(failure),
        }
        sleep(PAUSE * 2_u32.pow(failed.min(ATTEMPTS))).await;
        failed += 1;
        if failed > ATTEMPTS {
            return Err(Failure::new(
                Exit::Unreachable,
                "the stream of events is lost again and again",
            )
            .help(format!(
                "go on later with: tertulia watch {} {} --after {cursor}",
                watched.kind, watched.id
            )));
        }
    }
}

/// Reads `task ID`, `conversation ID` or an id alone.
fn watched(watch: &Watch) -> Result<Watched, Failure> {
    let (kind, id) = match (&*watch.first, &watch.second) {
        ("task", Some(id)) => ("tasks", id),
        ("conversation", Some(id)) => ("conversations", id),
        (id, None) if id.starts_with("task_") => ("tasks", &watch.first),
        (id, None) if id.starts_with("conv_") => ("conversations", &watch.first),
        _ => {
            return Err(Failure::usage("it is not clear what to watch")
                .help("write `tertulia watch task ID` or `tertulia watch conversation ID`"));
        }
    };
    Ok(Watched {
        kind,
        id: id.clone(),
    })
}

/// One connection; none if it was lost.
async fn follow(
    api: &Api,
    watched: &Watched,
    cursor: &mut u64,
    failed: &mut u32,
    room: &Room,
    output: Output,
) -> Result<Option<Exit>, Failure> {
    let call = api.get(&[watched.kind, &watched.id, "events"]);
    let response = call
        .header("accept", "text/event-stream")
        .header("last-event-id", &cursor.to_string())
        .open()
        .await?;
    let mut stream = SseStream::from_bytes_stream(response.bytes_stream());
    loop {
        // A connection that was lost, is silent or was closed is opened again from the cursor.
        let Ok(Some(Ok(message))) = timeout(SILENCE, stream.next()).await else {
            return Ok(None);
        };
        let Some(value) = told(&message, cursor, output)? else {
            continue;
        };
        *failed = 0;
        let happened: Event = api::read(&value)?;
        output.data(&value, |out| {
            writeln!(out, "{}", event::on_a_line(&happened, room))
        })?;
        output.shortened(room);
        if let Some(exit) = ended(watched, &happened) {
            return Ok(Some(exit));
        }
    }
}

/// The event in a message, if it is one that was not told before.
fn told(message: &Sse, cursor: &mut u64, output: Output) -> Result<Option<Value>, Failure> {
    let Some(data) = message.data.as_deref().filter(|data| !data.is_empty()) else {
        return Ok(None);
    };
    let value: Value = serde_json::from_str(data).map_err(|error| {
        Failure::internal("an event of the stream cannot be read").because(&error)
    })?;
    if message.event.as_deref() == Some("gap") {
        *cursor = value["to"].as_u64().unwrap_or(*cursor).max(*cursor);
        output.warn(&format!(
            "events {} to {} are no longer kept",
            value["from"], value["to"]
        ));
        return Ok(None);
    }
    // What has no number is no event of the log, for example a snapshot after a gap.
    match value["n"].as_u64() {
        Some(n) if n > *cursor => {
            *cursor = n;
            Ok(Some(value))
        }
        _ => Ok(None),
    }
}

/// How the watching ends, once the task that is watched has ended.
fn ended(watched: &Watched, event: &Event) -> Option<Exit> {
    if watched.kind != "tasks"
        || event.kind != "task.state"
        || event.task.as_deref() != Some(&watched.id)
    {
        return None;
    }
    let state: TaskState = serde_json::from_value(event.detail["state"].clone()).ok()?;
    match state {
        TaskState::Done => Some(Exit::Done),
        state if state.is_terminal() => Some(Exit::Ended),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn output() -> Output {
        Output {
            json: true,
            full: false,
        }
    }

    fn watch(first: &str, second: Option<&str>) -> Watch {
        Watch {
            first: first.to_owned(),
            second: second.map(str::to_owned),
            after: 0,
        }
    }

    #[test]
    fn what_is_watched_is_said_or_told_by_its_id() {
        assert_eq!(watched(&watch("task", Some("x"))).unwrap().kind, "tasks");
        assert_eq!(
            watched(&watch("conv_1_1", None)).unwrap().kind,
            "conversations"
        );
        assert_eq!(watched(&watch("task_1_1", None)).unwrap().id, "task_1_1");
        assert_eq!(watched(&watch("x", None)).err().unwrap().exit, Exit::Usage);
        assert!(watched(&watch("agent", Some("x"))).is_err());
    }

    #[test]
    fn an_event_is_told_once_and_a_gap_moves_the_cursor() {
        let mut cursor = 4;
        let message = |data: Value| Sse::default().data(data.to_string());
        assert!(
            told(&message(json!({"n": 4})), &mut cursor, output())
                .unwrap()
                .is_none()
        );
        assert!(
            told(&message(json!({"n": 5})), &mut cursor, output())
                .unwrap()
                .is_some()
        );
        let gap = message(json!({"from": 6, "to": 9})).event("gap");
        assert!(told(&gap, &mut cursor, output()).unwrap().is_none());
        assert_eq!(cursor, 9);
        assert!(
            told(&message(json!({"snapshot": true})), &mut cursor, output())
                .unwrap()
                .is_none()
        );
        assert!(told(&Sse::default().data("no json"), &mut cursor, output()).is_err());
    }

    #[test]
    fn watching_ends_with_the_task_that_is_watched() {
        let event = |task: &str, state: &str| -> Event {
            serde_json::from_value(
                json!({"n": 1, "kind": "task.state", "task": task, "detail": {"state": state}}),
            )
            .unwrap()
        };
        let task = watched(&watch("task", Some("task_1"))).unwrap();
        assert_eq!(ended(&task, &event("task_1", "done")), Some(Exit::Done));
        assert_eq!(ended(&task, &event("task_1", "refused")), Some(Exit::Ended));
        assert_eq!(ended(&task, &event("task_1", "working")), None);
        assert_eq!(ended(&task, &event("task_2", "done")), None);
        let conversation = watched(&watch("conversation", Some("task_1"))).unwrap();
        assert_eq!(ended(&conversation, &event("task_1", "done")), None);
    }
}
