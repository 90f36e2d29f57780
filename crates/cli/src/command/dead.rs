//! `tertulia dead`.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_worker::wire::Task;

use super::{refusal, tell_refusal};
use crate::{
    api::{self, Api},
    arguments::Dead,
    exit::Exit,
    failure::Failure,
    output::{Output, safe, table},
    span::millis,
};

pub(super) async fn run(api: &Api, dead: Dead, output: Output) -> Result<Exit, Failure> {
    match dead {
        Dead::List => list(api, output).await,
        Dead::Redrive { task, deadline } => redrive(api, &task, deadline, output).await,
    }
}

async fn list(api: &Api, output: Output) -> Result<Exit, Failure> {
    let answer = api.get(&["dead-letters"]).value().await?;
    let letters = answer["dead_letters"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let room = output.room();
    let rows = letters.iter().map(row).collect();
    output.data(&answer, |out| {
        let heads = ["task", "agent", "reason", "attempts", "at", "last error"];
        writeln!(out, "{}", table(&heads, rows, &room))
    })?;
    output.shortened(&room);
    if letters.is_empty() {
        output.note("there are no dead letters");
    }
    Ok(Exit::Done)
}

fn row(letter: &Value) -> Vec<String> {
    let text = |value: &Value| safe(value.as_str().unwrap_or("-"));
    vec![
        text(&letter["task"]["id"]),
        text(&letter["task"]["agent"]),
        reason(letter),
        letter["attempts"].to_string(),
        text(&letter["at"]),
        letter["last_error"].as_str().unwrap_or("-").to_owned(),
    ]
}

/// Why it died, and whether it was sent again since.
fn reason(letter: &Value) -> String {
    let reason = safe(letter["reason"].as_str().unwrap_or("-"));
    if letter["task"]["redriven_as"].is_string() {
        return format!("{reason}, sent again");
    }
    reason
}

async fn redrive(
    api: &Api,
    task: &str,
    deadline: Option<Duration>,
    output: Output,
) -> Result<Exit, Failure> {
    let body = match deadline {
        Some(within) => json!({"deadline_ms": millis(within)}),
        None => json!({}),
    };
    let answer = api
        .post(&["tasks", task, "redrive"])
        .json(&body)
        .value()
        .await?;
    if let Some(act) = refusal(&answer)? {
        output.data(&answer, |_| Ok(()))?;
        return Ok(tell_refusal(&act, output));
    }
    let made: Task = api::read(&answer["receipt"]["task"])?;
    output.data(&answer, |out| writeln!(out, "{}", safe(&made.id)))?;
    let already = if answer["replayed"] == true {
        "was already sent again"
    } else {
        "sent again"
    };
    output.note(&format!(
        "{already} as {id}; follow it with: tertulia watch {id}",
        id = safe(&made.id)
    ));
    Ok(Exit::Done)
}
