//! `AgentCard`: what an agent says about itself.
//!
//! A card of a peer is kept as it came, too: its signature covers the bytes, not this type.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Metadata;
use super::protojson::{object, or_default};
use super::security::{SecurityRequirement, SecurityScheme};

/// One way to reach an agent (A2A 1.0 §4.4.6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct AgentInterface {
    /// Absolute URL; for gRPC `host:port`.
    #[serde(deserialize_with = "or_default")]
    pub url: String,
    /// `JSONRPC`, `GRPC`, `HTTP+JSON`, or the URI of another binding.
    #[serde(alias = "protocol_binding", deserialize_with = "or_default")]
    pub protocol_binding: String,
    /// What every request over this interface must carry as its tenant.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub tenant: String,
    /// Version of the protocol, `1.0`.
    #[serde(alias = "protocol_version", deserialize_with = "or_default")]
    pub protocol_version: String,
}

/// Who offers an agent (A2A 1.0 §4.4.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct AgentProvider {
    /// Website.
    #[serde(deserialize_with = "or_default")]
    pub url: String,
    /// Name.
    #[serde(deserialize_with = "or_default")]
    pub organization: String,
}

/// An extension of the protocol that an agent supports (A2A 1.0 §4.4.4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct AgentExtension {
    /// Names the extension.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub uri: String,
    /// How the agent uses it.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub description: String,
    /// Whether clients must use it.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub required: bool,
    /// The extension's own parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Metadata>,
}

/// What of the optional protocol an agent supports (A2A 1.0 §4.4.3); unset means no.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct AgentCapabilities {
    /// `SendStreamingMessage` and `SubscribeToTask`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streaming: Option<bool>,
    /// Push notifications.
    #[serde(alias = "push_notifications", skip_serializing_if = "Option::is_none")]
    pub push_notifications: Option<bool>,
    /// Extensions.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<AgentExtension>,
    /// `GetExtendedAgentCard`.
    #[serde(alias = "extended_agent_card", skip_serializing_if = "Option::is_none")]
    pub extended_agent_card: Option<bool>,
}

/// Something an agent can do (A2A 1.0 §4.4.5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct AgentSkill {
    /// Names the skill within the card.
    #[serde(deserialize_with = "or_default")]
    pub id: String,
    /// Name for people.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// What it does, for people and models.
    #[serde(deserialize_with = "or_default")]
    pub description: String,
    /// Keywords.
    #[serde(deserialize_with = "or_default")]
    pub tags: Vec<String>,
    /// Example prompts.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// Media types it takes, if other than the card's.
    #[serde(
        alias = "input_modes",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub input_modes: Vec<String>,
    /// Media types it gives, if other than the card's.
    #[serde(
        alias = "output_modes",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub output_modes: Vec<String>,
    /// What a caller must present, any one of them.
    #[serde(
        alias = "security_requirements",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub security_requirements: Vec<SecurityRequirement>,
}

/// A detached JSON Web Signature over a card (A2A 1.0 §4.4.7).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct AgentCardSignature {
    /// The protected header, base64url.
    #[serde(deserialize_with = "or_default")]
    pub protected: String,
    /// The signature, base64url.
    #[serde(deserialize_with = "or_default")]
    pub signature: String,
    /// The unprotected header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<Metadata>,
}

/// What an agent says about itself (A2A 1.0 §4.4.1).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct AgentCard {
    /// Name for people.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// What it is for.
    #[serde(deserialize_with = "or_default")]
    pub description: String,
    /// How to reach it, the preferred one first. Empty in cards of protocol 0.3.
    #[serde(alias = "supported_interfaces", deserialize_with = "or_default")]
    pub supported_interfaces: Vec<AgentInterface>,
    /// Who offers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<AgentProvider>,
    /// Version of the agent.
    #[serde(deserialize_with = "or_default")]
    pub version: String,
    /// Documentation.
    #[serde(alias = "documentation_url", skip_serializing_if = "Option::is_none")]
    pub documentation_url: Option<String>,
    /// What of the optional protocol it supports.
    #[serde(deserialize_with = "or_default")]
    pub capabilities: AgentCapabilities,
    /// The schemes that the requirements name.
    #[serde(
        alias = "security_schemes",
        deserialize_with = "or_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub security_schemes: BTreeMap<String, SecurityScheme>,
    /// What a caller must present, any one of them.
    #[serde(
        alias = "security_requirements",
        deserialize_with = "or_default",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub security_requirements: Vec<SecurityRequirement>,
    /// Media types it takes.
    #[serde(alias = "default_input_modes", deserialize_with = "or_default")]
    pub default_input_modes: Vec<String>,
    /// Media types it gives.
    #[serde(alias = "default_output_modes", deserialize_with = "or_default")]
    pub default_output_modes: Vec<String>,
    /// What it can do.
    #[serde(deserialize_with = "or_default")]
    pub skills: Vec<AgentSkill>,
    /// Signatures over the card without this field.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub signatures: Vec<AgentCardSignature>,
    /// Icon.
    #[serde(alias = "icon_url", skip_serializing_if = "Option::is_none")]
    pub icon_url: Option<String>,
}

object!(both
    AgentInterface, AgentProvider, AgentExtension, AgentCapabilities, AgentSkill,
    AgentCardSignature, AgentCard,
);
