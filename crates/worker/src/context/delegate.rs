//! Delegating, and parking on what was delegated.

use super::{Context, StepError, unfitting};
use crate::{
    problem::Error,
    reply::{Reply, Sent},
    wire::{Opening, Operation, Park, Receipt},
};

impl Context {
    /// Delegates, and waits for the reply. While there is none the activation parks: the error
    /// [`StepError::Suspended`] ends this run, and the handler runs again when the reply is there.
    ///
    /// A refuse or a failure is a [`Reply`] like a result.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn delegate(&mut self, opening: Opening) -> Result<Reply, StepError> {
        let sent = self.send(opening).await?;
        self.wait(sent).await
    }

    /// Sends an opening act and goes on. [`wait`](Self::wait) waits for its reply; a task whose parent settles first
    /// is closed.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn send(&mut self, mut opening: Opening) -> Result<Sent, StepError> {
        let key = opening.key.take();
        let operation = Operation::Delegate(Box::new(opening));
        let made = self.perform(key.as_deref(), &operation).await?;
        Ok(Sent::of(made.receipt)?)
    }

    /// Waits for the reply to what was sent.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn wait(&mut self, sent: Sent) -> Result<Reply, StepError> {
        let mut replies = self.wait_all(vec![sent]).await?;
        replies.pop().ok_or_else(|| missing("nothing at all"))
    }

    /// Waits for the replies to all that was sent, in the same order.
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn wait_all(&mut self, sent: Vec<Sent>) -> Result<Vec<Reply>, StepError> {
        let mut replies: Vec<Option<Reply>> = sent.iter().map(Sent::reply).collect();
        let open = |replies: &[Option<Reply>]| -> Vec<String> {
            let pairs = sent.iter().zip(replies);
            let open = pairs.filter(|(_, reply)| reply.is_none());
            open.filter_map(|(sent, _)| sent.task().map(str::to_owned))
                .collect()
        };
        let tasks = open(&replies);
        if !tasks.is_empty() {
            let met = match self.park(Park::Tasks { tasks }).await? {
                Receipt::Met { tasks, .. } => tasks,
                other => return Err(unfitting("park", other)),
            };
            for task in &met {
                for (sent, reply) in sent.iter().zip(&mut replies) {
                    if reply.is_none() && sent.task() == Some(&task.id) {
                        *reply = Reply::of_task(task);
                    }
                }
            }
        }
        let whole: Option<Vec<Reply>> = replies.into_iter().collect();
        whole.ok_or_else(|| missing("met without all that was waited for"))
    }

    /// Parks. Returns only if what it waits for is there already; if a child's question stands in the way, it is
    /// answered first.
    pub(super) async fn park(&mut self, on: Park) -> Result<Receipt, StepError> {
        let operation = Operation::Park(on);
        loop {
            match self.operate(&operation).await? {
                Receipt::Parked {} => return Err(self.suspend()),
                met @ Receipt::Met { .. } => return Ok(met),
                Receipt::Refused { act, .. } if act.reason_code() == "would-deadlock" => {
                    self.answer_what_blocks(act).await?;
                }
                other => return Err(unfitting(operation.name(), other)),
            }
        }
    }
}

fn missing(outcome: &str) -> StepError {
    Error::Unfitting {
        call: "park",
        outcome: outcome.to_owned(),
    }
    .into()
}
