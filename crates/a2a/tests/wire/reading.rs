//! What must be accepted although nobody should write it.

use serde_json::{Value, json};
use tertulia_a2a::wire::*;

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    let bytes = serde_json::to_vec(value).unwrap();
    parse_json(&bytes, 1 << 20).unwrap_or_else(|error| panic!("{value}: {error}"))
}

#[test]
fn null_is_absence_everywhere_but_in_data() {
    let task: Task = read(&json!({
        "id": "t", "contextId": null, "artifacts": null, "history": null, "metadata": null,
        "status": {"state": "TASK_STATE_WORKING", "message": null, "timestamp": null},
    }));
    let status = TaskStatus {
        state: TaskState::Working,
        ..TaskStatus::default()
    };
    assert_eq!(
        task,
        Task {
            id: "t".into(),
            status,
            ..Task::default()
        }
    );

    let message: Message =
        read(&json!({"messageId": null, "role": null, "parts": null, "extensions": null}));
    assert_eq!(message, Message::default());

    let card: AgentCard = read(&json!({
        "name": "a", "capabilities": null, "securitySchemes": null, "skills": null, "iconUrl": null,
    }));
    assert_eq!(
        card,
        AgentCard {
            name: "a".into(),
            ..AgentCard::default()
        }
    );

    let event: StreamResponse =
        read(&json!({"task": null, "message": {"messageId": "m"}, "statusUpdate": null}));
    assert!(matches!(event, StreamResponse::Message(message) if message.message_id == "m"));

    let part: Part = read(&json!({"text": null, "data": null}));
    assert_eq!(part, Part::data(Value::Null));
    assert_eq!(serde_json::to_value(&part).unwrap(), json!({"data": null}));
}

#[test]
fn unknown_fields_are_ignored() {
    let part: Part =
        read(&json!({"kind": "text", "text": "hi", "generation": "7", "nested": {"a": [1]}}));
    assert_eq!(part, Part::text("hi"));
}

#[test]
fn a_card_of_protocol_0_3_reads_as_one_without_interfaces() {
    let card: AgentCard = read(&json!({
        "name": "old", "description": "d", "url": "http://localhost:1", "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0", "version": "1", "capabilities": {"streaming": true},
        "securitySchemes": {"k": {"type": "apiKey", "in": "header", "name": "X-Key"}},
        "security": [{"k": []}], "skills": [], "defaultInputModes": [], "defaultOutputModes": [],
    }));
    assert!(card.supported_interfaces.is_empty());
    assert_eq!(card.capabilities.streaming, Some(true));
    assert_eq!(card.security_schemes["k"], SecurityScheme::Unset);
}

#[test]
fn base64_of_either_alphabet_with_or_without_padding() {
    let bytes = vec![0xfb, 0xff, 0xbf, 0xfe];
    for text in ["+/+//g==", "-_-__g==", "+/+//g", "-_-__g", "-_-__h"] {
        let part: Part = read(&json!({"raw": text}));
        assert_eq!(
            part.content,
            Some(PartContent::Raw(bytes.clone())),
            "{text}"
        );
        assert_eq!(
            serde_json::to_value(&part).unwrap(),
            json!({"raw": "+/+//g=="})
        );
    }
    let empty: Part = read(&json!({"raw": ""}));
    assert_eq!(empty.content, Some(PartContent::Raw(vec![])));
}

#[test]
fn enums_by_name_by_number_and_beyond_what_we_know() {
    let state = |value: Value| read::<TaskStatus>(&json!({"state": value})).state;
    assert_eq!(
        state(json!("TASK_STATE_AUTH_REQUIRED")),
        TaskState::AuthRequired
    );
    assert_eq!(state(json!(8)), TaskState::AuthRequired);
    assert_eq!(state(json!("8")), TaskState::AuthRequired);
    assert_eq!(state(json!(8.0)), TaskState::AuthRequired);
    assert_eq!(state(json!(42)), TaskState::Other(42));
    let kept = TaskStatus {
        state: TaskState::Other(42),
        ..TaskStatus::default()
    };
    assert_eq!(serde_json::to_value(&kept).unwrap(), json!({"state": 42}));
    assert_eq!(TaskState::from_number(8), TaskState::AuthRequired);
    assert_eq!(TaskState::AuthRequired.number(), 8);
}

#[test]
fn integers_as_strings_and_as_whole_floats() {
    for value in [json!(5), json!("5"), json!(5.0), json!("5e0")] {
        let request: GetTaskRequest = read(&json!({"id": "t", "historyLength": value}));
        assert_eq!(request.history_length, Some(5), "{value}");
    }
    let zero: GetTaskRequest = read(&json!({"id": "t", "historyLength": 0}));
    assert_eq!(zero.history_length, Some(0));
    let unset: GetTaskRequest = read(&json!({"id": "t", "historyLength": null}));
    assert_eq!(unset.history_length, None);
}

