//! Calls of an agent at work: its hop token joins them to the genealogy.

use serde_json::{Value, json};
use tertulia_acts::{
    body::Body,
    command::{AskUp, Grant, HopOperation},
    viewer::Viewer,
};

use crate::{
    house::{ANA, BOB, COORDINATOR, House, declared, message, message_with, party},
    worker,
};

/// The coordinator, at work for Ana.
async fn at_work(house: &House) -> Grant {
    let params = message_with("coordinate", json!({}), json!({"returnImmediately": true}));
    let response = house
        .post(ANA, "/a2a/coordinator", "SendMessage", params, &[])
        .await;
    let answer: Value = response.json().await.unwrap();
    assert!(answer["result"]["task"].is_object(), "{answer}");
    worker::claim(&house.engine, "coordinator").await.unwrap()
}

#[tokio::test]
async fn a_hop_token_delegates_as_the_agent_at_work() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    let token = grant.token.reveal();
    let hop = [("Hop-Token", token.as_str())];
    // With the key of the agent, or of its owner.
    for (key, text) in [(COORDINATOR, "echo one"), (ANA, "echo two")] {
        let answer = house
            .call_with(key, "SendMessage", message(text), &hop)
            .await;
        let task = &answer["result"]["task"];
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
        assert_eq!(declared(&task["history"][0])["sender"], "agent:coordinator");
        assert_eq!(declared(&task["history"][0])["hop"], grant.hop.to_string());
        let root = grant.task.id().root.to_string();
        assert_eq!(declared(task)["root"], root);
        let id = task["id"].as_str().unwrap().parse().unwrap();
        let viewer = Viewer::new(grant.task.made.tenant, party("user:ana"));
        let read = house.engine.reader().task(&viewer, id).unwrap().unwrap();
        assert_eq!(read.task.made.parent, Some(grant.task.id()));
        assert_eq!(read.task.made.genealogy.depth(), 1);
    }
}

#[tokio::test]
async fn a_key_under_a_hop_names_the_step() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    let token = grant.token.reveal();
    let headers = [("Hop-Token", token.as_str()), ("Idempotency-Key", "step-1")];
    let mut ids = Vec::new();
    for _ in 0..2 {
        let answer = house
            .call_with(COORDINATOR, "SendMessage", message("echo"), &headers)
            .await;
        ids.push(answer["result"]["task"]["id"].clone());
    }
    assert!(ids[0].is_string());
    assert_eq!(ids[0], ids[1]);
}

#[tokio::test]
async fn a_question_of_a_child_is_for_the_hop_above_and_nobody_else() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    let token = grant.token.reveal();
    let hop = [("Hop-Token", token.as_str())];
    let asked = house
        .call_with(COORDINATOR, "SendMessage", message("ask"), &hop)
        .await;
    let task = &asked["result"]["task"];
    assert_eq!(
        task["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
        "{asked}"
    );
    let get = json!({"id": task["id"]});
    // Ana, whose root it is, sees that it works.
    let seen = house.call(ANA, "GetTask", get.clone()).await;
    assert_eq!(
        seen["result"]["status"]["state"], "TASK_STATE_WORKING",
        "{seen}"
    );
    assert!(seen["result"]["status"].get("message").is_none());
    let listed = json!({"status": "TASK_STATE_WORKING"});
    let listed = house.call(ANA, "ListTasks", listed).await;
    assert_eq!(listed["result"]["tasks"][0]["id"], task["id"]);
    let none = json!({"status": "TASK_STATE_INPUT_REQUIRED"});
    let none = house.call(ANA, "ListTasks", none).await;
    assert_eq!(none["result"]["totalSize"], 0);
    let answer = message_with("that one", json!({"taskId": task["id"]}), json!({}));
    let hers = house.call(ANA, "SendMessage", answer.clone()).await;
    assert_eq!(
        declared(&hers["result"]["message"])["reason"],
        "illegal-act",
        "{hers}"
    );

    let done = house
        .call_with(COORDINATOR, "SendMessage", answer, &hop)
        .await;
    let parts = &done["result"]["task"]["artifacts"][0]["parts"];
    assert_eq!(parts[0]["text"], "you said that one", "{done}");
}

