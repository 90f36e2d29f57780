//! One call: built, sent, repeated where it may be, and read.

use std::time::Duration;

use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{CONTENT_TYPE, RETRY_AFTER},
};
use reqwest::{Response, Url};
use serde::{Serialize, de::DeserializeOwned};

use super::{CALL, Client};
use crate::{
    problem::{Error, Problem},
    retry::Repeat,
    wire::Receipted,
};

/// A call in the making. What goes wrong while it is made is said when it is sent.
pub(super) struct Call<'a> {
    client: &'a Client,
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
    repeat: Repeat,
    timeout: Option<Duration>,
    failed: Option<Error>,
}

impl<'a> Call<'a> {
    pub(super) fn new(client: &'a Client, method: Method, path: &[&str]) -> Self {
        let mut url = Url::clone(&client.base);
        // Http addresses always have a path.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().push("v1").extend(path);
        }
        let reads = method == Method::GET;
        Self {
            client,
            method,
            url,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            repeat: if reads {
                Repeat::Harmless
            } else {
                Repeat::Twice
            },
            timeout: Some(CALL),
            failed: None,
        }
    }

    /// Adds query parameters: the members of a struct that are not none.
    pub(super) fn query<T: Serialize>(mut self, query: &T) -> Self {
        match serde_json::to_value(query) {
            Ok(serde_json::Value::Object(members)) => {
                let mut pairs = self.url.query_pairs_mut();
                for (name, value) in &members {
                    match value {
                        serde_json::Value::Null => {}
                        serde_json::Value::String(text) => {
                            pairs.append_pair(name, text);
                        }
                        other => {
                            pairs.append_pair(name, &other.to_string());
                        }
                    }
                }
            }
            Ok(_) => {}
            Err(error) => self.failed = Some(Error::Unsendable(error)),
        }
        self
    }

    /// Waits on the server's side for so long.
    pub(super) fn waiting(mut self, wait: Duration) -> Self {
        if !wait.is_zero() {
            let millis = wait.as_millis().to_string();
            self.url.query_pairs_mut().append_pair("wait_ms", &millis);
        }
        self.lasting(wait)
    }

    /// May take so much longer than other calls.
    pub(super) fn lasting(mut self, wait: Duration) -> Self {
        self.timeout = Some(CALL.saturating_add(wait));
        self
    }

    /// Takes at most so long.
    pub(super) fn within(mut self, most: Duration) -> Self {
        self.timeout = Some(most);
        self
    }

    /// May last for ever.
    pub(super) fn endless(mut self) -> Self {
        self.timeout = None;
        self
    }

    /// A repeat of it does nothing.
    pub(super) fn harmless(mut self) -> Self {
        self.repeat = Repeat::Harmless;
        self
    }

    pub(super) fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::try_from(value) {
            self.headers.insert(name, value);
        } else {
            let text = format!("the {name} `{value}` holds characters no header has");
            self.failed = Some(Error::Setup(text));
        }
        self
    }

    pub(super) fn json<T: Serialize + ?Sized>(self, body: &T) -> Self {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.body("application/json", bytes.into()),
            Err(error) => Self {
                failed: Some(Error::Unsendable(error)),
                ..self
            },
        }
    }

    pub(super) fn body(mut self, media_type: &'static str, body: Bytes) -> Self {
        self.headers
            .insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        self.body = body;
        self
    }

    /// The call, for messages.
    fn name(&self) -> String {
        format!("{} {}", self.method, self.url.path())
    }

    /// Sends it, and reads the answer as a `T`.
    pub(super) async fn read<T: DeserializeOwned>(self) -> Result<T, Error> {
        let name = self.name();
        let bytes = self.bytes().await?;
        serde_json::from_slice(&bytes).map_err(|source| Error::Nonsense { call: name, source })
    }

    /// Sends it, and reads the receipt.
    pub(super) async fn receipt(self) -> Result<Receipted, Error> {
        self.read().await
    }

    /// Sends it, and reads the answer as bytes.
    pub(super) async fn bytes(mut self) -> Result<Bytes, Error> {
        self.check()?;
        let mut patience = self.client.retry.begin();
        loop {
            match self.whole().await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => patience.wait(self.repeat, error).await?,
            }
        }
    }

    /// Sends it, and hands out the answer to be read as it comes.
    pub(super) async fn open(mut self) -> Result<Response, Error> {
        self.check()?;
        let mut patience = self.client.retry.begin();
        loop {
            match self.once().await {
                Ok(response) => return Ok(response),
                Err(error) => patience.wait(self.repeat, error).await?,
            }
        }
    }

    fn check(&mut self) -> Result<(), Error> {
        self.failed.take().map_or(Ok(()), Err)
    }

    async fn whole(&self) -> Result<Bytes, Error> {
        let response = self.once().await?;
        response.bytes().await.map_err(|source| self.lost(source))
    }

    async fn once(&self) -> Result<Response, Error> {
        let mut request = self
            .client
            .http
            .request(self.method.clone(), self.url.clone())
            .headers(self.headers.clone())
            .body(self.body.clone());
        if let Some(timeout) = self.timeout {
            request = request.timeout(timeout);
        }
        let response = request.send().await.map_err(|source| self.lost(source))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let retry_after = response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| value.to_str().ok()?.parse().ok())
            .map(Duration::from_secs);
        let body = response.bytes().await.map_err(|source| self.lost(source))?;
        Err(Problem::read(status.as_u16(), &body, retry_after).into())
    }

    fn lost(&self, source: reqwest::Error) -> Error {
        Error::Transport {
            call: self.name(),
            source: source.without_url(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{TaskQuery, TaskState};

    fn client() -> Client {
        Client::new("http://127.0.0.1:1/behind/", None).unwrap()
    }

    #[test]
    fn names_cannot_leave_their_place_in_the_path() {
        let client = client();
        let call = client.get(&["agents", "../keys?x=1"]);
        assert_eq!(
            call.url.as_str(),
            "http://127.0.0.1:1/behind/v1/agents/..%2Fkeys%3Fx=1"
        );
    }

    #[test]
    fn only_what_is_asked_for_stands_in_the_query() {
        let query = TaskQuery {
            state: Some(TaskState::AwaitingClarification),
            work_id: Some("INC 42".to_owned()),
            limit: Some(5),
            ..TaskQuery::default()
        };
        let client = client();
        let call = client.get(&["tasks"]).query(&query);
        assert_eq!(
            call.url.query(),
            Some("limit=5&state=awaiting-clarification&work_id=INC+42")
        );
    }

    #[tokio::test]
    async fn a_key_that_no_header_takes_is_an_error_and_nothing_is_sent() {
        let client = client();
        let name = HeaderName::from_static("idempotency-key");
        let call = client.post(&["acts"]).header(name, "a\nb").harmless();
        let error = call.read::<Receipted>().await.unwrap_err();
        assert!(matches!(error, Error::Setup(_)), "{error}");
    }
}
