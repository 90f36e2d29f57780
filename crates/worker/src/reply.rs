//! What comes back: replies to delegations, answers to questions.

use serde::de::DeserializeOwned;

use crate::{
    problem::Error,
    wire::{Act, Part, Performative, Receipt, Task, TaskState},
};

/// What a delegation came to: a result, a refuse or a failure. Ask which; it is never an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The act that ended it; none if nothing was due, as for an inform that was acknowledged.
    pub act: Option<Box<Act>>,
    /// That act as the engine renders it for a model: programs that build prompts take this and nothing else.
    pub prompt: Vec<String>,
    /// The task, ended; none if none was made.
    pub task: Option<Box<Task>>,
}

impl Reply {
    /// Whether it is a result.
    pub fn is_result(&self) -> bool {
        match (&self.act, &self.task) {
            (Some(act), _) => act.performative == Performative::Inform,
            (None, Some(task)) => task.state == TaskState::Done,
            (None, None) => true,
        }
    }

    /// What kind of act ended it.
    pub fn performative(&self) -> Option<Performative> {
        self.act.as_ref().map(|act| act.performative)
    }

    /// Why it is no result, as a code: `loop`, `expired`, `already-committed` …
    pub fn reason(&self) -> Option<&str> {
        let of_act = self.act.as_ref().and_then(|act| act.reason.as_deref());
        of_act.or_else(|| self.task.as_ref()?.reason.as_deref())
    }

    /// Its parts: untrusted.
    pub fn parts(&self) -> &[Part] {
        self.act.as_ref().map_or(&[], |act| &act.parts)
    }

    /// Its text parts, joined by line breaks.
    pub fn text(&self) -> String {
        crate::wire::joined_text(self.parts())
    }

    /// Its first data part, read as a `T`; none if it has no data.
    pub fn data<T: DeserializeOwned>(&self) -> Option<Result<T, serde_json::Error>> {
        self.act.as_ref()?.data()
    }

    /// The reply of a task that has ended; none while it is open.
    pub(crate) fn of_task(task: &Task) -> Option<Self> {
        task.state.is_terminal().then(|| Self {
            act: task.reply.clone(),
            prompt: task.reply_prompt.clone(),
            task: Some(Box::new(task.clone())),
        })
    }
}

/// An opening act that was sent and is not waited for yet.
#[derive(Debug, Clone, PartialEq)]
pub enum Sent {
    /// It was accepted, and this is its task.
    Accepted(Box<Task>),
    /// There is nothing to wait for: it was refused, or it was an inform to a principal.
    Ended(Reply),
}

impl Sent {
    pub(crate) fn of(receipt: Receipt) -> Result<Self, Error> {
        match receipt {
            Receipt::Accepted { task, .. } => Ok(Self::Accepted(task)),
            Receipt::Refused { act, prompt, task } => Ok(Self::Ended(Reply {
                act: Some(act),
                prompt,
                task,
            })),
            Receipt::Notified { .. } => Ok(Self::Ended(Reply {
                act: None,
                prompt: Vec::new(),
                task: None,
            })),
            other => Err(Error::Unfitting {
                call: "delegate",
                outcome: other.name().to_owned(),
            }),
        }
    }

    /// Its reply, if it has one already.
    pub fn reply(&self) -> Option<Reply> {
        match self {
            Self::Accepted(task) => Reply::of_task(task),
            Self::Ended(reply) => Some(reply.clone()),
        }
    }

    /// The id of its task, if it made one.
    pub fn task(&self) -> Option<&str> {
        match self {
            Self::Accepted(task) => Some(&task.id),
            Self::Ended(reply) => reply.task.as_ref().map(|task| task.id.as_str()),
        }
    }
}

/// What a question came to.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It was answered.
    Said {
        /// The answer.
        act: Box<Act>,
        /// The answer as the engine renders it for a model.
        prompt: Vec<String>,
    },
    /// Nobody answered it.
    None {
        /// Why, as a code: `declined`, `ask-expired`, `ask-closed`, `too-many-rounds` …
        reason: String,
        /// The refuse, if somebody made one.
        act: Option<Box<Act>>,
    },
}

impl Answer {
    /// The answer, if there is one.
    pub fn act(&self) -> Option<&Act> {
        match self {
            Self::Said { act, .. } => Some(act),
            Self::None { .. } => None,
        }
    }

    /// The text of the answer, if there is one.
    pub fn text(&self) -> Option<String> {
        self.act().map(Act::text)
    }

    /// The data of the answer, read as a `T`; none if there is no answer or no data.
    pub fn data<T: DeserializeOwned>(&self) -> Option<Result<T, serde_json::Error>> {
        self.act()?.data()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn task(value: serde_json::Value) -> Task {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn an_open_task_has_no_reply_and_an_ended_one_has() {
        let open = task(json!({"id": "t", "performative": "request", "state": "working"}));
        assert_eq!(Reply::of_task(&open), None);
        let failed = task(json!({
            "id": "t", "performative": "request", "state": "failed", "reason": "deadline",
            "reply": {"performative": "failure", "reason": "deadline"}, "reply_prompt": ["« … »"],
        }));
        let reply = Reply::of_task(&failed).unwrap();
        assert_eq!(
            (reply.is_result(), reply.reason()),
            (false, Some("deadline"))
        );
        assert_eq!(reply.prompt, ["« … »"]);
    }

    #[test]
    fn an_acknowledged_inform_has_a_result_without_an_act() {
        let done = task(json!({"id": "t", "performative": "inform", "state": "done"}));
        let reply = Reply::of_task(&done).unwrap();
        assert!(reply.is_result() && reply.parts().is_empty() && reply.text().is_empty());
    }

    #[test]
    fn a_refuse_is_a_reply_and_not_an_error() {
        let receipt: Receipt = serde_json::from_value(json!({
            "outcome": "refused", "act": {"performative": "refuse", "reason": "loop"}, "prompt": ["« no »"],
        }))
        .unwrap();
        let reply = Sent::of(receipt).unwrap().reply().unwrap();
        assert_eq!(reply.prompt, ["« no »"]);
        assert_eq!((reply.is_result(), reply.reason()), (false, Some("loop")));
        assert!(Sent::of(Receipt::Parked {}).is_err());
    }
}
