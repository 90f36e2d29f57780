//! Asking whoever made the request, and answering those that were delegated to.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{Context, StepError, unfitting};
use crate::{
    handler::QuestionOutcome,
    reply::Answer,
    wire::{Act, Ask, AskState, Operation, Park, Part, Receipt, opening_millis},
};

/// A question to whoever made the request.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    parts: Vec<Part>,
    deadline: Option<Duration>,
    key: Option<String>,
}

impl Question {
    /// A question.
    pub fn new(parts: impl Into<Vec<Part>>) -> Self {
        Self {
            parts: parts.into(),
            deadline: None,
            key: None,
        }
    }

    /// To be answered within this span; else the handler goes on without.
    pub const fn deadline(mut self, within: Duration) -> Self {
        self.deadline = Some(within);
        self
    }

    /// The step's name, where the question would not be the same text in another run.
    pub fn keyed(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl From<&str> for Question {
    fn from(text: &str) -> Self {
        Self::new([Part::text(text)])
    }
}

impl From<String> for Question {
    fn from(text: String) -> Self {
        Self::new([Part::text(text)])
    }
}

impl From<Vec<Part>> for Question {
    fn from(parts: Vec<Part>) -> Self {
        Self::new(parts)
    }
}

impl Context {
    /// Asks whoever made the request, and parks until there is an answer; then the handler runs again.
    ///
    /// # Errors
    /// See [`StepError`]. That nobody answers is no error.
    pub async fn ask(&mut self, question: impl Into<Question>) -> Result<Answer, StepError> {
        let question = question.into();
        let operation = Operation::Ask {
            parts: question.parts,
            deadline_ms: question.deadline.map(opening_millis),
        };
        let made = self.perform(question.key.as_deref(), &operation).await?;
        let ask = match made.receipt {
            // It was asked just now, and that has parked the activation.
            Receipt::Asked { .. } if !made.recalled => return Err(self.suspend()),
            Receipt::Asked { ask } => ask,
            Receipt::Refused { act, .. } => return Ok(unanswered(act)),
            other => return Err(unfitting(operation.name(), other)),
        };
        if ask.state != AskState::Open {
            return Ok(answer_of(*ask));
        }
        // Something else woke the activation, a question from below for example.
        let park = Park::Ask { ask: ask.id };
        match self.park(park).await? {
            Receipt::Met { ask: Some(ask), .. } => Ok(answer_of(*ask)),
            other => Err(unfitting("park", other)),
        }
    }

    /// Answers the questions that were open when the lease began.
    pub(crate) async fn answer_all(&mut self, questions: Vec<Ask>) -> Result<(), StepError> {
        for question in questions {
            self.answer_one(question).await?;
        }
        Ok(())
    }

    /// Answers the questions that stand in the way of parking (SEMANTICS 7).
    pub(super) async fn answer_what_blocks(&mut self, refuse: Box<Act>) -> Result<(), StepError> {
        let asks = asks_in(&refuse.detail);
        let being_handled = self.handling.as_deref();
        let new: Vec<String> = asks
            .into_iter()
            .filter(|ask| !self.answered.contains(ask) && being_handled != Some(ask))
            .collect();
        if new.is_empty() {
            // Answered already, or waiting on itself: to park again would not help.
            return Err(StepError::Refused(refuse));
        }
        for id in new {
            let ask = self.client.ask_under(&self.token, &id).await?;
            if ask.state == AskState::Open {
                self.answer_one(ask).await?;
            } else {
                self.answered.insert(id);
            }
        }
        Ok(())
    }

    async fn answer_one(&mut self, question: Ask) -> Result<(), StepError> {
        let (handler, task) = (Arc::clone(&self.questions), Arc::clone(&self.task));
        let outer = self.handling.replace(question.id.clone());
        let outcome = handler.answer(self, &task, &question).await;
        let operation = match outcome {
            Ok(QuestionOutcome::Answer(parts)) => Operation::Answer {
                ask: question.id.clone(),
                refuse: false,
                parts,
            },
            Ok(QuestionOutcome::Refuse(parts)) => Operation::Answer {
                ask: question.id.clone(),
                refuse: true,
                parts,
            },
            Err(error) => {
                self.handling = outer;
                return Err(self.why_unanswered(error.into_inner()));
            }
        };
        // The engine names this step after the ask, so a repeat in another run is the same answer.
        let receipt = self.operate(&operation).await;
        self.handling = outer;
        match receipt? {
            Receipt::Answered { .. } => {}
            Receipt::Refused { act, .. } => {
                // It expired or was closed meanwhile: whoever asked has gone on.
                tracing::info!(
                    ask = question.id,
                    reason = act.reason_code(),
                    "answer refused"
                );
            }
            other => return Err(unfitting(operation.name(), other)),
        }
        self.answered.insert(question.id);
        Ok(())
    }

    /// A run that was stopped while it answered is stopped; any other error is the question handler's own.
    fn why_unanswered(&self, error: Box<dyn std::error::Error + Send + Sync>) -> StepError {
        match (self.go_on(), error.downcast::<StepError>()) {
            (Err(stopped), _) => stopped,
            (Ok(()), Ok(step)) => *step,
            (Ok(()), Err(error)) => StepError::Question(error),
        }
    }
}

fn unanswered(act: Box<Act>) -> Answer {
    Answer::None {
        reason: act.reason_code().to_owned(),
        act: Some(act),
    }
}

fn answer_of(ask: Ask) -> Answer {
    match (ask.state, ask.answer) {
        (AskState::Answered, Some(act)) => Answer::Said {
            act,
            prompt: ask.answer_prompt,
        },
        (AskState::Refused, Some(act)) => unanswered(act),
        (AskState::Expired, act) => Answer::None {
            reason: "ask-expired".to_owned(),
            act,
        },
        (_, act) => Answer::None {
            reason: "ask-closed".to_owned(),
            act,
        },
    }
}

/// The ids of the open asks that a refuse names, whichever member of its detail lists them.
fn asks_in(detail: &Value) -> Vec<String> {
    fn collect(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) if text.starts_with("ask_") => out.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
            Value::Object(members) => members.values().for_each(|member| collect(member, out)),
            _ => {}
        }
    }
    let mut asks = Vec::new();
    collect(detail, &mut asks);
    asks
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_asks_that_a_refuse_names_are_found() {
        let detail = json!({"asks": ["ask_1", "ask_2"], "task": "task_1"});
        assert_eq!(asks_in(&detail), ["ask_1", "ask_2"]);
        assert!(asks_in(&Value::Null).is_empty());
    }

    #[test]
    fn what_an_ask_came_to_is_an_answer_or_a_reason() {
        let ask = |state: &str, answer: Value| -> Ask {
            serde_json::from_value(json!({
                "id": "ask_1", "state": state, "question": {"performative": "query"},
                "answer": answer, "answer_prompt": ["« … »"],
            }))
            .unwrap()
        };
        let said = ask(
            "answered",
            json!({"performative": "inform", "parts": [{"text": "yes"}]}),
        );
        assert_eq!(answer_of(said).text().as_deref(), Some("yes"));
        for (state, answer, expected) in [
            (
                "refused",
                json!({"performative": "refuse", "reason": "declined"}),
                "declined",
            ),
            ("expired", Value::Null, "ask-expired"),
            ("closed", Value::Null, "ask-closed"),
        ] {
            let Answer::None { reason, .. } = answer_of(ask(state, answer)) else {
                panic!("{state} has an answer")
            };
            assert_eq!(reason, expected);
        }
    }
}
