//! Streams of events: they resume without loss, and end when they should.

use std::time::Duration;

use futures_util::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use crate::house::{Client, House, said, string};

/// A stream that is read message by message.
struct Stream {
    response:
        std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<bytes::Bytes>> + Send>>,
    text: String,
}

struct Message {
    id: u32,
    event: String,
    data: Value,
}

async fn open(client: &Client, path: &str, last: Option<u32>) -> Stream {
    let mut request = client.request(Method::GET, path);
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last.to_string());
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    Stream {
        response: Box::pin(response.bytes_stream()),
        text: String::new(),
    }
}

impl Stream {
    /// The next message; none at the end of the stream.
    async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some((message, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let mut lines = message.lines();
                    lines
                        .find_map(|line| line.strip_prefix(name))
                        .map(|value| value.trim().to_owned())
                };
                let found = field("id:").map(|id| Message {
                    id: id.parse().unwrap(),
                    event: field("event:").unwrap(),
                    data: serde_json::from_str(&field("data:").unwrap()).unwrap(),
                });
                self.text = String::from(rest);
                match found {
                    Some(found) => return Some(found),
                    None => continue,
                }
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.response.next()).await;
            let chunk = chunk.expect("the stream stands still")?.unwrap();
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

#[tokio::test]
async fn a_stream_goes_on_and_resumes_without_loss() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "look").await;
    for (path, by_task) in [
        (format!("/v1/tasks/{}/events", string(&task, "/id")), true),
        (
            format!(
                "/v1/conversations/{}/events",
                string(&task, "/conversation")
            ),
            false,
        ),
    ] {
        let first = open(&house.ana, &path, None).await.next().await.unwrap();
        assert_eq!(first.id, 1, "by task: {by_task}");
    }
    let path = format!("/v1/tasks/{}/events", string(&task, "/id"));
    let mut live = open(&house.ana, &path, None).await;
    let mut seen = vec![live.next().await.unwrap()];
    // What happens while the stream is open comes without being asked for.
    let lease = house.ana.claim("logs").await;
    for i in 0..3 {
        house
            .ana
            .step(&lease, &format!("p{i}"), "progress", said(&format!("{i}")))
            .await
            .receipt("said");
    }
    house
        .ana
        .operate(&lease, "reply", said("found"))
        .await
        .receipt("settled");
    while !seen
        .last()
        .is_some_and(|last| last.event == "task.state" && last.data["detail"]["state"] == "done")
    {
        seen.push(live.next().await.unwrap());
    }
    let ids: Vec<u32> = seen.iter().map(|message| message.id).collect();
    let last = u32::try_from(ids.len()).unwrap();
    assert_eq!(ids, (1..=last).collect::<Vec<_>>(), "gap-free, in order");
    for message in &seen {
        assert_eq!(
            (&message.data["n"], message.data["kind"].as_str()),
            (&json!(message.id), Some(&*message.event))
        );
        assert_eq!(message.data["task"], task["id"]);
    }
    let acts: Vec<&str> = seen
        .iter()
        .filter(|message| message.event == "conversation.act")
        .filter_map(|message| message.data["act"]["performative"].as_str())
        .collect();
    assert!(acts.starts_with(&["request"]), "{acts:?}");
    assert_eq!(
        acts.iter().filter(|act| **act == "inform").count(),
        4,
        "{acts:?}"
    );
    // From any cursor, the rest is the same.
    for cursor in 0..last {
        let mut resumed = open(&house.ana, &path, Some(cursor)).await;
        for expected in &seen[cursor as usize..] {
            let message = resumed.next().await.unwrap();
            assert_eq!((message.id, &message.data), (expected.id, &expected.data));
        }
    }
    let mut asked = open(&house.ana, &format!("{path}?after={}", last - 1), None).await;
    assert_eq!(asked.next().await.unwrap().id, last);
}

#[tokio::test]
async fn a_cursor_above_the_head_or_without_sense_is_refused() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "look").await;
    let path = format!("/v1/tasks/{}/events", string(&task, "/id"));
    let detail = house
        .ana
        .get(&format!("{path}?after=1000"))
        .await
        .problem(400, "malformed");
    assert!(detail.contains("the last event is"), "{detail}");
    let odd = house
        .ana
        .request(Method::GET, &path)
        .header("Last-Event-ID", "x");
    crate::house::answer(odd).await.problem(400, "malformed");
    house.bob.get(&path).await.problem(404, "not-found");
    let conversation = format!(
        "/v1/conversations/{}/events",
        string(&task, "/conversation")
    );
    house
        .mallory
        .get(&conversation)
        .await
        .problem(404, "not-found");
}

#[tokio::test]
async fn a_stream_ends_when_the_server_drains() {
    let house = House::new().await;
    let task = house.ana.ask_of("logs", "look").await;
    let path = format!("/v1/tasks/{}/events", string(&task, "/id"));
    let mut stream = open(&house.ana, &path, None).await;
    assert_eq!(stream.next().await.unwrap().id, 1);
    house.engine.drain();
    while let Some(message) = stream.next().await {
        assert!(message.id > 1);
    }
    house.ana.get("/readyz").await.problem(503, "draining");
}

#[tokio::test]
async fn a_revoked_key_reads_nothing_more_from_a_stream_that_it_opened() {
    let house = House::new().await;
    let made = json!({"party": "user:ana", "label": "soon gone"});
    let made = house.ana.post("/v1/keys", made).await.ok();
    let gone = house.client(string(&made, "/key"));
    let task = house.ana.ask_of("logs", "find").await;
    let path = format!("/v1/tasks/{}/events", string(&task, "/id"));
    let mut live = open(&gone, &path, None).await;
    assert_eq!(live.next().await.unwrap().id, 1);
    let key = format!("/v1/keys/{}", string(&made, "/id"));
    assert_eq!(house.ana.delete(&key).await.ok()["changed"], true);
    let lease = house.ana.claim("logs").await;
    let reply = house.ana.operate(&lease, "reply", said("secret")).await;
    reply.receipt("settled");
    // What was read before it was revoked may still come; then the stream ends, and nothing of what came after was told.
    while let Some(message) = live.next().await {
        assert!(!message.data.to_string().contains("secret"));
    }
    gone.get(&path).await.problem(401, "unauthenticated");
}
