//! What becomes of a message: a task, its end, a question and its answer.

use serde_json::{Value, json};

use crate::house::{ANA, House, declared, message, message_with};

#[tokio::test]
async fn a_message_is_answered_with_its_completed_task() {
    let house = House::at_work().await;
    let result = house.say(ANA, "echo hello").await;
    let task = &result["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(task["artifacts"][0]["artifactId"], "result");
    assert_eq!(
        task["artifacts"][0]["parts"],
        json!([{"text": "echo hello"}])
    );
    assert_eq!(task["history"].as_array().unwrap().len(), 1);
    assert_eq!(task["history"][0]["role"], "ROLE_USER");
    assert_eq!(task["history"][0]["parts"], json!([{"text": "echo hello"}]));
    assert_eq!(declared(&task["history"][0])["performative"], "request");
    assert_eq!(declared(task)["performative"], "inform");
    assert_eq!(declared(task)["sender"], "agent:echo");
    assert!(declared(task)["hop"].as_str().unwrap().starts_with("hop_"));
    assert!(
        declared(task)["root"]
            .as_str()
            .unwrap()
            .starts_with("root_")
    );
    assert!(
        declared(task)["envelope"]
            .as_str()
            .unwrap()
            .starts_with("act_")
    );
    // A context that nobody named is the conversation.
    assert!(task["contextId"].as_str().unwrap().starts_with("conv_"));
    let timestamp = task["status"]["timestamp"].as_str().unwrap();
    assert!(
        timestamp.ends_with('Z') && timestamp.len() == 24,
        "{timestamp}"
    );
}

#[tokio::test]
async fn artifacts_come_by_their_media_types() {
    let house = House::at_work().await;
    let result = house.say(ANA, "files please").await;
    let artifacts = result["task"]["artifacts"].as_array().unwrap();
    assert_eq!(artifacts.len(), 3);
    assert_eq!(
        artifacts[0]["parts"],
        json!([{"text": "see the files"}, {"data": {"count": 3}}])
    );
    assert_eq!(
        artifacts[1]["parts"],
        json!([{"text": "alpha", "filename": "a.txt", "mediaType": "text/plain"}])
    );
    assert_eq!(
        artifacts[2]["parts"],
        json!([{"raw": "AAH/", "filename": "b.bin", "mediaType": "image/png"}])
    );
    let ids: Vec<_> = artifacts
        .iter()
        .map(|it| it["artifactId"].clone())
        .collect();
    assert!(ids[1].as_str().unwrap().starts_with("sha256:") && ids[1] != ids[2]);
}

#[tokio::test]
async fn files_that_come_in_leave_as_they_came() {
    let house = House::at_work().await;
    let parts = json!([
        {"text": "keep"},
        {"data": {"n": [1, null]}, "mediaType": "application/json", "metadata": {"k": 1}},
        {"raw": "AAH/", "filename": "b.bin", "mediaType": "image/png"},
        {"url": "https://example.com/x", "filename": "x"},
        {"text": "named", "filename": "n.txt"}
    ]);
    let params = message_with("", json!({"parts": parts}), json!({}));
    let answer = house.call(ANA, "SendMessage", params).await;
    let task = &answer["result"]["task"];
    assert_eq!(task["artifacts"][0]["parts"], parts, "{answer}");
    assert_eq!(task["artifacts"].as_array().unwrap().len(), 1);
    assert_eq!(task["history"][0]["parts"], parts);
}

#[tokio::test]
async fn return_immediately_does_not_wait_and_get_task_reads_the_rest() {
    let house = House::open().await;
    let params = message_with("echo later", json!({}), json!({"returnImmediately": true}));
    let answer = house.call(ANA, "SendMessage", params).await;
    let task = &answer["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED");
    assert!(task.get("artifacts").is_none());
    let id = task["id"].clone();
    let grant = crate::worker::claim(&house.engine, "echo").await.unwrap();
    let read = house.call(ANA, "GetTask", json!({"id": id})).await;
    assert_eq!(read["result"]["status"]["state"], "TASK_STATE_WORKING");
    let done = crate::worker::reply(tertulia_acts::body::Body::text("late"));
    crate::worker::act(&house.engine, &grant, done).await;
    let read = house.call(ANA, "GetTask", json!({"id": id})).await;
    assert_eq!(read["result"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(read["result"]["artifacts"][0]["parts"][0]["text"], "late");
}

#[tokio::test]
async fn a_blocking_message_waits_no_longer_than_the_limit_and_its_task_goes_on() {
    let house = House::waiting_at_most(std::time::Duration::ZERO).await;
    let answer = house.call(ANA, "SendMessage", message("echo on")).await;
    let task = &answer["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_SUBMITTED", "{answer}");
    // The task was not given up with the wait.
    let grant = crate::worker::claim(&house.engine, "echo").await.unwrap();
    assert_eq!(task["id"], grant.task.id().to_string());
    let done = crate::worker::reply(tertulia_acts::body::Body::text("after all"));
    crate::worker::act(&house.engine, &grant, done).await;
    let read = house.call(ANA, "GetTask", json!({"id": task["id"]})).await;
    assert_eq!(read["result"]["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(
        read["result"]["artifacts"][0]["parts"][0]["text"],
        "after all"
    );
}

async fn asked(house: &House, members: Value) -> Value {
    let params = message_with("ask me", members, json!({}));
    let answer = house.call(ANA, "SendMessage", params).await;
    let task = answer["result"]["task"].clone();
    assert_eq!(
        task["status"]["state"], "TASK_STATE_INPUT_REQUIRED",
        "{answer}"
    );
    task
}

#[tokio::test]
async fn a_question_interrupts_and_a_message_to_the_task_answers_it() {
    let house = House::at_work().await;
    let task = asked(&house, json!({})).await;
    let question = &task["status"]["message"];
    assert_eq!(question["parts"], json!([{"text": "which one?"}]));
    assert_eq!(question["role"], "ROLE_AGENT");
    assert_eq!(declared(question)["performative"], "query");
    assert!(
        declared(question)["ask"]
            .as_str()
            .unwrap()
            .starts_with("ask_")
    );

    let members = json!({"taskId": task["id"], "contextId": task["contextId"]});
    let answer = house
        .call(
            ANA,
            "SendMessage",
            message_with("the red one", members, json!({})),
        )
        .await;
    let done = &answer["result"]["task"];
    assert_eq!(done["id"], task["id"]);
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED");
    assert_eq!(
        done["artifacts"][0]["parts"][0]["text"],
        "you said the red one"
    );
    let said: Vec<_> = done["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            (
                message["role"].clone(),
                declared(message)["performative"].clone(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            (json!("ROLE_USER"), json!("request")),
            (json!("ROLE_AGENT"), json!("query")),
            (json!("ROLE_USER"), json!("inform"))
        ]
    );
}

#[tokio::test]
async fn an_answer_may_be_declined_and_no_other_act_answers() {
    let house = House::at_work().await;
    let task = asked(&house, json!({})).await;
    let with = |performative: &str| {
        let metadata = json!({"urn:tertulia:ext:speech-act:v1": {"performative": performative}});
        message_with(
            "no",
            json!({"taskId": task["id"], "metadata": metadata}),
            json!({}),
        )
    };
    let illegal = house.call(ANA, "SendMessage", with("request")).await;
    let refuse = &illegal["result"]["message"];
    assert_eq!(declared(refuse)["performative"], "refuse", "{illegal}");
    assert_eq!(declared(refuse)["reason"], "illegal-act");
    let read = house.call(ANA, "GetTask", json!({"id": task["id"]})).await;
    assert_eq!(
        read["result"]["status"]["state"],
        "TASK_STATE_INPUT_REQUIRED"
    );

    let declined = house.call(ANA, "SendMessage", with("refuse")).await;
    let done = &declined["result"]["task"];
    assert_eq!(
        done["status"]["state"], "TASK_STATE_COMPLETED",
        "{declined}"
    );
    let answer = done["history"].as_array().unwrap().last().unwrap();
    assert_eq!(declared(answer)["performative"], "refuse");
    assert_eq!(declared(answer)["reason"], "declined");
}

#[tokio::test]
async fn a_task_at_work_takes_no_message_and_stays_as_it_is() {
    let house = House::at_work().await;
    let immediately = json!({"returnImmediately": true});
    let params = message_with("hold on", json!({}), immediately);
    let answer = house.call(ANA, "SendMessage", params).await;
    let id = answer["result"]["task"]["id"].clone();
    let more = message_with("more", json!({"taskId": id}), json!({}));
    let answer = house.call(ANA, "SendMessage", more).await;
    let refuse = &answer["result"]["message"];
    assert_eq!(declared(refuse)["reason"], "illegal-act", "{answer}");
    assert_eq!(refuse["taskId"], id);
    assert_eq!(declared(refuse)["task"], id);
    let read = house.call(ANA, "GetTask", json!({"id": id})).await;
    assert_eq!(read["result"]["history"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_task_that_has_ended_takes_no_message() {
    let house = House::at_work().await;
    let task = house.say(ANA, "echo").await["task"].clone();
    let members = json!({"taskId": task["id"]});
    let answer = house
        .call(ANA, "SendMessage", message_with("more", members, json!({})))
        .await;
    assert_eq!(answer["error"]["code"], -32004, "{answer}");
    assert_eq!(
        answer["error"]["data"][0]["reason"],
        "UNSUPPORTED_OPERATION"
    );
}

#[tokio::test]
async fn a_context_is_an_alias_of_the_caller_with_the_agent() {
    let house = House::at_work().await;
    let say = async |text: &str, members: Value| {
        house
            .call(ANA, "SendMessage", message_with(text, members, json!({})))
            .await
    };
    let first = say("echo one", json!({"contextId": "ctx-1"})).await["result"]["task"].clone();
    let second = say("echo two", json!({"contextId": "ctx-1"})).await["result"]["task"].clone();
    assert_eq!(first["contextId"], "ctx-1");
    assert_eq!(second["contextId"], "ctx-1");
    assert_ne!(first["id"], second["id"]);
    let envelope = |task: &Value| declared(task)["envelope"].as_str().unwrap().to_owned();
    let conversation = |act: &str| act.rsplit_once('_').unwrap().0.to_owned();
    assert_eq!(
        conversation(&envelope(&first)),
        conversation(&envelope(&second))
    );
    let read = house.call(ANA, "GetTask", json!({"id": first["id"]})).await;
    assert_eq!(read["result"]["contextId"], "ctx-1");

    // A context that the server gave is taken back.
    let given = say("echo three", json!({})).await["result"]["task"].clone();
    let again = say("echo four", json!({"contextId": given["contextId"]})).await;
    assert_eq!(
        again["result"]["task"]["contextId"], given["contextId"],
        "{again}"
    );

    // One that does not fit its task is refused; one that looks as if given, and was not, is a name.
    let asked = asked(&house, json!({"contextId": "ctx-2"})).await;
    let mismatch = say("x", json!({"taskId": asked["id"], "contextId": "ctx-1"})).await;
    assert_eq!(mismatch["error"]["code"], -32602, "{mismatch}");
    let name = format!("conv_{}_1", "0".repeat(32));
    let unknown = say("x", json!({"contextId": name})).await;
    assert_eq!(unknown["result"]["task"]["contextId"], name, "{unknown}");
}

#[tokio::test]
async fn history_is_as_long_as_was_asked_for() {
    let house = House::at_work().await;
    let task = asked(&house, json!({})).await;
    let members = json!({"taskId": task["id"]});
    house
        .call(ANA, "SendMessage", message_with("it", members, json!({})))
        .await;
    for (length, expected) in [(0, 0), (1, 1), (2, 2), (9, 3)] {
        let params = json!({"id": task["id"], "historyLength": length});
        let read = house.call(ANA, "GetTask", params).await;
        let history = read["result"]["history"].as_array().map_or(0, Vec::len);
        assert_eq!(history, expected, "historyLength {length}");
        if length == 1 {
            assert_eq!(read["result"]["history"][0]["parts"][0]["text"], "it");
        }
        if length == 0 {
            assert!(read["result"].get("history").is_none());
        }
    }
    let answer = house
        .call(
            ANA,
            "GetTask",
            json!({"id": task["id"], "historyLength": -1}),
        )
        .await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn whoever_hangs_up_cancels_nothing() {
    let house = House::open().await;
    let call = house.call(ANA, "SendMessage", message("echo on"));
    let gone = tokio::time::timeout(std::time::Duration::from_millis(300), call).await;
    assert!(gone.is_err());
    let grant = crate::worker::claim(&house.engine, "echo").await.unwrap();
    let done = crate::worker::reply(tertulia_acts::body::Body::text("still here"));
    crate::worker::act(&house.engine, &grant, done).await;
    let id = grant.task.id().to_string();
    let read = house.call(ANA, "GetTask", json!({"id": id})).await;
    assert_eq!(read["result"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn cancelling_twice_is_cancelling_once() {
    let house = House::at_work().await;
    let params = message_with("hold it", json!({}), json!({"returnImmediately": true}));
    let id = house.call(ANA, "SendMessage", params).await["result"]["task"]["id"].clone();
    for _ in 0..2 {
        let answer = house.call(ANA, "CancelTask", json!({"id": id})).await;
        let task = &answer["result"];
        assert_eq!(task["status"]["state"], "TASK_STATE_CANCELED", "{answer}");
        assert_eq!(declared(task)["performative"], "cancel");
        assert_eq!(declared(task)["reason"], "cancelled");
    }
    let done = house.say(ANA, "echo").await["task"]["id"].clone();
    let answer = house.call(ANA, "CancelTask", json!({"id": done})).await;
    assert_eq!(answer["error"]["code"], -32002);
}
