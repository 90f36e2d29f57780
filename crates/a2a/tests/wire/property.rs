//! By chance: what is written reads back equal, and no bytes bring a parser down.

use std::fs;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};
use tertulia_a2a::wire::*;

fn id() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9._:-]{1,12}"
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..4).prop_map(|map| json!(map)),
        ]
    })
}

fn metadata() -> impl Strategy<Value = Metadata> {
    btree_map(any::<String>(), json_value(), 0..3).prop_map(|map| map.into_iter().collect())
}

fn timestamp() -> impl Strategy<Value = Timestamp> {
    (Timestamp::MIN_MILLIS..=Timestamp::MAX_MILLIS)
        .prop_map(|millis| Timestamp::from_millis(millis).unwrap())
}

fn part() -> impl Strategy<Value = Part> {
    let content = prop_oneof![
        any::<String>().prop_map(PartContent::Text),
        vec(any::<u8>(), 0..40).prop_map(PartContent::Raw),
        "[a-z]{1,9}://[a-z/]{0,9}".prop_map(PartContent::Url),
        json_value().prop_map(PartContent::Data),
    ];
    (content, metadata(), any::<String>(), any::<String>()).prop_map(
        |(content, metadata, filename, media_type)| Part {
            content: Some(content),
            metadata,
            filename,
            media_type,
        },
    )
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![Just(Role::User), Just(Role::Agent)];
    let references = vec(id(), 0..3);
    (
        id(),
        id(),
        "[a-z]{0,3}",
        role,
        vec(part(), 1..4),
        metadata(),
        references,
    )
        .prop_map(
            |(message_id, context_id, task_id, role, parts, metadata, reference_task_ids)| {
                Message {
                    message_id,
                    context_id,
                    task_id,
                    role,
                    parts,
                    metadata,
                    extensions: vec!["urn:x".into()],
                    reference_task_ids,
                }
            },
        )
}

fn status() -> impl Strategy<Value = TaskStatus> {
    let state = (1..12_i32).prop_map(TaskState::from_number);
    (
        state,
        option::of(message().prop_map(Box::new)),
        option::of(timestamp()),
    )
        .prop_map(|(state, message, timestamp)| TaskStatus {
            state,
            message,
            timestamp,
        })
}

fn artifact() -> impl Strategy<Value = Artifact> {
    (id(), any::<String>(), vec(part(), 1..3), metadata()).prop_map(
        |(artifact_id, name, parts, metadata)| Artifact {
            artifact_id,
            name,
            parts,
            metadata,
            ..Artifact::default()
        },
    )
}

fn task() -> impl Strategy<Value = Task> {
    (
        id(),
        id(),
        status(),
        vec(artifact(), 0..3),
        vec(message(), 0..3),
        metadata(),
    )
        .prop_map(
            |(id, context_id, status, artifacts, history, metadata)| Task {
                id,
                context_id,
                status,
                artifacts,
                history,
                metadata,
            },
        )
}

