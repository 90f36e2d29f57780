//! What is wrong with a call is an error of the protocol: credentials, versions, methods, shapes.

use serde_json::{Value, json};

use crate::house::{ANA, House, message};

#[tokio::test]
async fn without_a_known_key_a_call_is_401_over_both_bindings() {
    let house = House::open().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "t"}});
    let post = |path: &str| house.http.post(house.url(path)).json(&body);
    for request in [
        post("/a2a/echo"),
        post("/a2a/echo/message:send"),
        post("/a2a/echo").bearer_auth("no-such-key"),
        house.http.get(house.url("/a2a/echo/tasks")),
    ] {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 401);
        let scheme = response.headers()["www-authenticate"].to_str().unwrap();
        assert!(scheme.starts_with("Bearer"), "{scheme}");
        let body: Value = response.json().await.unwrap();
        assert!(body["error"]["message"].as_str().unwrap().contains("key"));
    }
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_404() {
    let house = House::open().await;
    for path in ["/a2a/nobody", "/a2a/Not%20A%20Name", "/a2a/nobody/"] {
        let response = house
            .post(ANA, path, "GetTask", json!({"id": "t"}), &[])
            .await;
        assert_eq!(response.status(), 404, "{path}");
    }
}

#[tokio::test]
async fn both_spellings_of_the_endpoint_answer() {
    let house = House::at_work().await;
    for path in ["/a2a/echo", "/a2a/echo/"] {
        let response = house
            .post(ANA, path, "SendMessage", message("echo"), &[])
            .await;
        let answer: Value = response.json().await.unwrap();
        assert!(answer["result"]["task"].is_object(), "{path}: {answer}");
    }
}

#[tokio::test]
async fn versions_of_one_are_spoken_and_others_refused() {
    let house = House::open().await;
    let list = async |headers: &[(&str, &str)]| {
        house.call_with(ANA, "ListTasks", json!({}), headers).await
    };
    for version in ["1.0", "1", "1.1", "1.0.1", ""] {
        let answer = list(&[("A2A-Version", version)]).await;
        assert!(answer["result"].is_object(), "{version:?}: {answer}");
    }
    for version in ["0.3", "2.0", "99.0", "1.x", "one"] {
        let answer = list(&[("A2A-Version", version)]).await;
        assert_eq!(answer["error"]["code"], -32009, "{version}: {answer}");
    }
    let get = |query: &str| {
        let url = house.url(&format!("/a2a/echo/tasks?A2A-Version={query}"));
        house.http.get(url).bearer_auth(ANA).send()
    };
    assert_eq!(get("1.0").await.unwrap().status(), 200);
    let response = get("0.3").await.unwrap();
    assert_eq!(response.status(), 400);
    let body: Value = response.json().await.unwrap();
    assert_eq!(
        body["error"]["details"][0]["reason"],
        "VERSION_NOT_SUPPORTED"
    );
    let old = house.call(ANA, "message/send", json!({})).await;
    assert_eq!(old["error"]["code"], -32009);
}

#[tokio::test]
async fn what_is_not_offered_is_refused_by_its_own_code() {
    let house = House::open().await;
    for (method, params, code) in [
        ("Nonsense", json!({}), -32601),
        ("GetExtendedAgentCard", json!({}), -32004),
        (
            "CreateTaskPushNotificationConfig",
            json!({"taskId": "t", "url": "https://example.com"}),
            -32003,
        ),
        ("CreateTaskPushNotificationConfig", json!({}), -32003),
        (
            "ListTaskPushNotificationConfigs",
            json!({"taskId": "t"}),
            -32003,
        ),
        (
            "GetTaskPushNotificationConfig",
            json!({"taskId": "t", "id": "c"}),
            -32003,
        ),
        (
            "DeleteTaskPushNotificationConfig",
            json!({"taskId": "t", "id": "c"}),
            -32003,
        ),
        (
            "SendMessage",
            {
                let mut params = message("echo");
                let push = json!({"url": "https://example.com"});
                params["configuration"] = json!({"taskPushNotificationConfig": push});
                params
            },
            -32003,
        ),
        ("GetTask", json!({}), -32602),
        ("SendMessage", json!({}), -32602),
        ("GetTask", json!({"id": "no-such-task"}), -32001),
        ("ListTasks", json!({"tenant": "other"}), -32602),
    ] {
        let answer = house.call(ANA, method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    let own = house
        .call(ANA, "ListTasks", json!({"tenant": "main"}))
        .await;
    assert_eq!(own["result"]["totalSize"], 0);
}

#[tokio::test]
async fn bodies_that_are_no_calls_are_told_apart() {
    let house = House::open().await;
    let post = async |body: &str, kind: &str| {
        let request = house.http.post(house.url("/a2a/echo")).bearer_auth(ANA);
        let request = request.header("content-type", kind).body(body.to_owned());
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        response.json::<Value>().await.unwrap()
    };
    let kind = "application/json; charset=utf-8";
    assert_eq!(post("{", kind).await["error"]["code"], -32700);
    assert_eq!(post("[]", kind).await["error"]["code"], -32600);
    assert_eq!(post("{}", kind).await["error"]["code"], -32600);
    let notification = r#"{"jsonrpc": "2.0", "method": "ListTasks"}"#;
    assert_eq!(post(notification, kind).await["error"]["code"], -32600);
    let call = r#"{"jsonrpc": "2.0", "id": "a", "method": "ListTasks"}"#;
    let text = post(call, "text/plain").await;
    assert_eq!(text["error"]["code"], -32005);
    let answer = post(call, kind).await;
    assert_eq!(answer["id"], "a");
    assert_eq!(answer["result"]["tasks"], json!([]));

    let large = format!("\"{}\"", "x".repeat(4 * 1024 * 1024 + 1));
    let request = house.http.post(house.url("/a2a/echo")).bearer_auth(ANA);
    let request = request.header("content-type", kind).body(large);
    assert_eq!(request.send().await.unwrap().status(), 413);
}

#[tokio::test]
async fn the_extension_is_echoed_to_whoever_activates_it() {
    let house = House::open().await;
    let uri = "urn:tertulia:ext:speech-act:v1";
    let list = async |value: &str| {
        let headers = [("A2A-Extensions", value)];
        let response = house
            .post(ANA, "/a2a/echo", "ListTasks", json!({}), &headers)
            .await;
        let echoed = response.headers().get("a2a-extensions");
        echoed.map(|value| value.to_str().unwrap().to_owned())
    };
    assert_eq!(list(&format!("urn:x, {uri}")).await.as_deref(), Some(uri));
    assert_eq!(list("urn:x").await, None);
}
