//! `tertulia cancel`.

use serde_json::json;
use tertulia_worker::wire::Task;

use super::{parts, refusal, tell_refusal, text};
use crate::{
    api::{self, Api},
    arguments::Cancel,
    exit::Exit,
    failure::Failure,
    output::{Output, safe, task},
};

pub(super) async fn run(api: &Api, cancel: Cancel, output: Output) -> Result<Exit, Failure> {
    let body = json!({"parts": parts(&text(&cancel.text)?)});
    let answer = api
        .post(&["tasks", &cancel.task, "cancel"])
        .json(&body)
        .value()
        .await?;
    if let Some(act) = refusal(&answer)? {
        output.data(&answer, |_| Ok(()))?;
        return Ok(tell_refusal(&act, output));
    }
    let cancelled: Task = api::read(&answer["receipt"]["task"])?;
    output.data(&answer, |out| {
        writeln!(out, "{}  {}", safe(&cancelled.id), task::state(&cancelled))
    })?;
    Ok(Exit::Done)
}
