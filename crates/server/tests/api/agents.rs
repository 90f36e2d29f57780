//! Agents: put, found, read, retired; mailboxes.

use reqwest::Method;
use serde_json::json;

use crate::house::{House, answer, string};

const MARKDOWN: &str = "---\nname: metrics\ndescription: Reads dashboards.\nowner: user:ana\nskills:\n  - id: chart\n    description: Draws a chart\n    tags: [charts]\n    output_modes: [image/png]\n---\n\nYou read dashboards.\n";

#[tokio::test]
async fn a_definition_is_put_as_markdown_and_read_as_a_version() {
    let house = House::new().await;
    let put = |text: &str| {
        let request = house.ana.request(Method::PUT, "/v1/agents/metrics");
        answer(
            request
                .header("content-type", "text/markdown; charset=utf-8")
                .body(text.to_owned()),
        )
    };
    let first = put(MARKDOWN).await.ok();
    assert_eq!(
        (&first["name"], &first["changed"]),
        (&json!("metrics"), &json!(true))
    );
    assert_eq!(put(MARKDOWN).await.ok()["changed"], false);
    let path = format!("/v1/agents/metrics/versions/{}", string(&first, "/version"));
    let version = house.ana.get(&path).await.ok();
    assert_eq!(
        version["definition"]["instructions"],
        "You read dashboards."
    );
    let second = put(&MARKDOWN.replace("dashboards.\n", "walls.\n"))
        .await
        .ok();
    assert_ne!(second["version"], first["version"]);
    // The old version is still there, also by its first digits.
    assert_eq!(house.ana.get(&path).await.ok()["digest"], first["version"]);
    let of = async |digest: &str| {
        let path = format!("/v1/agents/metrics/versions/{digest}");
        house.ana.get(&path).await
    };
    let digest = string(&first, "/version");
    for shortened in [&digest[..16], &digest[7..], &digest[7..19]] {
        assert_eq!(of(shortened).await.ok()["digest"], first["version"]);
    }
    for wrong in ["abc", "sha256:", "no-digest", &format!("{digest}0")] {
        of(wrong).await.problem(400, "malformed");
    }
    let detail = of(&"0".repeat(64)).await.problem(404, "not-found");
    assert!(detail.contains("version 0000"), "{detail}");
    let agent = house.ana.get("/v1/agents/metrics").await.ok();
    assert_eq!(
        (&agent["version"], &agent["runner"]),
        (&second["version"], &json!("worker"))
    );
    assert_eq!(
        agent["health"],
        json!({"open": 0, "leased": 0, "worker": false})
    );
}

#[tokio::test]
async fn a_wrong_definition_is_refused_with_its_place() {
    let house = House::new().await;
    let put = |name: &str, kind: &'static str, text: String| {
        let request = house
            .ana
            .request(Method::PUT, &format!("/v1/agents/{name}"));
        answer(request.header("content-type", kind).body(text))
    };
    let detail = put(
        "metrics",
        "text/markdown",
        MARKDOWN.replace("tags:", "tagz:"),
    )
    .await
    .problem(400, "malformed");
    assert!(detail.contains("tagz"), "{detail}");
    let detail = put("other", "text/markdown", MARKDOWN.into())
        .await
        .problem(400, "malformed");
    assert!(detail.contains("`metrics`"), "{detail}");
    put("metrics", "text/plain", MARKDOWN.into())
        .await
        .problem(415, "unsupported-media-type");
    let json = json!({"name": "metrics", "description": "d", "owner": "user:ana", "skills": [{"id": "x"}]});
    let detail = put("metrics", "application/json", json.to_string())
        .await
        .problem(400, "malformed");
    assert!(detail.contains("skills[0]"), "{detail}");
    let large = MARKDOWN.to_owned() + &"x".repeat(300 * 1024);
    put("metrics", "text/markdown", large)
        .await
        .problem(413, "too-large");
    // What the operator has not allowed: any variable of the server's, any address that only it reaches.
    for (more, place) in [
        (json!({"token_env": "PATH"}), "runner.a2a.token_env: "),
        (json!({"allow_private": true}), "runner.a2a.allow_private: "),
    ] {
        let mut remote = json!({"url": "http://127.0.0.1:1"});
        let more = more.as_object().unwrap().clone();
        remote.as_object_mut().unwrap().extend(more);
        let json = json!({"name": "metrics", "description": "d", "owner": "user:ana", "runner": {"a2a": remote}});
        let detail = put("metrics", "application/json", json.to_string())
            .await
            .problem(400, "malformed");
        assert!(detail.starts_with(place), "{detail}");
        assert!(detail.contains("tertulia.toml"), "{detail}");
    }
    let engine = json!({"name": "metrics", "description": "d", "owner": "engine:tertulia"});
    put("metrics", "application/json", engine.to_string())
        .await
        .problem(400, "malformed");
}

