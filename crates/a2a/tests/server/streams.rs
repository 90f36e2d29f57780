//! Streams: cursors over the event log.

use futures_util::StreamExt;
use serde_json::{Value, json};
use tertulia_acts::{
    body::Body,
    command::{HopOperation, Progress},
};

use crate::{
    house::{ANA, BOB, House, declared, message, message_with},
    worker,
};

/// One event: its number and what it tells.
type Told = (Option<u32>, Value);

/// Reads a stream of server-sent events.
struct Reader {
    response: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<bytes::Bytes>>>>,
    buffer: String,
}

impl Reader {
    fn new(response: reqwest::Response) -> Self {
        assert_eq!(response.status(), 200);
        let kind = response.headers()["content-type"].to_str().unwrap();
        assert!(kind.starts_with("text/event-stream"), "{kind}");
        let response = Box::pin(response.bytes_stream());
        Self {
            response,
            buffer: String::new(),
        }
    }

    async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some((event, rest)) = self.buffer.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.buffer = rest;
                let field = |name: &str| {
                    event
                        .lines()
                        .find_map(|line| line.strip_prefix(&format!("{name}: ")))
                };
                if let Some(data) = field("data") {
                    let id = field("id").map(|id| id.parse().unwrap());
                    return Some((id, serde_json::from_str(data).unwrap()));
                }
                continue;
            }
            let limit = std::time::Duration::from_secs(20);
            let chunk = tokio::time::timeout(limit, self.response.next()).await;
            let bytes = chunk
                .expect("the stream says nothing")
                .transpose()
                .unwrap()?;
            self.buffer.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }

    async fn rest(&mut self) -> Vec<Told> {
        let mut all = Vec::new();
        while let Some(told) = self.next().await {
            all.push(told);
        }
        all
    }
}

async fn stream(house: &House, method: &str, params: Value) -> Reader {
    Reader::new(house.post(ANA, "/a2a/echo", method, params, &[]).await)
}

/// Which kinds of events came, with their states.
fn kinds(told: &[Told]) -> Vec<String> {
    let kind = |value: &Value| {
        let value = value.get("result").unwrap_or(value);
        let state = |status: &Value| {
            let name = status["state"].as_str().unwrap();
            name.trim_start_matches("TASK_STATE_").to_owned()
        };
        if value["task"].is_object() {
            format!("task {}", state(&value["task"]["status"]))
        } else if value["artifactUpdate"].is_object() {
            format!(
                "artifact {}",
                value["artifactUpdate"]["artifact"]["name"]
                    .as_str()
                    .unwrap()
            )
        } else if value["message"].is_object() {
            "message".to_owned()
        } else {
            state(&value["statusUpdate"]["status"])
        }
    };
    told.iter().map(|(_, value)| kind(value)).collect()
}

#[tokio::test]
async fn a_stream_begins_with_the_task_and_closes_at_its_end() {
    let house = House::open().await;
    let mut reader = stream(&house, "SendStreamingMessage", message("echo hi")).await;
    let first = reader.next().await.unwrap();
    assert_eq!(kinds(std::slice::from_ref(&first)), ["task SUBMITTED"]);
    assert_eq!(first.1["jsonrpc"], "2.0");
    let grant = worker::claim(&house.engine, "echo").await.unwrap();
    worker::act(&house.engine, &grant, worker::reply(Body::text("hi"))).await;
    let rest = reader.rest().await;
    assert_eq!(kinds(&rest), ["WORKING", "artifact result", "COMPLETED"]);
    let end = &rest[2].1["result"]["statusUpdate"];
    assert_eq!(declared(end)["performative"], "inform");
    assert_eq!(end["taskId"], first.1["result"]["task"]["id"]);
    // Numbers rise, and what one number tells carries it once, at its end.
    let numbers: Vec<_> = std::iter::once(&first)
        .chain(&rest)
        .map(|(n, _)| *n)
        .collect();
    assert_eq!(numbers[2], None);
    let numbers: Vec<u32> = numbers.into_iter().flatten().collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
}

#[tokio::test]
async fn progress_is_told_with_its_words_and_its_force() {
    let house = House::at_work().await;
    let mut reader = stream(&house, "SendStreamingMessage", message("progress")).await;
    let told = reader.rest().await;
    let updates: Vec<&Value> = told
        .iter()
        .map(|(_, value)| &value["result"]["statusUpdate"])
        .filter(|update| declared(update)["performative"].is_string())
        .collect();
    let force = |n: usize| declared(updates[n])["performative"].as_str().unwrap();
    assert_eq!((force(0), force(1)), ("agree", "inform"));
    let words = &updates[1]["status"]["message"];
    assert_eq!(words["parts"][0]["text"], "half way");
    assert_eq!(declared(words)["performative"], "inform");
    assert_eq!(updates[1]["status"]["state"], "TASK_STATE_WORKING");
    assert_eq!(kinds(&told).last().unwrap(), "COMPLETED");
}

