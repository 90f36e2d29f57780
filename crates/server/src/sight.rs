//! What one viewer sees, as views. Every read goes through the store's predicate (SEMANTICS 13; I15).

use axum::extract::FromRequestParts;
use http::request::Parts;
use tertulia_acts::{
    ask::AskState,
    command::Caller,
    delivery::Delivery,
    digest::HopToken,
    facts::Fault,
    group::Group,
    hop::Wait,
    ids::{AskId, GroupId, HopId, TaskId},
    lease::{LeaseEnd, LeaseState},
    party::Party,
    receipt::Outcome,
    task::{Task, TaskState},
    viewer::Viewer,
};
use tertulia_engine::Engine;
use tertulia_engine::read::TaskRead;

use crate::{
    app::App,
    auth::Authenticated,
    headers::Token,
    problem::Problem,
    view::{
        act::{About, ActView},
        ask::AskView,
        group::GroupView,
        instant::Instant,
        receipt::ReceiptView,
        task::TaskView,
    },
};

/// A viewer before the store. Under a hop token it is the agent at work.
pub(crate) struct Sight {
    pub(crate) engine: Engine,
    pub(crate) viewer: Viewer,
    /// The hop that it works in.
    hop: Option<HopId>,
}

/// A call that reads: as the caller, or under `Hop-Token` as the agent at work.
impl FromRequestParts<App> for Sight {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Authenticated(caller) = Authenticated::from_request_parts(parts, app).await?;
        let Token(token) = Token::from_request_parts(parts, app).await?;
        match token {
            None => Ok(Self::of(&app.engine, &caller)),
            Some(token) => {
                let (sight, state) = Self::under(&app.engine, &caller, &token)?;
                match state {
                    LeaseState::Live => Ok(sight),
                    LeaseState::Ended {
                        by: LeaseEnd::Swept,
                        ..
                    } => Err(Fault::LeaseLost.into()),
                    LeaseState::Ended { .. } => {
                        Err(Fault::HopFinished("an operation or a decision".into()).into())
                    }
                }
            }
        }
    }
}

impl Sight {
    /// What `caller` sees outside any hop.
    pub(crate) fn of(engine: &Engine, caller: &Caller) -> Self {
        let viewer = Viewer::new(caller.tenant, caller.party.clone());
        Self {
            engine: engine.clone(),
            viewer,
            hop: None,
        }
    }

    /// What the agent at work sees that holds the lease of `token`, and where that lease stands. The token of another's
    /// agent is no token.
    pub(crate) fn under(
        engine: &Engine,
        caller: &Caller,
        token: &HopToken,
    ) -> Result<(Self, LeaseState), Problem> {
        let reader = engine.reader();
        let found = reader.hop_by_token(token.hash())?;
        let (lease, hop) = found
            .filter(|(lease, _)| lease.tenant == caller.tenant)
            .ok_or(Fault::LeaseLost)?;
        let party = Party::agent(&hop.agent).map_err(Problem::internal)?;
        if caller.party != party {
            let agent = reader.agent(caller.tenant, &hop.agent)?;
            agent
                .filter(|read| read.agent.owner == caller.party)
                .ok_or(Fault::LeaseLost)?;
        }
        let viewer = Viewer {
            tenant: caller.tenant,
            party,
            task: Some(lease.task),
        };
        Ok((
            Self {
                engine: engine.clone(),
                viewer,
                hop: Some(hop.id),
            },
            lease.state,
        ))
    }

    /// What the agent that was granted `task` sees.
    pub(crate) fn at_work(engine: &Engine, caller: &Caller, task: &Task, hop: HopId) -> Self {
        let viewer = Viewer {
            tenant: caller.tenant,
            party: task.made.debtor.clone(),
            task: Some(task.id()),
        };
        Self {
            engine: engine.clone(),
            viewer,
            hop: Some(hop),
        }
    }

    /// A task.
    pub(crate) fn task(&self, id: TaskId) -> Result<Option<TaskView>, Problem> {
        let read = self.engine.reader().task(&self.viewer, id)?;
        read.map(|read| self.show(read)).transpose()
    }

    /// A task that the caller has just been told of.
    fn own_task(&self, id: TaskId) -> Result<Box<TaskView>, Problem> {
        let found = self.task(id)?;
        let found = found.ok_or_else(|| Problem::internal(format!("{id} is not seen by its own")));
        found.map(Box::new)
    }

    /// A task that was read.
    pub(crate) fn show(&self, read: TaskRead) -> Result<TaskView, Problem> {
        let waiting = self.waiting(&read.task)?;
        let mut view = TaskView::from(read);
        view.waiting = waiting;
        Ok(view)
    }

    /// Why a queued task cannot be claimed now, if it cannot.
    pub(crate) fn waiting(&self, task: &Task) -> Result<Option<&'static str>, Problem> {
        if task.now.state != TaskState::Queued {
            return Ok(None);
        }
        let name = task.made.debtor.name();
        let reader = self.engine.reader();
        let Some(agent) = reader.agent(self.viewer.tenant, name)? else {
            return Ok(None);
        };
        let limits = &agent.version.definition.limits;
        let leased = agent.workload.leased;
        if !task.is_fold() && leased >= limits.max_concurrent_conversations {
            return Ok(Some("capacity"));
        }
        // Whoever is at work for an agent serves it, also while it does not ask for more.
        let served = leased > 0 || self.engine.has_worker(self.viewer.tenant, name);
        Ok((!served).then_some("no-worker"))
    }

    /// An ask, with what was said in it.
    pub(crate) fn ask(&self, id: AskId) -> Result<Option<AskView>, Problem> {
        let reader = self.engine.reader();
        let Some((ask, question)) = reader.ask(&self.viewer, id)? else {
            return Ok(None);
        };
        let answer = match ask.state {
            AskState::Answered { answer } | AskState::Refused { answer } => {
                reader.act(&self.viewer, answer)?
            }
            _ => None,
        };
        Ok(Some(AskView::new(&ask, question, answer)))
    }

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
                let said = task.as_ref().and_then(|task| task.reply.clone());
                let said = match (said.filter(|said| act.is_some() && said.id() == act), act) {
                    (Some(said), _) => Some(said),
                    (None, Some(act)) => self
                        .engine
                        .reader()
                        .act(&self.viewer, act)?
                        .map(ActView::from),
                    (None, None) => None,
                };
                let said = match said {
                    Some(said) => said,
                    None => self.unstored(refusal)?,
                };
                ReceiptView::Refused {
                    act: Box::new(said),
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
            Outcome::Settled { task, act } => ReceiptView::Settled {
                task: self.own_task(task)?,
                act,
            },
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
        let view = Box::new(self.show(read)?);
        Ok(match view.reply.clone() {
            Some(refuse) if refused => ReceiptView::Refused {
                act: Box::new(refuse),
                task: Some(view),
            },
            _ => ReceiptView::Accepted { task: view, act },
        })
    }

    /// A refuse that was not stored, because it changed nothing.
    fn unstored(&self, refusal: tertulia_acts::envelope::Refusal) -> Result<ActView, Problem> {
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
        let now = self.engine.now();
        Ok(ActView::unstored(
            self.viewer.party.clone(),
            about,
            refusal,
            now,
        ))
    }
}
