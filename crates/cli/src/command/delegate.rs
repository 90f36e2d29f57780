//! `tertulia delegate`: asks an agent to do something, waits for what comes of it, and puts its questions to the person.

use std::io::{self, BufRead as _, IsTerminal as _};

use serde_json::{Value, json};
use tertulia_worker::wire::{OpenQuestion, Task, TaskState};

use super::{answer, parts, party, refusal, tell_refusal, text};
use crate::{
    api::{self, Api},
    arguments::Delegate,
    exit::Exit,
    failure::Failure,
    output::{
        FAINT, Output, STRONG, WAITING, act, one_line, painted, progress::Spinner, safe,
        safe_lines, task,
    },
    span::millis,
};

/// How long one call waits, so that the person is told what is so; the waiting goes on in the next. It is less than the
/// first wait for another attempt, so that this one is told of too.
const POLL_MS: &str = "700";

/// After so many looks it is told that no worker has come.
const LOOKS_WITHOUT_WORKER: u32 = 4;

pub(super) async fn run(api: &Api, delegate: Delegate, output: Output) -> Result<Exit, Failure> {
    let opening = opening(&delegate)?;
    // A key of one's own makes it safe that the client repeats; one is drawn where none is given.
    let key = delegate
        .idempotency_key
        .clone()
        .unwrap_or_else(|| hex::encode(rand::random::<[u8; 16]>()));
    let sent = api
        .post(&["acts"])
        .header("idempotency-key", &key)
        .json(&opening)
        .value()
        .await?;
    if let Some(act) = refusal(&sent)? {
        let task = &sent["receipt"]["task"];
        output.data(if task.is_null() { &sent } else { task }, |_| Ok(()))?;
        return Ok(tell_refusal(&act, output));
    }
    let value = sent["receipt"]["task"].clone();
    if delegate.no_wait {
        let task: Task = api::read(&value)?;
        output.data(&value, |out| writeln!(out, "{}", safe(&task.id)))?;
        output.note(&format!(
            "follow it with: tertulia watch {}",
            safe(&task.id)
        ));
        return Ok(Exit::Done);
    }
    wait(api, value, output).await
}

/// The body of the call.
fn opening(delegate: &Delegate) -> Result<Value, Failure> {
    let mut parts = parts(&text(&delegate.text)?);
    if let (Some(data), Some(parts)) = (&delegate.data, parts.as_array_mut()) {
        parts.push(json!({"data": read_data(data)?}));
    }
    let to = party(&delegate.agent);
    let performative = if delegate.query { "query" } else { "request" };
    let mut body = json!({"to": to, "performative": performative, "parts": parts});
    let mut contract = json!({});
    for (member, name) in [("name", &delegate.contract), ("result", &delegate.result)] {
        if let Some(name) = name {
            contract[member] = json!(name);
            body["contract"] = contract.clone();
        }
    }
    for (member, value) in [
        ("conversation", &delegate.conversation),
        ("work_id", &delegate.work_id),
    ] {
        if let Some(value) = value {
            body[member] = json!(value);
        }
    }
    if let Some(deadline) = delegate.deadline {
        body["deadline_ms"] = json!(millis(deadline));
    }
    Ok(body)
}

/// JSON as it was typed, or in the file behind `@`.
fn read_data(data: &str) -> Result<Value, Failure> {
    let (text, place) = match data.strip_prefix('@') {
        Some(file) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| Failure::usage(format!("cannot read {file}")).because(&error))?;
            (text, file)
        }
        None => (data.to_owned(), "--data"),
    };
    serde_json::from_str(&text)
        .map_err(|error| Failure::usage(format!("{place} holds no JSON")).because(&error))
}

/// Waits until the task ends, or asks what nobody here answers.
async fn wait(api: &Api, mut value: Value, output: Output) -> Result<Exit, Failure> {
    let first: Task = api::read(&value)?;
    // Told at once: without a terminal there is no spinner, and the wait can be long.
    output.note(&painted(
        FAINT,
        &format!("{} has it as {}", safe(&first.agent), safe(&first.id)),
    ));
    let spinner = output.spinner(&format!("sent to {}", safe(&first.agent)));
    let mut interrupted = std::pin::pin!(tokio::signal::ctrl_c());
    let mut lost = 0;
    let mut looks = 0;
    loop {
        let now: Task = api::read(&value)?;
        spinner.tell(&standing(&now));
        looks += 1;
        if looks == LOOKS_WITHOUT_WORKER && now.waiting.as_deref() == Some("no-worker") {
            spinner.suspend(|| {
                output.note(&format!(
                    "no worker runs for {}: the task waits until one comes, at most to its deadline",
                    safe(&now.agent)
                ));
            });
        }
        // Told once for each: the work is not over, it is tried again.
        if let Some(failed) = task::lost_attempt(&now)
            && (!now.state.is_terminal() || now.state == TaskState::Done)
            && task::lost_attempts(&now) > lost
        {
            lost = task::lost_attempts(&now);
            spinner.suspend(|| output.note(&painted(WAITING, &one_line(&failed))));
        }
        if now.state.is_terminal() {
            drop(spinner);
            return ended(&value, &now, output);
        }
        if let Some(question) = question_for_us(&now) {
            if output.json || !io::stdin().is_terminal() {
                drop(spinner);
                return asks(&value, question, output);
            }
            put_question(api, &spinner, question, output).await?;
        }
        let call = api
            .get(&["tasks", &now.id])
            .query(&[("wait_ms", Some(POLL_MS.to_owned()))]);
        value = tokio::select! {
            answer = call.value() => answer?,
            _ = &mut interrupted => {
                drop(spinner);
                output.note(&format!(
                    "the task goes on: `tertulia watch {id}` follows it, `tertulia cancel {id}` ends it",
                    id = safe(&now.id)
                ));
                return Ok(Exit::Interrupted);
            }
        };
    }
}

