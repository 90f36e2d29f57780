//! JSON-RPC 2.0: the envelope around requests and answers.

use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::check::Limits;
use super::decode::{shorten, within};
use super::error::{A2aError, ErrorKind};
use super::method::{Method, Request};
use super::protojson::{ObjectOnly, present};

/// The only version.
const VERSION: &str = "2.0";

/// The id of a call, echoed in its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RequestId {
    /// `null`: also the id of answers to what was no readable request.
    #[default]
    Null,
    /// A number, as it was written: no type here holds every number that JSON has, and it is echoed as it came.
    Number(String),
    /// A text.
    Text(String),
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Number(number) => RawValue::from_string(number.clone())
                .map_err(serde::ser::Error::custom)?
                .serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Self::of(&raw)
            .ok_or_else(|| serde::de::Error::custom("an id is neither a string, a number nor null"))
    }
}

impl RequestId {
    fn of(raw: &RawValue) -> Option<Self> {
        let text = raw.get();
        match text.as_bytes().first()? {
            b'n' => Some(Self::Null),
            b'"' => serde_json::from_str(text).ok().map(Self::Text),
            b'-' | b'0'..=b'9' => Some(Self::Number(text.to_owned())),
            _ => None,
        }
    }
}

/// A well-formed JSON-RPC request whose parameters are not read yet.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The id; none for a notification, which JSON-RPC forbids to answer.
    pub id: Option<RequestId>,
    /// The name of the method, which may be none of [`Method`].
    pub method: String,
    /// The parameters as they came; none when absent or `null`.
    pub params: Option<&'a RawValue>,
}

/// Why a body is no call, and the id to answer with.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct CallError {
    /// The id, null when it could not be read.
    pub id: RequestId,
    /// The error.
    pub error: A2aError,
}

#[derive(Default, Deserialize)]
#[serde(remote = "Self", default)]
struct Envelope<'a> {
    #[serde(borrow, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Envelope::deserialize(ObjectOnly(deserializer))
    }
}

/// Reads one JSON-RPC request of at most `limits.body_bytes` bytes.
///
/// Errors, with the id to answer with: [`ErrorKind::TooLarge`]; [`ErrorKind::Parse`] (-32700)
/// for what is no JSON; [`ErrorKind::InvalidRequest`] (-32600) for JSON that is no request:
/// a batch, another version, an id that is neither text nor number nor null, no method.
pub fn parse_call<'a>(body: &'a [u8], limits: &Limits) -> Result<Call<'a>, CallError> {
    let anonymous = |error| CallError {
        id: RequestId::Null,
        error,
    };
    within(body, limits.body_bytes).map_err(anonymous)?;
    let envelope: Envelope<'a> = serde_json::from_slice(body).map_err(|error| {
        let kind = match error.classify() {
            Category::Data => ErrorKind::InvalidRequest,
            _ => ErrorKind::Parse,
        };
        let problem = match kind {
            ErrorKind::Parse => "body is not valid JSON",
            _ => "body is not a single JSON-RPC request",
        };
        anonymous(A2aError::new(
            kind,
            format!("{problem}: {}", shorten(&error.to_string())),
        ))
    })?;
    let id = envelope
        .id
        .map(|raw| read_id(raw, limits))
        .transpose()
        .map_err(anonymous)?;
    let refuse = |message: &str| CallError {
        id: id.clone().unwrap_or_default(),
        error: A2aError::new(ErrorKind::InvalidRequest, message),
    };
    if text(envelope.jsonrpc).as_deref() != Some(VERSION) {
        return Err(refuse("jsonrpc must be \"2.0\""));
    }
    match text(envelope.method) {
        Some(method) if !method.is_empty() => Ok(Call {
            id,
            method,
            params: envelope.params,
        }),
        _ => Err(refuse("method must be a non-empty string")),
    }
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}

fn read_id(raw: &RawValue, limits: &Limits) -> Result<RequestId, A2aError> {
    let refuse = |message| A2aError::new(ErrorKind::InvalidRequest, message);
    if raw.get().len() > limits.id_bytes {
        return Err(refuse("id is too long"));
    }
    RequestId::of(raw).ok_or_else(|| refuse("id must be a string, a number or null"))
}

impl Call<'_> {
    /// Reads and checks the parameters.
    ///
    /// Errors: [`ErrorKind::MethodNotFound`] (-32601) for a name that A2A 1.0 does not have, and
    /// [`ErrorKind::InvalidParams`] (-32602) with the offending fields.
    pub fn decode(&self, limits: &Limits) -> Result<Request, A2aError> {
        let Some(method) = Method::from_name(&self.method) else {
            let name = shorten(&self.method);
            return Err(A2aError::new(
                ErrorKind::MethodNotFound,
                format!("no method named {name:?}"),
            ));
        };
        Request::from_params(method, self.params, limits)
    }
}

/// A JSON-RPC response: the answer to a call, or one event of a stream of answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Response<T> {
    /// The id of the call.
    pub id: RequestId,
    /// Its result or its error.
    pub outcome: Result<T, A2aError>,
}

impl<T: Serialize> Serialize for Response<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("jsonrpc", VERSION)?;
        map.serialize_entry("id", &self.id)?;
        match &self.outcome {
            Ok(result) => map.serialize_entry("result", result)?,
            Err(error) => map.serialize_entry("error", &error.to_json_rpc())?,
        }
        map.end()
    }
}

/// A response as its fields arrive. The version is not checked: it changes nothing.
#[derive(Default, Deserialize)]
#[serde(remote = "Self", default)]
struct ResponseFields<'a> {
    id: RequestId,
    #[serde(borrow, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    error: Option<serde_json::Value>,
}

impl<'de: 'a, 'a> Deserialize<'de> for ResponseFields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        ResponseFields::deserialize(ObjectOnly(deserializer))
    }
}

/// Reads a peer's JSON-RPC response of at most `max_bytes` bytes. `"error": null` beside a
/// result is a result, since some peers write it.
///
/// Error: [`ErrorKind::InvalidAgentResponse`] when it is neither a result of the expected type
/// nor an error. The error that the peer itself reports is in [`Response::outcome`].
pub fn parse_response<T: DeserializeOwned>(
    body: &[u8],
    max_bytes: usize,
) -> Result<Response<T>, A2aError> {
    let nonsense = |error: &serde_json::Error| {
        let message = format!(
            "peer's answer is no JSON-RPC response: {}",
            shorten(&error.to_string())
        );
        A2aError::new(ErrorKind::InvalidAgentResponse, message)
    };
    within(body, max_bytes)?;
    let fields: ResponseFields<'_> =
        serde_json::from_slice(body).map_err(|error| nonsense(&error))?;
    let outcome = match (fields.error, fields.result) {
        (Some(error), _) => Err(A2aError::from_json_rpc(&error)),
        (None, Some(result)) => {
            Ok(serde_json::from_str(result.get()).map_err(|error| nonsense(&error))?)
        }
        (None, None) => {
            let message = "peer's answer has neither result nor error";
            return Err(A2aError::new(ErrorKind::InvalidAgentResponse, message));
        }
    };
    Ok(Response {
        id: fields.id,
        outcome,
    })
}