#[tokio::test]
async fn a_send_stream_closes_at_a_question_and_a_subscription_does_not() {
    let house = House::at_work().await;
    let mut reader = stream(&house, "SendStreamingMessage", message("ask")).await;
    let told = reader.rest().await;
    assert_eq!(kinds(&told).last().unwrap(), "INPUT_REQUIRED");
    let question = &told.last().unwrap().1["result"]["statusUpdate"];
    assert_eq!(
        question["status"]["message"]["parts"][0]["text"],
        "which one?"
    );
    assert_eq!(declared(question)["performative"], "query");
    let id = question["taskId"].clone();

    let mut first = stream(&house, "SubscribeToTask", json!({"id": id})).await;
    let mut second = stream(&house, "SubscribeToTask", json!({"id": id})).await;
    let begin = [first.next().await.unwrap()];
    assert_eq!(kinds(&begin), ["task INPUT_REQUIRED"]);
    assert_eq!(
        second.next().await.unwrap().1["result"],
        begin[0].1["result"]
    );
    let members = json!({"taskId": id});
    let mut answer = stream(
        &house,
        "SendStreamingMessage",
        message_with("it", members, json!({})),
    )
    .await;
    let answered = answer.rest().await;
    assert!(kinds(&answered)[0].starts_with("task "));
    assert_eq!(kinds(&answered).last().unwrap(), "COMPLETED");
    let (first, second) = (first.rest().await, second.rest().await);
    assert_eq!(kinds(&first), ["WORKING", "artifact result", "COMPLETED"]);
    let bare = |told: &[Told]| -> Vec<Value> {
        told.iter()
            .map(|(_, value)| value["result"].clone())
            .collect()
    };
    assert_eq!(bare(&first), bare(&second));
}

#[tokio::test]
async fn only_the_one_who_is_asked_is_told_of_the_question() {
    let house = House::at_work().await;
    let asked = house.say(ANA, "ask").await["task"]["id"].clone();
    let foreign = house
        .call(BOB, "SubscribeToTask", json!({"id": asked}))
        .await;
    assert_eq!(foreign["error"]["code"], -32001);
    // The agent itself sees that it works.
    let echo = house.caller("main", "agent:echo");
    let viewer = tertulia_acts::viewer::Viewer::new(echo.tenant, echo.party);
    let id = asked.as_str().unwrap().parse().unwrap();
    let read = house.engine.reader().task(&viewer, id).unwrap().unwrap();
    let state = tertulia_a2a::map::shown(&viewer, &read);
    assert_eq!(state, tertulia_a2a::wire::TaskState::Working);
}

#[tokio::test]
async fn a_reader_goes_on_after_what_it_has_seen() {
    let house = House::at_work().await;
    let mut reader = stream(&house, "SendStreamingMessage", message("progress")).await;
    let told = reader.rest().await;
    let id = &told[0].1["result"]["task"]["id"];
    let first = told[0].0.unwrap();
    for (n, seen) in told
        .iter()
        .enumerate()
        .filter_map(|(n, (seen, _))| Some((n, (*seen)?)))
    {
        let url = format!("/a2a/echo/tasks/{}:subscribe", id.as_str().unwrap());
        let request = house.http.get(house.url(&url)).bearer_auth(ANA);
        let request = request.header("last-event-id", seen.to_string());
        let mut again = Reader::new(request.send().await.unwrap());
        let missed = again.rest().await;
        let expected: Vec<_> = told[n + 1..]
            .iter()
            .map(|(number, value)| (*number, value["result"].clone()))
            .collect();
        assert_eq!(missed, expected, "after {seen}, having begun at {first}");
    }
    for seen in ["soon", "4000000000"] {
        let url = format!("/a2a/echo/tasks/{}:subscribe", id.as_str().unwrap());
        let request = house.http.get(house.url(&url)).bearer_auth(ANA);
        let refused = request.header("last-event-id", seen).send().await.unwrap();
        assert_eq!(refused.status(), 400, "{seen}");
    }
    let ended = house.call(ANA, "SubscribeToTask", json!({"id": id})).await;
    assert_eq!(ended["error"]["code"], -32004);
}

