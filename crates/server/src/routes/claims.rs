//! Claims and heartbeats: how workers come to work, and keep it.

use axum::{Json, extract::State};
use tertulia_acts::{
    command::{Answer, Caller, Command, Grant},
    envelope::Act,
    ids::{ActId, TaskId},
    limits::{HEARTBEAT, HISTORY},
    party::Party,
    receipt::{Outcome, Scope},
    viewer::Viewer,
};

use super::Answered;
use crate::{
    app::App,
    auth::Authenticated,
    body::Given,
    problem::Problem,
    sight::Sight,
    view::{
        act::{About, ActView},
        ask::AskView,
        instant::Instant,
        lease::{AgentVersionView, BeatsView, LeaseView, LeasesView, StepView, TurnView},
        prompt::prompt,
        task::TaskView,
    },
    wire::claim::{ClaimIn, HeartbeatIn},
};

/// Claims work for an agent, and waits for it. A repeat with the same `request_id` and `secret` gets the same leases.
#[utoipa::path(
    post, path = "/v1/claims", tag = "workers",
    request_body = ClaimIn,
    responses((status = 200, description = "Leases, none if there was no work in time", body = LeasesView)),
)]
pub(crate) async fn claim(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Given(given): Given<ClaimIn>,
) -> Answered<LeasesView> {
    let (claim, wait) = given.into_command()?;
    let agent = Party::agent(&claim.agent).map_err(Problem::internal)?;
    match app.engine.claim(caller.clone(), claim, wait).await? {
        Answer::Granted(grants) => {
            let leases = leases(&app, &caller, grants)?;
            Ok(Json(LeasesView {
                leases,
                refused: None,
            }))
        }
        Answer::Outcome {
            outcome: Outcome::Refused { refusal, .. },
            ..
        } => {
            let now = app.engine.now();
            let refused = ActView::unstored(agent, About::default(), refusal, now);
            Ok(Json(LeasesView {
                leases: Vec::new(),
                refused: Some(refused),
            }))
        }
        Answer::Fault(fault) => Err(fault.into()),
        Answer::Outcome { .. } | Answer::Pulses(_) => Err(Problem::internal(
            "a claim was answered what another command asks for",
        )),
    }
}

/// Leases with what their handlers need.
fn leases(app: &App, caller: &Caller, grants: Vec<Grant>) -> Result<Vec<LeaseView>, Problem> {
    let Some(first) = grants.first() else {
        return Ok(Vec::new());
    };
    // Tasks that were asked of an agent it sees also outside their hops, so that one look fetches what was asked in all.
    let viewer = Viewer::new(caller.tenant, first.task.made.debtor.clone());
    let named: Vec<ActId> = grants.iter().map(|grant| grant.task.made.opening).collect();
    let openings = app.engine.reader().acts_named(&viewer, &named)?;
    let leases = grants.into_iter().zip(openings).map(|(grant, opening)| {
        let unseen = || Problem::internal(format!("{} is not seen by its own", grant.task.id()));
        let opening = opening.ok_or_else(unseen)?;
        lease(app, caller, grant, opening)
    });
    leases.collect()
}

/// A lease with what its handler needs.
fn lease(app: &App, caller: &Caller, grant: Grant, opening: Act) -> Result<LeaseView, Problem> {
    let sight = Sight::at_work(&app.engine, caller, &grant.task, grant.hop);
    let id = grant.task.id();
    // A first run has no steps, and with them no children that could ask.
    let fresh = grant.task.now.steps == 0;
    let steps = if fresh {
        Vec::new()
    } else {
        steps(&sight, grant.task.id())?
    };
    let questions = if fresh {
        Vec::new()
    } else {
        questions(&sight)?
    };
    let genealogy = grant.task.made.genealogy.hops();
    Ok(LeaseView {
        lease: grant.lease,
        hop: grant.hop,
        token: grant.token.reveal(),
        expires_at: Instant(grant.until),
        heartbeat_ms: HEARTBEAT.0,
        attempt: grant.task.now.attempts,
        resumed: grant.resumed,
        reconcile: grant.reconcile,
        effect_key: id,
        agent: AgentVersionView {
            name: grant.task.made.debtor.name().to_owned(),
            version: grant.version,
            instructions: grant.definition.instructions.clone(),
        },
        prompt: prompt(&opening),
        history: history(&sight, &grant)?,
        genealogy: genealogy.iter().map(Into::into).collect(),
        steps,
        questions,
        act: opening.into(),
        task: TaskView::under(grant.task, grant.root_principal),
    })
}

/// What was said before the act that asked: in its conversation, or in the one that it consults.
fn history(sight: &Sight, grant: &Grant) -> Result<Vec<TurnView>, Problem> {
    let opening = grant.task.made.opening;
    let (conversation, before) = match grant.consults {
        Some(consulted) => (consulted, u32::MAX),
        None => (opening.conversation, opening.seq),
    };
    if before <= 1 {
        return Ok(Vec::new());
    }
    let reader = sight.engine.reader();
    let acts = reader.history(&sight.viewer, conversation, before, HISTORY)?;
    let turn = |act: Act| TurnView {
        prompt: prompt(&act),
        act: act.into(),
    };
    let acts =
        acts.ok_or_else(|| Problem::internal("the history of a lease is not seen by its own"))?;
    Ok(acts.into_iter().map(turn).collect())
}

fn steps(sight: &Sight, task: TaskId) -> Result<Vec<StepView>, Problem> {
    let receipts = sight.engine.reader().steps(&sight.viewer, task)?;
    let mut views = Vec::new();
    let receipts = receipts
        .ok_or_else(|| Problem::internal("the steps of a lease are not seen by its own"))?;
    for receipt in receipts {
        let Scope::Step {
            ordinal,
            handling,
            joined: false,
            ..
        } = receipt.scope
        else {
            continue;
        };
        views.push(StepView {
            name: receipt.name,
            ordinal,
            handling,
            receipt: sight.receipt(receipt.outcome, None)?,
        });
    }
    Ok(views)
}

fn questions(sight: &Sight) -> Result<Vec<AskView>, Problem> {
    let asks = sight.engine.reader().asks_open_for(&sight.viewer)?;
    Ok(asks
        .into_iter()
        .map(|(ask, question)| AskView::new(&ask, question, None))
        .collect())
}

/// Says that a worker lives, for all its leases at once.
#[utoipa::path(
    post, path = "/v1/hops/heartbeat", tag = "workers",
    request_body = HeartbeatIn,
    responses((status = 200, description = "Where each lease stands, in order", body = BeatsView)),
)]
pub(crate) async fn heartbeat(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Given(given): Given<HeartbeatIn>,
) -> Answered<BeatsView> {
    let command = Command::Heartbeat(caller, given.into_tokens()?);
    match app.engine.call(command).await? {
        Answer::Pulses(pulses) => Ok(Json(BeatsView {
            hops: pulses.into_iter().map(Into::into).collect(),
        })),
        Answer::Fault(fault) => Err(fault.into()),
        Answer::Outcome { .. } | Answer::Granted(_) => Err(Problem::internal(
            "a heartbeat was answered what another command asks for",
        )),
    }
}
