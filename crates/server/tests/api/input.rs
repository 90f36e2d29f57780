//! Bad input: each gets a clear problem that names the place, and changes nothing.

use reqwest::Method;
use serde_json::{Value, json};
use tertulia_acts::limits::{
    ARTIFACT_BYTES, ARTIFACTS, BATCH_ITEMS, DATA_DEPTH, KEY_BYTES, PART_BYTES, PARTS, REQUEST_BYTES,
};

use crate::house::{Answered, Client, House, answer, claim, drawn, opening, text};

/// Sends bytes as JSON.
async fn send(client: &Client, path: &str, bytes: impl Into<reqwest::Body>) -> Answered {
    let request = client
        .request(Method::POST, path)
        .header("content-type", "application/json");
    answer(request.body(bytes)).await
}

/// An opening act with one member set.
fn with(pointer: &str, value: Value) -> Value {
    let mut body = opening("logs", "hello");
    body[pointer] = value;
    body
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_with_its_place() {
    let house = House::new().await;
    let line = "x".repeat(KEY_BYTES + 1);
    let cases: Vec<(Value, &str)> = vec![
        (json!([]), "invalid type: sequence"),
        (
            with("parts", json!([["x"]])),
            "parts[0]: invalid type: sequence",
        ),
        (
            with("contract", json!([])),
            "contract: invalid type: sequence",
        ),
        (json!({"parts": text("x")}), "missing field `to`"),
        (json!({"to": "agent:logs"}), "missing field `parts`"),
        (with("to", json!(7)), "to: invalid type: integer"),
        (with("to", json!("logs")), "to: `logs` names no party"),
        (
            with("to", json!("agent:LOGS")),
            "to: `agent:LOGS` names no party",
        ),
        (with("to", json!("x".repeat(100_000))), "to: `xxx"),
        (
            with("performative", json!("refuse")),
            "performative: unknown variant `refuse`",
        ),
        (with("parts", json!([])), "parts: at least one part"),
        (
            with("parts", json!([{}])),
            "parts[0]: expected exactly one of",
        ),
        (
            with("parts", json!([{"text": "x"}, {"text": "x", "data": null}])),
            "parts[1]: expected exactly one of",
        ),
        (
            with("parts", json!([{"text": "x", "role": "system"}])),
            "parts[0].role: unknown field `role`",
        ),
        (
            with("parts", json!([{"file": {}}])),
            "parts[0].file: expected a `digest`",
        ),
        (
            with("parts", json!([{"file": {"digest": "md5:0"}}])),
            "parts[0].file.digest: not a digest",
        ),
        (
            with("parts", json!(vec![json!({"text": "x"}); PARTS + 1])),
            "parts: 65 parts",
        ),
        (
            with("contract", json!({"price": 1})),
            "contract.price: unknown field",
        ),
        (
            with(
                "contract",
                json!({"inputs": [{"name": "", "version": "1"}]}),
            ),
            "contract.inputs[0].name: expected 1 to 200",
        ),
        (
            with("conversation", json!("conv_1")),
            "conversation: `conv_1` is not a conversation id",
        ),
        (with("alias", json!("")), "alias: expected 1 to 200"),
        (with("alias", json!("a\nb")), "alias: expected 1 to 200"),
        (with("work_id", json!(line)), "work_id: expected 1 to 200"),
        (
            with("deadline_ms", json!(0)),
            "deadline_ms: expected at least 1",
        ),
        (with("deadline_ms", json!(-5)), "deadline_ms: invalid value"),
        (with("deadline_ms", json!("5")), "deadline_ms: invalid type"),
        (
            with("not_equivalent", json!(" ")),
            "not_equivalent: say why",
        ),
        (
            with("new_conversation", json!(true)),
            "new_conversation: outside a hop",
        ),
        (
            with("artifacts", json!([{"name": "a", "media_type": "b"}])),
            "artifacts[0]: expected exactly one of",
        ),
        (
            with(
                "artifacts",
                json!([{"name": "a", "media_type": "b", "base64": "?"}]),
            ),
            "artifacts[0].base64: ",
        ),
        (
            with(
                "artifacts",
                json!(vec![
                    json!({"name": "a", "media_type": "b", "text": ""});
                    ARTIFACTS + 1
                ]),
            ),
            "artifacts: 65",
        ),
    ];
    for (body, expected) in cases {
        let detail = house
            .ana
            .post("/v1/acts", body.clone())
            .await
            .problem(400, "malformed");
        assert!(
            detail.starts_with(expected),
            "expected `{expected}`, got `{detail}`"
        );
        assert!(
            detail.len() < 700,
            "an error stays short: {} bytes",
            detail.len()
        );
    }
    assert_eq!(
        house.ana.get("/v1/tasks").await.ok()["total"],
        0,
        "something was stored"
    );
}

#[tokio::test]
async fn claims_and_operations_are_read_as_strictly() {
    let house = House::new().await;
    house.ana.ask_of("logs", "work").await;
    let claimed = |member: &str, value: Value| {
        let mut body = claim("logs", &drawn());
        body[member] = value;
        body
    };
    for (body, expected) in [
        (
            claimed("agent", json!("agent:logs")),
            "agent: expected the name",
        ),
        (claimed("max", json!(0)), "max: expected 1 to 64"),
        (claimed("max", json!(65)), "max: expected 1 to 64"),
        (
            claimed("secret", json!("abc")),
            "secret: expected 32 to 128",
        ),
        (
            claimed("secret", json!("ab")),
            "secret: the claim secret must be",
        ),
        (claimed("request_id", json!("")), "request_id: expected"),
        (
            claimed("versions", json!(["v1"])),
            "versions[0]: not a digest",
        ),
        (claimed("token", json!("x")), "token: unknown field"),
    ] {
        let detail = house
            .ana
            .post("/v1/claims", body)
            .await
            .problem(400, "malformed");
        assert!(
            detail.starts_with(expected),
            "expected `{expected}`, got `{detail}`"
        );
    }
    let lease = house.ana.claim("logs").await;
    for (operation, body, expected) in [
        (
            "sing",
            json!({}),
            "operation: `sing` is no operation: expected one of agree",
        ),
        ("agree", json!({"x": 1}), "x: unknown field"),
        ("reply", json!({}), "missing field `parts`"),
        (
            "reply",
            json!({"parts": text("x"), "performative": "agree"}),
            "performative: unknown field",
        ),
        ("record", json!({}), "missing field `value`"),
        ("park", json!({}), "expected one of `tasks`"),
        ("park", json!({"ask": "ask_1"}), "ask: `ask_1` is not"),
        (
            "decline",
            json!({"reason": "policy"}),
            "reason: `policy` is not yours to say",
        ),
        ("fail", json!({"reason": "tired"}), "reason: "),
        (
            "delegate_all",
            json!({"branches": [{"to": "agent:x", "parts": text("x")}], "mode": {"quorum": 2}}),
            "a quorum of 2 results: expected 1 to 1",
        ),
        (
            "delegate_all",
            json!({"branches": [{"to": "agent:x", "parts": [{}]}], "mode": "all"}),
            "branches[0].parts[0]: ",
        ),
        (
            "delegate_all",
            json!({"branches": [], "mode": "some"}),
            "mode: unknown variant",
        ),
    ] {
        let detail = house
            .ana
            .operate(&lease, operation, body)
            .await
            .problem(400, "malformed");
        assert!(
            detail.starts_with(expected),
            "expected `{expected}`, got `{detail}`"
        );
    }
    let bare = house
        .ana
        .post("/v1/hops/agree", json!({}))
        .await
        .problem(400, "malformed");
    assert!(bare.starts_with("hop-token: "), "{bare}");
    let odd = house
        .ana
        .request(Method::POST, "/v1/hops/agree")
        .header("Hop-Token", "xyz");
    assert!(
        answer(odd)
            .await
            .problem(400, "malformed")
            .starts_with("hop-token: not a hop token")
    );
    let many = json!({"tokens": vec![lease.token(); BATCH_ITEMS + 1]});
    house
        .ana
        .post("/v1/hops/heartbeat", many)
        .await
        .problem(400, "malformed");
    let many = json!({"operations": vec![json!({}); BATCH_ITEMS + 1]});
    house
        .ana
        .post("/v1/hops/batch", many)
        .await
        .problem(400, "malformed");
    // Nothing of this has hurt the lease.
    house
        .ana
        .operate(&lease, "reply", json!({"parts": text("fine")}))
        .await
        .receipt("settled");
}

#[tokio::test]
async fn addresses_and_queries_are_read_as_strictly() {
    let house = House::new().await;
    for path in [
        "/v1/tasks/absurd",
        "/v1/tasks/task_00000000000000000000000000000000_01",
        "/v1/tasks/%FF%FE",
        "/v1/conversations/conv_1_1",
        "/v1/asks/ask",
        "/v1/tasks?limit=0",
        "/v1/tasks?limit=101",
        "/v1/tasks?state=asleep",
        "/v1/tasks?cursor=x",
        "/v1/tasks?colour=blue",
        "/v1/tasks?conversation=1",
        "/v1/tasks/task_00000000000000000000000000000000_1?wait_ms=soon",
        "/v1/commitments?status=broken",
        "/v1/commitments?root=1",
        "/v1/agents?colour=blue",
        "/v1/inbox?after=-1",
    ] {
        house.ana.get(path).await.problem(400, "malformed");
    }
    house.ana.get("/v1/nothing").await.problem(404, "not-found");
    house.ana.get("/").await.problem(404, "not-found");
    let answered = house.ana.delete("/v1/tasks").await;
    assert!(answered.headers.contains_key("allow"));
    answered.problem(405, "method-not-allowed");
}

#[tokio::test]
async fn bytes_that_are_no_json_are_refused() {
    let house = House::new().await;
    for (bytes, expected) in [
        (b"{".to_vec(), "EOF while parsing"),
        (b"{\"to\":}".to_vec(), "to: expected value"),
        (b"\xff\xfe".to_vec(), "expected value"),
        (
            b"{\"to\": \"agent:logs\", \"parts\": [{\"text\": \"\xc3\x28\"}]}".to_vec(),
            "parts[0].text: invalid unicode",
        ),
        (
            br#"{"to": "agent:logs", "parts": [{"text": "\ud800"}]}"#.to_vec(),
            "parts[0].text: ",
        ),
        (
            br#"{"to": "agent:a", "to": "agent:b", "parts": []}"#.to_vec(),
            "duplicate field `to`",
        ),
        (
            br#"{"to": "agent:logs", "parts": [{"data": 1e999}]}"#.to_vec(),
            "parts[0].data: number out of range",
        ),
        (b"{} trailing".to_vec(), ""),
    ] {
        let detail = send(&house.ana, "/v1/acts", bytes.clone())
            .await
            .problem(400, "malformed");
        assert!(
            detail.starts_with(expected),
            "{}: `{detail}`",
            String::from_utf8_lossy(&bytes)
        );
    }
    let plain = house.ana.request(Method::POST, "/v1/acts").body("{}");
    answer(plain).await.problem(415, "unsupported-media-type");
    let form = house
        .ana
        .request(Method::POST, "/v1/acts")
        .header("content-type", "text/plain")
        .body("{}");
    assert!(
        answer(form)
            .await
            .problem(415, "unsupported-media-type")
            .contains("text/plain")
    );
}

#[tokio::test]
async fn data_without_bottom_is_refused_and_deep_data_comes_back() {
    let house = House::new().await;
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let act = |data: &str| format!(r#"{{"to": "agent:logs", "parts": [{{"data": {data}}}]}}"#);
    let detail = send(&house.ana, "/v1/acts", act(&nested(100_000)))
        .await
        .problem(400, "malformed");
    assert!(detail.contains("recursion limit exceeded"), "{detail}");
    let detail = send(&house.ana, "/v1/acts", act(&nested(DATA_DEPTH + 1)))
        .await
        .problem(400, "malformed");
    assert!(
        detail.starts_with("parts[0].data: the data is nested more than"),
        "{detail}"
    );
    send(&house.ana, "/v1/acts", act(&nested(DATA_DEPTH)))
        .await
        .receipt("accepted");
    let lease = house.ana.claim("logs").await;
    let deep: Value = serde_json::from_str(&nested(DATA_DEPTH)).unwrap();
    assert_eq!(lease.0["act"]["parts"][0]["data"], deep);
    house
        .ana
        .step(&lease, "deep", "record", json!({"value": deep}))
        .await
        .receipt("recorded");
    house
        .ana
        .operate(&lease, "release", json!({}))
        .await
        .receipt("released");
    assert_eq!(
        house.ana.claim("logs").await.0["steps"][0]["receipt"]["value"],
        deep
    );
}

#[tokio::test]
async fn what_is_too_large_is_refused_by_its_limit() {
    let house = House::new().await;
    let body = with("parts", text(&"x".repeat(PART_BYTES + 1)));
    assert!(
        house
            .ana
            .post("/v1/acts", body)
            .await
            .problem(413, "too-large")
            .starts_with("parts[0].text has 1048577 bytes")
    );
    let body = with("parts", json!([{"data": "x".repeat(PART_BYTES)}]));
    assert!(
        house
            .ana
            .post("/v1/acts", body)
            .await
            .problem(413, "too-large")
            .starts_with("parts[0].data")
    );
    let artifact = json!({"name": "a", "media_type": "b", "text": "x".repeat(ARTIFACT_BYTES + 1)});
    let body = with("artifacts", json!([artifact]));
    assert!(
        house
            .ana
            .post("/v1/acts", body)
            .await
            .problem(413, "too-large")
            .starts_with("artifacts[0]")
    );
    let body = vec![b' '; REQUEST_BYTES + 1];
    send(&house.ana, "/v1/acts", body)
        .await
        .problem(413, "too-large");
    house
        .ana
        .post("/v1/acts", with("parts", text(&"x".repeat(PART_BYTES))))
        .await
        .receipt("accepted");
}

#[tokio::test]
async fn odd_keys_are_refused() {
    let house = House::new().await;
    let keyed = |key: String| {
        let request = house
            .ana
            .request(Method::POST, "/v1/acts")
            .header("Idempotency-Key", key);
        answer(request.json(&opening("logs", "x")))
    };
    keyed("k".repeat(KEY_BYTES + 1))
        .await
        .problem(400, "malformed");
    keyed(String::new()).await.problem(400, "malformed");
    let twice = house
        .ana
        .request(Method::POST, "/v1/acts")
        .header("Idempotency-Key", "a")
        .header("Idempotency-Key", "b");
    assert!(
        answer(twice.json(&opening("logs", "x")))
            .await
            .problem(400, "malformed")
            .contains("twice")
    );
    keyed("k".repeat(KEY_BYTES)).await.receipt("accepted");
}
