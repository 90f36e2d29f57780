//! The error table of A2A 1.0.1 and the shapes of errors on each transport.

use serde_json::json;
use tertulia_a2a::wire::jsonrpc::{RequestId, Response, parse_response};
use tertulia_a2a::wire::*;

/// Written out a second time on purpose: the specification, not the code, is the source.
const TABLE: [(ErrorKind, i32, &str, i32, u16, &str); 14] = [
    (
        ErrorKind::TaskNotFound,
        -32001,
        "NOT_FOUND",
        5,
        404,
        "TASK_NOT_FOUND",
    ),
    (
        ErrorKind::TaskNotCancelable,
        -32002,
        "FAILED_PRECONDITION",
        9,
        400,
        "TASK_NOT_CANCELABLE",
    ),
    (
        ErrorKind::PushNotificationNotSupported,
        -32003,
        "FAILED_PRECONDITION",
        9,
        400,
        "PUSH_NOTIFICATION_NOT_SUPPORTED",
    ),
    (
        ErrorKind::UnsupportedOperation,
        -32004,
        "FAILED_PRECONDITION",
        9,
        400,
        "UNSUPPORTED_OPERATION",
    ),
    (
        ErrorKind::ContentTypeNotSupported,
        -32005,
        "INVALID_ARGUMENT",
        3,
        400,
        "CONTENT_TYPE_NOT_SUPPORTED",
    ),
    (
        ErrorKind::InvalidAgentResponse,
        -32006,
        "INTERNAL",
        13,
        500,
        "INVALID_AGENT_RESPONSE",
    ),
    (
        ErrorKind::ExtendedAgentCardNotConfigured,
        -32007,
        "FAILED_PRECONDITION",
        9,
        400,
        "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
    ),
    (
        ErrorKind::ExtensionSupportRequired,
        -32008,
        "FAILED_PRECONDITION",
        9,
        400,
        "EXTENSION_SUPPORT_REQUIRED",
    ),
    (
        ErrorKind::VersionNotSupported,
        -32009,
        "FAILED_PRECONDITION",
        9,
        400,
        "VERSION_NOT_SUPPORTED",
    ),
    (
        ErrorKind::Parse,
        -32700,
        "INVALID_ARGUMENT",
        3,
        400,
        "PARSE_ERROR",
    ),
    (
        ErrorKind::InvalidRequest,
        -32600,
        "INVALID_ARGUMENT",
        3,
        400,
        "INVALID_REQUEST",
    ),
    (
        ErrorKind::MethodNotFound,
        -32601,
        "NOT_FOUND",
        5,
        404,
        "METHOD_NOT_FOUND",
    ),
    (
        ErrorKind::InvalidParams,
        -32602,
        "INVALID_ARGUMENT",
        3,
        400,
        "INVALID_PARAMS",
    ),
    (
        ErrorKind::Internal,
        -32603,
        "INTERNAL",
        13,
        500,
        "INTERNAL_ERROR",
    ),
];

#[test]
fn the_table_is_that_of_the_specification() {
    for (kind, code, status, number, http, reason) in TABLE {
        assert_eq!(kind.json_rpc_code(), code, "{kind:?}");
        assert_eq!(kind.grpc_code().name(), status, "{kind:?}");
        assert_eq!(kind.grpc_code().number(), number, "{kind:?}");
        assert_eq!(kind.http_status(), http, "{kind:?}");
        assert_eq!(kind.reason(), reason, "{kind:?}");
        assert_eq!(kind.domain(), "a2a-protocol.org", "{kind:?}");
        assert_eq!(ErrorKind::from_json_rpc_code(code), kind);
        assert_eq!(ErrorKind::from_reason(reason), Some(kind));
    }
    assert_eq!(
        ErrorKind::from_json_rpc_code(-32010),
        ErrorKind::Other(-32010)
    );
    assert_eq!(
        ErrorKind::from_json_rpc_code(-32000),
        ErrorKind::Other(-32000)
    );
    assert_eq!(ErrorKind::Other(-32010).json_rpc_code(), -32010);
}

