//! Keys: the same key with the same content is one task (I6), from the header or the extension.

use serde_json::{Value, json};

use crate::house::{ANA, BOB, House, message_with};

fn keyed(text: &str, key: &str, message_id: &str) -> Value {
    let metadata = json!({"urn:tertulia:ext:speech-act:v1": {"idempotencyKey": key}});
    let members = json!({"metadata": metadata, "messageId": message_id});
    message_with(text, members, json!({}))
}

#[tokio::test]
async fn i06_a_repeated_key_gets_the_same_task_whatever_carries_it() {
    let house = House::at_work().await;
    let first = house
        .call(ANA, "SendMessage", keyed("echo", "k-1", "m-1"))
        .await;
    let id = first["result"]["task"]["id"].clone();
    assert!(id.is_string(), "{first}");
    let again = house
        .call(ANA, "SendMessage", keyed("echo", "k-1", "m-2"))
        .await;
    assert_eq!(again["result"]["task"]["id"], id);
    let header = [("Idempotency-Key", "k-1")];
    let params = message_with("echo", json!({}), json!({"returnImmediately": true}));
    let again = house
        .call_with(ANA, "SendMessage", params.clone(), &header)
        .await;
    assert_eq!(again["result"]["task"]["id"], id);
    assert_eq!(
        again["result"]["task"]["status"]["state"],
        "TASK_STATE_COMPLETED"
    );
    // It counts for its sender alone, and without a key every message is a task.
    let other = house
        .call_with(BOB, "SendMessage", params.clone(), &header)
        .await;
    assert_ne!(other["result"]["task"]["id"], id);
    let plain = house.call(ANA, "SendMessage", params).await;
    assert_ne!(plain["result"]["task"]["id"], id);
}

#[tokio::test]
async fn two_keys_in_one_call_are_refused() {
    let house = House::at_work().await;
    let header = [("idempotency-key", "k-2")];
    let answer = house
        .call_with(ANA, "SendMessage", keyed("echo", "k-1", "m-1"), &header)
        .await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let same = [("idempotency-key", "k-1")];
    let answer = house
        .call_with(ANA, "SendMessage", keyed("echo", "k-1", "m-1"), &same)
        .await;
    assert!(answer["result"]["task"].is_object(), "{answer}");
    let long = "k".repeat(201);
    let long = [("idempotency-key", long.as_str())];
    let answer = house
        .call_with(
            ANA,
            "SendMessage",
            message_with("echo", json!({}), json!({})),
            &long,
        )
        .await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}

#[tokio::test]
async fn i06_a_repeated_answer_gets_its_task_though_it_has_ended() {
    let house = House::at_work().await;
    let asked = house.say(ANA, "ask").await["task"].clone();
    let params = message_with("blue", json!({"taskId": asked["id"]}), json!({}));
    let key = [("idempotency-key", "k-3")];
    for _ in 0..2 {
        let answer = house
            .call_with(ANA, "SendMessage", params.clone(), &key)
            .await;
        let task = &answer["result"]["task"];
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
        assert_eq!(task["artifacts"][0]["parts"][0]["text"], "you said blue");
    }
}
