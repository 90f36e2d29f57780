//! Questions: asked upwards, answered by a principal or by the agent above.

use serde_json::json;

use crate::house::{House, answer, opening, said, string, text};

#[tokio::test]
async fn a_question_reaches_the_principal_and_its_answer_the_agent() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "look at the service").await;
    let path = format!("/v1/tasks/{}", string(&task, "/id"));
    let lease = house.ana.claim("logs").await;
    let asked = house
        .ana
        .step(&lease, "which", "ask", said("which service?"))
        .await
        .receipt("asked");
    let ask = string(&asked, "/ask/id").to_owned();
    assert_eq!(
        (&asked["ask"]["state"], &asked["ask"]["addressee"]),
        (&json!("open"), &json!("user:ana"))
    );
    house
        .ana
        .operate(&lease, "reply", said("x"))
        .await
        .problem(409, "hop-finished");
    // A wait ends at the question.
    let waiting = house.ana.get(&format!("{path}?wait_ms=20000")).await.ok();
    assert_eq!(
        (&waiting["state"], &waiting["question"]["ask"]),
        (&json!("awaiting-clarification"), &json!(ask))
    );
    let inbox = house.ana.get("/v1/inbox").await.ok();
    assert_eq!(
        (
            &inbox["entries"][0]["ask"],
            &inbox["entries"][0]["ask_state"]
        ),
        (&json!(ask), &json!("open"))
    );
    assert_eq!(
        house.ana.get("/v1/asks").await.ok()["asks"][0]["id"],
        json!(ask)
    );
    assert_eq!(house.bob.get("/v1/asks").await.ok()["asks"], json!([]));
    house
        .bob
        .post(&format!("/v1/asks/{ask}/answer"), said("checkout"))
        .await
        .problem(404, "not-found");
    let answered = {
        let request = house
            .ana
            .request(reqwest::Method::POST, &format!("/v1/asks/{ask}/answer"));
        answer(
            request
                .header("Idempotency-Key", "a1")
                .json(&said("checkout")),
        )
        .await
    };
    assert_eq!(answered.receipt("answered")["ask"], json!(ask));
    house
        .ana
        .post(&format!("/v1/asks/{ask}/answer"), said("no, payments"))
        .await
        .refused("ask-closed");
    let resumed = house.ana.claim("logs").await;
    let step = &resumed.0["steps"][0];
    assert_eq!(
        (&step["name"], &step["receipt"]["ask"]["state"]),
        (&json!("which"), &json!("answered"))
    );
    assert_eq!(step["receipt"]["ask"]["answer"]["parts"], text("checkout"));
    assert!(string(step, "/receipt/ask/answer_prompt/0").contains("user:ana"));
    house
        .ana
        .operate(&resumed, "reply", said("found"))
        .await
        .receipt("settled");
}

#[tokio::test]
async fn a_childs_question_is_answered_by_the_agent_above() {
    let house = House::new().await;
    house.ana.ask_of("coordinator", "coordinate").await;
    let above = house.ana.claim("coordinator").await;
    let child = house
        .ana
        .step(&above, "d", "delegate", opening("logs", "look"))
        .await
        .receipt("accepted");
    let below = house.ana.claim("logs").await;
    let asked = house
        .ana
        .step(&below, "q", "ask", said("which window?"))
        .await
        .receipt("asked");
    let ask = string(&asked, "/ask/id").to_owned();
    let park = json!({"tasks": [child["task"]["id"]]});
    let refused = house
        .ana
        .operate(&above, "park", park.clone())
        .await
        .refused("would-deadlock");
    assert_eq!(refused["act"]["detail"]["asks"], json!([ask]));
    assert_eq!(refused["task"], json!(null));
    assert_eq!(
        (&refused["act"]["id"], &refused["act"]["task"]),
        (&json!(null), &json!(above.task()))
    );
    let read = house
        .ana
        .get_under(above.token(), &format!("/v1/asks/{ask}"))
        .await
        .ok();
    assert!(string(&read, "/prompt/0").contains("which window?"));
    assert_eq!(
        house.ana.get_under(above.token(), "/v1/asks").await.ok()["asks"][0]["id"],
        json!(ask)
    );
    let given = json!({"ask": ask, "parts": text("the last hour")});
    house
        .ana
        .operate(&above, "answer", given)
        .await
        .receipt("answered");
    house
        .ana
        .operate(&above, "park", park)
        .await
        .receipt("parked");
    let resumed = house.ana.claim("logs").await;
    assert_eq!(
        resumed.0["steps"][0]["receipt"]["ask"]["answer"]["sender"],
        "agent:coordinator"
    );
    house
        .ana
        .operate(&resumed, "reply", said("found"))
        .await
        .receipt("settled");
    let resumed = house.ana.claim("coordinator").await;
    assert_eq!(resumed.0["questions"], json!([]));
}

#[tokio::test]
async fn a_question_can_be_refused() {
    let house = House::new().await;
    house.ana.ask_of("logs", "look").await;
    let lease = house.ana.claim("logs").await;
    let asked = house
        .ana
        .step(&lease, "q", "ask", said("may I?"))
        .await
        .receipt("asked");
    let ask = string(&asked, "/ask/id").to_owned();
    house
        .ana
        .post(&format!("/v1/asks/{ask}/answer"), json!({"refuse": true}))
        .await
        .receipt("answered");
    let read = house.ana.get(&format!("/v1/asks/{ask}")).await.ok();
    assert_eq!(
        (&read["state"], &read["answer"]["performative"]),
        (&json!("refused"), &json!("refuse"))
    );
}