#[test]
fn the_shape_in_json_rpc() {
    let error = A2aError::new(ErrorKind::TaskNotFound, "no such task").with("taskId", "t-1");
    let response: Response<()> = Response {
        id: RequestId::Text("1".into()),
        outcome: Err(error.clone()),
    };
    let written = serde_json::to_value(&response).unwrap();
    assert_eq!(
        written,
        json!({"jsonrpc": "2.0", "id": "1", "error": {
            "code": -32001, "message": "no such task",
            "data": [{
                "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_FOUND",
                "domain": "a2a-protocol.org", "metadata": {"taskId": "t-1"},
            }],
        }}),
    );
    let read: Response<()> = parse_response(written.to_string().as_bytes(), 1 << 10).unwrap();
    assert_eq!(read.outcome, Err(error));
}

#[test]
fn the_shape_in_http() {
    let error = GetTaskRequest::default()
        .validate(&Limits::generous())
        .unwrap_err();
    let written = error.to_http();
    assert_eq!(
        written,
        json!({"error": {
            "code": 400, "status": "INVALID_ARGUMENT", "message": "id: is required",
            "details": [
                {
                    "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "INVALID_PARAMS",
                    "domain": "a2a-protocol.org", "metadata": {},
                },
                {
                    "@type": "type.googleapis.com/google.rpc.BadRequest",
                    "fieldViolations": [{"field": "id", "description": "is required"}],
                },
            ],
        }}),
    );
    assert_eq!(
        A2aError::from_http(400, written.to_string().as_bytes()),
        error
    );
}

#[test]
fn the_reason_tells_apart_what_shares_a_code() {
    let kinds = [
        ErrorKind::Unauthenticated,
        ErrorKind::PermissionDenied,
        ErrorKind::TooLarge,
        ErrorKind::Unavailable,
    ];
    let images = [
        (401, "UNAUTHENTICATED"),
        (403, "PERMISSION_DENIED"),
        (413, "RESOURCE_EXHAUSTED"),
        (503, "UNAVAILABLE"),
    ];
    for (kind, (http, grpc)) in kinds.into_iter().zip(images) {
        assert_eq!((kind.json_rpc_code(), kind.domain()), (-32000, "tertulia"));
        assert_eq!((kind.http_status(), kind.grpc_code().name()), (http, grpc));
        let error = A2aError::new(kind, "m");
        assert_eq!(A2aError::from_json_rpc(&error.to_json_rpc()), error);
    }
}

#[test]
fn errors_of_peers_are_read_whatever_they_look_like() {
    let read = |value| A2aError::from_json_rpc(&value);
    assert_eq!(
        read(json!({"code": -32001, "message": "m", "data": null})).kind,
        ErrorKind::TaskNotFound
    );
    assert_eq!(
        read(json!({"code": -32001, "message": 7, "data": "text"})).message,
        ""
    );
    assert_eq!(
        read(json!({"code": "x"})).kind,
        ErrorKind::InvalidAgentResponse
    );
    assert_eq!(read(json!("boom")).kind, ErrorKind::InvalidAgentResponse);
    assert_eq!(
        read(json!({"code": 1_i64 << 40})).kind,
        ErrorKind::InvalidAgentResponse
    );
    let long = read(json!({"code": -32603, "message": "é".repeat(10_000)}));
    assert_eq!(long.message.chars().count(), 201);

    let http = |status, body: &str| A2aError::from_http(status, body.as_bytes());
    assert_eq!(http(502, "<html>").kind, ErrorKind::Unavailable);
    assert_eq!(http(502, "<html>").message, "peer answered HTTP 502");
    let problem = http(404, r#"{"type":"x","title":"Task not found","status":404}"#);
    assert_eq!(
        (problem.kind, problem.message.as_str()),
        (ErrorKind::TaskNotFound, "Task not found")
    );
    let typed = http(
        400,
        r#"{"error":{"details":[7,{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_CANCELABLE"}]}}"#,
    );
    assert_eq!(typed.kind, ErrorKind::TaskNotCancelable);
}

#[test]
fn secrets_do_not_reach_debug_output() {
    let config = TaskPushNotificationConfig {
        token: "s3cret".into(),
        authentication: Some(AuthenticationInfo {
            scheme: "Bearer".into(),
            credentials: "s3cret".into(),
        }),
        ..TaskPushNotificationConfig::default()
    };
    let shown = format!("{config:?}");
    assert!(
        shown.contains("Bearer") && !shown.contains("s3cret"),
        "{shown}"
    );
}
