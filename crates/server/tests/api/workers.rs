//! Workers: claims and their repeats, heartbeats, steps, parking, fan-out, batches.

use serde_json::{Value, json};
use tertulia_acts::time::Millis;

use crate::house::{House, Lease, answer, claim, drawn, opening, said, string, text};

#[tokio::test]
async fn a_repeated_claim_gets_the_same_leases() {
    let house = House::new().await;
    house.ana.ask_of("logs", "one").await;
    house.ana.ask_of("logs", "two").await;
    let body = claim("logs", &drawn());
    let first = house.ana.post("/v1/claims", body.clone()).await.ok();
    let again = house.ana.post("/v1/claims", body.clone()).await.ok();
    assert_eq!(first["leases"].as_array().unwrap().len(), 1);
    for member in ["lease", "hop", "token"] {
        assert_eq!(first["leases"][0][member], again["leases"][0][member]);
    }
    let mut other = body;
    other["secret"] = json!(drawn());
    let refused = house.ana.post("/v1/claims", other).await.ok();
    assert_eq!(
        (&refused["leases"], &refused["refused"]["reason"]),
        (&json!([]), &json!("key-reused"))
    );
}

#[tokio::test]
async fn heartbeats_tell_where_leases_stand() {
    let house = House::new().await;
    house.ana.ask_of("logs", "one").await;
    let lease = house.ana.claim("logs").await;
    house.clock.move_by(Millis::seconds(10));
    let foreign = "0".repeat(32);
    let beats = house
        .ana
        .post(
            "/v1/hops/heartbeat",
            json!({"tokens": [lease.token(), foreign]}),
        )
        .await
        .ok();
    assert_eq!(beats["hops"][0]["state"], "live");
    assert_eq!(beats["hops"][0]["expires_at"], "2023-11-14T22:14:00.000Z");
    assert_eq!(
        (&beats["hops"][0]["questions"], &beats["hops"][1]["state"]),
        (&json!(0), &json!("unknown"))
    );
    house
        .ana
        .operate(&lease, "release", json!({}))
        .await
        .receipt("released");
    let beats = house
        .ana
        .post("/v1/hops/heartbeat", json!({"tokens": [lease.token()]}))
        .await
        .ok();
    assert_eq!(beats["hops"][0]["state"], "released");
    let resumed = house.ana.claim("logs").await;
    assert_eq!(
        (&resumed.0["resumed"], &resumed.0["hop"]),
        (&json!(true), &lease.0["hop"])
    );
    assert_eq!(resumed.0["effect_key"], lease.0["effect_key"]);
}