fn standing(task: &Task) -> String {
    let waits = match task.waiting.as_deref() {
        Some("no-worker") => ", no worker has come for it yet",
        Some("capacity") => ", the agent is busy",
        _ if task.not_before.is_some() => ", waits for another attempt",
        _ => "",
    };
    format!(
        "{} {}{waits}",
        safe(&task.agent),
        task::state_name(task.state)
    )
}

/// The question that waits for whoever sent the task. One that goes to an agent is none of ours.
fn question_for_us(task: &Task) -> Option<&OpenQuestion> {
    let question = task.question.as_ref()?;
    let ours = question.addressee.as_deref() == Some(task.root_principal.as_str());
    (task.state == TaskState::AwaitingClarification && ours).then_some(question)
}

/// Asks the person, and sends what is typed.
async fn put_question(
    api: &Api,
    spinner: &Spinner,
    question: &OpenQuestion,
    output: Output,
) -> Result<(), Failure> {
    let said = spinner.suspend(|| {
        output.note(&format!(
            "{} {}",
            painted(STRONG, "asks:"),
            safe_lines(&asked(question))
        ));
        output.note(&painted(
            FAINT,
            "your answer in one line; an empty one declines to answer:",
        ));
        let mut line = String::new();
        io::stdin().lock().read_line(&mut line).map(|_| line)
    })?;
    let said = said.trim();
    let answered = answer::send(api, &question.ask, said, said.is_empty()).await?;
    if let Some(act) = refusal(&answered)? {
        tell_refusal(&act, output);
    }
    Ok(())
}

fn asked(question: &OpenQuestion) -> String {
    question.act.as_deref().map(act::full).unwrap_or_default()
}

/// Nobody is here to answer: tells how it is done.
fn asks(value: &Value, question: &OpenQuestion, output: Output) -> Result<Exit, Failure> {
    output.data(value, |_| Ok(()))?;
    output.note(&format!(
        "{} {}",
        painted(STRONG, "the task asks:"),
        safe_lines(&asked(question))
    ));
    output.note(&format!(
        "answer with: tertulia answer {} 'TEXT'",
        safe(&question.ask)
    ));
    Ok(Exit::Asks)
}

/// Prints what came of it.
fn ended(value: &Value, task: &Task, output: Output) -> Result<Exit, Failure> {
    let reply = task.reply.as_deref();
    let said = reply.map(act::full).unwrap_or_default();
    if said.is_empty() {
        output.data(value, |_| Ok(()))?;
    } else {
        output.body(value, &said)?;
    }
    if task.state == TaskState::Done {
        for artifact in reply.map_or(&[][..], |reply| &reply.artifacts) {
            output.note(&format!(
                "artifact {} ({} bytes, {}) is at /v1/roots/{}/artifacts/{}",
                safe(&artifact.name),
                artifact.size,
                safe(&artifact.media_type),
                safe(&task.root),
                safe(&artifact.digest),
            ));
        }
        return Ok(Exit::Done);
    }
    if let Some(reply) = reply {
        tell_refusal(reply, output);
    } else {
        output.note(&format!("the task ended {}", task::state(task)));
    }
    output.note(&format!("  and `tertulia show task {}`", safe(&task.id)));
    Ok(Exit::Ended)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delegate() -> Delegate {
        Delegate {
            agent: "logs".to_owned(),
            text: vec!["find".to_owned(), "it".to_owned()],
            data: None,
            contract: None,
            result: None,
            query: false,
            conversation: None,
            deadline: None,
            work_id: None,
            idempotency_key: None,
            no_wait: false,
        }
    }

    #[test]
    fn only_what_was_typed_is_sent() {
        let body = opening(&delegate()).unwrap();
        let expected =
            json!({"to": "agent:logs", "performative": "request", "parts": [{"text": "find it"}]});
        assert_eq!(body, expected);
    }

    #[test]
    fn everything_that_can_be_typed_is_sent() {
        let body = opening(&Delegate {
            agent: "agent:logs".to_owned(),
            text: Vec::new(),
            data: Some("{\"n\": 1}".to_owned()),
            contract: Some("a/v1".to_owned()),
            result: Some("b/v1".to_owned()),
            query: true,
            conversation: Some("conv_1".to_owned()),
            deadline: Some(std::time::Duration::from_secs(90)),
            work_id: Some("INC-42".to_owned()),
            ..delegate()
        })
        .unwrap();
        let expected = json!({
            "to": "agent:logs", "performative": "query", "parts": [{"data": {"n": 1}}],
            "contract": {"name": "a/v1", "result": "b/v1"}, "conversation": "conv_1",
            "deadline_ms": 90_000, "work_id": "INC-42",
        });
        assert_eq!(body, expected);
    }

    #[test]
    fn data_that_is_no_json_is_a_wrong_argument() {
        assert_eq!(read_data("{").unwrap_err().exit, Exit::Usage);
        let failure = read_data("@no/such/file").unwrap_err();
        assert_eq!(failure.message, "cannot read no/such/file");
    }

    #[test]
    fn a_question_is_put_to_whom_it_is_addressed() {
        let asked = |addressee: Value| {
            let value = json!({
                "id": "task_1", "performative": "request", "state": "awaiting-clarification",
                "root_principal": "user:ana", "question": {"ask": "ask_1", "addressee": addressee},
            });
            let task: Task = api::read(&value).unwrap();
            question_for_us(&task).is_some()
        };
        assert!(asked(json!("user:ana")));
        assert!(!asked(json!("agent:coordinator")));
        assert!(!asked(json!("task_0")));
    }
}
