//! Tasks: read, wait for, cancel, redrive.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::Instant;

use super::Client;
use crate::{
    problem::Error,
    wire::{Part, Receipted, Task, TaskPage, TaskQuery, TaskState, TreeTask, opening_millis},
};

/// How long one call waits; longer waits are several calls.
const POLL: Duration = Duration::from_secs(20);

#[derive(Deserialize)]
struct Tree {
    tasks: Vec<TreeTask>,
}

impl Client {
    /// A task as it stands.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn task(&self, id: &str) -> Result<Task, Error> {
        self.get(&["tasks", id]).read().await
    }

    /// Waits up to `most` for a task to end or to ask, and returns it as it then stands.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn wait_for_task(&self, id: &str, most: Duration) -> Result<Task, Error> {
        let until = Instant::now() + most;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let call = self.get(&["tasks", id]).waiting(left.min(POLL));
            let task: Task = call.read().await?;
            let asks = matches!(
                task.state,
                TaskState::AwaitingClarification | TaskState::AwaitingApproval
            );
            if task.state.is_terminal() || asks || left <= POLL {
                return Ok(task);
            }
        }
    }

    /// A page of tasks.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn tasks(&self, query: &TaskQuery) -> Result<TaskPage, Error> {
        self.get(&["tasks"]).query(query).read().await
    }

    /// The tasks of the tree under a task, with their hops, in the order in which they were made.
    ///
    /// # Errors
    /// The call could not be carried out.
    pub async fn tree(&self, id: &str) -> Result<Vec<TreeTask>, Error> {
        let call = self.get(&["tasks", id, "tree"]);
        Ok(call.read::<Tree>().await?.tasks)
    }

    /// Cancels a task and all below it.
    ///
    /// # Errors
    /// The call could not be carried out. A refuse is no error but a receipt.
    pub async fn cancel(&self, id: &str, parts: &[Part]) -> Result<Receipted, Error> {
        let call = self.post(&["tasks", id, "cancel"]);
        call.json(&json!({"parts": parts})).receipt().await
    }

    /// Sends a dead letter again, as a new task with a new deadline. Twice gives the same receipt.
    ///
    /// # Errors
    /// The call could not be carried out. A refuse is no error but a receipt.
    pub async fn redrive(&self, id: &str, deadline: Option<Duration>) -> Result<Receipted, Error> {
        let body = match deadline {
            Some(within) => json!({"deadline_ms": opening_millis(within)}),
            None => json!({}),
        };
        let call = self.post(&["tasks", id, "redrive"]).json(&body);
        call.harmless().receipt().await
    }
}
