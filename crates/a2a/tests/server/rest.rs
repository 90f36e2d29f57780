//! The HTTP+JSON binding.

use serde_json::{Value, json};

use crate::house::{ANA, House, message, message_with};

const A2A_JSON: &str = "application/a2a+json";

async fn send(house: &House, path: &str, body: &Value) -> reqwest::Response {
    let request = house.http.post(house.url(path)).bearer_auth(ANA).json(body);
    request.send().await.unwrap()
}

async fn get(house: &House, path: &str) -> reqwest::Response {
    house
        .http
        .get(house.url(path))
        .bearer_auth(ANA)
        .send()
        .await
        .unwrap()
}

#[tokio::test]
async fn a_message_is_sent_read_listed_and_cancelled() {
    let house = House::at_work().await;
    for prefix in ["", "/main"] {
        let base = format!("/a2a/echo{prefix}");
        let response = send(&house, &format!("{base}/message:send"), &message("echo hi")).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/json");
        let sent: Value = response.json().await.unwrap();
        assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_COMPLETED");
        let id = sent["task"]["id"].as_str().unwrap();
        let read: Value = get(&house, &format!("{base}/tasks/{id}?historyLength=0"))
            .await
            .json()
            .await
            .unwrap();
        assert_eq!(read["id"], id);
        assert!(read.get("history").is_none());
        let list =
            format!("{base}/tasks?pageSize=1&status=TASK_STATE_COMPLETED&includeArtifacts=true");
        let list: Value = get(&house, &list).await.json().await.unwrap();
        assert_eq!(list["tasks"][0]["id"], id);
        assert_eq!(
            list["tasks"][0]["artifacts"][0]["parts"][0]["text"],
            "echo hi"
        );

        let held = message_with("hold", json!({}), json!({"returnImmediately": true}));
        let held = send(&house, &format!("{base}/message:send"), &held).await;
        let held: Value = held.json().await.unwrap();
        let id = held["task"]["id"].as_str().unwrap();
        let path = format!("{base}/tasks/{id}:cancel");
        let cancel = house
            .http
            .post(house.url(&path))
            .bearer_auth(ANA)
            .send()
            .await
            .unwrap();
        assert_eq!(cancel.status(), 200);
        let cancelled: Value = cancel.json().await.unwrap();
        assert_eq!(cancelled["status"]["state"], "TASK_STATE_CANCELED");
    }
}

#[tokio::test]
async fn the_media_type_of_the_call_is_mirrored() {
    let house = House::at_work().await;
    let url = house.url("/a2a/echo/message:send");
    let body = message("echo").to_string();
    let request = house
        .http
        .post(&url)
        .bearer_auth(ANA)
        .header("content-type", A2A_JSON);
    let response = request.body(body.clone()).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], A2A_JSON);
    let request = house
        .http
        .get(house.url("/a2a/echo/tasks"))
        .bearer_auth(ANA);
    let response = request.header("accept", A2A_JSON).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], A2A_JSON);

    let request = house
        .http
        .post(&url)
        .bearer_auth(ANA)
        .header("content-type", "text/plain");
    let response = request.body(body).send().await.unwrap();
    assert_eq!(response.status(), 400);
    let error: Value = response.json().await.unwrap();
    assert_eq!(
        error["error"]["details"][0]["reason"],
        "CONTENT_TYPE_NOT_SUPPORTED"
    );
}

#[tokio::test]
async fn errors_are_statuses_with_their_reason() {
    let house = House::open().await;
    for (response, status, reason) in [
        (
            send(&house, "/a2a/echo/message:send", &json!({})).await,
            400,
            "INVALID_PARAMS",
        ),
        (
            get(&house, "/a2a/echo/tasks/none").await,
            404,
            "TASK_NOT_FOUND",
        ),
        (
            get(&house, "/a2a/echo/tasks?pageSize=0").await,
            400,
            "INVALID_PARAMS",
        ),
        (
            get(&house, "/a2a/echo/tasks?pageSize=x").await,
            400,
            "INVALID_PARAMS",
        ),
        (
            get(&house, "/a2a/echo/extendedAgentCard").await,
            400,
            "UNSUPPORTED_OPERATION",
        ),
        (
            get(&house, "/a2a/echo/tasks/t/pushNotificationConfigs").await,
            400,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        (
            get(&house, "/a2a/echo/nowhere").await,
            404,
            "METHOD_NOT_FOUND",
        ),
        (
            get(&house, "/a2a/echo/other/tasks").await,
            400,
            "INVALID_PARAMS",
        ),
    ] {
        assert_eq!(response.status(), status, "{reason}");
        let error: Value = response.json().await.unwrap();
        assert_eq!(error["error"]["code"], status);
        assert_eq!(error["error"]["details"][0]["reason"], reason, "{error}");
    }
    let response = get(&house, "/a2a/echo/message:send").await;
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], "POST");
    let error: Value = response.json().await.unwrap();
    assert_eq!(
        error["error"]["details"][0]["reason"],
        "UNSUPPORTED_OPERATION"
    );
}
