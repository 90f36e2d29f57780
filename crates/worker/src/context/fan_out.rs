//! Fan-out: several delegations as one group (SEMANTICS 7).

use std::time::Duration;

use super::{Context, StepError, unfitting};
use crate::{
    problem::Error,
    reply::Reply,
    wire::{Group, GroupState, Mode, Opening, Operation, Park, Receipt, opening_millis},
};

/// Several delegations, and when their sender goes on. Each branch opens a conversation of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct FanOut {
    branches: Vec<Opening>,
    mode: Mode,
    deadline: Option<Duration>,
    keep_rest: bool,
    key: Option<String>,
}

impl FanOut {
    /// Goes on when all have ended, however.
    pub fn all(branches: impl IntoIterator<Item = Opening>) -> Self {
        Self::new(branches, Mode::All)
    }

    /// Goes on when so many results are there, or can no longer come.
    pub fn quorum(results: u32, branches: impl IntoIterator<Item = Opening>) -> Self {
        Self::new(branches, Mode::Quorum(results))
    }

    /// Goes on at each end: see [`Context::delegate_each`].
    pub fn each(branches: impl IntoIterator<Item = Opening>) -> Self {
        Self::new(branches, Mode::Each)
    }

    fn new(branches: impl IntoIterator<Item = Opening>, mode: Mode) -> Self {
        Self {
            branches: branches.into_iter().collect(),
            mode,
            deadline: None,
            keep_rest: false,
            key: None,
        }
    }

    /// Goes on after this span with what there is.
    pub const fn deadline(mut self, within: Duration) -> Self {
        self.deadline = Some(within);
        self
    }

    /// Lets branches that are open when it fires go on, instead of closing them.
    pub const fn keep_rest(mut self) -> Self {
        self.keep_rest = true;
        self
    }

    /// The step's name, where the branches would not be the same text in another run. Keys of branches do not count.
    pub fn keyed(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

/// What a fan-out had come to when it fired.
#[derive(Debug, Clone, PartialEq)]
pub struct Gathered {
    /// The reply of each branch, in the order of the branches; none of those that were open when it fired.
    pub replies: Vec<Option<Reply>>,
    /// What made it fire: `met`, `unmeetable` or `deadline`.
    pub fired_by: Option<String>,
}

/// The reply of one branch.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrival {
    /// Which branch, from 0.
    pub branch: usize,
    /// Its reply.
    pub reply: Reply,
}

/// The replies of a fan-out, one by one as they arrive.
#[derive(Debug)]
pub struct Arrivals {
    group: Group,
    branches: Vec<Receipt>,
    taken: Vec<bool>,
}

impl Context {
    /// Delegates to several, and waits until the group fires. Branches pass the gates one by one; one that is refused
    /// has its reply at once.
    ///
    /// # Errors
    /// See [`StepError`]; [`StepError::Refused`] if the fan-out as a whole is refused.
    pub async fn delegate_all(&mut self, fan_out: FanOut) -> Result<Gathered, StepError> {
        let mut arrivals = self.fan_out(fan_out).await?;
        while arrivals.group.state == GroupState::Open {
            arrivals.wait(self).await?;
        }
        let mut replies = vec![None; arrivals.branches.len()];
        while let Some(Arrival { branch, reply }) = arrivals.next(self).await? {
            replies[branch] = Some(reply);
        }
        Ok(Gathered {
            replies,
            fired_by: arrivals.group.fired_by,
        })
    }

    /// Delegates to several, and hands out their replies in the order in which they arrived, which is the same in
    /// every run.
    ///
    /// ```no_run
    /// # use tertulia_worker::{Context, FanOut, HandlerError, wire::Opening};
    /// # async fn handle(ctx: &mut Context) -> Result<(), HandlerError> {
    /// let branches = [Opening::query("logs"), Opening::query("deployments")];
    /// let mut arrivals = ctx.delegate_each(FanOut::each(branches)).await?;
    /// while let Some(arrival) = arrivals.next(ctx).await? {
    ///     println!("{}: {}", arrival.branch, arrival.reply.text());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`delegate_all`](Self::delegate_all).
    pub async fn delegate_each(&mut self, fan_out: FanOut) -> Result<Arrivals, StepError> {
        let fan_out = FanOut {
            mode: Mode::Each,
            ..fan_out
        };
        self.fan_out(fan_out).await
    }

    async fn fan_out(&mut self, fan_out: FanOut) -> Result<Arrivals, StepError> {
        let operation = Operation::DelegateAll {
            branches: fan_out.branches,
            mode: fan_out.mode,
            deadline_ms: fan_out.deadline.map(opening_millis),
            keep_rest: fan_out.keep_rest,
        };
        let made = self.perform(fan_out.key.as_deref(), &operation).await?;
        match made.receipt {
            Receipt::FannedOut { group, branches } => Ok(Arrivals::new(group, branches)),
            other => Err(unfitting(operation.name(), other)),
        }
    }
}

impl Arrivals {
    fn new(group: Group, branches: Vec<Receipt>) -> Self {
        let taken = vec![false; branches.len()];
        Self {
            group,
            branches,
            taken,
        }
    }

