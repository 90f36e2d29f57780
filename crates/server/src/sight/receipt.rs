//! Receipts: what a command was answered, with things as one viewer sees them now.

use tertulia_acts::{
    delivery::Delivery, envelope::Refusal, group::Group, hop::Wait, ids::GroupId, receipt::Outcome,
};
use tertulia_engine::read::TaskRead;

use super::Sight;
use crate::{
    problem::Problem,
    view::{
        act::{About, ActView},
        group::GroupView,
        instant::Instant,
        prompt::{self, prompt},
        receipt::ReceiptView,
    },
};

impl Sight {
    /// A fan-out with its branches, in the order in which they were made.
    fn group(&self, id: GroupId) -> Result<(GroupView, Vec<TaskRead>), Problem> {
        let reader = self.engine.reader();
        let group: Group = reader
            .group(&self.viewer, id)?
            .ok_or_else(|| Problem::internal(format!("{id} is not seen by its own")))?;
        let mut branches = Vec::with_capacity(group.branches.len());
        for task in &group.branches {
            branches.extend(reader.task(&self.viewer, *task)?);
        }
        let arrivals = branches
            .iter()
            .filter_map(|read| Some((read.task.arrival_in(id)?, read.task.id())))
            .collect();
        Ok((GroupView::new(&group, arrivals), branches))
    }

    /// What a command was answered, with things as they stand now.
    pub(crate) fn receipt(
        &self,
        outcome: Outcome,
        wait: Option<&Wait>,
    ) -> Result<ReceiptView, Problem> {
        Ok(match outcome {
            Outcome::Accepted { task, act } => ReceiptView::Accepted {
                task: self.own_task(task)?,
                act,
            },
            Outcome::Notified { act } => ReceiptView::Notified { act },
            Outcome::Refused { task, act, refusal } => {
                let task = task.map(|task| self.own_task(task)).transpose()?;
                let stored = match act {
                    Some(act) => self.engine.reader().act(&self.viewer, act)?,
                    None => None,
                };
                let (prompt, said) = match stored {
                    Some(act) => (prompt(&act), ActView::from(act)),
                    None => self.unstored(refusal)?,
                };
                ReceiptView::Refused {
                    act: Box::new(said),
                    prompt,
                    task,
                }
            }
            Outcome::FannedOut { group, branches } => {
                let branches = branches
                    .into_iter()
                    .map(|branch| self.receipt(branch, None));
                let branches = branches.collect::<Result<_, _>>()?;
                ReceiptView::FannedOut {
                    group: self.group(group)?.0,
                    branches,
                }
            }
            Outcome::Said { act } => ReceiptView::Said { act },
            Outcome::Recorded { value } => ReceiptView::Recorded { value },
            Outcome::Asked { ask, .. } => {
                let view = self.ask(ask)?;
                let view = view.ok_or_else(|| Problem::internal(format!("{ask} is not seen")))?;
                ReceiptView::Asked {
                    ask: Box::new(view),
                }
            }
            Outcome::Answered { ask, act } => ReceiptView::Answered { ask, act },
            Outcome::Parked => ReceiptView::Parked {},
            Outcome::Met => self.met(wait)?,
            Outcome::Released => ReceiptView::Released {},
            Outcome::Settled { task, act } => ReceiptView::Settled { task, act },
            Outcome::WillRetry { task, due } => ReceiptView::WillRetry {
                task,
                due: Instant(due),
            },
            Outcome::Cancelled { task, act } => ReceiptView::Cancelled {
                task: self.task(task)?.map(Box::new),
                act,
            },
            Outcome::Marked { act } => ReceiptView::Marked { act },
            Outcome::Claimed { .. } | Outcome::Configured => {
                return Err(Problem::internal(
                    "a claim or a configuration has no receipt here",
                ));
            }
        })
    }

    /// What was to be waited for, and is there.
    fn met(&self, wait: Option<&Wait>) -> Result<ReceiptView, Problem> {
        let (mut tasks, mut group, mut branches, mut ask) = (None, None, None, None);
        match wait {
            None => {}
            Some(Wait::Tasks { tasks: ids }) => {
                let seen = ids.iter().map(|id| self.own_task(*id).map(|task| *task));
                tasks = Some(seen.collect::<Result<_, _>>()?);
            }
            Some(Wait::Group { group: id, .. }) => {
                let (view, reads) = self.group(*id)?;
                group = Some(view);
                let seen = reads.into_iter().map(|read| self.branch(read));
                branches = Some(seen.collect::<Result<_, _>>()?);
            }
            Some(Wait::Ask { ask: id }) => ask = self.ask(*id)?.map(Box::new),
        }
        Ok(ReceiptView::Met {
            tasks,
            group,
            branches,
            ask,
        })
    }

    /// What a branch was answered when it was made: one that never had a delivery was refused at the gates.
    fn branch(&self, read: TaskRead) -> Result<ReceiptView, Problem> {
        let act = read.task.made.opening;
        let refused = read.task.now.delivery == Delivery::None;
        let view = Box::new(self.answered(read)?);
        Ok(match view.reply.clone() {
            Some(refuse) if refused => ReceiptView::Refused {
                act: Box::new(refuse),
                prompt: view.reply_prompt.clone().unwrap_or_default(),
                task: Some(view),
            },
            _ => ReceiptView::Accepted { task: view, act },
        })
    }

    /// A refuse that was not stored, because it changed nothing, after what a model may read of it.
    fn unstored(&self, refusal: Refusal) -> Result<(Vec<String>, ActView), Problem> {
        let mut about = About {
            hop: self.hop,
            task: self.viewer.task,
            ..About::default()
        };
        if let Some(task) = self.viewer.task
            && let Some(read) = self.engine.reader().task(&self.viewer, task)?
        {
            about.conversation = Some(read.task.made.conversation);
            about.root_principal = Some(read.root.principal);
        }
        let party = self.viewer.party.clone();
        let on_behalf_of = about.root_principal.clone();
        let prompt = prompt::refusal(
            on_behalf_of.unwrap_or_else(|| party.clone()),
            refusal.reason,
        );
        let now = self.engine.now();
        Ok((prompt, ActView::unstored(party, about, refusal, now)))
    }
}
