//! Cancelling and redriving tasks, and asking for them.

use serde::Deserialize;
use tertulia_acts::{
    body::Body,
    ids::{ConversationId, TaskId},
    limits::PAGE,
    party::Party,
    task::Task,
    time::{Millis, Timestamp},
};
use tertulia_engine::read::{TaskCursor, TaskFilter};
use utoipa::{IntoParams, ToSchema};

use super::{
    line,
    object::read_as_object,
    part::{PartIn, body},
    span,
};
use crate::problem::Problem;

/// Why a task is cancelled, in words.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Cancel)]
pub(crate) struct CancelIn {
    #[serde(default)]
    parts: Vec<PartIn>,
}

impl CancelIn {
    /// The words.
    pub(crate) fn into_body(self) -> Result<Body, Problem> {
        body("parts", self.parts)
    }
}

/// How a dead letter is sent again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Redrive)]
pub(crate) struct RedriveIn {
    /// How long the new task may take, in milliseconds.
    #[serde(default)]
    deadline_ms: Option<u64>,
}

impl RedriveIn {
    /// How long the new task may take.
    pub(crate) fn within(&self) -> Result<Option<Millis>, Problem> {
        span("deadline_ms", self.deadline_ms)
    }
}

/// Which tasks to list. What is not named does not matter.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TaskQuery {
    /// In this conversation.
    #[param(value_type = Option<String>)]
    conversation: Option<ConversationId>,
    /// In one of these states, separated by commas.
    state: Option<String>,
    /// What the sender's business calls the work.
    work_id: Option<String>,
    /// The task of this `Idempotency-Key` of the caller's.
    pub(crate) key: Option<String>,
    /// Asked of this agent, by name.
    agent: Option<String>,
    /// The `next` of the page before.
    cursor: Option<String>,
    /// How many, at most; 100 is the most there can be.
    limit: Option<usize>,
}

impl TaskQuery {
    /// What is asked for.
    pub(crate) fn filter(&self) -> Result<TaskFilter, Problem> {
        if let Some(key) = &self.key {
            line("key", key)?;
        }
        let states = match &self.state {
            None => Vec::new(),
            Some(names) => names.split(',').map(state).collect::<Result<_, _>>()?,
        };
        let debtor = self.agent.as_deref().map(agent).transpose()?;
        Ok(TaskFilter {
            conversation: self.conversation,
            states,
            work_id: self.work_id.clone(),
            debtor,
            ..TaskFilter::default()
        })
    }

    /// Whether the task of a key is also what else was asked for.
    pub(crate) fn admits(&self, filter: &TaskFilter, task: &Task) -> bool {
        let made = &task.made;
        filter
            .conversation
            .is_none_or(|conversation| conversation == made.conversation)
            && (filter.states.is_empty() || filter.states.contains(&task.now.state.name()))
            && filter
                .debtor
                .as_ref()
                .is_none_or(|debtor| *debtor == made.debtor)
            && self
                .work_id
                .as_ref()
                .is_none_or(|id| made.work_id.as_ref() == Some(id))
    }

    /// Where the page begins.
    pub(crate) fn cursor(&self) -> Result<Option<TaskCursor>, Problem> {
        let read = |text: &String| {
            let (changed, id) = text.split_once('.')?;
            Some(TaskCursor {
                changed: Timestamp(changed.parse().ok()?),
                id: id.parse::<TaskId>().ok()?,
            })
        };
        let wrong = || Problem::malformed("cursor", "expected the `next` of the page before");
        self.cursor
            .as_ref()
            .map(|text| read(text).ok_or_else(wrong))
            .transpose()
    }

    /// How many rows the page has, at most.
    pub(crate) fn limit(&self) -> Result<usize, Problem> {
        limit(self.limit)
    }
}

/// The cursor as it is sent.
pub(crate) fn next(cursor: TaskCursor) -> String {
    format!("{}.{}", cursor.changed.0, cursor.id)
}

/// How many rows a page has.
pub(crate) fn limit(asked: Option<usize>) -> Result<usize, Problem> {
    match asked {
        None => Ok(PAGE),
        Some(n) if (1..=PAGE).contains(&n) => Ok(n),
        Some(_) => Err(Problem::malformed("limit", format!("expected 1 to {PAGE}"))),
    }
}

/// An agent, as `NAME` or `agent:NAME`.
pub(crate) fn agent(name: &str) -> Result<Party, Problem> {
    let name = name.strip_prefix("agent:").unwrap_or(name);
    Party::agent(name).map_err(|error| Problem::malformed("agent", error))
}

/// Every state's name.
const STATES: &[&str] = &[
    "queued",
    "working",
    "awaiting-clarification",
    "awaiting-approval",
    "awaiting-authorization",
    "uncertain",
    "cancelling",
    "done",
    "refused",
    "failed",
    "cancelled",
];

fn state(name: &str) -> Result<&'static str, Problem> {
    STATES
        .iter()
        .copied()
        .find(|known| *known == name)
        .ok_or_else(|| {
            let name: String = name.chars().take(40).collect();
            let what = format!(
                "`{name}` is no state: expected one of {}",
                STATES.join(", ")
            );
            Problem::malformed("state", what)
        })
}

read_as_object!(CancelIn, RedriveIn);

#[cfg(test)]
mod tests {
    use tertulia_acts::{
        ids::{ActId, AskId, RootId},
        task::TaskState,
    };

    use super::*;

    #[test]
    fn every_state_can_be_asked_for() {
        let root = RootId::from_bytes([1; 16]);
        let ask = AskId::new(root, 1);
        let result = ActId {
            conversation: ConversationId::new(root, 1),
            seq: 1,
        };
        let all = [
            TaskState::Queued,
            TaskState::Working,
            TaskState::AwaitingClarification { ask },
            TaskState::AwaitingApproval { ask },
            TaskState::AwaitingAuthorization,
            TaskState::Uncertain,
            TaskState::Cancelling,
            TaskState::Done { result },
            TaskState::Refused { result },
            TaskState::Failed { result },
            TaskState::Cancelled { result },
        ];
        let names: Vec<&str> = all.iter().map(TaskState::name).collect();
        assert_eq!(names, STATES);
        assert_eq!(state("asleep").unwrap_err().code, crate::Code::Malformed);
    }

    #[test]
    fn a_cursor_reads_back() {
        let cursor = TaskCursor {
            changed: Timestamp(1_700_000_000_123),
            id: TaskId::new(RootId::from_bytes([7; 16]), 3),
        };
        let query = TaskQuery {
            cursor: Some(next(cursor)),
            ..TaskQuery::default()
        };
        assert_eq!(query.cursor().unwrap(), Some(cursor));
        let query = TaskQuery {
            cursor: Some("1.x".into()),
            ..TaskQuery::default()
        };
        assert!(query.cursor().is_err());
    }
}
