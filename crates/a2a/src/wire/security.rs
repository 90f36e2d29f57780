//! How callers of an agent authenticate: the security part of an agent card.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::protojson::{object, or_default};

/// A list of strings as a message of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct StringList {
    /// The strings.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<String>,
}

/// Schemes that a caller must satisfy together (A2A 1.0 §4.4.8).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct SecurityRequirement {
    /// Scopes needed, by the name of the scheme.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub schemes: BTreeMap<String, StringList>,
}

/// An API key (A2A 1.0 §4.5.2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct ApiKeySecurityScheme {
    /// For people.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub description: String,
    /// Where it goes: `query`, `header` or `cookie`.
    #[serde(deserialize_with = "or_default")]
    pub location: String,
    /// Name of the parameter.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// HTTP authentication (A2A 1.0 §4.5.3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct HttpAuthSecurityScheme {
    /// For people.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub description: String,
    /// Scheme of the Authorization header, such as `Bearer`.
    #[serde(deserialize_with = "or_default")]
    pub scheme: String,
    /// Hint at the form of a bearer token, such as `JWT`.
    #[serde(
        alias = "bearer_format",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub bearer_format: String,
}

/// OAuth 2.0 (A2A 1.0 §4.5.4).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct OAuth2SecurityScheme {
    /// For people.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub description: String,
    /// The flow.
    #[serde(deserialize_with = "or_default")]
    pub flows: OAuthFlows,
    /// URL of the server metadata (RFC 8414).
    #[serde(
        alias = "oauth2_metadata_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub oauth2_metadata_url: String,
}

/// `OpenID` Connect (A2A 1.0 §4.5.5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct OpenIdConnectSecurityScheme {
    /// For people.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub description: String,
    /// Discovery URL.
    #[serde(alias = "open_id_connect_url", deserialize_with = "or_default")]
    pub open_id_connect_url: String,
}

/// Client certificates (A2A 1.0 §4.5.6).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", default)]
pub struct MutualTlsSecurityScheme {
    /// For people.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub description: String,
}

/// The authorization code flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct AuthorizationCodeOAuthFlow {
    /// Where the user authorises.
    #[serde(alias = "authorization_url", deserialize_with = "or_default")]
    pub authorization_url: String,
    /// Where tokens are issued.
    #[serde(alias = "token_url", deserialize_with = "or_default")]
    pub token_url: String,
    /// Where tokens are refreshed.
    #[serde(
        alias = "refresh_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub refresh_url: String,
    /// Scopes with their descriptions.
    #[serde(deserialize_with = "or_default")]
    pub scopes: BTreeMap<String, String>,
    /// Whether PKCE (RFC 7636) is required.
    #[serde(
        alias = "pkce_required",
        deserialize_with = "or_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub pkce_required: bool,
}

/// The client credentials flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct ClientCredentialsOAuthFlow {
    /// Where tokens are issued.
    #[serde(alias = "token_url", deserialize_with = "or_default")]
    pub token_url: String,
    /// Where tokens are refreshed.
    #[serde(
        alias = "refresh_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub refresh_url: String,
    /// Scopes with their descriptions.
    #[serde(deserialize_with = "or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// The implicit flow, deprecated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct ImplicitOAuthFlow {
    /// Where the user authorises.
    #[serde(
        alias = "authorization_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub authorization_url: String,
    /// Where tokens are refreshed.
    #[serde(
        alias = "refresh_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub refresh_url: String,
    /// Scopes with their descriptions.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub scopes: BTreeMap<String, String>,
}

/// The password flow, deprecated.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct PasswordOAuthFlow {
    /// Where tokens are issued.
    #[serde(
        alias = "token_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub token_url: String,
    /// Where tokens are refreshed.
    #[serde(
        alias = "refresh_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub refresh_url: String,
    /// Scopes with their descriptions.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub scopes: BTreeMap<String, String>,
}

/// The device code flow (RFC 8628).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct DeviceCodeOAuthFlow {
    /// Where the device asks for its code.
    #[serde(alias = "device_authorization_url", deserialize_with = "or_default")]
    pub device_authorization_url: String,
    /// Where tokens are issued.
    #[serde(alias = "token_url", deserialize_with = "or_default")]
    pub token_url: String,
    /// Where tokens are refreshed.
    #[serde(
        alias = "refresh_url",
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub refresh_url: String,
    /// Scopes with their descriptions.
    #[serde(deserialize_with = "or_default")]
    pub scopes: BTreeMap<String, String>,
}

/// A way to authenticate (A2A 1.0 §4.5.1).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "SchemeFields")]
pub enum SecurityScheme {
    /// None of those below: a scheme of another version, which nobody here can satisfy.
    #[default]
    Unset,
    /// An API key.
    ApiKey(ApiKeySecurityScheme),
    /// HTTP authentication.
    HttpAuth(HttpAuthSecurityScheme),
    /// OAuth 2.0.
    OAuth2(OAuth2SecurityScheme),
    /// `OpenID` Connect.
    OpenIdConnect(OpenIdConnectSecurityScheme),
    /// Client certificates.
    MutualTls(MutualTlsSecurityScheme),
}

