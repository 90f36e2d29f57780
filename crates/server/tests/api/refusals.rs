//! I1: every decision of governance comes back with status 200, as an act with its reason.

use serde_json::{Value, json};
use tertulia_acts::{limits::FAN_OUT, time::Millis};

use crate::house::{House, answer, opening, said, string, text};

#[tokio::test]
async fn i01_what_a_principal_is_refused_is_an_act() {
    let house = House::new().await;
    let refused = house
        .ana
        .post("/v1/acts", opening("nobody", "x"))
        .await
        .refused("unknown-recipient");
    assert_eq!(
        (&refused["task"]["state"], &refused["task"]["reply"]["id"]),
        (&json!("refused"), &refused["act"]["id"])
    );
    assert_eq!(refused["task"]["delivery"], "none");
    assert!(
        refused["act"]["id"].is_string(),
        "it was stored, and says so"
    );
    let agent = house.agent("logs").await;
    let refused = agent
        .post("/v1/acts", opening("deployments", "x"))
        .await
        .refused("no-root");
    assert_eq!(
        (
            &refused["act"]["id"],
            &refused["act"]["seq"],
            &refused["task"]
        ),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    let body = json!({"to": "user:bob", "parts": text("do this")});
    house
        .ana
        .post("/v1/acts", body)
        .await
        .refused("illegal-act");
    // A conversation that is closed, and one with somebody else.
    let sent = house.ana.ask_of("logs", "one").await;
    let lease = house.ana.claim("logs").await;
    house
        .ana
        .operate(&lease, "reply", said("done"))
        .await
        .receipt("settled");
    let follow = |agent: &str| {
        let mut body = opening(agent, "two");
        body["conversation"] = sent["conversation"].clone();
        body
    };
    house
        .ana
        .post("/v1/acts", follow("deployments"))
        .await
        .refused("not-a-participant");
    let path = format!("/v1/conversations/{}", string(&sent, "/conversation"));
    let migrate = json!({"agent": "agent:deployments"});
    house
        .ana
        .post(&format!("{path}/migrate"), migrate)
        .await
        .refused("not-a-participant");
    house
        .ana
        .post(&format!("{path}/close"), json!({}))
        .await
        .receipt("marked");
    house
        .ana
        .post("/v1/acts", follow("logs"))
        .await
        .refused("conversation-closed");
    let migrate = json!({"agent": "agent:logs"});
    house
        .ana
        .post(&format!("{path}/migrate"), migrate)
        .await
        .refused("conversation-closed");
    // A task that has ended is neither cancelled nor sent again.
    let path = format!("/v1/tasks/{}", string(&sent, "/id"));
    house
        .ana
        .post(&format!("{path}/cancel"), json!({}))
        .await
        .refused("already-answered");
    house
        .ana
        .post(&format!("{path}/redrive"), json!({}))
        .await
        .refused("already-answered");
}

#[tokio::test]
async fn i01_what_an_agent_at_work_is_refused_is_an_act() {
    let house = House::new().await;
    house.ana.ask_of("coordinator", "coordinate").await;
    let lease = house.ana.claim("coordinator").await;
    let step = async |name: &str, operation: &str, body: Value| {
        house.ana.step(&lease, name, operation, body).await
    };
    step("a", "delegate", opening("coordinator", "me"))
        .await
        .refused("to-oneself");
    step("b", "delegate", opening("nobody", "x"))
        .await
        .refused("unknown-recipient");
    let none = json!({"branches": [], "mode": "all"});
    step("c", "delegate_all", none).await.refused("breadth");
    let many = json!({"branches": vec![opening("logs", "x"); FAN_OUT + 1], "mode": "all"});
    step("d", "delegate_all", many).await.refused("breadth");
    // An illegal answer changes nothing.
    house
        .ana
        .operate(&lease, "acknowledge", json!({}))
        .await
        .refused("illegal-act");
    house
        .ana
        .operate(&lease, "abstain", json!({}))
        .await
        .refused("illegal-act");
    // Whoever delegates has taken the task on, whatever came of the delegation.
    step("e", "agree", json!({})).await.refused("illegal-act");
    house
        .ana
        .operate(&lease, "decline", json!({}))
        .await
        .refused("illegal-act");
    // Work that is in hand is not asked for twice under one root, unless one says why.
    step("g", "delegate", opening("logs", "look"))
        .await
        .receipt("accepted");
    step("h", "delegate", opening("deployments", "list"))
        .await
        .receipt("accepted");
    let other = house.ana.claim("deployments").await;
    let refused = house
        .ana
        .step(&other, "i", "delegate", opening("logs", "look"))
        .await
        .refused("already-committed");
    assert!(refused["act"]["detail"]["task"].is_string(), "{refused}");
    let mut override_ = opening("logs", "look");
    override_["not_equivalent"] = json!("the log was rotated");
    house
        .ana
        .step(&other, "j", "delegate", override_)
        .await
        .receipt("accepted");
    house
        .ana
        .operate(&lease, "reply", said("done"))
        .await
        .receipt("settled");
}

#[tokio::test]
async fn i01_a_loop_is_refused_with_the_task_that_it_repeats() {
    let house = House::new().await;
    let task = house.ana.ask_of("coordinator", "the same").await;
    let above = house.ana.claim("coordinator").await;
    house
        .ana
        .step(&above, "d", "delegate", opening("logs", "look"))
        .await
        .receipt("accepted");
    let below = house.ana.claim("logs").await;
    let refused = house
        .ana
        .step(
            &below,
            "back",
            "delegate",
            opening("coordinator", "the same"),
        )
        .await
        .refused("loop");
    assert_eq!(refused["act"]["detail"]["task"], task["id"]);
}

#[tokio::test]
async fn i01_the_fuse_and_the_end_of_a_chain_are_acts() {
    let house = House::new().await;
    for i in 0..17 {
        house.ana.put_agent(&format!("a{i}"), json!({})).await;
    }
    house.ana.ask_of("a0", "go down").await;
    for i in 0..16 {
        let lease = house.ana.claim(&format!("a{i}")).await;
        let made = house
            .ana
            .step(
                &lease,
                "d",
                "delegate",
                opening(&format!("a{}", i + 1), "deeper"),
            )
            .await;
        if i < 15 {
            made.receipt("accepted");
        } else {
            made.refused("fuse");
        }
    }
    let root = house.ana.get("/v1/tasks?agent=a0").await.ok()["tasks"][0]["id"].clone();
    let below = house.ana.get("/v1/tasks?agent=a15").await.ok()["tasks"][0]["id"].clone();
    house
        .ana
        .post(
            &format!("/v1/tasks/{}/cancel", root.as_str().unwrap()),
            json!({}),
        )
        .await
        .receipt("cancelled");
    // Upkeep closes what is below; whoever waits is told.
    let ended = house
        .ana
        .get(&format!(
            "/v1/tasks/{}?wait_ms=20000",
            below.as_str().unwrap()
        ))
        .await
        .ok();
    assert_eq!(
        (&ended["state"], &ended["reply"]["reason"]),
        (&json!("cancelled"), &json!("cancelled"))
    );
}

#[tokio::test]
async fn i01_a_cancelled_or_overdue_hop_is_told_by_an_act() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "stop").await;
    let lease = house.ana.claim("logs").await;
    house
        .ana
        .post(
            &format!("/v1/tasks/{}/cancel", string(&task, "/id")),
            json!({}),
        )
        .await
        .receipt("cancelled");
    let refused = house
        .ana
        .operate(&lease, "reply", said("too late"))
        .await
        .refused("cancelled");
    assert_eq!(refused["act"]["task"], task["id"]);
    let mut body = opening("logs", "quick");
    body["deadline_ms"] = json!(1_000);
    let task = house.ana.post("/v1/acts", body).await.receipt("accepted");
    let lease = house.ana.claim("logs").await;
    house.clock.move_by(Millis::seconds(1));
    house
        .ana
        .operate(&lease, "reply", said("too late"))
        .await
        .refused("deadline");
    let read = house
        .ana
        .get(&format!("/v1/tasks/{}", string(&task, "/task/id")))
        .await
        .ok();
    assert_eq!(
        (&read["state"], &read["reason"]),
        (&json!("failed"), &json!("deadline"))
    );
}