    /// The next reply; none when all have arrived or the deadline came. While there is none the activation parks, as
    /// in [`Context::delegate`].
    ///
    /// # Errors
    /// See [`StepError`].
    pub async fn next(&mut self, ctx: &mut Context) -> Result<Option<Arrival>, StepError> {
        loop {
            if let Some(arrival) = self.take() {
                return Ok(Some(arrival));
            }
            if self.group.state != GroupState::Open {
                return Ok(None);
            }
            self.wait(ctx).await?;
        }
    }

    /// What made the group fire: `met`, `unmeetable` or `deadline`; none while it is open.
    pub fn fired_by(&self) -> Option<&str> {
        self.group.fired_by.as_deref()
    }

    /// Takes the next reply that is there. Only what the group lists as arrived counts, and what was refused at the
    /// gates: a branch that is closed after the group fired must not look different in another run.
    fn take(&mut self) -> Option<Arrival> {
        let arrived = self.group.arrived.iter().find_map(|task| {
            let of_task = |branch: &usize| {
                !self.taken[*branch]
                    && self.branches[*branch]
                        .task()
                        .is_some_and(|of| of.id == *task)
            };
            (0..self.branches.len()).find(of_task)
        });
        let fired = self.group.state != GroupState::Open;
        let refused = || {
            let left_over = |branch: &usize| {
                let receipt = &self.branches[*branch];
                fired && !self.taken[*branch] && matches!(receipt, Receipt::Refused { .. })
            };
            (0..self.branches.len()).find(left_over)
        };
        let branch = arrived.or_else(refused)?;
        let reply = match &self.branches[branch] {
            Receipt::Refused { act, prompt, task } => Reply {
                act: Some(act.clone()),
                prompt: prompt.clone(),
                task: task.clone(),
            },
            receipt => Reply::of_task(receipt.task()?)?,
        };
        self.taken[branch] = true;
        Some(Arrival { branch, reply })
    }

    /// Parks until more has arrived than is known.
    async fn wait(&mut self, ctx: &mut Context) -> Result<(), StepError> {
        let park = Park::Group {
            group: self.group.id.clone(),
            seen: self.group.ended,
        };
        match ctx.park(park).await? {
            Receipt::Met {
                group: Some(group),
                branches,
                ..
            } if branches.len() == self.branches.len()
                && (group.ended > self.group.ended || group.state != GroupState::Open) =>
            {
                self.group = group;
                self.branches = branches;
                Ok(())
            }
            Receipt::Met { .. } => Err(Error::Unfitting {
                call: "park",
                outcome: "met without anything new".to_owned(),
            }
            .into()),
            other => Err(unfitting("park", other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn arrivals(group: Value, branches: Value) -> Arrivals {
        Arrivals::new(
            serde_json::from_value(group).unwrap(),
            serde_json::from_value(branches).unwrap(),
        )
    }

    fn accepted(id: &str, state: &str) -> Value {
        json!({"outcome": "accepted", "task": {
            "id": id, "performative": "request", "state": state,
            "reply": {"performative": "inform", "parts": [{"text": id}]},
        }})
    }

    fn order(mut arrivals: Arrivals) -> Vec<usize> {
        std::iter::from_fn(|| arrivals.take().map(|arrival| arrival.branch)).collect()
    }

    #[test]
    fn replies_come_in_the_order_in_which_they_arrived() {
        let refused = json!({"outcome": "refused", "act": {"performative": "refuse"},
                             "task": {"id": "c", "performative": "request", "state": "refused"}});
        let group = json!({"id": "g", "state": "open", "ended": 3, "arrived": ["c", "b", "a"]});
        let branches = json!([accepted("a", "done"), accepted("b", "failed"), refused]);
        assert_eq!(order(arrivals(group, branches)), [2, 1, 0]);
    }

    #[test]
    fn what_ended_after_the_group_fired_has_not_arrived() {
        let group =
            json!({"id": "g", "state": "fired", "fired_by": "met", "ended": 1, "arrived": ["b"]});
        let branches = json!([accepted("a", "cancelled"), accepted("b", "done")]);
        assert_eq!(order(arrivals(group, branches)), [1]);
    }

    #[test]
    fn two_branches_of_one_task_and_one_without_a_task_have_their_replies_too() {
        let refused = json!({"outcome": "refused", "act": {"performative": "refuse"}});
        let group = json!({"id": "g", "state": "fired", "ended": 3, "arrived": ["a"]});
        let branches = json!([accepted("a", "done"), refused, accepted("a", "done")]);
        assert_eq!(order(arrivals(group, branches)), [0, 2, 1]);
    }
}
