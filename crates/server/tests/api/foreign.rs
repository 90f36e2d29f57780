//! I15: every call on what is another's looks as if it were not there.

use reqwest::Method;
use serde_json::{Value, json};

use crate::house::{Client, House, answer, opening, said, string, text};

/// What ana has, by id.
struct Belongings {
    task: String,
    root: String,
    conversation: String,
    ask: String,
    digest: String,
    dead: String,
    version: String,
    key: String,
}

/// A task with an artifact that asks ana something, a dead letter, a key.
async fn belongings(house: &House) -> Belongings {
    let artifact = json!({"name": "a", "media_type": "text/plain", "text": "secret bytes"});
    let mut body = opening("logs", "secret words");
    body["artifacts"] = json!([artifact]);
    let sent = house.ana.post("/v1/acts", body).await.receipt("accepted");
    let lease = house.ana.claim("logs").await;
    let asked = house
        .ana
        .step(&lease, "q", "ask", said("secret question?"))
        .await
        .receipt("asked");
    let mut body = opening("deployments", "too late");
    body["deadline_ms"] = json!(1);
    let dead = house.ana.post("/v1/acts", body).await.receipt("accepted");
    house.clock.move_by(tertulia_acts::time::Millis(10));
    let none = house
        .ana
        .post(
            "/v1/claims",
            crate::house::claim("deployments", &crate::house::drawn()),
        )
        .await
        .ok();
    assert_eq!(none["leases"], json!([]));
    let agent = house.ana.get("/v1/agents/deployments").await.ok();
    let key = house
        .ana
        .post("/v1/keys", json!({"party": "user:ana", "label": "l"}))
        .await
        .ok();
    Belongings {
        task: string(&sent, "/task/id").into(),
        root: string(&sent, "/task/root").into(),
        conversation: string(&sent, "/task/conversation").into(),
        ask: string(&asked, "/ask/id").into(),
        digest: string(&sent, "/task/act/artifacts/0/digest").into(),
        dead: string(&dead, "/task/id").into(),
        version: string(&agent, "/version").into(),
        key: string(&key, "/id").into(),
    }
}

/// Every call that names something in its address, with a body that would do.
fn calls(of: &Belongings) -> Vec<(Method, String, Option<Value>)> {
    let get = |path: String| (Method::GET, path, None);
    let post = |path: String, body: Value| (Method::POST, path, Some(body));
    let Belongings {
        task,
        root,
        conversation,
        ask,
        digest,
        dead,
        version,
        key,
    } = of;
    vec![
        get(format!("/v1/tasks/{task}")),
        get(format!("/v1/tasks/{task}?wait_ms=10")),
        get(format!("/v1/tasks/{task}/tree")),
        get(format!("/v1/tasks/{task}/events")),
        get(format!("/v1/conversations/{conversation}")),
        get(format!("/v1/conversations/{conversation}/events")),
        get(format!("/v1/asks/{ask}")),
        get(format!("/v1/roots/{root}/artifacts/{digest}")),
        post(format!("/v1/tasks/{task}/cancel"), json!({})),
        post(format!("/v1/tasks/{dead}/redrive"), json!({})),
        post(format!("/v1/conversations/{conversation}/close"), json!({})),
        post(
            format!("/v1/conversations/{conversation}/migrate"),
            json!({"agent": "agent:logs"}),
        ),
        post(format!("/v1/asks/{ask}/answer"), said("mine")),
        (Method::DELETE, format!("/v1/keys/{key}"), None),
        // What follows is seen within the tenant, and never from another.
        get("/v1/agents/deployments".into()),
        get("/v1/agents/deployments/mailbox".into()),
        get(format!("/v1/agents/deployments/versions/{version}")),
        (Method::DELETE, "/v1/agents/deployments".into(), None),
        post(
            "/v1/claims".into(),
            crate::house::claim("deployments", &crate::house::drawn()),
        ),
        post(
            "/v1/keys".into(),
            json!({"party": "agent:deployments", "label": "l"}),
        ),
    ]
}

