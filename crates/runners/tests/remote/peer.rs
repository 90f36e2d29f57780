//! A plain A2A peer over JSON-RPC, without streams and without our extension, that does what the first word of a
//! message says, and keeps what it was sent.

use std::sync::{Arc, Mutex};

use axum::{
    Json, Router,
    extract::State,
    routing::{get, post},
};
use serde_json::{Value, json};

pub(crate) struct Peer {
    pub(crate) url: String,
    pub(crate) kept: Arc<Kept>,
}

#[derive(Default)]
pub(crate) struct Kept {
    tasks: Mutex<Vec<Value>>,
    calls: Mutex<Vec<Value>>,
}

impl Kept {
    /// What was sent by this method.
    pub(crate) fn called(&self, method: &str) -> Vec<Value> {
        let calls = self.calls.lock().unwrap();
        let of_method = calls.iter().filter(|call| call["method"] == method);
        of_method.map(|call| call["params"].clone()).collect()
    }

    /// Lets a task go on to `state`, as if something had happened at the peer.
    pub(crate) fn turn(&self, id: &str, state: &str) {
        self.become_(&json!(id), json!({"state": state})).unwrap();
    }

    fn task(&self, id: &Value) -> Option<Value> {
        let tasks = self.tasks.lock().unwrap();
        tasks.iter().find(|task| task["id"] == *id).cloned()
    }

    /// Changes a task and returns it.
    fn become_(&self, id: &Value, status: Value) -> Option<Value> {
        let mut tasks = self.tasks.lock().unwrap();
        let task = tasks.iter_mut().find(|task| task["id"] == *id)?;
        task["status"] = status;
        Some(task.clone())
    }
}

impl Peer {
    pub(crate) async fn open() -> Self {
        let kept = Arc::new(Kept::default());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let card = json!({
            "name": "peer", "description": "A peer.", "version": "1",
            "supportedInterfaces": [
                {"url": format!("{url}/rpc"), "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
            ],
            "capabilities": {}, "skills": [],
            "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"]
        });
        let router = Router::new()
            .route(
                "/.well-known/agent-card.json",
                get(move || async move { Json(card) }),
            )
            .route("/rpc", post(call))
            .with_state(Arc::clone(&kept));
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { url, kept }
    }
}

async fn call(State(kept): State<Arc<Kept>>, Json(call): Json<Value>) -> Json<Value> {
    kept.calls.lock().unwrap().push(call.clone());
    let params = &call["params"];
    let result = match call["method"].as_str().unwrap() {
        "SendMessage" => {
            let sent = send(&kept, &params["message"]);
            if word(&params["message"]) == "silent" {
                // It is taken in and never answered.
                std::future::pending::<()>().await;
            }
            sent
        }
        "GetTask" => read(&kept, &params["id"]),
        "ListTasks" => list(&kept, &params["contextId"]),
        "CancelTask" => {
            let status = json!({"state": "TASK_STATE_CANCELED"});
            kept.become_(&params["id"], status).ok_or(-32001)
        }
        _ => Err(-32601),
    };
    Json(match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": call["id"], "result": result}),
        Err(code) => {
            json!({"jsonrpc": "2.0", "id": call["id"], "error": {"code": code, "message": "no"}})
        }
    })
}

fn word(message: &Value) -> &str {
    let text = message["parts"][0]["text"].as_str().unwrap_or_default();
    text.split_whitespace().next().unwrap_or_default()
}

fn says(id: &str, text: &str) -> Value {
    json!({"messageId": id, "role": "ROLE_AGENT", "parts": [{"text": text}]})
}

fn send(kept: &Kept, message: &Value) -> Result<Value, i32> {
    if message["taskId"].is_string() {
        let text = message["parts"][0]["text"].as_str().unwrap();
        let answered = json!({
            "state": "TASK_STATE_COMPLETED", "message": says("done", &format!("you said {text}"))
        });
        let task = kept.become_(&message["taskId"], answered).ok_or(-32001)?;
        return Ok(json!({"task": task}));
    }
    let word = word(message);
    let first = kept.called("SendMessage").len() == 1;
    match word {
        "direct" => return Ok(json!({"message": says("m", "at once")})),
        "invalid" => return Err(-32602),
        // The connection breaks before the peer took it in.
        "dropped" if first => panic!("dropped on purpose"),
        _ => {}
    }
    let state = match word {
        "reject" => "TASK_STATE_REJECTED",
        "fail" => "TASK_STATE_FAILED",
        "abort" => "TASK_STATE_CANCELED",
        "ask" => "TASK_STATE_INPUT_REQUIRED",
        "login" => "TASK_STATE_AUTH_REQUIRED",
        "hold" | "silent" | "progress" | "gone" => "TASK_STATE_WORKING",
        _ => "TASK_STATE_COMPLETED",
    };
    let mut status = json!({"state": state});
    match word {
        "reject" => status["message"] = says("s", "this is not my work"),
        "ask" => status["message"] = says("q", "which one?"),
        "login" => status["message"] = says("l", "log in at https://login.example"),
        "progress" => status["message"] = says("p", "half way"),
        "nonsense" => status["state"] = json!(42),
        _ => {}
    }
    let mut tasks = kept.tasks.lock().unwrap();
    let artifacts = json!([{"artifactId": "a", "parts": [
        {"text": format!("done: {}", message["parts"][0]["text"].as_str().unwrap())},
        {"raw": "AAH/", "filename": "b.png", "mediaType": "image/png"}
    ]}]);
    let task = json!({
        "id": format!("t-{}", tasks.len() + 1), "contextId": message["contextId"],
        "status": status, "history": [message],
        "artifacts": if state == "TASK_STATE_COMPLETED" { artifacts } else { json!([]) }
    });
    tasks.push(task.clone());
    drop(tasks);
    // The connection breaks after the peer took it in.
    assert!(!matches!(word, "lost" | "unlisted"), "broken on purpose");
    Ok(json!({"task": task}))
}

fn read(kept: &Kept, id: &Value) -> Result<Value, i32> {
    let task = kept.task(id).ok_or(-32001)?;
    match word(&task["history"][0]) {
        "gone" => Err(-32001),
        // It tells how far it is once, and is done when it is asked again.
        "progress" if kept.called("GetTask").len() > 1 => {
            let status = json!({"state": "TASK_STATE_COMPLETED"});
            kept.become_(id, status).ok_or(-32001)
        }
        _ => Ok(task),
    }
}

fn list(kept: &Kept, context: &Value) -> Result<Value, i32> {
    let all = kept.tasks.lock().unwrap();
    let tasks: Vec<&Value> = all
        .iter()
        .filter(|task| task["contextId"] == *context)
        .collect();
    if tasks
        .iter()
        .any(|task| word(&task["history"][0]) == "unlisted")
    {
        return Err(-32601);
    }
    let n = tasks.len();
    Ok(json!({"tasks": tasks, "nextPageToken": "", "pageSize": 100, "totalSize": n}))
}
