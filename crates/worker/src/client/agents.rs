//! Agents: defined, found, retired.

use http::Method;
use serde_json::Value;

use super::{Client, call::Call};
use crate::{
    problem::Error,
    wire::{Agent, AgentQuery, Registered, agent::Agents},
};

impl Client {
    /// Puts an agent's definition, as its Markdown file: front matter, then instructions.
    ///
    /// # Errors
    /// The call could not be carried out; a definition that is wrong is a [`Problem`](crate::Problem) with the place.
    pub async fn put_agent_markdown(
        &self,
        name: &str,
        definition: impl Into<String>,
    ) -> Result<Registered, Error> {
        let body = definition.into().into();
        let call = Call::new(self, Method::PUT, &["agents", name]);
        call.body("text/markdown", body).harmless().read().await
    }

    /// Puts an agent's definition, as JSON.
    ///
    /// # Errors
    /// As [`put_agent_markdown`](Self::put_agent_markdown).
    pub async fn put_agent(&self, name: &str, definition: &Value) -> Result<Registered, Error> {
        let call = Call::new(self, Method::PUT, &["agents", name]);
        call.json(definition).harmless().read().await
    }

    /// Retires an agent.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn retire_agent(&self, name: &str) -> Result<(), Error> {
        let call = Call::new(self, Method::DELETE, &["agents", name]);
        call.harmless().bytes().await.map(drop)
    }

    /// An agent.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn agent(&self, name: &str) -> Result<Agent, Error> {
        self.get(&["agents", name]).read().await
    }

    /// The agents that fit.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn find_agents(&self, query: &AgentQuery) -> Result<Vec<Agent>, Error> {
        let call = self.get(&["agents"]).query(query);
        Ok(call.read::<Agents>().await?.agents)
    }
}
