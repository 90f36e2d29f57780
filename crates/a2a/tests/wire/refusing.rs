//! What must be refused, with which code and which field.

use serde_json::{Value, json};
use tertulia_a2a::wire::*;

const SMALL: Limits = Limits {
    body_bytes: 4_096,
    id_bytes: 16,
    text_bytes: 32,
    parts: 2,
    part_bytes: 64,
    list_items: 3,
    metadata_bytes: 64,
    data_depth: 4,
};

/// Sends parameters through the whole JSON-RPC path; answers (code, fields of the violations).
fn refused(method: &str, params: &Value) -> (i32, Vec<String>) {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let call = jsonrpc::parse_call(body.as_bytes(), &SMALL).unwrap();
    let error = call.decode(&SMALL).expect_err(&body);
    let fields = error
        .violations
        .iter()
        .map(|violation| violation.field.clone())
        .collect();
    (error.kind.json_rpc_code(), fields)
}

fn assert_fields(method: &str, params: &Value, fields: &[&str]) {
    let (code, found) = refused(method, params);
    assert_eq!(
        (code, found),
        (-32602, fields.iter().map(ToString::to_string).collect()),
        "{params}"
    );
}

fn message(change: &Value) -> Value {
    let mut message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "hi"}]});
    for (key, value) in change.as_object().unwrap() {
        message[key] = value.clone();
    }
    json!({ "message": message })
}

#[test]
fn missing_required_fields_are_named() {
    assert_fields("SendMessage", &json!({}), &["message"]);
    assert_fields(
        "SendStreamingMessage",
        &json!({"message": null}),
        &["message"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"messageId": ""})),
        &["message.messageId"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": []})),
        &["message.parts"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": null})),
        &["message.parts"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"role": 0})),
        &["message.role"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"role": 9})),
        &["message.role"],
    );
    assert_fields(
        "SendMessage",
        &json!({"message": {"contextId": "c"}}),
        &["message.messageId", "message.role", "message.parts"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [{"text": ""}, {"filename": "f"}]})),
        &["message.parts[1]"],
    );
    assert_fields("GetTask", &json!({}), &["id"]);
    assert_fields("CancelTask", &json!({"id": null}), &["id"]);
    assert_fields("SubscribeToTask", &json!({"tenant": "t"}), &["id"]);
    assert_fields(
        "CreateTaskPushNotificationConfig",
        &json!({}),
        &["taskId", "url"],
    );
    assert_fields(
        "GetTaskPushNotificationConfig",
        &json!({}),
        &["taskId", "id"],
    );
    assert_fields(
        "DeleteTaskPushNotificationConfig",
        &json!({"taskId": "t"}),
        &["id"],
    );
    assert_fields("ListTaskPushNotificationConfigs", &json!({}), &["taskId"]);
}

#[test]
fn a_configuration_is_checked_too() {
    let mut request = message(&json!({}));
    request["configuration"] =
        json!({"historyLength": -1, "taskPushNotificationConfig": {"authentication": {}}});
    assert_fields(
        "SendMessage",
        &request,
        &[
            "configuration.taskPushNotificationConfig.url",
            "configuration.taskPushNotificationConfig.authentication.scheme",
            "configuration.historyLength",
        ],
    );
}

#[test]
fn values_out_of_range_are_named() {
    assert_fields(
        "GetTask",
        &json!({"id": "t", "historyLength": -1}),
        &["historyLength"],
    );
    assert_fields(
        "GetTask",
        &json!({"id": "t", "historyLength": 1_i64 << 31}),
        &["historyLength"],
    );
    assert_fields(
        "GetTask",
        &json!({"id": "t", "historyLength": 1.5}),
        &["historyLength"],
    );
    for size in [0, -1, 101] {
        assert_fields("ListTasks", &json!({"pageSize": size}), &["pageSize"]);
    }
    assert_fields("ListTasks", &json!({"status": 77}), &["status"]);
    assert_fields("ListTasks", &json!({"status": "working"}), &["status"]);
    assert_fields(
        "ListTasks",
        &json!({"statusTimestampAfter": "yesterday"}),
        &["statusTimestampAfter"],
    );
    assert_fields(
        "ListTasks",
        &json!({"includeArtifacts": "yes"}),
        &["includeArtifacts"],
    );
}

