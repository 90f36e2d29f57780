//! Conversations: read, close, migrate.

use serde_json::json;

use super::Client;
use crate::{
    problem::Error,
    wire::{Conversation, Receipted},
};

impl Client {
    /// A conversation, with its acts after number `after`, at most `limit`.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn conversation(
        &self,
        id: &str,
        after: u64,
        limit: Option<u32>,
    ) -> Result<Conversation, Error> {
        let call = self.get(&["conversations", id]);
        let query = json!({"after": after, "limit": limit});
        call.query(&query).read().await
    }

    /// Closes a conversation; refused while tasks in it are open.
    ///
    /// # Errors
    /// The call could not be carried out. A refuse is no error but a receipt.
    pub async fn close(&self, conversation: &str) -> Result<Receipted, Error> {
        let call = self.post(&["conversations", conversation, "close"]);
        call.json(&json!({})).receipt().await
    }

    /// Pins another version of an agent for tasks that are accepted later; without one, its current version.
    ///
    /// # Errors
    /// The call could not be carried out. A refuse is no error but a receipt.
    pub async fn migrate(
        &self,
        conversation: &str,
        agent: &str,
        version: Option<&str>,
    ) -> Result<Receipted, Error> {
        let mut body = json!({"agent": agent});
        if let Some(version) = version {
            body["version"] = version.into();
        }
        let call = self.post(&["conversations", conversation, "migrate"]);
        call.json(&body).receipt().await
    }
}
