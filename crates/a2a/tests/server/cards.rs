//! Cards: at the agent, at the origin, cached, and only for those who may look.

use serde_json::Value;

use crate::house::{EVE, House};

const ORIGIN: &str = "/.well-known/agent-card.json";
const ECHO: &str = "/a2a/echo/.well-known/agent-card.json";

#[tokio::test]
async fn a_card_says_what_the_agent_does_and_where() {
    let house = House::open().await;
    let response = house.http.get(house.url(ORIGIN)).send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/json");
    assert_eq!(response.headers()["cache-control"], "max-age=60");
    assert!(response.headers().contains_key("last-modified"));
    let card: Value = response.json().await.unwrap();
    assert_eq!(card["name"], "echo");
    let interfaces = card["supportedInterfaces"].as_array().unwrap();
    let bindings: Vec<_> = interfaces
        .iter()
        .map(|it| it["protocolBinding"].clone())
        .collect();
    assert_eq!(bindings, ["JSONRPC", "HTTP+JSON"]);
    assert_eq!(interfaces[0]["url"], house.url("/a2a/echo"));
    assert_eq!(interfaces[0]["protocolVersion"], "1.0");
    assert_eq!(card["capabilities"]["streaming"], true);
    assert_eq!(card["capabilities"]["pushNotifications"], false);
    let extension = &card["capabilities"]["extensions"][0];
    assert_eq!(extension["uri"], "urn:tertulia:ext:speech-act:v1");
    assert_eq!(card["skills"][0]["id"], "say");
    assert_eq!(card["defaultInputModes"][0], "text/plain");
    assert!(card["securitySchemes"]["bearer"]["httpAuthSecurityScheme"].is_object());
    assert!(card["securitySchemes"]["apiKey"]["apiKeySecurityScheme"].is_object());
    assert!(card["version"].as_str().unwrap().starts_with("sha256:"));

    let own: Value = house
        .http
        .get(house.url(ECHO))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(own, card);
}

#[tokio::test]
async fn a_card_that_is_known_is_not_sent_again() {
    let house = House::open().await;
    let first = house.http.get(house.url(ECHO)).send().await.unwrap();
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    let get = |tag: &str| {
        house
            .http
            .get(house.url(ECHO))
            .header("if-none-match", tag)
            .send()
    };
    let again = get(&format!("W/\"x\", {tag}")).await.unwrap();
    assert_eq!(again.status(), 304);
    assert_eq!(again.headers()["etag"].to_str().unwrap(), tag);
    assert_eq!(again.bytes().await.unwrap().len(), 0);
    assert_eq!(get("\"other\"").await.unwrap().status(), 200);
}

#[tokio::test]
async fn whoever_has_a_key_sees_the_agents_of_its_own_tenant() {
    let house = House::open().await;
    let get = |path: &str, key| house.http.get(house.url(path)).bearer_auth(key).send();
    let hers: Value = get(ECHO, EVE).await.unwrap().json().await.unwrap();
    let public: Value = house
        .http
        .get(house.url(ECHO))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_ne!(hers["version"], public["version"]);
    let coordinator = "/a2a/coordinator/.well-known/agent-card.json";
    assert_eq!(get(coordinator, EVE).await.unwrap().status(), 404);
    let absent = "/a2a/nobody/.well-known/agent-card.json";
    assert_eq!(
        house
            .http
            .get(house.url(absent))
            .send()
            .await
            .unwrap()
            .status(),
        404
    );
    let post = house.http.post(house.url(ORIGIN)).send().await.unwrap();
    assert_eq!(post.status(), 405);
    assert_eq!(post.headers()["allow"], "GET, HEAD");
}

#[tokio::test]
async fn a_card_names_no_address_that_a_stranger_made_up() {
    let house = House::open().await;
    let response = house
        .http
        .get(house.url(ORIGIN))
        .header("host", "evil.example")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 404);
}
