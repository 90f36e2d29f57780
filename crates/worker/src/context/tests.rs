//! Replay from recorded steps. The client has no server, so whatever calls it fails as a transport error.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Context, FanOut, StepError};
use crate::{
    assignment::Assignment,
    client::Client,
    handler::{AskUpwards, HandlerError},
    pulse::Pulse,
    reply::Answer,
    retry::Retry,
    step::StepNames,
    wire::{Lease, Opening, Part},
};

/// A context whose earlier runs have made `steps`: name, then receipt.
fn context(steps: &[(&str, Value)]) -> Context {
    let steps: Vec<Value> = steps
        .iter()
        .zip(1..)
        .map(|((name, receipt), n)| json!({"name": name, "ordinal": n, "receipt": receipt}))
        .collect();
    let mut lease: Lease = serde_json::from_value(json!({
        "lease": "lease_1", "hop": "hop_1", "token": "00", "heartbeat_ms": 10_000, "resumed": true,
        "agent": {"name": "coordinator"}, "act": {"performative": "request"}, "steps": steps,
        "task": {"id": "task_1", "root": "r", "performative": "request", "state": "working"},
    }))
    .unwrap();
    let client = Client::new("http://127.0.0.1:1", None).unwrap();
    let pulse = Pulse::new(Duration::from_secs(10), Instant::now());
    Context::new(
        client.retrying(Retry::NEVER),
        lease.token.clone(),
        Arc::new(Assignment::of(&mut lease)),
        lease.steps,
        Arc::new(AskUpwards),
        Arc::new(pulse),
    )
}

fn name(operation: &str, body: &Value) -> String {
    StepNames::default()
        .name(None, operation, body, None)
        .unwrap()
}

fn looked() -> (Opening, String) {
    let opening = Opening::request("logs").text("look");
    let body = serde_json::to_value(&opening).unwrap();
    (opening, name("delegate", &body))
}

fn replied(state: &str) -> Value {
    json!({"outcome": "accepted", "task": {
        "id": "task_2", "performative": "request", "state": state,
        "reply": {"performative": "inform", "parts": [{"text": "at 14:07"}]},
    }})
}

fn is_call(error: &StepError) -> bool {
    matches!(error, StepError::Call(_))
}

#[tokio::test]
async fn a_delegation_that_was_made_has_its_reply_without_a_call() {
    let (opening, name) = looked();
    let mut ctx = context(&[(&name, replied("done"))]);
    let reply = ctx.delegate(opening.clone()).await.unwrap();
    assert!(reply.is_result());
    assert_eq!(reply.text(), "at 14:07");
    // The same once more is another step, and new: it would be sent.
    assert!(is_call(&ctx.delegate(opening).await.unwrap_err()));
}

#[tokio::test]
async fn a_child_that_is_open_is_parked_on() {
    let (opening, name) = looked();
    let mut ctx = context(&[(&name, replied("working"))]);
    assert!(is_call(&ctx.delegate(opening).await.unwrap_err()));
}

#[tokio::test]
async fn a_new_step_before_all_recorded_ones_were_read_is_not_sent() {
    let (opening, _) = looked();
    let mut ctx = context(&[("plan", json!({"outcome": "recorded", "value": 1}))]);
    let error = ctx.delegate(opening).await.unwrap_err();
    let StepError::Diverged { step, unread } = error else {
        panic!("{error}")
    };
    assert!(step.starts_with("delegate/"), "{step}");
    assert_eq!(unread, "plan");
}

#[tokio::test]
async fn recorded_work_is_not_done_again_and_new_work_not_after_divergence() {
    let done = AtomicU32::new(0);
    let work = || async {
        done.fetch_add(1, Ordering::Relaxed);
        Ok::<u32, HandlerError>(7)
    };
    let recorded = |value: u32| json!({"outcome": "recorded", "value": value});
    let mut ctx = context(&[("a", recorded(1)), ("b", recorded(2))]);
    assert_eq!(ctx.recorded("b"), Some(&json!(2)));
    assert_eq!(ctx.step("a", work).await.unwrap(), 1);
    let error = ctx.step("new", work).await.unwrap_err();
    assert!(
        matches!(error.interruption(), Some(StepError::Diverged { unread, .. }) if unread == "b")
    );
    assert_eq!(done.load(Ordering::Relaxed), 0);
    assert_eq!(ctx.step("b", work).await.unwrap(), 2);
    assert!(ctx.step("c", work).await.is_err(), "there is no server");
    assert_eq!(done.load(Ordering::Relaxed), 1);
    let error = ctx.step("a", work).await.unwrap_err();
    assert!(matches!(error.interruption(), Some(StepError::NameTaken(name)) if name == "a"));
}

#[tokio::test]
async fn a_question_that_was_answered_is_not_asked_again() {
    let step = name("ask", &json!({"parts": [{"text": "which one?"}]}));
    let asked = json!({"outcome": "asked", "ask": {
        "id": "ask_1", "state": "answered", "question": {"performative": "query"},
        "answer": {"performative": "inform", "parts": [{"text": "checkout"}]},
    }});
    let mut ctx = context(&[(&step, asked)]);
    let Answer::Said { act, .. } = ctx.ask("which one?").await.unwrap() else {
        panic!("no answer")
    };
    assert_eq!(act.text(), "checkout");
}

#[tokio::test]
async fn a_fan_out_that_fired_is_gathered_in_the_order_of_its_branches() {
    let branches = [Opening::query("logs"), Opening::query("deployments")];
    let group = json!({"id": "grp_1", "mode": {"quorum": 1}, "state": "fired", "fired_by": "met",
                       "ended": 1, "results": 1, "arrived": ["task_2"]});
    let open = json!({"outcome": "accepted", "task":
        {"id": "task_3", "performative": "query", "state": "working"}});
    let receipt =
        json!({"outcome": "fanned-out", "group": group, "branches": [open, replied("done")]});
    let mut ctx = context(&[("look", receipt)]);
    let fan_out = FanOut::quorum(1, branches).keyed("look");
    let gathered = ctx.delegate_all(fan_out).await.unwrap();
    assert_eq!(gathered.fired_by.as_deref(), Some("met"));
    assert!(gathered.replies[0].is_none());
    assert_eq!(gathered.replies[1].as_ref().unwrap().text(), "at 14:07");
}

#[tokio::test]
async fn a_recorded_refuse_is_told_again_and_one_of_the_lease_stops_the_run() {
    let step = name("progress", &json!({"parts": [{"text": "half"}]}));
    let refused = |reason: &str| {
        json!({"outcome": "refused",
               "act": {"performative": "refuse", "reason": reason, "message": "no more"}})
    };
    let mut ctx = context(&[(&step, refused("too-many-steps"))]);
    let error = ctx.progress([Part::text("half")]).await.unwrap_err();
    assert_eq!(error.to_string(), "refused, too-many-steps: no more");
    assert!(!ctx.is_stopped());

    let mut ctx = context(&[("x", refused("cancelled"))]);
    let error = ctx.step("x", || async { Ok::<u8, HandlerError>(1) }).await;
    let error = error.unwrap_err();
    assert!(
        matches!(error.interruption(), Some(StepError::Ended(reason)) if reason == "cancelled")
    );
    assert!(ctx.is_stopped());
    assert!(matches!(
        ctx.agree().await.unwrap_err(),
        StepError::Ended(_)
    ));
}
