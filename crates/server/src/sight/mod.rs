//! What one viewer sees, as views. Every read goes through the store's predicate (SEMANTICS 13; I15).

mod receipt;

use axum::extract::FromRequestParts;
use http::request::Parts;
use tertulia_acts::{
    ask::AskState,
    command::Caller,
    digest::HopToken,
    facts::Fault,
    ids::{AskId, HopId, TaskId},
    lease::{LeaseEnd, LeaseState},
    party::Party,
    task::{Task, TaskState},
    viewer::Viewer,
};
use tertulia_engine::{Engine, read::TaskRead};

use crate::{
    app::App,
    auth::Authenticated,
    headers::Token,
    problem::Problem,
    view::{ask::AskView, late::LateView, prompt::prompt, task::TaskView},
};

/// A viewer before the store. Under a hop token it is the agent at work.
pub(crate) struct Sight {
    pub(crate) engine: Engine,
    pub(crate) viewer: Viewer,
    /// Whose credential lets it look.
    caller: Caller,
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
            caller: caller.clone(),
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
                caller: caller.clone(),
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
            caller: caller.clone(),
            hop: Some(hop),
        }
    }

    /// Whether the credential that lets it look still does: asked again by whoever waits or streams.
    ///
    /// # Errors
    /// It was revoked meanwhile.
    pub(crate) fn holds(&self) -> Result<(), Problem> {
        Ok(self.engine.holds(&self.caller)?)
    }

    /// A task.
    pub(crate) fn task(&self, id: TaskId) -> Result<Option<TaskView>, Problem> {
        let read = self.engine.reader().task(&self.viewer, id)?;
        read.map(|read| self.show(read)).transpose()
    }

    /// A task that the caller has just been told of.
    fn own_task(&self, id: TaskId) -> Result<Box<TaskView>, Problem> {
        let read = self.engine.reader().task(&self.viewer, id)?;
        let read = read.ok_or_else(|| Problem::internal(format!("{id} is not seen by its own")))?;
        self.answered(read).map(Box::new)
    }

    /// A task as a receipt tells of it: with its reply as a model may read it.
    fn answered(&self, read: TaskRead) -> Result<TaskView, Problem> {
        let reply_prompt = read.result.as_ref().map(prompt);
        let mut view = self.show(read)?;
        view.reply_prompt = reply_prompt;
        Ok(view)
    }

    /// A task that was read.
    pub(crate) fn show(&self, read: TaskRead) -> Result<TaskView, Problem> {
        let (waiting, late) = (self.waiting(&read.task)?, self.late(&read.task)?);
        let mut view = TaskView::from(read);
        (view.waiting, view.late) = (waiting, late);
        Ok(view)
    }

    /// What came too late for a task.
    pub(crate) fn late(&self, task: &Task) -> Result<Vec<LateView>, Problem> {
        if task.now.late.0 == 0 {
            return Ok(Vec::new());
        }
        let late = self.engine.reader().late_results(&self.viewer, task.id())?;
        Ok(late.into_iter().flatten().map(Into::into).collect())
    }

    /// Why a queued task cannot be claimed now, if it cannot.
    pub(crate) fn waiting(&self, task: &Task) -> Result<Option<&'static str>, Problem> {
        if task.now.state != TaskState::Queued {
            return Ok(None);
        }
        let name = task.made.debtor.name();
        let reader = self.engine.reader();
        let Some(version) = task.made.version else {
            return Ok(None);
        };
        let occupancy = reader.occupancy(self.viewer.tenant, name, version)?;
        let Some((leased, most)) = occupancy else {
            return Ok(None);
        };
        if !task.is_fold() && leased >= most {
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
}
