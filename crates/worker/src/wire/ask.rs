//! Asks: durable questions that park an activation (SEMANTICS 8).

use serde::Deserialize;

use super::act::Act;

/// A question.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Ask {
    /// Its id.
    pub id: String,
    /// The task that asks.
    #[serde(default)]
    pub asker: String,
    /// Who may answer.
    #[serde(default)]
    pub addressee: String,
    /// Where it stands.
    pub state: AskState,
    /// When it expires.
    #[serde(default)]
    pub deadline: Option<String>,
    /// The query.
    pub question: Box<Act>,
    /// What it was answered: an inform or a refuse.
    #[serde(default)]
    pub answer: Option<Box<Act>>,
    /// The question as the engine renders it for a model.
    #[serde(default)]
    pub prompt: Vec<String>,
    /// The answer as the engine renders it for a model.
    #[serde(default)]
    pub answer_prompt: Vec<String>,
}

/// Where an ask stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskState {
    /// It waits.
    Open,
    /// It was answered.
    Answered,
    /// Its addressee declined to answer.
    Refused,
    /// Nobody answered in time.
    Expired,
    /// Its task ended.
    Closed,
    /// One that this version does not know.
    #[serde(other)]
    Unknown,
}