#[tokio::test]
async fn a_loop_is_a_rejected_task_and_a_question_above_reaches_the_root() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    let token = grant.token.reveal();
    let hop = [("Hop-Token", token.as_str())];
    let params = message("coordinate");
    let response = house
        .post(COORDINATOR, "/a2a/coordinator", "SendMessage", params, &hop)
        .await;
    let answer: Value = response.json().await.unwrap();
    let task = &answer["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_REJECTED", "{answer}");
    let reason = declared(task)["reason"].as_str().unwrap();
    assert!(["loop", "to-oneself"].contains(&reason), "{reason}");

    let body = Body::text("go on?");
    worker::act(
        &house.engine,
        &grant,
        HopOperation::Ask(AskUp { body, within: None }),
    )
    .await;
    let id = grant.task.id().to_string();
    let response = house
        .post(ANA, "/a2a/coordinator", "GetTask", json!({"id": id}), &[])
        .await;
    let read: Value = response.json().await.unwrap();
    assert_eq!(
        read["result"]["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );
}

#[tokio::test]
async fn a_token_that_gives_no_hold_is_an_error_and_no_message() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    let token = grant.token.reveal();
    for (key, token, code) in [
        (BOB, token.as_str(), -32004),
        (COORDINATOR, "00000000000000000000000000000000", -32004),
        (COORDINATOR, "nonsense", -32602),
    ] {
        let hop = [("Hop-Token", token)];
        let answer = house
            .call_with(key, "SendMessage", message("echo"), &hop)
            .await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    let done = worker::reply(Body::text("done"));
    worker::act(&house.engine, &grant, done).await;
    let hop = [("Hop-Token", token.as_str())];
    let answer = house
        .call_with(COORDINATOR, "SendMessage", message("echo"), &hop)
        .await;
    assert_eq!(answer["error"]["code"], -32004, "{answer}");
    assert_eq!(
        answer["error"]["data"][0]["metadata"]["code"],
        "hop-finished"
    );
}

#[tokio::test]
async fn a_context_under_a_hop_is_one_that_the_server_gave() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    let token = grant.token.reveal();
    let hop = [("Hop-Token", token.as_str())];
    let first = house
        .call_with(COORDINATOR, "SendMessage", message("echo 1"), &hop)
        .await;
    let context = first["result"]["task"]["contextId"].clone();
    let params = message_with("echo 2", json!({"contextId": context}), json!({}));
    let second = house
        .call_with(COORDINATOR, "SendMessage", params, &hop)
        .await;
    assert_eq!(second["result"]["task"]["contextId"], context, "{second}");
    let params = message_with("echo 3", json!({"contextId": "mine"}), json!({}));
    let own = house
        .call_with(COORDINATOR, "SendMessage", params, &hop)
        .await;
    assert_eq!(own["error"]["code"], -32602, "{own}");
}

/// The members of a message that name where it belongs.
fn naming(grant: &Grant) -> [Value; 2] {
    [
        json!({"contextId": grant.task.made.conversation.to_string()}),
        json!({"referenceTaskIds": ["theirs", grant.task.id().to_string()]}),
    ]
}

#[tokio::test]
async fn an_agent_at_work_joins_by_its_own_context_or_task_without_a_token() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    for (n, members) in naming(&grant).into_iter().enumerate() {
        let params = message_with(&format!("echo {n}"), members.clone(), json!({}));
        let answer = house.call(COORDINATOR, "SendMessage", params.clone()).await;
        let task = &answer["result"]["task"];
        assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
        assert_eq!(declared(&task["history"][0])["hop"], grant.hop.to_string());
        let id = task["id"].as_str().unwrap().parse().unwrap();
        let viewer = Viewer::new(grant.task.made.tenant, party("user:ana"));
        let read = house.engine.reader().task(&viewer, id).unwrap().unwrap();
        assert_eq!(read.task.made.parent, Some(grant.task.id()));
        assert_eq!(read.task.made.genealogy.depth(), 1);
        // What was made is a step: the same again is made no second time.
        let again = house.call(COORDINATOR, "SendMessage", params).await;
        assert_eq!(again["result"]["task"]["id"], task["id"]);
    }
    // A question of a child is the joined agent's to answer.
    let [_, reference] = naming(&grant);
    let asked = message_with("ask", reference.clone(), json!({}));
    let asked = house.call(COORDINATOR, "SendMessage", asked).await;
    let task = &asked["result"]["task"];
    assert_eq!(
        task["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
        "{asked}"
    );
    let mut members = reference;
    members["taskId"] = task["id"].clone();
    let answer = message_with("that one", members, json!({}));
    let done = house.call(COORDINATOR, "SendMessage", answer).await;
    let parts = &done["result"]["task"]["artifacts"][0]["parts"];
    assert_eq!(parts[0]["text"], "you said that one", "{done}");
}

#[tokio::test]
async fn nobody_joins_what_is_not_its_own() {
    let house = House::at_work().await;
    let grant = at_work(&house).await;
    let viewer = |of: &str| Viewer::new(grant.task.made.tenant, party(of));
    for members in naming(&grant) {
        // Bob cannot see the tree, and Ana, whose root it is, is not the agent: each opens a root of its own.
        for (key, of) in [(BOB, "user:bob"), (ANA, "user:ana")] {
            let params = message_with("echo", members.clone(), json!({}));
            let answer = house.call(key, "SendMessage", params).await;
            let task = &answer["result"]["task"];
            let id = task["id"].as_str().unwrap().parse().unwrap();
            let read = house.engine.reader().task(&viewer(of), id).unwrap();
            let read = read.unwrap();
            assert_eq!(read.task.made.parent, None, "{of} {members}");
            assert_ne!(id.root, grant.task.id().root);
        }
        // An agent that is at work on nothing there.
        let params = message_with("echo", members.clone(), json!({}));
        let answer = house.call(crate::house::ECHO, "SendMessage", params).await;
        let reason = &declared(&answer["result"]["message"])["reason"];
        assert_eq!(reason, "no-root", "{answer}");
    }
    // Who waits is not at work, and who has ended less so.
    let body = Body::text("go on?");
    let ask = HopOperation::Ask(AskUp { body, within: None });
    worker::act(&house.engine, &grant, ask).await;
    for members in naming(&grant) {
        let params = message_with("echo", members, json!({}));
        let answer = house.call(COORDINATOR, "SendMessage", params).await;
        let reason = &declared(&answer["result"]["message"])["reason"];
        assert_eq!(reason, "no-root", "{answer}");
    }
}

#[tokio::test]
async fn one_that_names_several_of_its_activations_is_asked_which() {
    let house = House::at_work().await;
    let (one, two) = (at_work(&house).await, at_work(&house).await);
    let tasks = [one.task.id().to_string(), two.task.id().to_string()];
    let params = message_with("echo", json!({"referenceTaskIds": tasks}), json!({}));
    let answer = house.call(COORDINATOR, "SendMessage", params).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
}
