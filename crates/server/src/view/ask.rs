//! Asks.

use serde::Serialize;
use tertulia_acts::{
    ask::Ask,
    envelope::Act,
    ids::{AskId, TaskId},
};
use utoipa::ToSchema;

use super::{act::ActView, instant::Instant, prompt::prompt, task::addressee};

/// A durable question.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Ask)]
pub(crate) struct AskView {
    /// Its id.
    #[schema(value_type = String)]
    id: AskId,
    /// The task that asks.
    #[schema(value_type = String)]
    asker: TaskId,
    /// Who may answer: a task above, or a principal.
    addressee: String,
    /// `open`, `answered`, `refused`, `expired` or `closed`.
    state: &'static str,
    /// When it expires.
    deadline: Instant,
    /// The query.
    question: ActView,
    /// The inform or refuse that answers it.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<ActView>,
    /// The question, rendered for a model.
    prompt: Vec<String>,
    /// The answer, rendered for a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer_prompt: Option<Vec<String>>,
}

impl AskView {
    /// An ask with what was said in it.
    pub(crate) fn new(ask: &Ask, question: Act, answer: Option<Act>) -> Self {
        Self {
            id: ask.id,
            asker: ask.asker,
            addressee: addressee(&ask.addressee),
            state: ask.state.name(),
            deadline: Instant(ask.deadline),
            prompt: prompt(&question),
            question: question.into(),
            answer_prompt: answer.as_ref().map(prompt),
            answer: answer.map(ActView::from),
        }
    }
}