#[test]
fn wrong_types_are_named() {
    assert_fields("SendMessage", &json!({"message": "hi"}), &["message"]);
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": {"text": "hi"}})),
        &["message.parts"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": ["hi"]})),
        &["message.parts[0]"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [null]})),
        &["message.parts[0]"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"messageId": 7})),
        &["message.messageId"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"metadata": []})),
        &["message.metadata"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"extensions": [null]})),
        &["message.extensions[0]"],
    );
    let parts = |part: Value| message(&json!({ "parts": [{"text": "a"}, part] }));
    assert_fields(
        "SendMessage",
        &parts(json!({"text": "a", "url": "b"})),
        &["message.parts[1]"],
    );
    assert_fields(
        "SendMessage",
        &parts(json!({"text": "a", "data": null})),
        &["message.parts[1]"],
    );
    assert_fields(
        "SendMessage",
        &parts(json!({"raw": "no base64!"})),
        &["message.parts[1].raw"],
    );
    assert_fields(
        "SendMessage",
        &parts(json!({"raw": "+_"})),
        &["message.parts[1].raw"],
    );
    assert_fields(
        "SendMessage",
        &parts(json!({"url": ""})),
        &["message.parts[1].url"],
    );
}

#[test]
fn a_message_is_no_array_of_its_fields() {
    assert_fields("GetTask", &json!(["", "t", 1]), &[""]);
    assert_fields(
        "SendMessage",
        &json!({"message": ["m", "", "", 1, [{"text": "a"}]]}),
        &["message"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [["a"]]})),
        &["message.parts[0]"],
    );
}

#[test]
fn limits_are_named() {
    let long = "x".repeat(33);
    assert_fields("GetTask", &json!({"id": &long[..17]}), &["id"]);
    assert_fields("GetTask", &json!({"id": "a\r\nb"}), &["id"]);
    assert_fields(
        "GetTask",
        &json!({"id": "t", "tenant": "\u{0}"}),
        &["tenant"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [{"text": "a"}, {"text": "b"}, {"text": "c"}]})),
        &["message.parts"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [{"text": "x".repeat(65)}]})),
        &["message.parts[0].text"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [{"data": ["x".repeat(65)]}]})),
        &["message.parts[0].data"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [{"raw": "A".repeat(88)}]})),
        &["message.parts[0].raw"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"metadata": {"k": "x".repeat(64)}})),
        &["message.metadata"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"parts": [{"data": [[[[[1]]]]]}], "metadata": {"k": [[[[1]]]]}})),
        &["message.parts[0].data", "message.metadata"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"extensions": ["a", "b", "c", "d"]})),
        &["message.extensions"],
    );
    assert_fields(
        "SendMessage",
        &message(&json!({"extensions": [long]})),
        &["message.extensions"],
    );
    let secret = json!({"taskId": "t", "url": "u", "token": "a\nb", "authentication": {"scheme": "Bearer", "credentials": "x\r\nY: z"}});
    assert_fields(
        "CreateTaskPushNotificationConfig",
        &secret,
        &["token", "authentication.credentials"],
    );
}

#[test]
fn no_input_makes_a_large_answer() {
    let limits = Limits::generous();
    let parts: Vec<Value> = vec![json!({}); 4_000];
    let request: SendMessageRequest =
        serde_json::from_value(message(&json!({ "parts": parts }))).unwrap();
    assert_eq!(request.validate(&limits).unwrap_err().violations.len(), 16);
    let role = message(&json!({"role": "R".repeat(100_000)})).to_string();
    let error = parse_json::<SendMessageRequest>(role.as_bytes(), 1 << 20).unwrap_err();
    assert!(
        error.to_json_rpc().to_string().len() < 2_000,
        "{}",
        error.to_json_rpc()
    );
}

