//! Who calls: keys, two different ones, none, and what `dev` takes without.

use reqwest::{Method, header};
use serde_json::json;
use tertulia_server::Auth;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::house::{House, answer, claim, drawn, opening, party, said, string, text};

#[tokio::test]
async fn a_call_needs_one_valid_key() {
    let house = House::new().await;
    let nobody = house.client("");
    let refused = nobody.get("/v1/tasks").await;
    assert_eq!(
        refused.headers["www-authenticate"],
        "Bearer realm=\"tertulia\""
    );
    refused.problem(401, "unauthenticated");
    house
        .client("no-such-key")
        .get("/v1/tasks")
        .await
        .problem(401, "unauthenticated");
    let call = || nobody.request(Method::GET, "/v1/tasks");
    answer(call().header("X-API-Key", "key-of-ana")).await.ok();
    answer(call().basic_auth("ana", Some("x")))
        .await
        .problem(401, "unauthenticated");
    let two = call()
        .bearer_auth("key-of-ana")
        .header("X-API-Key", "key-of-bob");
    assert!(
        answer(two)
            .await
            .problem(400, "malformed")
            .contains("two different keys")
    );
    let same = call()
        .bearer_auth("key-of-ana")
        .header("X-API-Key", "key-of-ana");
    answer(same).await.ok();
}