#[tokio::test]
async fn agents_are_found_by_what_they_can_do() {
    let house = House::new().await;
    let request = house.ana.request(Method::PUT, "/v1/agents/metrics");
    answer(
        request
            .header("content-type", "text/markdown")
            .body(MARKDOWN),
    )
    .await
    .ok();
    let names = |found: serde_json::Value| -> Vec<String> {
        let agents = found["agents"].as_array().unwrap();
        agents
            .iter()
            .map(|agent| agent["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        names(house.bob.get("/v1/agents?tag=charts").await.ok()),
        ["metrics"]
    );
    assert_eq!(
        names(
            house
                .bob
                .get("/v1/agents?output_mode=image/png&q=dashboards")
                .await
                .ok()
        ),
        ["metrics"]
    );
    assert_eq!(
        names(house.bob.get("/v1/agents?input_mode=text/plain").await.ok()),
        [""; 0]
    );
    assert_eq!(
        names(house.bob.get("/v1/agents").await.ok()),
        ["coordinator", "deployments", "logs", "metrics"]
    );
    assert_eq!(names(house.mallory.get("/v1/agents").await.ok()), ["logs"]);
    assert_eq!(
        house.ana.delete("/v1/agents/metrics").await.ok()["changed"],
        true
    );
    assert_eq!(
        names(house.bob.get("/v1/agents?tag=charts").await.ok()),
        [""; 0]
    );
    assert_eq!(
        house.bob.get("/v1/agents/metrics").await.ok()["retired"],
        true
    );
}

#[tokio::test]
async fn a_mailbox_is_for_the_agent_and_its_owner() {
    let house = House::new().await;
    let task = house.bob.ask_of("logs", "secret of bob's").await;
    for who in [&house.ana, &house.agent("logs").await] {
        let mailbox = who.get("/v1/agents/logs/mailbox").await.ok();
        assert_eq!(
            (&mailbox["deliveries"][0]["id"], &mailbox["total"]),
            (&task["id"], &json!(1))
        );
        assert_eq!(mailbox["deliveries"][0]["waiting"], "no-worker");
    }
    // The owner keeps the agent running; what it is asked, it does not read.
    let owners = house.ana.get("/v1/agents/logs/mailbox").await.ok();
    assert!(!owners.to_string().contains("secret of bob's"), "{owners}");
    house
        .bob
        .get("/v1/agents/logs/mailbox")
        .await
        .problem(404, "not-found");
    house.mallory.get("/v1/agents/logs/mailbox").await.ok();
    house
        .mallory
        .get("/v1/agents/deployments/mailbox")
        .await
        .problem(404, "not-found");
}

#[tokio::test]
async fn a_task_tells_that_its_agent_is_at_its_capacity() {
    let house = House::new().await;
    house
        .ana
        .put_agent(
            "logs",
            json!({"limits": {"max_concurrent_conversations": 1}}),
        )
        .await;
    house.ana.ask_of("logs", "one").await;
    let lease = house.ana.claim("logs").await;
    let task = house.ana.ask_of("logs", "two").await;
    assert_eq!(task["waiting"], "capacity");
    house
        .ana
        .operate(&lease, "reply", crate::house::said("done"))
        .await
        .receipt("settled");
    let task = house
        .ana
        .get(&format!("/v1/tasks/{}", string(&task, "/id")))
        .await
        .ok();
    assert_eq!(task["waiting"], "no-worker");
}
