//! Errors of the protocol, and their shapes in JSON-RPC, HTTP and gRPC.
//!
//! These are for calls that are malformed, unauthenticated, aimed at what the caller may not
//! see, or that met a broken server. Decisions of governance are acts and never come here
//! (DESIGN 1, the error contract).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::decode::shorten;

/// `ErrorInfo.domain` of the errors that A2A defines (A2A 1.0 §9.5, §10.6, §11.6).
pub const A2A_DOMAIN: &str = "a2a-protocol.org";
/// `ErrorInfo.domain` of the kinds that A2A leaves to implementations.
pub const OWN_DOMAIN: &str = "tertulia";
/// Type URL of `google.rpc.ErrorInfo`.
const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";
/// Type URL of `google.rpc.BadRequest`.
const BAD_REQUEST: &str = "type.googleapis.com/google.rpc.BadRequest";

/// Code of a gRPC status, with the names of `google.rpc.Code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrpcCode {
    /// Not classified.
    Unknown = 2,
    /// The caller's input is wrong whatever the state of the server.
    InvalidArgument = 3,
    /// Absent, or not visible to the caller.
    NotFound = 5,
    /// The caller is known and may not.
    PermissionDenied = 7,
    /// A quota or size is exceeded.
    ResourceExhausted = 8,
    /// The state of the server or task does not admit the call.
    FailedPrecondition = 9,
    /// A broken server.
    Internal = 13,
    /// Overloaded or starting; try again.
    Unavailable = 14,
    /// The caller is not known.
    Unauthenticated = 16,
}

impl GrpcCode {
    /// The name in `google.rpc.Code`, as HTTP error bodies spell it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::NotFound => "NOT_FOUND",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// The number that gRPC sends.
    pub fn number(self) -> i32 {
        self as i32
    }
}

/// Which error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The task does not exist, or is not visible to the caller.
    TaskNotFound,
    /// The task can no longer be canceled.
    TaskNotCancelable,
    /// The agent sends no push notifications.
    PushNotificationNotSupported,
    /// The agent or the task does not support the operation.
    UnsupportedOperation,
    /// A media type of the request is not supported.
    ContentTypeNotSupported,
    /// An agent answered against the specification.
    InvalidAgentResponse,
    /// The extended card is declared and not there.
    ExtendedAgentCardNotConfigured,
    /// The agent requires an extension that the client did not activate.
    ExtensionSupportRequired,
    /// The version of the protocol is not supported.
    VersionNotSupported,
    /// The body is not JSON.
    Parse,
    /// The body is JSON, but no JSON-RPC request.
    InvalidRequest,
    /// No such method, or no such path.
    MethodNotFound,
    /// A parameter has the wrong type, is missing, or breaks a limit.
    InvalidParams,
    /// A broken server.
    Internal,
    /// The caller is not known. A2A names no JSON-RPC code.
    Unauthenticated,
    /// The caller is known and may not. A2A names no JSON-RPC code.
    PermissionDenied,
    /// The body exceeds the limit. A2A names no JSON-RPC code.
    TooLarge,
    /// The server is overloaded or stopping; try again. A2A names no JSON-RPC code.
    Unavailable,
    /// A code of a peer that is none of the above.
    Other(i32),
}

/// What each kind is called on each transport.
struct Image {
    kind: ErrorKind,
    json_rpc: i32,
    grpc: GrpcCode,
    http: u16,
    reason: &'static str,
}

/// A row of [`IMAGES`].
const fn image(
    kind: ErrorKind,
    json_rpc: i32,
    grpc: GrpcCode,
    http: u16,
    reason: &'static str,
) -> Image {
    Image {
        kind,
        json_rpc,
        grpc,
        http,
        reason,
    }
}

