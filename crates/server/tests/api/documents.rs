//! What the server says about itself: OpenAPI, health, metrics, request ids.

use std::{collections::BTreeSet, path::Path};

use reqwest::Method;
use serde_json::{Value, json};

use crate::house::{House, answer, opening, said};

/// The committed document is the one of the code. `UPDATE_OPENAPI=1 cargo test -p tertulia-server openapi` rewrites it.
#[test]
fn the_openapi_document_is_the_one_of_the_code() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let document = tertulia_server::document();
    if std::env::var_os("UPDATE_OPENAPI").is_some() {
        std::fs::write(&file, &document).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap();
    assert!(
        committed == document,
        "docs/openapi.json differs from the code: UPDATE_OPENAPI=1 cargo test -p tertulia-server openapi"
    );
}

#[tokio::test]
async fn the_openapi_document_is_served_and_whole() {
    let house = House::new().await;
    let served = house.client("").get("/openapi.json").await.ok();
    let committed: Value = serde_json::from_str(&tertulia_server::document()).unwrap();
    assert_eq!(served, committed);
    assert_eq!(served["openapi"], "3.1.0");
    // Every reference leads somewhere.
    let mut references = BTreeSet::new();
    collect(&served, &mut references);
    assert!(references.len() > 40, "{references:?}");
    for reference in &references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(
            served.pointer(pointer).is_some(),
            "{reference} leads nowhere"
        );
    }
    for (path, item) in served["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(
                operation["responses"]["default"].is_object(),
                "{method} {path}"
            );
            assert!(
                operation["summary"].is_string(),
                "{method} {path} says nothing about itself"
            );
        }
    }
}

fn collect(value: &Value, references: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                references.insert(reference.clone());
            }
            members
                .values()
                .for_each(|member| collect(member, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}

/// docs/api.md names the same calls as the OpenAPI document.
#[test]
fn the_page_names_every_call() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api.md"))
            .unwrap();
    let document: Value = serde_json::from_str(&tertulia_server::document()).unwrap();
    for path in document["paths"].as_object().unwrap().keys() {
        let short = path.strip_suffix("/migrate").unwrap_or(path);
        assert!(page.contains(short), "docs/api.md does not name {path}");
    }
}

#[tokio::test]
async fn health_and_metrics_tell_how_it_goes() {
    let house = House::new().await;
    let nobody = house.client("");
    assert_eq!(nobody.get("/healthz").await.ok(), json!("ok\n"));
    assert_eq!(nobody.get("/readyz").await.ok(), json!("ok\n"));
    house.ana.ask_of("logs", "count me").await;
    house
        .ana
        .post("/v1/acts", opening("nobody", "x"))
        .await
        .refused("unknown-recipient");
    let lease = house.ana.claim("logs").await;
    house
        .ana
        .operate(&lease, "reply", said("counted"))
        .await
        .receipt("settled");
    house.ana.ask_of("logs", "wait").await;
    let metrics = nobody.get("/metrics").await;
    assert!(
        metrics.headers["content-type"]
            .to_str()
            .unwrap()
            .starts_with("text/plain")
    );
    let text = metrics.ok();
    let lines: Vec<&str> = text.as_str().unwrap().lines().collect();
    for line in [
        "tertulia_acts_total{performative=\"request\"} 3",
        "tertulia_reasons_total{reason=\"unknown-recipient\"} 1",
        "tertulia_mailbox_depth{tenant=\"acme\",agent=\"logs\",state=\"pending\"} 1",
        "tertulia_mailbox_oldest_seconds{tenant=\"acme\",agent=\"logs\"} 0.000000",
        "tertulia_dead_letters 0",
        "tertulia_open_tasks 1",
    ] {
        assert!(
            lines.contains(&line),
            "no line `{line}` in\n{}",
            lines.join("\n")
        );
    }
}

#[tokio::test]
async fn a_request_id_goes_back_and_forth() {
    let house = House::new().await;
    let made = house.ana.get("/healthz").await;
    assert!(made.headers["x-request-id"].to_str().unwrap().len() >= 32);
    let named = house
        .ana
        .request(Method::GET, "/healthz")
        .header("X-Request-Id", "mine");
    assert_eq!(answer(named).await.headers["x-request-id"], "mine");
}
