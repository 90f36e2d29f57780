//! The Rust SDK for workers of Tertulia, and a client for those who ask them. It speaks HTTP only, as a worker in any
//! other language would, and knows none of the engine's crates.
//!
//! A worker claims the tasks of one agent and runs a [`Handler`] on each:
//!
//! ```no_run
//! use tertulia_worker::{
//!     Assignment, CancellationToken, Client, Context, FanOut, Handler, HandlerError, Outcome, Worker,
//!     wire::Opening,
//! };
//!
//! struct Coordinator;
//!
//! impl Handler for Coordinator {
//!     async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
//!         // Done once over all runs: what differs from run to run goes through a step.
//!         let since: u64 = ctx.step("since", || async { Ok::<_, HandlerError>(14 * 60) }).await?;
//!
//!         // While a reply is missing the activation parks and this run ends here, by `?`. When it is there the
//!         // handler runs again, perhaps in another process, and gets what it had made so far from its steps.
//!         let gathered = ctx
//!             .delegate_all(FanOut::all([
//!                 Opening::request("logs").text(format!("{} (since minute {since})", task.text())),
//!                 Opening::request("deployments").text(task.text()),
//!             ]))
//!             .await?;
//!
//!         // A refuse or a failure is a reply like a result, with a reason.
//!         let mut report = String::new();
//!         for reply in gathered.replies.iter().flatten() {
//!             match reply.reason() {
//!                 None => report.push_str(&reply.text()),
//!                 Some(reason) => report.push_str(reason),
//!             }
//!         }
//!         if report.is_empty() {
//!             let answer = ctx.ask("nothing was found: go on?").await?;
//!             report = answer.text().unwrap_or_default();
//!         }
//!         Ok(Outcome::text(report))
//!     }
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<(), tertulia_worker::Error> {
//!     let client = Client::new("http://127.0.0.1:4242", None)?;
//!     let shutdown = CancellationToken::new();
//!     Worker::new(client, "coordinator")
//!         .handler(Coordinator)
//!         .concurrency(16)
//!         .run(shutdown)
//!         .await
//! }
//! ```
//!
//! A program that asks an agent uses the same [`Client`]:
//!
//! ```no_run
//! # async fn ask() -> Result<(), tertulia_worker::Error> {
//! use std::time::Duration;
//! use tertulia_worker::{Client, wire::{Opening, Receipt}};
//!
//! let client = Client::new("http://127.0.0.1:4242", Some("the key"))?;
//! let opening = Opening::request("coordinator").text("why is checkout failing?");
//! let receipt = client.send_and_wait(&opening, Duration::from_secs(30)).await?.receipt;
//! match receipt {
//!     Receipt::Accepted { task, .. } => println!("{:?}: {:?}", task.state, task.reply),
//!     Receipt::Refused { act, .. } => println!("refused, {}", act.reason_code()),
//!     other => println!("{}", other.name()),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Decisions of governance are values, never errors: a [`Receipt`](wire::Receipt) or a [`Reply`] carries the refuse
//! with its reason. An [`Error`] says that a call could not be carried out, a [`StepError`] that a run is to stop.

mod assignment;
mod client;
mod context;
mod handler;
mod outcome;
mod problem;
mod pulse;
mod reply;
mod retry;
mod sse;
mod step;
pub mod wire;
mod worker;

pub use tokio_util::sync::CancellationToken;

pub use self::{
    assignment::Assignment,
    client::{Client, EventStream, StepHeaders},
    context::{Arrival, Arrivals, Context, FanOut, Gathered, Question, StepError},
    handler::{AskUpwards, Handler, HandlerError, QuestionHandler, QuestionOutcome},
    outcome::Outcome,
    problem::{Details, Error, Problem},
    reply::{Answer, Reply, Sent},
    retry::Retry,
    worker::Worker,
};
