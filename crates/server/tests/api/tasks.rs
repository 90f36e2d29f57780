//! Tasks of principals: sent, waited for, listed, cancelled, dead and redriven.

use std::time::Duration;

use serde_json::{Value, json};
use tertulia_acts::time::Millis;

use crate::house::{House, answer, drawn, opening, said, string, text};

#[tokio::test]
async fn what_is_sent_is_claimed_replied_to_and_read() {
    let house = House::new().await;
    let sent = house.ana.ask_of("logs", "find the errors").await;
    assert_eq!(
        (&sent["state"], &sent["delivery"]),
        (&json!("queued"), &json!("pending"))
    );
    assert_eq!(
        (&sent["requester"], &sent["agent"]),
        (&json!("user:ana"), &json!("agent:logs"))
    );
    assert_eq!(sent["waiting"], "no-worker");
    let lease = house.ana.claim("logs").await;
    assert_eq!(lease.task(), sent["id"]);
    assert_eq!(lease.0["act"]["parts"], text("find the errors"));
    assert_eq!(
        (&lease.0["attempt"], &lease.0["heartbeat_ms"]),
        (&json!(1), &json!(10_000))
    );
    assert_eq!(lease.0["expires_at"], "2023-11-14T22:13:50.000Z");
    let artifact = json!({"name": "report.md", "media_type": "text/markdown", "text": "# Errors"});
    let reply = json!({"parts": text("here they are"), "artifacts": [artifact]});
    let settled = house
        .ana
        .operate(&lease, "reply", reply.clone())
        .await
        .receipt("settled");
    assert_eq!(settled["task"], lease.task());
    let task = house.ana.task(lease.task()).await;
    assert_eq!(task["state"], "done");
    assert_eq!(
        (&task["reply"]["performative"], &task["reply"]["sender"]),
        (&json!("inform"), &json!("agent:logs"))
    );
    assert_eq!(task["reply"]["parts"], text("here they are"));
    assert_eq!(task["reply"]["id"], settled["act"]);
    // The artifact is read by its digest, and is not run by whoever shows it.
    let digest = string(&task, "/reply/artifacts/0/digest");
    let path = format!("/v1/roots/{}/artifacts/{digest}", string(&task, "/root"));
    let bytes = house.ana.get(&path).await;
    assert_eq!(
        (bytes.headers["content-type"].to_str().unwrap(), &bytes.body),
        ("text/markdown", &json!("# Errors"))
    );
    assert_eq!(bytes.headers["x-content-type-options"], "nosniff");
    // The same reply again gets the same receipt; another one does not.
    let again = house.ana.operate(&lease, "reply", reply).await.ok();
    assert_eq!(
        (&again["replayed"], &again["receipt"]["act"]),
        (&json!(true), &settled["act"])
    );
    house
        .ana
        .operate(&lease, "reply", said("something else"))
        .await
        .problem(409, "hop-finished");
}

#[tokio::test]
async fn a_key_makes_a_call_safe_to_repeat() {
    let house = House::new().await;
    let send = async |body: Value| {
        let request = house.ana.request(reqwest::Method::POST, "/v1/acts");
        answer(request.header("Idempotency-Key", "order-7").json(&body)).await
    };
    let first = send(opening("logs", "once")).await.ok();
    assert_eq!(first["replayed"], false);
    let again = send(opening("logs", "once")).await.ok();
    assert_eq!(
        (&again["replayed"], &again["receipt"]["task"]["id"]),
        (&json!(true), &first["receipt"]["task"]["id"])
    );
    send(opening("logs", "twice")).await.refused("key-reused");
    // A repeat shows things as they stand then.
    let lease = house.ana.claim("logs").await;
    house
        .ana
        .operate(&lease, "reply", said("done"))
        .await
        .receipt("settled");
    let later = send(opening("logs", "once")).await.ok();
    assert_eq!(later["receipt"]["task"]["reply"]["parts"], text("done"));
    let found = house.ana.get("/v1/tasks?key=order-7").await.ok();
    assert_eq!(found["tasks"][0]["id"], first["receipt"]["task"]["id"]);
    assert_eq!(
        house.bob.get("/v1/tasks?key=order-7").await.ok()["tasks"],
        json!([])
    );
}