async fn call(
    client: &Client,
    (method, path, body): &(Method, String, Option<Value>),
) -> crate::house::Answered {
    let request = client.request(method.clone(), path);
    match body {
        Some(body) => answer(request.json(body)).await,
        None => answer(request).await,
    }
}

/// Every listing.
const LISTS: [(&str, &str); 8] = [
    ("/v1/tasks", "tasks"),
    ("/v1/asks", "asks"),
    ("/v1/inbox", "entries"),
    ("/v1/commitments", "commitments"),
    ("/v1/dead-letters", "dead_letters"),
    ("/v1/tasks?agent=logs", "tasks"),
    ("/v1/agents/logs/mailbox", "deliveries"),
    ("/v1/commitments?agent=logs", "commitments"),
];

#[tokio::test]
async fn i15_another_tenant_finds_nothing() {
    let house = House::new().await;
    let of = belongings(&house).await;
    for one in calls(&of) {
        let answered = call(&house.mallory, &one).await;
        let problem = answered.problem(404, "not-found");
        assert!(!problem.contains("secret"), "{one:?}: {problem}");
    }
    for (path, member) in LISTS {
        assert_eq!(
            house.mallory.get(path).await.ok()[member],
            json!([]),
            "{path}"
        );
    }
    // Naming a foreign conversation in a body does not open it either.
    let mut body = opening("logs", "hello");
    body["conversation"] = json!(of.conversation);
    house
        .mallory
        .post("/v1/acts", body)
        .await
        .problem(404, "not-found");
    let body = json!({"to": "agent:deployments", "parts": text("hello")});
    house
        .mallory
        .post("/v1/acts", body)
        .await
        .refused("unknown-recipient");
    let body = json!({"to": "user:ana", "performative": "inform", "parts": text("hello")});
    house
        .mallory
        .post("/v1/acts", body)
        .await
        .refused("unknown-recipient");
}

#[tokio::test]
async fn i15_another_principal_of_the_tenant_finds_nothing_of_hers() {
    let house = House::new().await;
    let of = belongings(&house).await;
    for one in calls(&of).iter().take(14) {
        call(&house.bob, one).await.problem(404, "not-found");
    }
    for (path, member) in LISTS.iter().filter(|(path, _)| !path.contains("mailbox")) {
        assert_eq!(house.bob.get(path).await.ok()[member], json!([]), "{path}");
    }
    // Nothing of all this has changed anything of hers.
    let task = house.ana.get(&format!("/v1/tasks/{}", of.task)).await.ok();
    assert_eq!(task["state"], "awaiting-clarification");
    for one in calls(&of) {
        let status = call_status(&house.ana, &one).await;
        assert_eq!(status, 200, "{one:?}: the calls themselves are right");
    }
}

/// The status alone: a stream does not end.
async fn call_status(
    client: &Client,
    (method, path, body): &(Method, String, Option<Value>),
) -> u16 {
    let request = client.request(method.clone(), path);
    let request = match body {
        Some(body) => request.json(body),
        None => request,
    };
    request.send().await.unwrap().status().as_u16()
}

#[tokio::test]
async fn i15_an_agent_that_takes_no_part_finds_nothing() {
    let house = House::new().await;
    let of = belongings(&house).await;
    let outsider = house.agent("coordinator").await;
    for one in calls(&of).iter().take(13) {
        call(&outsider, one).await.problem(404, "not-found");
    }
    for (path, member) in LISTS.iter().filter(|(path, _)| !path.contains("mailbox")) {
        assert_eq!(outsider.get(path).await.ok()[member], json!([]), "{path}");
    }
    // The agent that takes part sees its task, and cannot answer the question for the principal.
    let insider = house.agent("logs").await;
    insider.get(&format!("/v1/tasks/{}", of.task)).await.ok();
    insider
        .post(&format!("/v1/asks/{}/answer", of.ask), said("yes"))
        .await
        .problem(404, "not-found");
}
