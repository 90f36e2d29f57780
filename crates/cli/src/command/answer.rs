//! `tertulia answer`.

use serde_json::{Value, json};

use super::{parts, refusal, tell_refusal, text};
use crate::{api::Api, arguments::Answer, exit::Exit, failure::Failure, output::Output};

pub(super) async fn run(api: &Api, answer: Answer, output: Output) -> Result<Exit, Failure> {
    let said = text(&answer.text)?;
    let answered = send(api, &answer.ask, &said, answer.refuse).await?;
    output.data(&answered, |_| Ok(()))?;
    if let Some(act) = refusal(&answered)? {
        return Ok(tell_refusal(&act, output));
    }
    output.note("answered; the task goes on");
    Ok(Exit::Done)
}

/// Answers an ask, or declines to.
pub(super) async fn send(api: &Api, ask: &str, said: &str, refuse: bool) -> Result<Value, Failure> {
    let body = if refuse {
        json!({"refuse": true, "parts": parts(said)})
    } else {
        json!({"parts": parts(said)})
    };
    api.post(&["asks", ask, "answer"]).json(&body).value().await
}
