//! I15: what is foreign looks absent, by every method, over both bindings, to every stranger.

use serde_json::{Value, json};

use crate::house::{ANA, BOB, EVE, House, declared, message_with};

/// A task of Ana's that asks her something, and what of it a stranger may not learn.
async fn task(house: &House) -> (Value, Value) {
    let params = message_with("ask me", json!({"contextId": "ctx-1"}), json!({}));
    let answer = house.call(ANA, "SendMessage", params).await;
    let task = &answer["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    (task["id"].clone(), task["metadata"].clone())
}

#[tokio::test]
async fn i15_every_method_answers_a_stranger_as_if_there_were_no_task() {
    let house = House::at_work().await;
    let (id, _) = task(&house).await;
    let absent = format!("task_{}_1", "0".repeat(32));
    let answer_it = |id: &Value| message_with("it", json!({"taskId": id}), json!({}));
    for (method, params) in [
        ("GetTask", json!({"id": id})),
        ("CancelTask", json!({"id": id})),
        ("SubscribeToTask", json!({"id": id})),
        ("SendMessage", answer_it(&id)),
        ("SendStreamingMessage", answer_it(&id)),
    ] {
        for stranger in [BOB, EVE] {
            let foreign = house.call(stranger, method, params.clone()).await;
            assert_eq!(foreign["error"]["code"], -32001, "{method}: {foreign}");
            // It says the same about a task that never was.
            let text = params.to_string().replace(id.as_str().unwrap(), &absent);
            let params: Value = serde_json::from_str(&text).unwrap();
            let nothing = house.call(stranger, method, params).await;
            let told = |answer: &Value| {
                let text = answer["error"].to_string();
                text.replace(id.as_str().unwrap(), &absent)
            };
            assert_eq!(told(&foreign), told(&nothing), "{method}");
        }
    }
    let read = house.call(ANA, "GetTask", json!({"id": id})).await;
    assert_eq!(
        read["result"]["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );
}

#[tokio::test]
async fn i15_listings_hold_only_what_is_ones_own() {
    let house = House::at_work().await;
    let (id, metadata) = task(&house).await;
    let conversation = metadata["urn:tertulia:ext:speech-act:v1"]["envelope"]
        .as_str()
        .unwrap()
        .replacen("act_", "conv_", 1);
    let conversation = conversation.rsplit_once('_').unwrap().0.to_owned();
    for filter in [
        json!({}),
        json!({"contextId": "ctx-1"}),
        json!({"contextId": conversation}),
        json!({"status": "TASK_STATE_INPUT_REQUIRED"}),
    ] {
        for (key, expected) in [(ANA, 1), (BOB, 0), (EVE, 0)] {
            let answer = house.call(key, "ListTasks", filter.clone()).await;
            assert_eq!(
                answer["result"]["totalSize"], expected,
                "{key} {filter}: {answer}"
            );
        }
    }
    assert!(id.is_string());
}

#[tokio::test]
async fn i15_a_context_of_another_cannot_be_joined() {
    let house = House::at_work().await;
    let (_, metadata) = task(&house).await;
    let envelope = metadata["urn:tertulia:ext:speech-act:v1"]["envelope"]
        .as_str()
        .unwrap();
    let conversation = envelope.replacen("act_", "conv_", 1);
    let conversation = conversation.rsplit_once('_').unwrap().0.to_owned();
    for stranger in [BOB, EVE] {
        // The id of a foreign conversation is a name like any other, and a name is its caller's own.
        for context in [conversation.as_str(), "ctx-1"] {
            let immediately = json!({"returnImmediately": true});
            let params = message_with("hold", json!({"contextId": context}), immediately);
            let own = house.call(stranger, "SendMessage", params).await;
            let own = &own["result"]["task"];
            assert_eq!(own["contextId"], context);
            let first = declared(&own["history"][0])["envelope"].as_str().unwrap();
            assert!(
                first.ends_with("_1"),
                "the first act of its conversation: {first}"
            );
            let conversation = conversation.trim_start_matches("conv_");
            assert!(!first.contains(conversation), "{first}");
            let listed = house
                .call(stranger, "ListTasks", json!({"contextId": context}))
                .await;
            assert_eq!(listed["result"]["totalSize"], 1);
        }
    }
    let hers = house
        .call(ANA, "ListTasks", json!({"contextId": conversation}))
        .await;
    assert_eq!(hers["result"]["totalSize"], 1);
}

#[tokio::test]
async fn i15_over_http_a_stranger_gets_404() {
    let house = House::at_work().await;
    let (id, _) = task(&house).await;
    let id = id.as_str().unwrap();
    let get = |path: String| house.http.get(house.url(&path)).bearer_auth(BOB).send();
    let post = |path: String| house.http.post(house.url(&path)).bearer_auth(BOB).send();
    for response in [
        get(format!("/a2a/echo/tasks/{id}")).await,
        get(format!("/a2a/echo/tasks/{id}:subscribe")).await,
        post(format!("/a2a/echo/tasks/{id}:subscribe")).await,
        post(format!("/a2a/echo/tasks/{id}:cancel")).await,
    ] {
        let response = response.unwrap();
        assert_eq!(response.status(), 404);
        let body: Value = response.json().await.unwrap();
        assert_eq!(body["error"]["details"][0]["reason"], "TASK_NOT_FOUND");
    }
}

#[tokio::test]
async fn i15_a_task_is_found_at_its_own_agent_only() {
    let house = House::at_work().await;
    let (id, _) = task(&house).await;
    let response = house
        .post(ANA, "/a2a/coordinator", "GetTask", json!({"id": id}), &[])
        .await;
    let answer: Value = response.json().await.unwrap();
    assert_eq!(answer["error"]["code"], -32001);
}
