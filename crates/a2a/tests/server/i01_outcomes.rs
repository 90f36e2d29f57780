//! I1: no decision of governance surfaces as an error of the protocol.

use serde_json::{Value, json};
use tertulia_acts::{
    command::{Command, Configure},
    ids::ConversationId,
};

use crate::house::{ANA, COORDINATOR, House, declared, message, message_with};

fn ended(answer: &Value, state: &str, performative: &str, reason: &str) {
    let task = &answer["result"]["task"];
    assert_eq!(task["status"]["state"], state, "{answer}");
    assert_eq!(declared(task)["performative"], performative);
    assert_eq!(declared(task)["reason"], reason);
    let said = &task["status"]["message"];
    assert_eq!(declared(said)["reason"], reason);
    let text = said["parts"][0]["text"].as_str().unwrap();
    assert!(text.starts_with(&format!("{reason}: ")), "{text}");
}

fn refused(answer: &Value, reason: &str) {
    let message = &answer["result"]["message"];
    assert_eq!(message["role"], "ROLE_AGENT", "{answer}");
    assert_eq!(declared(message)["performative"], "refuse");
    assert_eq!(declared(message)["reason"], reason);
}

#[tokio::test]
async fn i01_a_decline_is_rejected_with_its_reason() {
    let house = House::at_work().await;
    let answer = house
        .call(ANA, "SendMessage", message("decline this"))
        .await;
    ended(&answer, "TASK_STATE_REJECTED", "refuse", "declined");
    let parts = &answer["result"]["task"]["status"]["message"]["parts"];
    assert_eq!(parts[1]["text"], "not my line of work");
    assert!(answer["result"]["task"].get("artifacts").is_none());
}

#[tokio::test]
async fn i01_a_failure_is_failed_with_its_reason() {
    let house = House::at_work().await;
    let answer = house.call(ANA, "SendMessage", message("fail this")).await;
    ended(&answer, "TASK_STATE_FAILED", "failure", "gave-up");
    let parts = &answer["result"]["task"]["status"]["message"]["parts"];
    assert_eq!(parts[0]["text"], "gave-up: the disk was empty");
}

#[tokio::test]
async fn i01_an_expiry_is_failed_with_its_reason() {
    let house = House::open().await;
    let metadata = json!({"urn:tertulia:ext:speech-act:v1": {"deadlineMs": 1}});
    let params = message_with("echo", json!({"metadata": metadata}), json!({}));
    let answer = house.call(ANA, "SendMessage", params).await;
    ended(&answer, "TASK_STATE_FAILED", "failure", "expired");
}

#[tokio::test]
async fn i01_an_agent_that_left_is_a_refuse() {
    let house = House::open().await;
    let ana = house.caller("main", "user:ana");
    let change = Configure::RetireAgent {
        tenant: ana.tenant,
        name: "echo".into(),
    };
    let answer = house
        .engine
        .call(Command::Configure(None, Box::new(change)))
        .await;
    assert!(answer.is_ok());
    let answer = house.call(ANA, "SendMessage", message("echo")).await;
    ended(
        &answer,
        "TASK_STATE_REJECTED",
        "refuse",
        "unknown-recipient",
    );
}

#[tokio::test]
async fn i01_an_act_that_opens_nothing_is_a_refuse() {
    let house = House::at_work().await;
    let metadata = json!({"urn:tertulia:ext:speech-act:v1": {"performative": "propose"}});
    let params = message_with("echo", json!({"metadata": metadata}), json!({}));
    let answer = house.call(ANA, "SendMessage", params).await;
    refused(&answer, "illegal-act");
}

#[tokio::test]
async fn i01_a_key_used_for_another_act_is_a_refuse() {
    let house = House::at_work().await;
    let key = [("idempotency-key", "k-1")];
    let first = house
        .call_with(ANA, "SendMessage", message("echo 1"), &key)
        .await;
    assert_eq!(
        first["result"]["task"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
    let second = house
        .call_with(ANA, "SendMessage", message("echo 2"), &key)
        .await;
    refused(&second, "key-reused");
}

#[tokio::test]
async fn i01_an_agent_outside_a_hop_opens_no_root_and_is_told_so() {
    let house = House::at_work().await;
    let answer = house
        .call(COORDINATOR, "SendMessage", message("echo"))
        .await;
    refused(&answer, "no-root");
}

#[tokio::test]
async fn i01_a_closed_conversation_is_a_refuse() {
    let house = House::at_work().await;
    let task = house.say(ANA, "echo").await["task"].clone();
    let conversation: ConversationId = task["contextId"].as_str().unwrap().parse().unwrap();
    let close = tertulia_acts::command::Close { conversation };
    let ana = house.caller("main", "user:ana");
    let closed = house.engine.call(Command::Close(ana, close)).await;
    assert!(closed.is_ok(), "{closed:?}");
    let params = message_with("echo", json!({"contextId": task["contextId"]}), json!({}));
    let answer = house.call(ANA, "SendMessage", params).await;
    refused(&answer, "conversation-closed");
    assert_eq!(answer["result"]["message"]["contextId"], task["contextId"]);
}

#[tokio::test]
async fn i01_a_cancelled_task_says_so_to_whoever_waits_for_it() {
    let house = House::open().await;
    let waiting = house.call(ANA, "SendMessage", message("echo"));
    let cancelling = async {
        let grant = crate::worker::claim(&house.engine, "echo").await.unwrap();
        let id = grant.task.id().to_string();
        house.call(ANA, "CancelTask", json!({"id": id})).await
    };
    let (answer, cancelled) = tokio::join!(waiting, cancelling);
    assert_eq!(
        cancelled["result"]["status"]["state"],
        "TASK_STATE_CANCELED"
    );
    ended(&answer, "TASK_STATE_CANCELED", "cancel", "cancelled");
}