#[tokio::test]
async fn over_http_events_are_bare_and_both_verbs_subscribe() {
    let house = House::at_work().await;
    let post = house
        .http
        .post(house.url("/a2a/echo/message:stream"))
        .bearer_auth(ANA);
    let response = post.json(&message("ask")).send().await.unwrap();
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    let mut reader = Reader::new(response);
    let told = reader.rest().await;
    assert_eq!(kinds(&told).last().unwrap(), "INPUT_REQUIRED");
    assert!(told[0].1.get("jsonrpc").is_none());
    let id = told[0].1["task"]["id"].as_str().unwrap();
    let url = house.url(&format!("/a2a/echo/tasks/{id}:subscribe"));
    let get = house.http.get(&url).bearer_auth(ANA).send().await.unwrap();
    let post = house.http.post(&url).bearer_auth(ANA).send().await.unwrap();
    let (mut get, mut post) = (Reader::new(get), Reader::new(post));
    assert_eq!(get.next().await.unwrap(), post.next().await.unwrap());
    drop(get);
    house.call(ANA, "CancelTask", json!({"id": id})).await;
    let rest = post.rest().await;
    assert_eq!(kinds(&rest), ["CANCELED"]);
    assert_eq!(declared(&rest[0].1["statusUpdate"])["reason"], "cancelled");
}

#[tokio::test]
async fn a_refuse_without_a_task_is_the_only_event() {
    let house = House::at_work().await;
    let metadata = json!({"urn:tertulia:ext:speech-act:v1": {"performative": "propose"}});
    let params = message_with("x", json!({"metadata": metadata}), json!({}));
    let mut reader = stream(&house, "SendStreamingMessage", params).await;
    let told = reader.rest().await;
    assert_eq!(kinds(&told), ["message"]);
    assert_eq!(
        declared(&told[0].1["result"]["message"])["reason"],
        "illegal-act"
    );
}

#[tokio::test]
async fn whoever_closes_a_stream_cancels_nothing_and_disturbs_no_other() {
    let house = House::open().await;
    let mut closed = stream(&house, "SendStreamingMessage", message("echo on")).await;
    let begun = closed.next().await.unwrap();
    let id = begun.1["result"]["task"]["id"].clone();
    let mut other = stream(&house, "SubscribeToTask", json!({"id": id})).await;
    assert_eq!(kinds(&[other.next().await.unwrap()]), ["task SUBMITTED"]);
    drop(closed);
    let grant = worker::claim(&house.engine, "echo").await.unwrap();
    worker::act(
        &house.engine,
        &grant,
        worker::reply(Body::text("still here")),
    )
    .await;
    let rest = other.rest().await;
    assert_eq!(kinds(&rest), ["WORKING", "artifact result", "COMPLETED"]);
}

#[tokio::test]
async fn a_missing_credential_ends_the_wait_of_a_call_and_no_stream() {
    let house = House::open().await;
    let mut reader = stream(&house, "SendStreamingMessage", message("echo on")).await;
    assert_eq!(kinds(&[reader.next().await.unwrap()]), ["task SUBMITTED"]);
    let grant = worker::claim(&house.engine, "echo").await.unwrap();
    let says = |text: &str, needs_credential| {
        let body = Body::text(text);
        HopOperation::Progress(Progress {
            body,
            needs_credential,
        })
    };
    worker::act(&house.engine, &grant, says("log in", true)).await;
    let id = grant.task.id().to_string();
    let read = house.call(ANA, "GetTask", json!({"id": id})).await;
    let status = &read["result"]["status"];
    assert_eq!(status["state"], "TASK_STATE_AUTH_REQUIRED", "{read}");
    let why = status["message"]["parts"][0]["text"].as_str().unwrap();
    assert!(why.contains("credential"), "{why}");
    let filter = json!({"status": "TASK_STATE_AUTH_REQUIRED"});
    let listed = house.call(ANA, "ListTasks", filter).await;
    assert_eq!(listed["result"]["tasks"][0]["id"], id);
    worker::act(&house.engine, &grant, says("thanks", false)).await;
    worker::act(&house.engine, &grant, worker::reply(Body::text("done"))).await;
    let rest = reader.rest().await;
    assert_eq!(
        kinds(&rest),
        [
            "WORKING",
            "WORKING",
            "WORKING",
            "AUTH_REQUIRED",
            "WORKING",
            "artifact result",
            "COMPLETED"
        ]
    );

    // A call that waits for the end comes back, as it does for a question.
    let waiting = house.call(ANA, "SendMessage", message("echo more"));
    let working = async {
        let grant = worker::claim(&house.engine, "echo").await.unwrap();
        worker::act(&house.engine, &grant, says("log in", true)).await;
    };
    let (answer, ()) = tokio::join!(waiting, working);
    let state = &answer["result"]["task"]["status"]["state"];
    assert_eq!(state, "TASK_STATE_AUTH_REQUIRED", "{answer}");
}
