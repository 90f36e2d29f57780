//! A2A 1.0 as it travels in JSON: the types of `lf.a2a.v1` in the JSON form of Protocol
//! Buffers (ProtoJSON), JSON-RPC 2.0 envelopes, HTTP bodies and queries, and errors.
//!
//! One hand-written serde model serves the JSON-RPC and the HTTP+JSON binding. What it does
//! beyond plain serde, because peers need it:
//!
//! - **Reading is tolerant where ProtoJSON is.** Unknown fields are ignored; `null` stands for
//!   an absent field, list or map; fields are known by their `camelCase` and their
//!   `snake_case` name; integers may be strings; enums may be numbers, and an unknown number is kept;
//!   base64 may be standard or url-safe, padded or not; timestamps may have any offset.
//! - **Writing is canonical.** Enums by name, timestamps `YYYY-MM-DDTHH:mm:ss.sssZ`, standard
//!   base64, defaults left out, but every field that the specification calls REQUIRED is
//!   written (`nextPageToken` is `""` on the last page). An empty `metadata` is left out.
//! - **Types and rules are apart.** Reading checks only shapes. [`Check::validate`] checks
//!   required fields and [`Limits`], and names each offending field by its path, so that an
//!   HTTP handler can first put the ids of the path into the request.
//!
//! **Invariant**: no function here panics on, or recurses without bound over, foreign bytes
//! (`serde_json` stops at 128 levels).
//!
//! ```
//! use tertulia_a2a::wire::{jsonrpc, Check, Limits, Request};
//!
//! let limits = Limits::generous();
//! let body = br#"{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t-1"}}"#;
//! let call = jsonrpc::parse_call(body, &limits).expect("well-formed");
//! let request = call.decode(&limits).expect("valid");
//! assert!(matches!(request, Request::GetTask(get) if get.id == "t-1"));
//! ```

pub mod artifact;
pub mod card;
pub mod check;
pub mod decode;
pub mod error;
pub mod event;
pub mod jsonrpc;
pub mod message;
pub mod method;
pub mod part;
mod protojson;
pub mod push;
pub mod request;
pub mod rest;
pub mod security;
pub mod task;
pub mod timestamp;

pub use artifact::Artifact;
pub use card::{
    AgentCapabilities, AgentCard, AgentCardSignature, AgentExtension, AgentInterface,
    AgentProvider, AgentSkill,
};
pub use check::{Check, Checker, Limits};
pub use decode::parse_json;
pub use error::{A2aError, ErrorKind, FieldViolation};
pub use event::{
    SendMessageResponse, StreamResponse, TaskArtifactUpdateEvent, TaskStatusUpdateEvent,
};
pub use message::{Message, Role};
pub use method::{Method, Request};
pub use part::{Part, PartContent};
pub use push::{
    AuthenticationInfo, DeleteTaskPushNotificationConfigRequest, Empty,
    GetTaskPushNotificationConfigRequest, ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse, TaskPushNotificationConfig,
};
pub use request::{
    CancelTaskRequest, GetExtendedAgentCardRequest, GetTaskRequest, ListTasksRequest,
    ListTasksResponse, SendMessageConfiguration, SendMessageRequest, SubscribeToTaskRequest,
};
pub use security::{OAuthFlows, SecurityRequirement, SecurityScheme, StringList};
pub use task::{Task, TaskState, TaskStatus};
pub use timestamp::Timestamp;

/// A `google.protobuf.Struct`: a JSON object with arbitrary values.
pub type Metadata = serde_json::Map<String, serde_json::Value>;