/// A [`SecurityScheme`] as its fields arrive.
#[derive(Default, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
#[expect(clippy::struct_field_names, reason = "the protocol names them so")]
struct SchemeFields {
    #[serde(alias = "api_key_security_scheme")]
    api_key_security_scheme: Option<ApiKeySecurityScheme>,
    #[serde(alias = "http_auth_security_scheme")]
    http_auth_security_scheme: Option<HttpAuthSecurityScheme>,
    #[serde(alias = "oauth2_security_scheme")]
    oauth2_security_scheme: Option<OAuth2SecurityScheme>,
    #[serde(alias = "open_id_connect_security_scheme")]
    open_id_connect_security_scheme: Option<OpenIdConnectSecurityScheme>,
    #[serde(alias = "mtls_security_scheme")]
    mtls_security_scheme: Option<MutualTlsSecurityScheme>,
}

impl From<SchemeFields> for SecurityScheme {
    /// Of several (which no valid card has) the first counts.
    fn from(fields: SchemeFields) -> Self {
        let SchemeFields {
            api_key_security_scheme,
            http_auth_security_scheme,
            oauth2_security_scheme,
            open_id_connect_security_scheme,
            mtls_security_scheme,
        } = fields;
        api_key_security_scheme
            .map(Self::ApiKey)
            .or_else(|| http_auth_security_scheme.map(Self::HttpAuth))
            .or_else(|| oauth2_security_scheme.map(Self::OAuth2))
            .or_else(|| open_id_connect_security_scheme.map(Self::OpenIdConnect))
            .or_else(|| mtls_security_scheme.map(Self::MutualTls))
            .unwrap_or_default()
    }
}

impl Serialize for SecurityScheme {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Unset => {}
            Self::ApiKey(inner) => map.serialize_entry("apiKeySecurityScheme", inner)?,
            Self::HttpAuth(inner) => map.serialize_entry("httpAuthSecurityScheme", inner)?,
            Self::OAuth2(inner) => map.serialize_entry("oauth2SecurityScheme", inner)?,
            Self::OpenIdConnect(inner) => {
                map.serialize_entry("openIdConnectSecurityScheme", inner)?;
            }
            Self::MutualTls(inner) => map.serialize_entry("mtlsSecurityScheme", inner)?,
        }
        map.end()
    }
}

/// An OAuth 2.0 flow (A2A 1.0 §4.5.7).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(from = "FlowFields")]
pub enum OAuthFlows {
    /// None of those below: a flow of another version, which nobody here can follow.
    #[default]
    Unset,
    /// Authorization code.
    AuthorizationCode(AuthorizationCodeOAuthFlow),
    /// Client credentials.
    ClientCredentials(ClientCredentialsOAuthFlow),
    /// Implicit, deprecated.
    Implicit(ImplicitOAuthFlow),
    /// Password, deprecated.
    Password(PasswordOAuthFlow),
    /// Device code.
    DeviceCode(DeviceCodeOAuthFlow),
}

/// A [`OAuthFlows`] as its fields arrive.
#[derive(Default, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
struct FlowFields {
    #[serde(alias = "authorization_code")]
    authorization_code: Option<AuthorizationCodeOAuthFlow>,
    #[serde(alias = "client_credentials")]
    client_credentials: Option<ClientCredentialsOAuthFlow>,
    implicit: Option<ImplicitOAuthFlow>,
    password: Option<PasswordOAuthFlow>,
    #[serde(alias = "device_code")]
    device_code: Option<DeviceCodeOAuthFlow>,
}

impl From<FlowFields> for OAuthFlows {
    /// Of several (which no valid card has) the first counts.
    fn from(fields: FlowFields) -> Self {
        let FlowFields {
            authorization_code,
            client_credentials,
            implicit,
            password,
            device_code,
        } = fields;
        authorization_code
            .map(Self::AuthorizationCode)
            .or_else(|| client_credentials.map(Self::ClientCredentials))
            .or_else(|| implicit.map(Self::Implicit))
            .or_else(|| password.map(Self::Password))
            .or_else(|| device_code.map(Self::DeviceCode))
            .unwrap_or_default()
    }
}

impl Serialize for OAuthFlows {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Unset => {}
            Self::AuthorizationCode(inner) => map.serialize_entry("authorizationCode", inner)?,
            Self::ClientCredentials(inner) => map.serialize_entry("clientCredentials", inner)?,
            Self::Implicit(inner) => map.serialize_entry("implicit", inner)?,
            Self::Password(inner) => map.serialize_entry("password", inner)?,
            Self::DeviceCode(inner) => map.serialize_entry("deviceCode", inner)?,
        }
        map.end()
    }
}

object!(both
    StringList, SecurityRequirement, ApiKeySecurityScheme, HttpAuthSecurityScheme,
    OAuth2SecurityScheme, OpenIdConnectSecurityScheme, MutualTlsSecurityScheme,
    AuthorizationCodeOAuthFlow, ClientCredentialsOAuthFlow, ImplicitOAuthFlow,
    PasswordOAuthFlow, DeviceCodeOAuthFlow,
);
object!(read SchemeFields, FlowFields);