#[test]
fn timestamps_become_utc_milliseconds() {
    let status: TaskStatus =
        read(&json!({"state": 1, "timestamp": "2026-01-31T10:30:00.123999999+02:00"}));
    assert_eq!(
        serde_json::to_value(&status).unwrap(),
        json!({"state": "TASK_STATE_SUBMITTED", "timestamp": "2026-01-31T08:30:00.123Z"}),
    );
}

#[test]
fn required_defaults_are_written() {
    assert_eq!(
        serde_json::to_value(ListTasksResponse::default()).unwrap(),
        json!({"tasks": [], "nextPageToken": "", "pageSize": 0, "totalSize": 0}),
    );
    assert_eq!(
        serde_json::to_value(Message::default()).unwrap(),
        json!({"messageId": "", "role": "ROLE_UNSPECIFIED", "parts": []}),
    );
}

#[test]
fn queries_are_requests() {
    let request: ListTasksRequest = rest::parse_query([
        ("contextId", "true"),
        ("status", "TASK_STATE_WORKING"),
        ("pageSize", "20"),
        ("pageToken", ""),
        ("statusTimestampAfter", "2026-01-31T10:30:00+02:00"),
        ("includeArtifacts", "true"),
        ("A2A-Version", "1.0"),
    ])
    .unwrap();
    let expected = ListTasksRequest {
        context_id: "true".into(),
        status: TaskState::Working,
        page_size: Some(20),
        status_timestamp_after: Some("2026-01-31T08:30:00Z".parse().unwrap()),
        include_artifacts: Some(true),
        ..ListTasksRequest::default()
    };
    assert_eq!(request, expected);
}

#[test]
fn the_body_of_a_cancel_is_optional() {
    let limits = Limits::generous();
    let empty: CancelTaskRequest = rest::parse_body(b" \r\n", &limits).unwrap();
    assert_eq!(empty, CancelTaskRequest::default());
    let full: CancelTaskRequest = rest::parse_body(br#"{"metadata":{"a":1}}"#, &limits).unwrap();
    assert_eq!(full.metadata["a"], 1);
}

#[test]
fn a_call_keeps_its_id_and_its_parameters() {
    let limits = Limits::generous();
    let cases = [
        (r#""abc""#, Some(jsonrpc::RequestId::Text("abc".into()))),
        ("7", Some(jsonrpc::RequestId::Number("7".into()))),
        ("-7", Some(jsonrpc::RequestId::Number("-7".into()))),
        (
            "123456789012345678901234",
            Some(jsonrpc::RequestId::Number(
                "123456789012345678901234".into(),
            )),
        ),
        ("1.50", Some(jsonrpc::RequestId::Number("1.50".into()))),
        ("null", Some(jsonrpc::RequestId::Null)),
    ];
    for (id, expected) in cases {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"CancelTask","params":{{"id":"t"}}}}"#);
        let call = jsonrpc::parse_call(body.as_bytes(), &limits).unwrap();
        assert_eq!(call.id, expected);
        assert_eq!(serde_json::to_string(&call.id).unwrap(), id);
        let request = call.decode(&limits).unwrap();
        assert_eq!(
            request,
            Request::CancelTask(CancelTaskRequest {
                id: "t".into(),
                ..Default::default()
            })
        );
    }
    let notification = br#"{"jsonrpc":"2.0","method":"GetExtendedAgentCard","params":null}"#;
    let call = jsonrpc::parse_call(notification, &limits).unwrap();
    assert_eq!(call.id, None);
    assert_eq!(
        call.decode(&limits).unwrap().method(),
        Method::GetExtendedAgentCard
    );
}

#[test]
fn every_method_is_found_by_its_name() {
    for method in Method::ALL {
        assert_eq!(Method::from_name(method.name()), Some(method));
    }
    assert_eq!(Method::from_name("message/send"), None);
    assert_eq!(Method::from_name("sendMessage"), None);
}

#[test]
fn responses_of_peers() {
    let body = br#"{"jsonrpc":"2.0","id":"1","result":{"message":{"messageId":"m"}},"error":null}"#;
    let response: jsonrpc::Response<SendMessageResponse> =
        jsonrpc::parse_response(body, 1 << 10).unwrap();
    assert_eq!(response.id, jsonrpc::RequestId::Text("1".into()));
    assert!(matches!(
        response.outcome,
        Ok(SendMessageResponse::Message(_))
    ));
    let deleted: jsonrpc::Response<Option<Empty>> =
        jsonrpc::parse_response(br#"{"jsonrpc":"2.0","id":1,"result":null}"#, 1 << 10).unwrap();
    assert_eq!(deleted.outcome, Ok(None));
}