#[tokio::test]
async fn a_step_that_was_made_gets_its_receipt() {
    let house = House::new().await;
    house.ana.ask_of("coordinator", "coordinate").await;
    let lease = house.ana.claim("coordinator").await;
    let recorded = house
        .ana
        .step(&lease, "draw", "record", json!({"value": null}))
        .await
        .receipt("recorded");
    assert_eq!(recorded["value"], Value::Null);
    let made = house
        .ana
        .step(&lease, "d1", "delegate", opening("logs", "look"))
        .await
        .ok();
    let again = house
        .ana
        .step(&lease, "d1", "delegate", opening("logs", "look"))
        .await
        .ok();
    assert_eq!(
        (&made["replayed"], &again["replayed"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        made["receipt"]["task"]["id"],
        again["receipt"]["task"]["id"]
    );
    house
        .ana
        .step(&lease, "d1", "delegate", opening("logs", "look elsewhere"))
        .await
        .refused("key-reused");
    house
        .ana
        .operate(&lease, "release", json!({}))
        .await
        .receipt("released");
    // The next run reads the steps with its lease, and may not pass them by.
    let next = house.ana.claim("coordinator").await;
    let steps = next.0["steps"].as_array().unwrap();
    let names: Vec<&str> = steps
        .iter()
        .map(|step| step["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["draw", "d1"]);
    assert_eq!(
        (&steps[1]["receipt"]["outcome"], &steps[1]["ordinal"]),
        (&json!("accepted"), &json!(2))
    );
    let diverged = house
        .ana
        .step(&next, "d2", "delegate", opening("logs", "new"))
        .await;
    assert!(diverged.problem(409, "replay-diverged").contains("`d2`"));
    let request = house
        .ana
        .request(reqwest::Method::POST, "/v1/hops/delegate");
    let request = request
        .header("Hop-Token", next.token())
        .header("Idempotency-Key", "d2");
    let went_on = answer(
        request
            .header("Steps-Read", "1, 2")
            .json(&opening("deployments", "new")),
    )
    .await;
    went_on.receipt("accepted");
}

#[tokio::test]
async fn a_coordinator_parks_on_a_fan_out_and_reads_what_came() {
    let house = House::new().await;
    let task = house.ana.ask_of("coordinator", "coordinate").await;
    let lease = house.ana.claim("coordinator").await;
    let all = json!({"branches": [opening("logs", "look"), opening("deployments", "list"), opening("nobody", "x")], "mode": "all"});
    let made = house
        .ana
        .step(&lease, "fan", "delegate_all", all)
        .await
        .receipt("fanned-out");
    let outcomes: Vec<&Value> = made["branches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|branch| &branch["outcome"])
        .collect();
    assert_eq!(outcomes, ["accepted", "accepted", "refused"]);
    assert_eq!(
        (
            &made["group"]["state"],
            &made["group"]["mode"],
            &made["group"]["ended"]
        ),
        (&json!("open"), &json!("all"), &json!(1))
    );
    let park = json!({"group": made["group"]["id"]});
    house
        .ana
        .operate(&lease, "park", park.clone())
        .await
        .receipt("parked");
    for agent in ["deployments", "logs"] {
        let lease = house.ana.claim(agent).await;
        assert_eq!(lease.0["genealogy"][0]["agent"], "coordinator");
        house
            .ana
            .operate(&lease, "reply", said(agent))
            .await
            .receipt("settled");
    }
    let resumed = house.ana.claim("coordinator").await;
    assert_eq!(resumed.0["resumed"], true);
    let fan = &resumed.0["steps"][0]["receipt"];
    assert_eq!(
        (
            &fan["group"]["state"],
            &fan["group"]["fired_by"],
            &fan["group"]["results"]
        ),
        (&json!("fired"), &json!("met"), &json!(2))
    );
    assert_eq!(fan["branches"][0]["task"]["reply"]["parts"], text("logs"));
    let arrived = fan["group"]["arrived"].as_array().unwrap();
    let ids = [2, 1, 0].map(|branch| &fan["branches"][branch]["task"]["id"]);
    assert_eq!(
        arrived.iter().collect::<Vec<_>>(),
        ids,
        "the refused branch ended first, then deployments"
    );
    // Parking again on what is there already is answered at once, with it.
    let met = house
        .ana
        .operate(&resumed, "park", park)
        .await
        .receipt("met");
    assert_eq!(met["branches"], fan["branches"]);
    house
        .ana
        .operate(&resumed, "reply", said("diagnosis"))
        .await
        .receipt("settled");
    let tree = house
        .ana
        .get(&format!("/v1/tasks/{}/tree", string(&task, "/id")))
        .await
        .ok();
    let agents: Vec<&Value> = tree["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| &task["agent"])
        .collect();
    assert_eq!(
        agents,
        [
            "agent:coordinator",
            "agent:logs",
            "agent:deployments",
            "agent:nobody"
        ]
    );
    let hops: Vec<usize> = tree["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["hops"].as_array().unwrap().len())
        .collect();
    assert_eq!(hops, [1, 1, 1, 0]);
}

#[tokio::test]
async fn a_batch_has_a_result_for_each_operation() {
    let house = House::new().await;
    house.ana.ask_of("logs", "one").await;
    house.ana.ask_of("logs", "two").await;
    let mut body = claim("logs", &drawn());
    body["max"] = json!(2);
    let leases = house.ana.post("/v1/claims", body).await.ok();
    let token = |i: usize| leases["leases"][i]["token"].clone();
    let operations = json!({"operations": [
        {"token": token(0), "operation": "progress", "step": "p", "parts": text("half")},
        {"token": token(0), "operation": "reply", "parts": text("whole")},
        {"token": token(1), "operation": "reply", "parts": text("other"), "surprise": 1},
        {"token": "ff".repeat(16), "operation": "reply", "parts": []},
        {"token": token(1), "operation": "reply", "parts": text("other")},
        {"operation": "reply", "parts": []},
    ]});
    let results = house.ana.post("/v1/hops/batch", operations).await.ok();
    let results = results["results"].as_array().unwrap();
    assert_eq!(results.len(), 6);
    assert_eq!(
        (
            &results[0]["receipt"]["outcome"],
            &results[1]["receipt"]["outcome"]
        ),
        (&json!("said"), &json!("settled"))
    );
    let task = house.ana.task(string(&results[1], "/receipt/task")).await;
    assert_eq!(task["reply"]["parts"], text("whole"));
    assert_eq!(results[2]["problem"]["code"], "malformed");
    assert!(
        string(&results[2], "/problem/detail").starts_with("operations[2].surprise: unknown field"),
        "{}",
        results[2]
    );
    assert_eq!(
        (
            &results[3]["problem"]["code"],
            &results[3]["problem"]["status"]
        ),
        (&json!("lease-lost"), &json!(409))
    );
    assert_eq!(results[4]["receipt"]["outcome"], "settled");
    assert!(string(&results[5], "/problem/detail").contains("missing field `token`"));
}

#[tokio::test]
async fn a_settle_after_a_lost_lease_is_told_so_and_kept() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "slow").await;
    let lost = house.ana.claim("logs").await;
    house.clock.move_by(Millis::seconds(31));
    // The sweep is upkeep of its own; the next claim after it and after the backoff is another attempt.
    let next = claim_when_swept(&house).await;
    assert_eq!(
        (&next.0["attempt"], &next.0["task"]["id"]),
        (&json!(2), &task["id"])
    );
    let mut late = said("too late");
    late["artifacts"] =
        json!([{"name": "trace.txt", "media_type": "text/plain", "text": "a trace"}]);
    let late = house.ana.operate(&lost, "reply", late).await;
    late.problem(409, "lease-lost");
    house
        .ana
        .operate(&next, "reply", said("in time"))
        .await
        .receipt("settled");
    let task = house
        .ana
        .get(&format!("/v1/tasks/{}", string(&task, "/id")))
        .await
        .ok();
    assert_eq!(task["reply"]["parts"], text("in time"));
    // What came too late is read with the task, with all that it brought.
    let late = &task["late"];
    assert_eq!(late.as_array().map(Vec::len), Some(1), "{late}");
    assert_eq!(
        (&late[0]["operation"], &late[0]["hop"]),
        (&json!("reply"), &lost.0["hop"])
    );
    assert_eq!(late[0]["parts"], text("too late"));
    let brought = &late[0]["artifacts"][0];
    assert_eq!(brought["name"], "trace.txt");
    let path = format!(
        "/v1/roots/{}/artifacts/{}",
        string(&task, "/root"),
        string(brought, "/digest")
    );
    assert_eq!(house.ana.get(&path).await.ok(), json!("a trace"));
}

/// Claims until the sweep of a lost lease has made its task claimable again. The claim is woken by the engine.
async fn claim_when_swept(house: &House) -> Lease {
    for _ in 0..40 {
        house.clock.move_by(Millis::seconds(1));
        let mut body = claim("logs", &drawn());
        body["wait_ms"] = json!(500);
        let leases = house.ana.post("/v1/claims", body).await.ok();
        if let Some(lease) = leases["leases"].as_array().unwrap().first() {
            return Lease(lease.clone());
        }
    }
    panic!("the lost lease was not swept");
}

#[tokio::test]
async fn a_hop_reads_its_children_and_no_more() {
    let house = House::new().await;
    let agent = house.agent("coordinator").await;
    house.ana.ask_of("coordinator", "coordinate").await;
    let lease = agent.claim("coordinator").await;
    let made = agent
        .step(&lease, "d", "delegate", opening("logs", "look"))
        .await
        .receipt("accepted");
    let path = format!("/v1/tasks/{}", string(&made, "/task/id"));
    assert_eq!(
        agent.get_under(lease.token(), &path).await.ok()["agent"],
        "agent:logs"
    );
    let unrelated = house.bob.ask_of("logs", "bob's own").await;
    let foreign = format!("/v1/tasks/{}", string(&unrelated, "/id"));
    agent
        .get_under(lease.token(), &foreign)
        .await
        .problem(404, "not-found");
    agent
        .get_under(&"0".repeat(32), &path)
        .await
        .problem(409, "lease-lost");
    agent
        .operate(&lease, "reply", said("done"))
        .await
        .receipt("settled");
    agent
        .get_under(lease.token(), &path)
        .await
        .problem(409, "hop-finished");
}

#[tokio::test]
async fn a_fold_answers_from_the_conversation_that_it_consults() {
    let house = House::new().await;
    house.ana.ask_of("coordinator", "find out why").await;
    let coordinator = house.ana.claim("coordinator").await;
    house
        .ana
        .step(&coordinator, "d", "delegate", opening("logs", "look"))
        .await
        .receipt("accepted");
    let logs = house.ana.claim("logs").await;
    let folded = house
        .ana
        .step(
            &logs,
            "back",
            "delegate",
            opening("coordinator", "which window?"),
        )
        .await
        .receipt("accepted");
    assert_eq!(
        (&folded["task"]["fold"], &folded["task"]["performative"]),
        (&json!(true), &json!("query"))
    );
    let consulted = house.ana.claim("coordinator").await;
    assert_eq!(consulted.0["task"]["folded_on"], coordinator.task());
    let history = consulted.0["history"].as_array().unwrap();
    assert_eq!(history[0]["act"]["parts"], text("find out why"));
    house
        .ana
        .step(&consulted, "x", "delegate", opening("deployments", "list"))
        .await
        .refused("read-only");
    house
        .ana
        .operate(&consulted, "reply", said("the last hour"))
        .await
        .receipt("settled");
}