#[tokio::test]
async fn a_key_is_shown_once_listed_without_itself_and_revoked() {
    let house = House::new().await;
    let body = json!({"party": "agent:logs", "label": "worker on host 7"});
    let made = house.ana.post("/v1/keys", body).await.ok();
    let agent = house.client(string(&made, "/key"));
    assert_eq!(made["key"].as_str().unwrap().len(), "tertulia_".len() + 64);
    let listed = house.ana.get("/v1/keys").await.ok();
    let found: Vec<_> = listed["keys"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|key| key["id"] == made["id"])
        .collect();
    assert_eq!(
        (found[0]["label"].as_str(), found[0].get("key")),
        (Some("worker on host 7"), None)
    );
    assert!(!listed.to_string().contains(string(&made, "/key")));
    agent.post("/v1/claims", claim("logs", &drawn())).await.ok();
    let path = format!("/v1/keys/{}", string(&made, "/id"));
    assert_eq!(
        house.bob.get("/v1/keys").await.ok()["keys"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    house.bob.delete(&path).await.problem(404, "not-found");
    assert_eq!(house.ana.delete(&path).await.ok()["changed"], true);
    agent
        .post("/v1/claims", claim("logs", &drawn()))
        .await
        .problem(401, "unauthenticated");
    assert_eq!(house.ana.delete(&path).await.ok()["changed"], false);
}

#[tokio::test]
async fn keys_are_made_for_oneself_and_for_agents_one_owns() {
    let house = House::new().await;
    let key = |party: &str| json!({"party": party, "label": "l"});
    house.bob.post("/v1/keys", key("user:bob")).await.ok();
    house
        .bob
        .post("/v1/keys", key("user:ana"))
        .await
        .problem(403, "forbidden");
    house
        .bob
        .post("/v1/keys", key("agent:logs"))
        .await
        .problem(403, "forbidden");
    house
        .ana
        .post("/v1/keys", key("agent:nobody"))
        .await
        .problem(404, "not-found");
    house
        .agent("logs")
        .await
        .post("/v1/keys", key("agent:logs"))
        .await
        .problem(403, "forbidden");
}

/// I3: who speaks is told by the credential; whatever a call says about it is refused or not read.
#[tokio::test]
async fn i03_no_call_says_who_speaks() {
    let house = House::new().await;
    for member in [
        "sender",
        "from",
        "tenant",
        "principal",
        "performative_of",
        "hop",
        "root_principal",
    ] {
        let mut body = opening("logs", "hello");
        body[member] = json!("user:ana");
        let detail = house
            .bob
            .post("/v1/acts", body)
            .await
            .problem(400, "malformed");
        assert!(
            detail.contains(&format!("unknown field `{member}`")),
            "{detail}"
        );
    }
    let mut request = house.bob.request(Method::POST, "/v1/acts");
    for name in [
        "X-User",
        "X-Forwarded-User",
        "X-Principal",
        "X-Tenant",
        "From",
        "Sender",
    ] {
        request = request.header(name, "user:ana");
    }
    let sent = answer(request.json(&opening("logs", "hello")))
        .await
        .receipt("accepted");
    assert_eq!(
        (&sent["task"]["requester"], &sent["task"]["root_principal"]),
        (&json!("user:bob"), &json!("user:bob"))
    );
    let engine = json!({"to": "engine:tertulia", "parts": text("hello")});
    assert!(
        house
            .bob
            .post("/v1/acts", engine)
            .await
            .problem(400, "malformed")
            .starts_with("to: ")
    );
}

#[tokio::test]
async fn a_hop_token_is_worth_nothing_in_other_hands() {
    let house = House::new().await;
    house.ana.ask_of("logs", "work").await;
    let lease = house.agent("logs").await.claim("logs").await;
    for other in [
        &house.bob,
        &house.mallory,
        &house.agent("deployments").await,
    ] {
        other
            .operate(&lease, "reply", said("mine"))
            .await
            .problem(409, "lease-lost");
        let beats = other
            .post("/v1/hops/heartbeat", json!({"tokens": [lease.token()]}))
            .await
            .ok();
        assert_eq!(beats["hops"][0]["state"], "unknown");
        other
            .get_under(lease.token(), "/v1/asks")
            .await
            .problem(409, "lease-lost");
    }
    house
        .ana
        .operate(&lease, "reply", said("the owner's key may"))
        .await
        .receipt("settled");
}

#[tokio::test]
async fn dev_takes_calls_without_a_key_from_programs_on_this_machine() {
    let auth = Auth::DevUser {
        tenant: "acme".into(),
        party: party("user:bob"),
    };
    let house = House::with(auth).await;
    let dev = house.client("");
    let task = dev.ask_of("logs", "hello").await;
    assert_eq!(task["requester"], "user:bob");
    let page = dev
        .request(Method::GET, "/v1/tasks")
        .header(header::ORIGIN, "http://localhost:3000");
    answer(page).await.problem(403, "forbidden");
    let rebound = dev
        .request(Method::GET, "/v1/tasks")
        .header(header::HOST, "evil.example");
    answer(rebound).await.problem(403, "forbidden");
    // A key is taken all the same, and a wrong one is no way to become the dev user.
    assert_eq!(
        house.ana.ask_of("logs", "hello").await["requester"],
        "user:ana"
    );
    house
        .client("nonsense")
        .get("/v1/tasks")
        .await
        .problem(401, "unauthenticated");
}

#[tokio::test]
async fn who_is_turned_away_with_a_large_body_is_told_so() {
    let house = House::new().await;
    // A client that writes all before it reads anything.
    let mut stranger = TcpStream::connect(house.address).await.unwrap();
    let large = vec![b'x'; tertulia_acts::limits::REQUEST_BYTES];
    for _ in 0..2 {
        let head = format!(
            "POST /v1/acts HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n",
            large.len()
        );
        stranger.write_all(head.as_bytes()).await.unwrap();
        stranger.write_all(&large).await.unwrap();
        let mut told = [0; 4096];
        let n = stranger.read(&mut told).await.unwrap();
        let told = String::from_utf8_lossy(&told[..n]);
        assert!(told.starts_with("HTTP/1.1 401 "), "{told}");
    }
    let request = house.ana.request(Method::POST, "/v1/acts");
    let request = request
        .header("content-type", "application/json")
        .header("content-encoding", "gzip");
    answer(request.body("{}"))
        .await
        .problem(415, "unsupported-media-type");
}