fn event() -> impl Strategy<Value = StreamResponse> {
    let status_update =
        (id(), id(), status(), metadata()).prop_map(|(task_id, context_id, status, metadata)| {
            StreamResponse::StatusUpdate(TaskStatusUpdateEvent {
                task_id,
                context_id,
                status,
                metadata,
            })
        });
    let artifact_update = (id(), artifact(), any::<bool>(), any::<bool>()).prop_map(
        |(task_id, artifact, append, last_chunk)| {
            StreamResponse::ArtifactUpdate(TaskArtifactUpdateEvent {
                task_id,
                artifact,
                append,
                last_chunk,
                ..TaskArtifactUpdateEvent::default()
            })
        },
    );
    prop_oneof![
        task().prop_map(StreamResponse::Task),
        message().prop_map(StreamResponse::Message),
        status_update,
        artifact_update,
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let configuration = (
        vec("[a-z]+/[a-z]+", 0..3),
        option::of(0..9_i32),
        any::<bool>(),
    )
        .prop_map(
            |(accepted_output_modes, history_length, return_immediately)| {
                SendMessageConfiguration {
                    accepted_output_modes,
                    history_length,
                    return_immediately,
                    ..SendMessageConfiguration::default()
                }
            },
        );
    let send = (message(), option::of(configuration), metadata()).prop_map(
        |(message, configuration, metadata)| SendMessageRequest {
            tenant: String::new(),
            message,
            configuration,
            metadata,
        },
    );
    let list = (
        option::of(1..=100_i32),
        0..9_i32,
        option::of(timestamp()),
        option::of(any::<bool>()),
    )
        .prop_map(
            |(page_size, status, status_timestamp_after, include_artifacts)| ListTasksRequest {
                page_size,
                status: TaskState::from_number(status),
                status_timestamp_after,
                include_artifacts,
                ..ListTasksRequest::default()
            },
        );
    prop_oneof![
        (send, any::<bool>()).prop_map(|(send, stream)| {
            if stream {
                Request::SendStreamingMessage(send)
            } else {
                Request::SendMessage(send)
            }
        }),
        list.prop_map(Request::ListTasks),
        (id(), option::of(0..9_i32)).prop_map(|(id, history_length)| {
            Request::GetTask(GetTaskRequest {
                id,
                history_length,
                ..GetTaskRequest::default()
            })
        }),
        (id(), metadata()).prop_map(|(id, metadata)| {
            Request::CancelTask(CancelTaskRequest {
                id,
                metadata,
                ..CancelTaskRequest::default()
            })
        }),
    ]
}

/// Every entry for foreign bytes.
fn parse_all(bytes: &[u8]) {
    let limits = Limits::generous();
    if let Ok(call) = jsonrpc::parse_call(bytes, &limits) {
        let _ = call.decode(&limits);
    }
    if let Ok(request) = rest::parse_body::<SendMessageRequest>(bytes, &limits) {
        let _ = request.validate(&limits);
    }
    let _ = rest::parse_body::<ListTasksRequest>(bytes, &limits);
    let _ = rest::parse_body::<TaskPushNotificationConfig>(bytes, &limits);
    let _ = parse_json::<AgentCard>(bytes, limits.body_bytes);
    let _ = parse_json::<StreamResponse>(bytes, limits.body_bytes);
    let _ = jsonrpc::parse_response::<SendMessageResponse>(bytes, limits.body_bytes);
    let _ = A2aError::from_http(400, bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back_equal(event in event()) {
        let bytes = serde_json::to_vec(&event).unwrap();
        let read: StreamResponse = parse_json(&bytes, bytes.len()).unwrap();
        prop_assert_eq!(read, event);
    }

    #[test]
    fn a_request_passes_through_its_envelope(request in request()) {
        let limits = Limits::generous();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": request.method().name(), "params": request});
        let body = serde_json::to_vec(&body).unwrap();
        let read = jsonrpc::parse_call(&body, &limits).unwrap().decode(&limits).unwrap();
        prop_assert_eq!(read, request);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        parse_all(&bytes);
    }

    #[test]
    fn arbitrary_json_never_panics(value in json_value(), method in "[A-Z][A-Za-z]{3,12}") {
        parse_all(value.to_string().as_bytes());
        for method in Method::ALL.map(Method::name).into_iter().chain([method.as_str()]) {
            parse_all(json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": value}).to_string().as_bytes());
        }
    }

    #[test]
    fn damaged_requests_never_panic(request in request(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": request.method().name(), "params": request});
        let mut bytes = serde_json::to_vec(&body).unwrap();
        let at = at.index(bytes.len());
        parse_all(&bytes[..at]);
        bytes[at] = byte;
        parse_all(&bytes);
    }

    #[test]
    fn timestamps_keep_their_milliseconds(timestamp in timestamp()) {
        let text = timestamp.to_string();
        prop_assert_eq!(text.len(), "2026-01-31T08:30:00.000Z".len());
        prop_assert!(text.ends_with('Z'));
        prop_assert_eq!(text.parse::<Timestamp>().unwrap(), timestamp);
    }

    #[test]
    fn queries_never_panic(pairs in vec((any::<String>(), any::<String>()), 0..6), value in any::<String>()) {
        let _ = rest::parse_query::<ListTasksRequest, _, _, _>(pairs);
        let names = ["status", "pageSize", "statusTimestampAfter", "includeArtifacts", "contextId"];
        for name in names {
            let _ = rest::parse_query::<ListTasksRequest, _, _, _>([(name, value.as_str())]);
        }
    }
}

/// Every golden file read as every other message: wrong shapes are errors, not panics.
#[test]
fn golden_files_as_foreign_bodies_never_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            let cases: Vec<Value> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
            for case in cases {
                parse_all(case["proto"].to_string().as_bytes());
                read += 1;
            }
        }
    }
    assert!(read > 200, "{read} cases");
}