#[tokio::test]
async fn a_call_waits_for_the_end() {
    let house = House::new().await;
    let waiting = {
        let ana = house.ana.clone();
        tokio::spawn(async move {
            ana.post("/v1/acts?wait_ms=30000", opening("logs", "now"))
                .await
        })
    };
    let mut request = crate::house::claim("logs", &drawn());
    request["wait_ms"] = json!(30_000);
    let leases = house.ana.post("/v1/claims", request).await.ok();
    let lease = crate::house::Lease(leases["leases"][0].clone());
    house
        .ana
        .operate(&lease, "reply", said("at once"))
        .await
        .receipt("settled");
    let answered = tokio::time::timeout(Duration::from_secs(20), waiting)
        .await
        .unwrap()
        .unwrap();
    let receipt = answered.receipt("accepted");
    assert_eq!(receipt["task"]["reply"]["parts"], text("at once"));
    // A wait that ends first shows the task as it stands.
    let task = house.ana.ask_of("logs", "later").await;
    let waited = house
        .ana
        .get(&format!("/v1/tasks/{}?wait_ms=20", string(&task, "/id")))
        .await
        .ok();
    assert_eq!(waited["state"], "queued");
}

#[tokio::test]
async fn tasks_are_listed_by_what_is_asked_and_in_pages() {
    let house = House::new().await;
    for (i, work_id) in ["w1", "w2", "w3"].iter().enumerate() {
        house.clock.move_by(Millis(10));
        let mut body = opening(if i == 2 { "deployments" } else { "logs" }, work_id);
        body["work_id"] = json!(work_id);
        house.ana.post("/v1/acts", body).await.receipt("accepted");
    }
    let ids = |list: &Value| -> Vec<String> {
        let tasks = list["tasks"].as_array().unwrap();
        tasks
            .iter()
            .map(|task| task["work_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = house.ana.get("/v1/tasks").await.ok();
    assert_eq!(
        (ids(&all), &all["total"]),
        (vec!["w3".into(), "w2".into(), "w1".into()], &json!(3))
    );
    assert_eq!(
        ids(&house.ana.get("/v1/tasks?agent=logs").await.ok()),
        ["w2", "w1"]
    );
    assert_eq!(
        ids(&house.ana.get("/v1/tasks?work_id=w2").await.ok()),
        ["w2"]
    );
    assert_eq!(
        ids(&house.ana.get("/v1/tasks?state=done,failed").await.ok()),
        [""; 0]
    );
    let page = house.ana.get("/v1/tasks?limit=2").await.ok();
    assert_eq!(ids(&page), ["w3", "w2"]);
    let next = format!("/v1/tasks?limit=2&cursor={}", string(&page, "/next"));
    let page = house.ana.get(&next).await.ok();
    assert_eq!(
        (ids(&page), page.get("next")),
        (vec!["w1".to_owned()], None)
    );
    assert_eq!(house.bob.get("/v1/tasks").await.ok()["total"], 0);
}

#[tokio::test]
async fn cancelling_twice_is_cancelling_once() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "never mind").await;
    let path = format!("/v1/tasks/{}/cancel", string(&task, "/id"));
    let first = house
        .ana
        .post(&path, json!({"parts": text("changed my mind")}))
        .await
        .receipt("cancelled");
    assert_eq!(first["task"]["state"], "cancelled");
    assert_eq!(first["task"]["reply"]["performative"], "cancel");
    let again = house.ana.post(&path, json!({})).await.ok();
    assert_eq!(
        (&again["replayed"], &again["receipt"]["act"]),
        (&json!(true), &first["act"])
    );
}

#[tokio::test]
async fn a_dead_letter_is_listed_and_sent_again() {
    let house = House::new().await;
    let mut body = opening("logs", "soon");
    body["deadline_ms"] = json!(1_000);
    let sent = house.ana.post("/v1/acts", body).await.receipt("accepted");
    let id = string(&sent, "/task/id").to_owned();
    house.clock.move_by(Millis::seconds(2));
    // Whoever claims finds that it is too late.
    let leases = house
        .ana
        .post("/v1/claims", crate::house::claim("logs", &drawn()))
        .await
        .ok();
    assert_eq!(leases, json!({"leases": []}));
    let dead = house.ana.get("/v1/dead-letters").await.ok();
    let letter = &dead["dead_letters"][0];
    assert_eq!(
        (&letter["reason"], &letter["attempts"]),
        (&json!("expired"), &json!(0))
    );
    assert_eq!(
        (&letter["task"]["id"], &letter["task"]["state"]),
        (&json!(id), &json!("failed"))
    );
    assert_eq!(letter["task"]["reply"]["performative"], "failure");
    assert_eq!(
        house.bob.get("/v1/dead-letters").await.ok()["dead_letters"],
        json!([])
    );
    let path = format!("/v1/tasks/{id}/redrive");
    let again = house
        .ana
        .post(&path, json!({"deadline_ms": 60_000}))
        .await
        .receipt("accepted");
    assert_eq!(
        (&again["task"]["redrive_of"], &again["task"]["state"]),
        (&json!(id), &json!("queued"))
    );
    let twice = house.ana.post(&path, json!({})).await.ok();
    assert_eq!(
        (&twice["replayed"], &twice["receipt"]["task"]["id"]),
        (&json!(true), &again["task"]["id"])
    );
    let old = house.ana.get(&format!("/v1/tasks/{id}")).await.ok();
    assert_eq!(
        (&old["state"], &old["redriven_as"]),
        (&json!("failed"), &again["task"]["id"])
    );
}

#[tokio::test]
async fn a_conversation_goes_on_under_its_alias_and_is_closed() {
    let house = House::new().await;
    let mut body = opening("logs", "first");
    body["alias"] = json!("incident 42");
    let first = house
        .ana
        .post("/v1/acts", body.clone())
        .await
        .receipt("accepted");
    let conversation = string(&first, "/task/conversation").to_owned();
    let lease = house.ana.claim("logs").await;
    house
        .ana
        .operate(&lease, "reply", said("one"))
        .await
        .receipt("settled");
    body["parts"] = text("second");
    let second = house.ana.post("/v1/acts", body).await.receipt("accepted");
    assert_eq!(second["task"]["conversation"], conversation);
    let path = format!("/v1/conversations/{conversation}");
    house
        .ana
        .post(&format!("{path}/close"), json!({}))
        .await
        .refused("open-tasks");
    let lease = house.ana.claim("logs").await;
    let turns: Vec<&Value> = lease.0["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|turn| &turn["act"]["performative"])
        .collect();
    assert_eq!(turns, ["request", "inform"]);
    house
        .ana
        .operate(&lease, "reply", said("two"))
        .await
        .receipt("settled");
    let page = house.ana.get(&format!("{path}?limit=2")).await.ok();
    assert_eq!(
        (&page["alias"], &page["open_tasks"], &page["next"]),
        (&json!("incident 42"), &json!(0), &json!(2))
    );
    assert_eq!(page["acts"].as_array().unwrap().len(), 2);
    let rest = house.ana.get(&format!("{path}?after=2")).await.ok();
    assert_eq!(
        (rest["acts"].as_array().unwrap().len(), rest.get("next")),
        (2, None)
    );
    let closed = house
        .ana
        .post(&format!("{path}/close"), json!({}))
        .await
        .receipt("marked");
    assert!(closed["act"].is_string());
    assert_eq!(house.ana.get(&path).await.ok()["state"], "closed");
}

#[tokio::test]
async fn an_inform_reaches_a_principals_inbox() {
    let house = House::new().await;
    let body = json!({"to": "user:bob", "performative": "inform", "parts": text("lunch")});
    let sent = house.ana.post("/v1/acts", body).await.receipt("notified");
    let inbox = house.bob.get("/v1/inbox").await.ok();
    assert_eq!(inbox["entries"][0]["act"]["id"], sent["act"]);
    assert_eq!(
        (&inbox["entries"][0]["n"], &inbox["next"]),
        (&json!(1), &json!(1))
    );
    let rest = house.bob.get("/v1/inbox?after=1").await.ok();
    assert_eq!(rest, json!({"entries": [], "next": 1}));
    house
        .bob
        .get("/v1/inbox?after=2")
        .await
        .problem(400, "malformed");
    assert_eq!(house.ana.get("/v1/inbox").await.ok()["entries"], json!([]));
}

#[tokio::test]
async fn commitments_tell_who_owes_what() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "owe me").await;
    let found = house
        .ana
        .get("/v1/commitments?status=conditional&agent=logs")
        .await
        .ok();
    let commitment = &found["commitments"][0];
    assert_eq!(
        (&commitment["debtor"], &commitment["creditor"]),
        (&json!("agent:logs"), &json!("user:ana"))
    );
    assert_eq!(commitment["task"], task["id"]);
    assert_eq!(
        house.ana.get("/v1/commitments?status=satisfied").await.ok()["total"],
        0
    );
    assert_eq!(house.mallory.get("/v1/commitments").await.ok()["total"], 0);
}
