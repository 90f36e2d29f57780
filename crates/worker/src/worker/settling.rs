//! Settling: what ends a lease, sent one by one or in batches.

use std::{future::Future, sync::Arc};

use tokio::sync::{mpsc, oneshot};

use crate::{
    client::{Client, StepHeaders},
    problem::Error,
    wire::{BatchItem, Operation, Receipt},
};

/// Operations that one batch may carry, and that wait for one.
const BATCH: usize = 256;

type Answer = Result<Receipt, Error>;

/// One operation that waits to be sent, and who waits for its answer.
pub(super) struct Waiting {
    item: BatchItem,
    answer: oneshot::Sender<Answer>,
}

/// How operations that end a lease are sent.
pub(super) enum Settling {
    OneByOne(Client),
    Batched(mpsc::Sender<Waiting>),
}

impl Settling {
    /// Each in a call of its own.
    pub(super) const fn one_by_one(client: Client) -> Self {
        Self::OneByOne(client)
    }

    /// All that came while the last batch was under way in one call; so nothing waits for others to come. The second
    /// value does it, and must run.
    pub(super) fn batched(client: Client) -> (Self, impl Future<Output = ()> + Send + 'static) {
        let (send, receive) = mpsc::channel(BATCH);
        (Self::Batched(send), send_batches(client, receive))
    }

    /// Sends one, and returns what it was answered.
    pub(super) async fn settle(&self, token: &str, operation: Operation) -> Answer {
        match self {
            Self::OneByOne(client) => {
                let step = StepHeaders::default();
                let receipted = client.operate(token, &operation, step).await?;
                Ok(receipted.receipt)
            }
            Self::Batched(batches) => {
                let call = operation.name();
                let (answer, answered) = oneshot::channel();
                let item = BatchItem::new(token, operation);
                let gone = || Error::Unfitting {
                    call,
                    outcome: "nothing, since the worker has stopped".to_owned(),
                };
                batches
                    .send(Waiting { item, answer })
                    .await
                    .map_err(|_| gone())?;
                answered.await.map_err(|_| gone())?
            }
        }
    }
}

async fn send_batches(client: Client, mut waiting: mpsc::Receiver<Waiting>) {
    let mut batch = Vec::with_capacity(BATCH);
    while waiting.recv_many(&mut batch, BATCH).await > 0 {
        let (items, answers): (Vec<_>, Vec<_>) = batch
            .drain(..)
            .map(|waiting| (waiting.item, waiting.answer))
            .unzip();
        let results: Vec<Answer> = match client.batch(&items).await {
            Ok(results) if results.len() == items.len() => results
                .into_iter()
                .map(|result| Ok(result?.receipt))
                .collect(),
            Ok(results) => items
                .iter()
                .map(|item| {
                    Err(Error::Unfitting {
                        call: item.operation,
                        outcome: format!("{} results for {}", results.len(), items.len()),
                    })
                })
                .collect(),
            Err(error) => {
                let error = Arc::new(error);
                items
                    .iter()
                    .map(|_| Err(Error::Batch(Arc::clone(&error))))
                    .collect()
            }
        };
        for (answer, result) in answers.into_iter().zip(results) {
            if answer.send(result).is_err() {
                tracing::debug!("nobody waits for a settle any more");
            }
        }
    }
}
