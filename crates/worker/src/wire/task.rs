//! Tasks: what was asked, and where it stands.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::act::{Act, Performative};

/// Where a task stands (SEMANTICS 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TaskState {
    /// Accepted and not yet claimed.
    Queued,
    /// Claimed.
    Working,
    /// Waits for the answer to a question.
    AwaitingClarification,
    /// Waits for a person's approval.
    AwaitingApproval,
    /// Waits for a credential.
    AwaitingAuthorization,
    /// What became of it at a peer is unknown.
    Uncertain,
    /// A cancel is under way.
    Cancelling,
    /// It has its result.
    Done,
    /// It was not agreed to.
    Refused,
    /// It was begun and not brought to its end.
    Failed,
    /// It was cancelled.
    Cancelled,
    /// One that this version does not know.
    #[serde(other)]
    Unknown,
}

impl TaskState {
    /// Whether nothing changes it any more (I12).
    pub const fn is_terminal(self) -> bool {
        matches!(
            self,
            Self::Done | Self::Refused | Self::Failed | Self::Cancelled
        )
    }
}

/// A task.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: String,
    /// The root that it belongs to.
    #[serde(default)]
    pub root: String,
    /// Whom the root belongs to.
    #[serde(default)]
    pub root_principal: String,
    /// The task that delegated it; none for a root task.
    #[serde(default)]
    pub parent: Option<String>,
    /// Where it was asked.
    #[serde(default)]
    pub conversation: String,
    /// The kind of act that asked it.
    pub performative: Performative,
    /// Who asked it.
    #[serde(default)]
    pub requester: String,
    /// Whom it was asked of.
    #[serde(default)]
    pub agent: String,
    /// The pinned version of that agent.
    #[serde(default)]
    pub version: Option<String>,
    /// Where it stands.
    pub state: TaskState,
    /// While queued, what it waits for: `capacity` or `no-worker`.
    #[serde(default)]
    pub waiting: Option<String>,
    /// Why it ended as it did, as a code.
    #[serde(default)]
    pub reason: Option<String>,
    /// Whether the agent agreed.
    #[serde(default)]
    pub agreed: bool,
    /// Attempts that were claimed.
    #[serde(default)]
    pub attempts: u32,
    /// Where its delivery stands: `pending`, `taken`, `processed`, `dead` …
    #[serde(default)]
    pub delivery: Option<String>,
    /// While it waits for another attempt: not before this.
    #[serde(default)]
    pub not_before: Option<String>,
    /// Why the attempt was lost that was lost last, if one was.
    #[serde(default)]
    pub last_error: Option<String>,
    /// Whether it is a consultation of an agent that is at work above (SEMANTICS 5).
    #[serde(default, deserialize_with = "says_so")]
    pub fold: bool,
    /// What the sender's business calls it.
    #[serde(default)]
    pub work_id: Option<String>,
    /// What the sender's business calls the work that it is part of.
    #[serde(default)]
    pub parent_work_id: Option<String>,
    /// The fan-out that it is a branch of.
    #[serde(default)]
    pub group: Option<String>,
    /// The terms.
    #[serde(default)]
    pub contract: Value,
    /// By when it must be done.
    #[serde(default)]
    pub deadline: Option<String>,
    /// When it was asked.
    #[serde(default)]
    pub created_at: Option<String>,
    /// When its state last changed.
    #[serde(default)]
    pub changed_at: Option<String>,
    /// Hops above it.
    #[serde(default)]
    pub depth: u32,
    /// Whether the result was accepted, which is another thing than that it is there.
    #[serde(default)]
    pub acceptance: Option<String>,
    /// The act that asked it.
    #[serde(default)]
    pub act: Option<Box<Act>>,
    /// The act that ended it.
    #[serde(default)]
    pub reply: Option<Box<Act>>,
    /// That act as the engine renders it for a model; in receipts.
    #[serde(default)]
    pub reply_prompt: Vec<String>,
    /// The question that it waits on.
    #[serde(default)]
    pub question: Option<OpenQuestion>,
}

/// The question that a task waits on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct OpenQuestion {
    /// The ask, to be answered by id.
    pub ask: String,
    /// Who may answer it.
    #[serde(default)]
    pub addressee: Option<String>,
    /// The query.
    #[serde(default)]
    pub act: Option<Box<Act>>,
}

/// A task in the tree of its root, with the hops that worked on it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TreeTask {
    /// The task.
    #[serde(flatten)]
    pub task: Task,
    /// Its hops, the first attempt first.
    #[serde(default)]
    pub hops: Vec<HopRecord>,
}

/// One hop that worked on a task.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct HopRecord {
    /// Its id.
    pub id: String,
    /// Which attempt it is, from 1.
    #[serde(default)]
    pub attempt: u32,
    /// What else is known of it.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Which tasks to list. What is not named does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[expect(
    missing_docs,
    reason = "each is the query parameter of that name of `GET /v1/tasks`"
)]
pub struct TaskQuery {
    pub conversation: Option<String>,
    pub state: Option<TaskState>,
    pub work_id: Option<String>,
    pub key: Option<String>,
    pub agent: Option<String>,
    pub cursor: Option<String>,
    pub limit: Option<u32>,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TaskPage {
    /// The tasks.
    pub tasks: Vec<Task>,
    /// How many there are, counted to a bound.
    #[serde(default)]
    pub total: u64,
    /// Whether there are more than were counted.
    #[serde(default)]
    pub total_is_more: bool,
    /// The cursor of the next page; none on the last.
    #[serde(default)]
    pub next: Option<String>,
}

/// A consultation is marked by a value that says more than yes.
fn says_so<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(!matches!(value, Value::Null | Value::Bool(false)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_task_is_read_with_what_this_version_knows() {
        let task: Task = serde_json::from_value(json!({
            "id": "task_1", "root": "r", "conversation": "conv_1", "performative": "query",
            "state": "dreaming", "fold": {"task": "task_0"}, "from_the_future": [],
        }))
        .unwrap();
        assert_eq!(task.state, TaskState::Unknown);
        assert!(task.fold && !task.state.is_terminal());
    }

    #[test]
    fn only_an_ended_task_is_terminal() {
        for (name, terminal) in [
            ("queued", false),
            ("awaiting-clarification", false),
            ("cancelling", false),
            ("done", true),
            ("refused", true),
            ("failed", true),
            ("cancelled", true),
        ] {
            let state: TaskState = serde_json::from_value(json!(name)).unwrap();
            assert_eq!(state.is_terminal(), terminal, "{name}");
        }
    }
}
