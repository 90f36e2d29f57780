//! Acts of principals, and answers to asks.

use std::time::Duration;

use bytes::Bytes;
use http::HeaderName;
use serde_json::json;

use super::Client;
use crate::{
    problem::Error,
    wire::{Ask, InboxPage, Opening, Part, Receipted, conversation::Asks},
};

pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub(super) const HOP_TOKEN: HeaderName = HeaderName::from_static("hop-token");

impl Client {
    /// Sends an opening act. Without a key of its own one is drawn, so that a lost connection sends nothing twice.
    ///
    /// # Errors
    /// The call could not be carried out. A refuse is no error but a receipt.
    pub async fn send(&self, opening: &Opening) -> Result<Receipted, Error> {
        self.send_and_wait(opening, Duration::ZERO).await
    }

    /// Sends an opening act, and waits up to `wait` for its task to end or to ask.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    pub async fn send_and_wait(
        &self,
        opening: &Opening,
        wait: Duration,
    ) -> Result<Receipted, Error> {
        let drawn;
        let key = if let Some(key) = &opening.key {
            key
        } else {
            drawn = hex::encode(rand::random::<[u8; 16]>());
            &drawn
        };
        let call = self.post(&["acts"]).waiting(wait).json(opening);
        call.header(IDEMPOTENCY_KEY, key).harmless().receipt().await
    }

    /// An ask as it stands.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn ask(&self, id: &str) -> Result<Ask, Error> {
        self.get(&["asks", id]).read().await
    }

    /// An ask as the agent at work sees it.
    pub(crate) async fn ask_under(&self, token: &str, id: &str) -> Result<Ask, Error> {
        let call = self.get(&["asks", id]);
        call.header(HOP_TOKEN, token).read().await
    }

    /// The asks that are open for the caller.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn asks(&self) -> Result<Vec<Ask>, Error> {
        Ok(self.get(&["asks"]).read::<Asks>().await?.asks)
    }

    /// Answers an ask.
    ///
    /// # Errors
    /// The call could not be carried out. A refuse is no error but a receipt.
    pub async fn answer(&self, ask: &str, parts: &[Part]) -> Result<Receipted, Error> {
        let call = self.post(&["asks", ask, "answer"]);
        call.json(&json!({"parts": parts})).receipt().await
    }

    /// Declines to answer an ask.
    ///
    /// # Errors
    /// As [`answer`](Self::answer).
    pub async fn refuse_to_answer(&self, ask: &str, parts: &[Part]) -> Result<Receipted, Error> {
        let call = self.post(&["asks", ask, "answer"]);
        let body = json!({"refuse": true, "parts": parts});
        call.json(&body).receipt().await
    }

    /// The entries of the caller's inbox after number `after`.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn inbox(&self, after: u64) -> Result<InboxPage, Error> {
        let call = self.get(&["inbox"]);
        call.query(&json!({"after": after})).read().await
    }

    /// The bytes of an artifact of a root.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn artifact(&self, root: &str, digest: &str) -> Result<Bytes, Error> {
        let call = self.get(&["roots", root, "artifacts", digest]);
        call.bytes().await
    }

    /// The bytes of an artifact as the agent at work sees it.
    pub(crate) async fn artifact_under(
        &self,
        token: &str,
        root: &str,
        digest: &str,
    ) -> Result<Bytes, Error> {
        let call = self.get(&["roots", root, "artifacts", digest]);
        call.header(HOP_TOKEN, token).bytes().await
    }
}
