//! From foreign bytes to wire types, with errors that name the place.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::error::Category;

use super::error::{A2aError, ErrorKind, FieldViolation};

/// Longest piece of foreign text that an error message repeats, in characters.
const ECHO_CHARS: usize = 200;

/// Reads one JSON document of at most `max_bytes` bytes.
///
/// Errors: [`ErrorKind::TooLarge`] beyond the size, [`ErrorKind::Parse`] when it is no JSON
/// (or no UTF-8, or nested deeper than 128), and [`ErrorKind::InvalidParams`] with the path of
/// the field when a value has the wrong type. Required fields are checked by
/// [`Check::validate`](super::Check::validate), not here.
pub fn parse_json<T: DeserializeOwned>(bytes: &[u8], max_bytes: usize) -> Result<T, A2aError> {
    within(bytes, max_bytes)?;
    serde_json::from_slice(bytes)
        .map_err(|error| explain::<T, _>(&error, &mut serde_json::Deserializer::from_slice(bytes)))
}

/// Refuses a body beyond the size, before anything is parsed.
pub(super) fn within(bytes: &[u8], max_bytes: usize) -> Result<(), A2aError> {
    if bytes.len() <= max_bytes {
        return Ok(());
    }
    Err(A2aError::new(
        ErrorKind::TooLarge,
        format!(
            "body of {} bytes exceeds the limit of {max_bytes}; send large content by url",
            bytes.len()
        ),
    ))
}

/// Turns the error of a fast parse into one with a path, by reading a second time. Only bad
/// input pays for it.
pub(super) fn explain<'de, T, D>(error: &serde_json::Error, again: D) -> A2aError
where
    T: Deserialize<'de>,
    D: Deserializer<'de, Error = serde_json::Error>,
{
    if error.classify() != Category::Data {
        let reason = shorten(&error.to_string());
        return A2aError::new(
            ErrorKind::Parse,
            format!("body is not valid JSON: {reason}"),
        );
    }
    // The same input read twice fails twice; should it not, the first error still counts.
    let located = serde_path_to_error::deserialize::<_, T>(again).err();
    let violation = match located {
        Some(located) => FieldViolation {
            field: match located.path().to_string() {
                root if root == "." => String::new(),
                path => shorten(&path),
            },
            description: shorten(&located.inner().to_string()),
        },
        None => FieldViolation {
            field: String::new(),
            description: shorten(&error.to_string()),
        },
    };
    A2aError::invalid_params(vec![violation])
}

/// Cuts foreign text for an error message, so that a large input cannot make a large answer.
pub(super) fn shorten(text: &str) -> String {
    match text.char_indices().nth(ECHO_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