#[test]
fn bodies_that_are_no_call() {
    let cases: [(&[u8], i32, Value); 18] = [
        (b"", -32700, json!(null)),
        (b"{", -32700, json!(null)),
        (b"not json", -32700, json!(null)),
        (b"\xff\xfe{}", -32700, json!(null)),
        (b"{\"jsonrpc\":\"2.0\"} x", -32700, json!(null)),
        (b"[]", -32600, json!(null)),
        (
            br#"[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]"#,
            -32600,
            json!(null),
        ),
        (b"null", -32600, json!(null)),
        (b"7", -32600, json!(null)),
        (b"{}", -32600, json!(null)),
        (
            br#"{"jsonrpc":"1.0","id":1,"method":"GetTask"}"#,
            -32600,
            json!(1),
        ),
        (
            br#"{"jsonrpc":2.0,"id":"a","method":"GetTask"}"#,
            -32600,
            json!("a"),
        ),
        (br#"{"jsonrpc":"2.0","id":1}"#, -32600, json!(1)),
        (br#"{"jsonrpc":"2.0","id":1,"method":""}"#, -32600, json!(1)),
        (br#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600, json!(1)),
        (
            br#"{"jsonrpc":"2.0","id":{},"method":"GetTask"}"#,
            -32600,
            json!(null),
        ),
        (
            br#"{"jsonrpc":"2.0","id":true,"method":"GetTask"}"#,
            -32600,
            json!(null),
        ),
        (
            br#"{"jsonrpc":"2.0","id":"a very long request id","method":"GetTask"}"#,
            -32600,
            json!(null),
        ),
    ];
    for (body, code, id) in cases {
        let place = String::from_utf8_lossy(body);
        let failure = jsonrpc::parse_call(body, &SMALL).expect_err(&place);
        assert_eq!(failure.error.kind.json_rpc_code(), code, "{place}");
        assert_eq!(serde_json::to_value(&failure.id).unwrap(), id, "{place}");
    }
}

#[test]
fn unknown_methods_are_not_found() {
    assert_eq!(refused("message/send", &json!({})), (-32601, vec![]));
    assert_eq!(refused("getTask", &json!({"id": "t"})), (-32601, vec![]));
}

#[test]
fn deep_nesting_is_refused_and_not_recursed_into() {
    let limits = Limits::generous();
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let params =
        format!(r#"{{"message":{{"messageId":"m","role":1,"parts":[{{"data":{deep}}}]}}}}"#);
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{params}}}"#);
    let call = jsonrpc::parse_call(body.as_bytes(), &limits).unwrap();
    assert_eq!(call.decode(&limits).unwrap_err().kind, ErrorKind::Parse);
    let rest = rest::parse_body::<SendMessageRequest>(params.as_bytes(), &limits);
    assert_eq!(rest.unwrap_err().kind, ErrorKind::Parse);
}

#[test]
fn bodies_beyond_the_limit_are_refused_before_they_are_read() {
    let body = vec![b' '; SMALL.body_bytes + 1];
    assert_eq!(
        jsonrpc::parse_call(&body, &SMALL).unwrap_err().error.kind,
        ErrorKind::TooLarge
    );
    let rest = parse_json::<GetTaskRequest>(&body, SMALL.body_bytes);
    assert_eq!(rest.unwrap_err().kind, ErrorKind::TooLarge);
}

#[test]
fn queries_with_wrong_values_are_refused() {
    let twice = rest::parse_query::<GetTaskRequest, _, _, _>([
        ("historyLength", "1"),
        ("historyLength", "2"),
    ]);
    assert_eq!(twice.unwrap_err().violations[0].field, "historyLength");
    let word = rest::parse_query::<GetTaskRequest, _, _, _>([("historyLength", "many")]);
    assert_eq!(word.unwrap_err().violations[0].field, "historyLength");
}

#[test]
fn a_response_has_exactly_one_payload() {
    for body in [
        r"{}",
        r#"{"task":{"id":"t"},"message":{"messageId":"m"}}"#,
        r#"{"task":null}"#,
        "[]",
    ] {
        assert!(
            serde_json::from_str::<StreamResponse>(body).is_err(),
            "{body}"
        );
        assert!(
            serde_json::from_str::<SendMessageResponse>(body).is_err(),
            "{body}"
        );
    }
    let update = r#"{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":1}}}"#;
    assert!(serde_json::from_str::<SendMessageResponse>(update).is_err());
}

#[test]
fn nonsense_of_peers_is_an_invalid_agent_response() {
    for body in [
        &b"<html>"[..],
        b"[]",
        br#"{"jsonrpc":"2.0","id":1}"#,
        br#"{"id":1,"result":{"task":[]}}"#,
    ] {
        let error = jsonrpc::parse_response::<SendMessageResponse>(body, 1 << 10).unwrap_err();
        assert_eq!(
            error.kind,
            ErrorKind::InvalidAgentResponse,
            "{}",
            String::from_utf8_lossy(body)
        );
    }
    let task = StreamResponse::Task(Task::default());
    let fields: Vec<String> = task
        .validate(&SMALL)
        .unwrap_err()
        .violations
        .into_iter()
        .map(|violation| violation.field)
        .collect();
    assert_eq!(fields, ["task.id", "task.status.state"]);
}
