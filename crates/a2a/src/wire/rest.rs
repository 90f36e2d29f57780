//! HTTP+JSON: requests as bodies and as queries.
//!
//! Neither function checks required fields: the handler first puts the tenant and the ids of
//! the path into the request, then calls [`Check::validate`](super::Check::validate).

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::check::Limits;
use super::decode::{explain, parse_json};
use super::error::{A2aError, FieldViolation};

/// Media type of requests and answers (A2A 1.0.1 §11.1); `application/json` is accepted too.
pub const MEDIA_TYPE: &str = "application/a2a+json";

/// Reads the body of an HTTP+JSON request; an empty body is an empty request, since the body
/// of `:cancel` and `:subscribe` is optional.
///
/// Errors: as [`parse_json`].
pub fn parse_body<T: DeserializeOwned + Default>(
    body: &[u8],
    limits: &Limits,
) -> Result<T, A2aError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(T::default());
    }
    parse_json(body, limits.body_bytes)
}

/// Reads a request from the pairs of a URL query, already percent-decoded: camelCase names
/// (A2A 1.0 §11.5), enums by name, timestamps as ISO 8601. Unknown names and empty values are
/// ignored.
///
/// Error: [`InvalidParams`](super::ErrorKind::InvalidParams) for a name given twice or a value of
/// the wrong form.
pub fn parse_query<T, I, K, V>(pairs: I) -> Result<T, A2aError>
where
    T: DeserializeOwned,
    I: IntoIterator<Item = (K, V)>,
    K: Into<String>,
    V: Into<String>,
{
    let mut fields = super::Metadata::new();
    for (name, value) in pairs {
        let (name, value) = (name.into(), value.into());
        if value.is_empty() {
            continue;
        }
        if fields.contains_key(&name) {
            let description = "is given more than once".to_owned();
            return Err(A2aError::invalid_params(vec![FieldViolation {
                field: name,
                description,
            }]));
        }
        fields.insert(name, Value::String(value));
    }
    let fields = Value::Object(fields);
    T::deserialize(&fields).map_err(|error| explain::<T, _>(&error, &fields))
}