#[tokio::test]
async fn i01_what_an_agent_says_is_an_act_with_its_reason() {
    let house = House::new().await;
    for (operation, body, state, performative, reason) in [
        (
            "decline",
            json!({"parts": text("not mine")}),
            "refused",
            "refuse",
            "declined",
        ),
        (
            "decline",
            json!({"reason": "peer-refused"}),
            "refused",
            "refuse",
            "peer-refused",
        ),
        (
            "fail",
            json!({"error": "disk"}),
            "failed",
            "failure",
            "gave-up",
        ),
        (
            "fail",
            json!({"reason": "outcome-unknown"}),
            "failed",
            "failure",
            "outcome-unknown",
        ),
    ] {
        let mut sent = opening("logs", operation);
        sent["work_id"] = json!(reason);
        house.ana.post("/v1/acts", sent).await.receipt("accepted");
        let lease = house.ana.claim("logs").await;
        let settled = house
            .ana
            .operate(&lease, operation, body)
            .await
            .receipt("settled");
        let task = house.ana.task(string(&settled, "/task")).await;
        assert_eq!(
            (&task["state"], &task["reason"]),
            (&json!(state), &json!(reason))
        );
        assert_eq!(
            (&task["reply"]["performative"], &task["reply"]["reason"]),
            (&json!(performative), &json!(reason))
        );
    }
    // A failed attempt is not the end.
    let task = house.ana.ask_of("logs", "again").await;
    let lease = house.ana.claim("logs").await;
    let retry = house
        .ana
        .operate(&lease, "fail", json!({"retry": true, "error": "flaky"}))
        .await
        .receipt("will-retry");
    assert_eq!(
        (&retry["task"], &retry["due"]),
        (&task["id"], &json!("2023-11-14T22:13:21.000Z"))
    );
    let read = house
        .ana
        .get(&format!("/v1/tasks/{}", string(&task, "/id")))
        .await
        .ok();
    assert_eq!(
        (&read["state"], &read["not_before"], &read["last_error"]),
        (
            &json!("working"),
            &json!("2023-11-14T22:13:21.000Z"),
            &json!("flaky")
        )
    );
    // An inform that opens is acknowledged, and nothing else answers it.
    let body =
        json!({"to": "agent:deployments", "performative": "inform", "parts": text("shipped")});
    house.ana.post("/v1/acts", body).await.receipt("accepted");
    let lease = house.ana.claim("deployments").await;
    house
        .ana
        .operate(&lease, "reply", said("thanks"))
        .await
        .refused("illegal-act");
    let settled = house
        .ana
        .operate(&lease, "acknowledge", json!({}))
        .await
        .receipt("settled");
    let task = house.ana.task(string(&settled, "/task")).await;
    assert_eq!(task["state"], "done");
}

#[tokio::test]
async fn i01_a_key_that_is_reused_for_another_answer_is_an_act() {
    let house = House::new().await;
    house.ana.ask_of("logs", "look").await;
    let lease = house.ana.claim("logs").await;
    let asked = house
        .ana
        .step(&lease, "q", "ask", said("which?"))
        .await
        .receipt("asked");
    let path = format!("/v1/asks/{}/answer", string(&asked, "/ask/id"));
    let give = |words: &str| {
        let request = house
            .ana
            .request(reqwest::Method::POST, &path)
            .header("Idempotency-Key", "k");
        answer(request.json(&said(words)))
    };
    give("this").await.receipt("answered");
    assert_eq!(give("this").await.ok()["replayed"], true);
    give("that").await.refused("key-reused");
}

#[tokio::test]
async fn an_agree_stands_in_the_task() {
    let house = House::new().await;
    let other = house.ana.ask_of("deployments", "list").await;
    let lease = house.ana.claim("deployments").await;
    house
        .ana
        .step(&lease, "yes", "agree", json!({}))
        .await
        .receipt("said");
    let path = format!("/v1/tasks/{}", string(&other, "/id"));
    assert_eq!(house.ana.get(&path).await.ok()["agreed"], true);
}
