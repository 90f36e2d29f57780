//! Calls of the native API whose answers are kept as the server gave them, so that `--json` shows everything, also what
//! this version does not know.

use std::error::Error as _;

use reqwest::{Method, RequestBuilder, Response, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tertulia_worker::{Client, Problem};

use crate::{exit::Exit, failure::Failure};

/// The server that is called.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    client: Client,
}

/// A call in the making.
pub(crate) struct Call {
    request: RequestBuilder,
    server: String,
}

impl Api {
    /// The server at `url`, called with `key`.
    pub(crate) fn new(url: &str, key: Option<&str>) -> Result<Self, Failure> {
        let client = Client::new(url, key).map_err(|error| {
            Failure::usage(error.to_string())
                .help("give the address as --url http://HOST:PORT (or TERTULIA_URL) and the key as --key (or TERTULIA_KEY)")
        })?;
        Ok(Self { client })
    }

    /// `GET /v1/…`.
    pub(crate) fn get(&self, path: &[&str]) -> Call {
        self.call(Method::GET, path)
    }

    /// `POST /v1/…`.
    pub(crate) fn post(&self, path: &[&str]) -> Call {
        self.call(Method::POST, path)
    }

    /// `PUT /v1/…`.
    pub(crate) fn put(&self, path: &[&str]) -> Call {
        self.call(Method::PUT, path)
    }

    /// `DELETE /v1/…`.
    pub(crate) fn delete(&self, path: &[&str]) -> Call {
        self.call(Method::DELETE, path)
    }

    fn call(&self, method: Method, path: &[&str]) -> Call {
        let mut url: Url = self.client.base().clone();
        // An http address always has a path.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        Call {
            request: self.client.http().request(method, url),
            server: self.client.base().as_str().trim_end_matches('/').to_owned(),
        }
    }
}

impl Call {
    /// Adds query parameters; those that are none are left out.
    pub(crate) fn query(mut self, parameters: &[(&str, Option<String>)]) -> Self {
        let given: Vec<(&str, &str)> = parameters
            .iter()
            .filter_map(|(name, value)| Some((*name, value.as_deref()?)))
            .collect();
        if !given.is_empty() {
            self.request = self.request.query(&given);
        }
        self
    }

    /// Adds a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// Sends this body.
    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.request = self.request.json(body);
        self
    }

    /// Sends it, and hands out the answer to be read as it comes.
    pub(crate) async fn open(self) -> Result<Response, Failure> {
        let response = match self.request.send().await {
            Ok(response) => response,
            Err(error) if error.is_builder() => {
                return Err(Failure::usage("the call cannot be made of what was given")
                    .because(&error.without_url()));
            }
            Err(error) => return Err(unreachable(&self.server, error)),
        };
        if response.status().is_success() {
            return Ok(response);
        }
        let status = response.status().as_u16();
        let body = response
            .bytes()
            .await
            .map_err(|error| unreachable(&self.server, error))?;
        Err(stated(status, &body))
    }

    /// Sends it, and reads the answer; null if it has none.
    pub(crate) async fn value(self) -> Result<Value, Failure> {
        let server = self.server.clone();
        let response = self.open().await?;
        let body = response
            .bytes()
            .await
            .map_err(|error| unreachable(&server, error))?;
        if body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&body).map_err(|error| other_version(&error))
    }
}

/// An answer's part as the type that it is.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Failure> {
    T::deserialize(value).map_err(|error| other_version(&error))
}

fn other_version(error: &serde_json::Error) -> Failure {
    Failure::new(Exit::Internal, "the server's answer cannot be read")
        .because(error)
        .help(
            "the server may be of another version, or the address not be that of a tertulia server",
        )
}

fn unreachable(server: &str, error: reqwest::Error) -> Failure {
    let failure = Failure::new(
        Exit::Unreachable,
        format!("cannot reach the server at {server}"),
    )
    .help("start one with `tertulia dev`, or name another with --url or TERTULIA_URL");
    let error = error.without_url();
    // The layers between say only that a lower one failed.
    match innermost(&error) {
        Some(cause) => failure.because(cause),
        None => failure.because(&error),
    }
}

fn innermost(error: &reqwest::Error) -> Option<&(dyn std::error::Error + 'static)> {
    let mut found = error.source()?;
    while let Some(next) = found.source() {
        found = next;
    }
    Some(found)
}

/// What the server said, sorted by what a person can do about it.
fn stated(status: u16, body: &[u8]) -> Failure {
    let Ok(problem) = serde_json::from_slice::<Problem>(body) else {
        let text: String = String::from_utf8_lossy(body).chars().take(200).collect();
        return Failure::internal(format!("the server answered {status}: {text}"))
            .help("the address may not be that of a tertulia server");
    };
    let details = problem.details();
    let text = if details.detail.is_empty() {
        &details.title
    } else {
        &details.detail
    };
    let explain = format!("see `tertulia explain {}`", details.code);
    match status {
        400 | 405 | 413 | 415 | 422 => Failure::usage(text).help(explain),
        401 => Failure::new(Exit::Absent, text).help(
            "give a key that is valid with --key or TERTULIA_KEY: `tertulia serve` prints that of user:admin at its first \
             start and with --admin-key, `tertulia keys create` makes others",
        ),
        403 | 404 => Failure::new(Exit::Absent, text).help(explain),
        409 => Failure::new(Exit::Ended, text).help(explain),
        503 if details.code.starts_with("storage") => {
            Failure::new(Exit::Storage, text).help(explain)
        }
        429 | 503 => Failure::new(Exit::Busy, text).help(explain),
        _ => Failure::internal(text)
            .help("this is an error of the server: please report it with the server's log"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(status: u16, code: &str) -> Failure {
        let body =
            format!(r#"{{"status":{status},"code":"{code}","title":"T","detail":"do this"}}"#);
        stated(status, body.as_bytes())
    }

    #[test]
    fn problems_end_with_the_code_that_tells_what_to_do() {
        for (status, code, exit) in [
            (400, "malformed", Exit::Usage),
            (401, "unauthenticated", Exit::Absent),
            (404, "not-found", Exit::Absent),
            (413, "too-large", Exit::Usage),
            (503, "storage-full", Exit::Storage),
            (503, "draining", Exit::Busy),
            (500, "internal", Exit::Internal),
        ] {
            let failure = problem(status, code);
            assert_eq!(
                (failure.exit, failure.message.as_str()),
                (exit, "do this"),
                "{code}"
            );
            assert!(failure.help.is_some());
        }
    }

    #[test]
    fn an_answer_of_something_else_is_quoted() {
        let failure = stated(502, b"<html>bad gateway");
        assert_eq!(
            failure.message,
            "the server answered 502: <html>bad gateway"
        );
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_named() {
        let api = Api::new("http://127.0.0.1:1", None).unwrap();
        let failure = api.get(&["agents"]).value().await.unwrap_err();
        assert_eq!(failure.exit, Exit::Unreachable);
        assert!(failure.message.contains("http://127.0.0.1:1"), "{failure}");
    }

    #[test]
    fn an_address_that_is_none_is_a_wrong_argument() {
        assert_eq!(Api::new("127.0.0.1", None).unwrap_err().exit, Exit::Usage);
    }
}
