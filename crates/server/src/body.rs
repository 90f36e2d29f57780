//! Reading what a call brings. Whatever is wrong with it is a problem that names the place.

use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use bytes::Bytes;
use http::{HeaderMap, header, request::Parts};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::de::DeserializeOwned;
use tertulia_acts::limits::REQUEST_BYTES;

use crate::problem::{Code, Problem};

/// A body of JSON, read as a `T`. An empty body is an empty object.
#[derive(Debug)]
pub(crate) struct Given<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let RawJson(bytes) = RawJson::from_request(request, state).await?;
        if bytes.is_empty() {
            return json(b"{}").map(Self);
        }
        json(&bytes).map(Self)
    }
}

/// A body that says it is JSON, or an empty one.
#[derive(Debug)]
pub(crate) struct RawJson(pub(crate) Bytes);

impl<S: Sync> FromRequest<S> for RawJson {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let kind = media_type(request.headers());
        let bytes = bytes(request).await?;
        if !bytes.is_empty() && kind.as_deref() != Some("application/json") {
            return Err(unsupported(kind.as_deref(), "application/json"));
        }
        Ok(Self(bytes))
    }
}

/// The whole body, as long as it is within the limit.
pub(crate) async fn bytes(request: Request) -> Result<Bytes, Problem> {
    let limited = Limited::new(request.into_body(), REQUEST_BYTES);
    match limited.collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let detail =
                format!("the body has more than {REQUEST_BYTES} bytes; send less, or a reference");
            Err(Problem::new(Code::TooLarge, detail))
        }
        Err(error) => Err(Problem::malformed(
            "",
            format_args!("the body broke off: {error}"),
        )),
    }
}

/// The media type of a call, without parameters, in lower case.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    let kind = value.split(';').next().unwrap_or_default();
    Some(kind.trim().to_ascii_lowercase())
}

/// A content type that is not read at this address.
pub(crate) fn unsupported(kind: Option<&str>, read: &str) -> Problem {
    let kind = kind.map_or_else(|| "none".to_owned(), |kind| kind.chars().take(80).collect());
    let detail = format!("the content type is {kind}; this address reads {read}");
    Problem::new(Code::UnsupportedMediaType, detail)
}

/// Reads a JSON object, and says where it is wrong.
pub(crate) fn json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| at("", &error))?;
    reader
        .end()
        .map_err(|error| Problem::malformed("", error))?;
    Ok(value)
}

/// Reads a part of a body that was read before; `prefix` tells where it stands there.
pub(crate) fn value<T: DeserializeOwned>(
    prefix: &str,
    value: serde_json::Value,
) -> Result<T, Problem> {
    serde_path_to_error::deserialize(value).map_err(|error| at(prefix, &error))
}

fn at<E: std::fmt::Display>(prefix: &str, error: &serde_path_to_error::Error<E>) -> Problem {
    let path = error.path().to_string();
    // A foreign name in a message is cut, so that the message stays one.
    let what: String = error.inner().to_string().chars().take(400).collect();
    // A place that has no name is the one around it.
    let path = path.trim_end_matches('?').trim_end_matches('.');
    let place = match (prefix.is_empty(), path.is_empty()) {
        (_, true) => prefix.to_owned(),
        (true, false) => path.to_owned(),
        (false, false) => format!("{prefix}.{path}"),
    };
    let place: String = place.chars().take(200).collect();
    Problem::malformed(&place, what)
}

/// The parameters of the query, read as a `T`.
#[derive(Debug)]
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(query)) => Ok(Self(query)),
            Err(error) => Err(Problem::malformed("query", cut(&error.body_text()))),
        }
    }
}

/// The parameters of the path, read as a `T`.
#[derive(Debug)]
pub(crate) struct Named<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(names)) => Ok(Self(names)),
            Err(error) => {
                let text = error.body_text();
                let what = text.strip_prefix("Invalid URL: ").unwrap_or(&text);
                Err(Problem::malformed("", cut(what)))
            }
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(400).collect()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only whether it can be read matters")]
        inner: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only whether it can be read matters")]
        n: u32,
    }

    fn detail(bytes: &[u8]) -> String {
        json::<Outer>(bytes).unwrap_err().detail
    }

    #[test]
    fn the_place_of_an_error_is_told() {
        let wrong = detail(br#"{"inner": [{"n": 1}, {"n": "x"}]}"#);
        assert!(
            wrong.starts_with("inner[1].n: invalid type: string"),
            "{wrong}"
        );
        let unknown = detail(br#"{"inner": [{"n": 1, "m": 2}]}"#);
        assert!(
            unknown.starts_with("inner[0].m: unknown field `m`"),
            "{unknown}"
        );
        let missing = detail(b"{}");
        assert!(missing.starts_with("missing field `inner`"), "{missing}");
        assert!(detail(b"{").starts_with("EOF while parsing"));
        assert!(detail(br#"{"inner":[]} {}"#).starts_with("trailing characters"));
    }

    #[test]
    fn bytes_that_are_no_text_and_depths_without_end_are_refused() {
        assert!(detail(b"{\"inner\": [{\"\xff\": 1}]}").contains("unicode"));
        let deep = [b"{\"a\":".repeat(100_000), b"}".repeat(100_000)].concat();
        let problem = json::<serde_json::Value>(&deep).unwrap_err();
        assert!(
            problem.detail.contains("recursion limit exceeded"),
            "{}",
            problem.detail
        );
    }

    #[test]
    fn a_part_of_a_body_names_its_place_too() {
        let problem = value::<Inner>("operations[3]", serde_json::json!({"n": true})).unwrap_err();
        assert!(
            problem.detail.starts_with("operations[3].n: invalid type"),
            "{}",
            problem.detail
        );
    }
}
