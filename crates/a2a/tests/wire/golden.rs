//! Every message of the protocol as `google.protobuf.json_format` writes it, over the types of
//! the official Python SDK (`tests/golden/generate.py`): read, written again, compared.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tertulia_a2a::wire::*;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

/// Checks every case of one message; answers how many there were.
fn check<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(message: &str) -> usize {
    let text = fs::read(folder().join(format!("{message}.json"))).unwrap();
    let cases: Vec<Value> = serde_json::from_slice(&text).unwrap();
    for case in &cases {
        let place = format!("{message}, case {}", case["name"]);
        let read = |key: &str| -> T {
            let bytes = serde_json::to_vec(&case[key]).unwrap();
            parse_json(&bytes, bytes.len())
                .unwrap_or_else(|error| panic!("{place}: {key}: {error}"))
        };
        let value = read("proto");
        let expected = case.get("emitted").unwrap_or(&case["proto"]);
        let written = serde_json::to_value(&value).unwrap();
        assert_eq!(&written, expected, "{place}");
        if case.get("snake").is_some() {
            assert_eq!(read("snake"), value, "{place}: snake_case names");
        }
        let again: T = serde_json::from_value(written).unwrap();
        assert_eq!(again, value, "{place}: second reading");
    }
    cases.len()
}

#[test]
fn every_message_reads_and_writes_as_protobuf_does() {
    macro_rules! check_all {
        ($($message:literal => $ty:ty,)+) => {{
            let mut names = BTreeSet::new();
            $(
                assert!(check::<$ty>($message) >= 3, "{} has too few cases", $message);
                names.insert($message.to_owned());
            )+
            names
        }};
    }
    let checked = check_all! {
        "APIKeySecurityScheme" => security::ApiKeySecurityScheme,
        "AgentCapabilities" => AgentCapabilities,
        "AgentCard" => AgentCard,
        "AgentCardSignature" => AgentCardSignature,
        "AgentExtension" => AgentExtension,
        "AgentInterface" => AgentInterface,
        "AgentProvider" => AgentProvider,
        "AgentSkill" => AgentSkill,
        "Artifact" => Artifact,
        "AuthenticationInfo" => AuthenticationInfo,
        "AuthorizationCodeOAuthFlow" => security::AuthorizationCodeOAuthFlow,
        "CancelTaskRequest" => CancelTaskRequest,
        "ClientCredentialsOAuthFlow" => security::ClientCredentialsOAuthFlow,
        "DeleteTaskPushNotificationConfigRequest" => DeleteTaskPushNotificationConfigRequest,
        "DeviceCodeOAuthFlow" => security::DeviceCodeOAuthFlow,
        "GetExtendedAgentCardRequest" => GetExtendedAgentCardRequest,
        "GetTaskPushNotificationConfigRequest" => GetTaskPushNotificationConfigRequest,
        "GetTaskRequest" => GetTaskRequest,
        "HTTPAuthSecurityScheme" => security::HttpAuthSecurityScheme,
        "ImplicitOAuthFlow" => security::ImplicitOAuthFlow,
        "ListTaskPushNotificationConfigsRequest" => ListTaskPushNotificationConfigsRequest,
        "ListTaskPushNotificationConfigsResponse" => ListTaskPushNotificationConfigsResponse,
        "ListTasksRequest" => ListTasksRequest,
        "ListTasksResponse" => ListTasksResponse,
        "Message" => Message,
        "MutualTlsSecurityScheme" => security::MutualTlsSecurityScheme,
        "OAuth2SecurityScheme" => security::OAuth2SecurityScheme,
        "OAuthFlows" => OAuthFlows,
        "OpenIdConnectSecurityScheme" => security::OpenIdConnectSecurityScheme,
        "Part" => Part,
        "PasswordOAuthFlow" => security::PasswordOAuthFlow,
        "SecurityRequirement" => SecurityRequirement,
        "SecurityScheme" => SecurityScheme,
        "SendMessageConfiguration" => SendMessageConfiguration,
        "SendMessageRequest" => SendMessageRequest,
        "SendMessageResponse" => SendMessageResponse,
        "StreamResponse" => StreamResponse,
        "StringList" => StringList,
        "SubscribeToTaskRequest" => SubscribeToTaskRequest,
        "Task" => Task,
        "TaskArtifactUpdateEvent" => TaskArtifactUpdateEvent,
        "TaskPushNotificationConfig" => TaskPushNotificationConfig,
        "TaskStatus" => TaskStatus,
        "TaskStatusUpdateEvent" => TaskStatusUpdateEvent,
    };
    let on_disk: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| {
            Some(
                entry
                    .unwrap()
                    .file_name()
                    .to_str()?
                    .strip_suffix(".json")?
                    .to_owned(),
            )
        })
        .collect();
    assert_eq!(checked, on_disk, "each golden file is checked");
}