/// The table of A2A 1.0.1 §5.4, the standard JSON-RPC codes, and our own kinds, which share
/// the implementation-defined code -32000 and are told apart by their reason.
const IMAGES: [Image; 18] = {
    use ErrorKind as K;
    use GrpcCode as G;
    [
        image(K::TaskNotFound, -32001, G::NotFound, 404, "TASK_NOT_FOUND"),
        image(
            K::TaskNotCancelable,
            -32002,
            G::FailedPrecondition,
            400,
            "TASK_NOT_CANCELABLE",
        ),
        image(
            K::PushNotificationNotSupported,
            -32003,
            G::FailedPrecondition,
            400,
            "PUSH_NOTIFICATION_NOT_SUPPORTED",
        ),
        image(
            K::UnsupportedOperation,
            -32004,
            G::FailedPrecondition,
            400,
            "UNSUPPORTED_OPERATION",
        ),
        image(
            K::ContentTypeNotSupported,
            -32005,
            G::InvalidArgument,
            400,
            "CONTENT_TYPE_NOT_SUPPORTED",
        ),
        image(
            K::InvalidAgentResponse,
            -32006,
            G::Internal,
            500,
            "INVALID_AGENT_RESPONSE",
        ),
        image(
            K::ExtendedAgentCardNotConfigured,
            -32007,
            G::FailedPrecondition,
            400,
            "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        ),
        image(
            K::ExtensionSupportRequired,
            -32008,
            G::FailedPrecondition,
            400,
            "EXTENSION_SUPPORT_REQUIRED",
        ),
        image(
            K::VersionNotSupported,
            -32009,
            G::FailedPrecondition,
            400,
            "VERSION_NOT_SUPPORTED",
        ),
        image(K::Parse, -32700, G::InvalidArgument, 400, "PARSE_ERROR"),
        image(
            K::InvalidRequest,
            -32600,
            G::InvalidArgument,
            400,
            "INVALID_REQUEST",
        ),
        image(
            K::MethodNotFound,
            -32601,
            G::NotFound,
            404,
            "METHOD_NOT_FOUND",
        ),
        image(
            K::InvalidParams,
            -32602,
            G::InvalidArgument,
            400,
            "INVALID_PARAMS",
        ),
        image(K::Internal, -32603, G::Internal, 500, "INTERNAL_ERROR"),
        image(
            K::Unauthenticated,
            -32000,
            G::Unauthenticated,
            401,
            "UNAUTHENTICATED",
        ),
        image(
            K::PermissionDenied,
            -32000,
            G::PermissionDenied,
            403,
            "PERMISSION_DENIED",
        ),
        image(K::TooLarge, -32000, G::ResourceExhausted, 413, "TOO_LARGE"),
        image(K::Unavailable, -32000, G::Unavailable, 503, "UNAVAILABLE"),
    ]
};

impl ErrorKind {
    fn image(self) -> Image {
        IMAGES
            .into_iter()
            .find(|image| image.kind == self)
            .unwrap_or(image(self, 0, GrpcCode::Unknown, 500, "UNKNOWN_ERROR"))
    }

    /// The code of the JSON-RPC error object.
    pub fn json_rpc_code(self) -> i32 {
        match self {
            Self::Other(code) => code,
            known => known.image().json_rpc,
        }
    }

    /// The gRPC status (A2A 1.0.1).
    pub fn grpc_code(self) -> GrpcCode {
        self.image().grpc
    }

    /// The HTTP status of the HTTP+JSON binding (A2A 1.0.1). JSON-RPC answers 200.
    pub fn http_status(self) -> u16 {
        self.image().http
    }

    /// `ErrorInfo.reason`.
    pub fn reason(self) -> &'static str {
        self.image().reason
    }

    /// `ErrorInfo.domain`.
    pub fn domain(self) -> &'static str {
        match self.json_rpc_code() {
            -32000 => OWN_DOMAIN,
            _ => A2A_DOMAIN,
        }
    }

    /// The kind with this `ErrorInfo.reason`.
    pub fn from_reason(reason: &str) -> Option<Self> {
        IMAGES
            .iter()
            .find(|image| image.reason == reason)
            .map(|image| image.kind)
    }

    /// The kind of a JSON-RPC error code; -32000 alone says nothing.
    pub fn from_json_rpc_code(code: i32) -> Self {
        IMAGES
            .iter()
            .find(|image| image.json_rpc == code && code != -32000)
            .map_or(Self::Other(code), |image| image.kind)
    }

    /// The likeliest kind of an HTTP status that came without a reason.
    pub fn from_http_status(status: u16) -> Self {
        match status {
            400 | 422 => Self::InvalidParams,
            401 => Self::Unauthenticated,
            403 => Self::PermissionDenied,
            404 => Self::TaskNotFound,
            405 | 501 => Self::UnsupportedOperation,
            409 => Self::TaskNotCancelable,
            413 => Self::TooLarge,
            415 => Self::ContentTypeNotSupported,
            429 | 502..=504 => Self::Unavailable,
            _ => Self::Internal,
        }
    }
}

/// One field that broke a rule: an element of `google.rpc.BadRequest`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FieldViolation {
    /// Path of the field in JSON, such as `message.parts[0].url`; empty: the whole value.
    pub field: String,
    /// What is wrong with it, fit to follow the path.
    pub description: String,
}

/// An error of the protocol.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct A2aError {
    /// Which error it is.
    pub kind: ErrorKind,
    /// For people: what went wrong and what to do.
    pub message: String,
    /// `ErrorInfo.metadata`: for programs. Shown to the caller, so nothing foreign goes in.
    pub metadata: BTreeMap<String, String>,
    /// The fields that broke a rule, for [`ErrorKind::InvalidParams`].
    pub violations: Vec<FieldViolation>,
}

