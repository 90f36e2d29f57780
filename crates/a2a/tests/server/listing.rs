//! `ListTasks`: filters, pages and what a listing leaves out.

use serde_json::{Value, json};

use crate::house::{ANA, House, message_with};

fn ids(answer: &Value) -> Vec<String> {
    let tasks = answer["result"]["tasks"].as_array().unwrap();
    tasks
        .iter()
        .map(|task| task["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn pages_hold_every_task_once_the_last_changed_first() {
    let house = House::at_work().await;
    let mut said = Vec::new();
    for n in 0..5 {
        let task = house.say(ANA, &format!("echo {n}")).await["task"].clone();
        said.push(task["id"].as_str().unwrap().to_owned());
    }
    let mut seen = Vec::new();
    let mut token = String::new();
    let mut pages = 0;
    loop {
        let params = json!({"pageSize": 2, "pageToken": token});
        let answer = house.call(ANA, "ListTasks", params).await;
        assert_eq!(answer["result"]["totalSize"], 5, "{answer}");
        assert_eq!(answer["result"]["pageSize"], 2);
        seen.extend(ids(&answer));
        pages += 1;
        token = answer["result"]["nextPageToken"]
            .as_str()
            .unwrap()
            .to_owned();
        if token.is_empty() {
            break;
        }
    }
    said.reverse();
    assert_eq!(seen, said);
    assert_eq!(pages, 3);
}

#[tokio::test]
async fn sizes_and_tokens_out_of_range_are_refused() {
    let house = House::open().await;
    for params in [
        json!({"pageSize": 0}),
        json!({"pageSize": 101}),
        json!({"pageSize": -1}),
        json!({"pageToken": "nonsense"}),
        json!({"historyLength": -1}),
        json!({"status": 77}),
    ] {
        let answer = house.call(ANA, "ListTasks", params.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{params}: {answer}");
    }
    let answer = house.call(ANA, "ListTasks", json!({})).await;
    let empty = json!({"tasks": [], "nextPageToken": "", "pageSize": 50, "totalSize": 0});
    assert_eq!(answer["result"], empty);
}

#[tokio::test]
async fn filters_narrow_and_artifacts_are_absent_unless_asked_for() {
    let house = House::at_work().await;
    let in_context = |text: &str, context: &str| {
        message_with(
            text,
            json!({"contextId": context}),
            json!({"returnImmediately": true}),
        )
    };
    let done = house.say(ANA, "echo").await["task"].clone();
    let held = house
        .call(ANA, "SendMessage", in_context("hold", "a"))
        .await;
    let held = held["result"]["task"]["id"].as_str().unwrap().to_owned();
    let asked = house.say(ANA, "ask").await["task"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let refused = house.say(ANA, "decline").await["task"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let done_id = done["id"].as_str().unwrap().to_owned();
    for (filter, expected) in [
        (json!({"status": "TASK_STATE_COMPLETED"}), vec![&done_id]),
        (json!({"status": "TASK_STATE_REJECTED"}), vec![&refused]),
        (json!({"status": "TASK_STATE_INPUT_REQUIRED"}), vec![&asked]),
        (json!({"status": "TASK_STATE_WORKING"}), vec![&held]),
        (json!({"status": "TASK_STATE_FAILED"}), vec![]),
        (json!({"contextId": "a"}), vec![&held]),
        (json!({"contextId": "nobody's"}), vec![]),
    ] {
        let answer = house.call(ANA, "ListTasks", filter.clone()).await;
        let expected: Vec<String> = expected.into_iter().cloned().collect();
        assert_eq!(ids(&answer), expected, "{filter}: {answer}");
        assert_eq!(answer["result"]["totalSize"], expected.len());
    }
    let at = done["status"]["timestamp"].clone();
    let since = house
        .call(ANA, "ListTasks", json!({"statusTimestampAfter": at}))
        .await;
    assert!(ids(&since).contains(&done_id), "at that instant or later");

    let completed = json!({"status": "TASK_STATE_COMPLETED"});
    let bare = house.call(ANA, "ListTasks", completed).await;
    assert!(bare["result"]["tasks"][0].get("artifacts").is_none());
    assert!(bare["result"]["tasks"][0].get("history").is_none());
    let whole =
        json!({"status": "TASK_STATE_COMPLETED", "includeArtifacts": true, "historyLength": 5});
    let whole = house.call(ANA, "ListTasks", whole).await;
    assert_eq!(
        whole["result"]["tasks"][0]["artifacts"][0]["parts"][0]["text"],
        "echo"
    );
    assert_eq!(
        whole["result"]["tasks"][0]["history"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