impl A2aError {
    /// An error without further details.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            metadata: BTreeMap::new(),
            violations: Vec::new(),
        }
    }

    /// An error about fields; the message tells the first of them.
    pub fn invalid_params(violations: Vec<FieldViolation>) -> Self {
        let message = match violations.as_slice() {
            [] => "invalid parameters".to_owned(),
            [only] => describe(only),
            [first, rest @ ..] => format!("{} (and {} more)", describe(first), rest.len()),
        };
        Self {
            violations,
            ..Self::new(ErrorKind::InvalidParams, message)
        }
    }

    /// Adds a pair to `ErrorInfo.metadata`.
    pub fn with(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// The typed details that every transport carries: `ErrorInfo` first, then
    /// `BadRequest`.
    pub fn details(&self) -> Vec<Value> {
        let mut details = vec![serde_json::json!({
            "@type": ERROR_INFO,
            "reason": self.kind.reason(),
            "domain": self.kind.domain(),
            "metadata": self.metadata,
        })];
        if !self.violations.is_empty() {
            details.push(
                serde_json::json!({ "@type": BAD_REQUEST, "fieldViolations": self.violations }),
            );
        }
        details
    }

    /// The error object of a JSON-RPC response.
    pub fn to_json_rpc(&self) -> Value {
        serde_json::json!({
            "code": self.kind.json_rpc_code(),
            "message": self.message,
            "data": self.details(),
        })
    }

    /// The body of an HTTP error: `{"error": …}` with a `google.rpc.Status` (AIP-193). Its
    /// status line is [`ErrorKind::http_status`].
    pub fn to_http(&self) -> Value {
        serde_json::json!({ "error": {
            "code": self.kind.http_status(),
            "status": self.kind.grpc_code().name(),
            "message": self.message,
            "details": self.details(),
        }})
    }

    /// Reads the error object of a peer's JSON-RPC response, whatever it looks like.
    pub fn from_json_rpc(error: &Value) -> Self {
        let code = error
            .get("code")
            .and_then(Value::as_i64)
            .and_then(|code| i32::try_from(code).ok());
        let kind = code.map_or(
            ErrorKind::InvalidAgentResponse,
            ErrorKind::from_json_rpc_code,
        );
        Self::read(kind, error.get("message"), error.get("data"))
    }

    /// Reads the body of a peer's HTTP error, whatever it looks like: `google.rpc.Status`,
    /// `application/problem+json`, or no JSON at all.
    pub fn from_http(status: u16, body: &[u8]) -> Self {
        let kind = ErrorKind::from_http_status(status);
        let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        let error = body.get("error").unwrap_or(&body);
        let message = ["message", "detail", "title"]
            .iter()
            .find_map(|key| error.get(key));
        let mut read = Self::read(kind, message, error.get("details"));
        if read.message.is_empty() {
            read.message = format!("peer answered HTTP {status}");
        }
        read
    }

    /// Takes what is usable of foreign details; the reason, when known, decides the kind.
    fn read(kind: ErrorKind, message: Option<&Value>, details: Option<&Value>) -> Self {
        let message = message.and_then(Value::as_str).unwrap_or_default();
        let mut error = Self::new(kind, shorten(message));
        for detail in details.and_then(Value::as_array).into_iter().flatten() {
            match detail.get("@type").and_then(Value::as_str) {
                Some(ERROR_INFO) => error.read_error_info(detail),
                Some(BAD_REQUEST) => error.read_bad_request(detail),
                _ => {}
            }
        }
        error
    }

    fn read_error_info(&mut self, detail: &Value) {
        let reason = detail.get("reason").and_then(Value::as_str);
        if let Some(kind) = reason.and_then(ErrorKind::from_reason) {
            self.kind = kind;
        }
        for (key, value) in detail
            .get("metadata")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            if let Some(text) = value.as_str() {
                self.metadata.insert(shorten(key), shorten(text));
            }
        }
    }

    fn read_bad_request(&mut self, detail: &Value) {
        let violations = detail.get("fieldViolations").and_then(Value::as_array);
        for violation in violations.into_iter().flatten() {
            let text = |key| {
                shorten(
                    violation
                        .get(key)
                        .and_then(Value::as_str)
                        .unwrap_or_default(),
                )
            };
            self.violations.push(FieldViolation {
                field: text("field"),
                description: text("description"),
            });
        }
    }
}

fn describe(violation: &FieldViolation) -> String {
    if violation.field.is_empty() {
        return violation.description.clone();
    }
    format!("{}: {}", violation.field, violation.description)
}
