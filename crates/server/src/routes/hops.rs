//! The operations of agents at work.

use axum::{Json, extract::State};
use tertulia_acts::{
    command::{Caller, Command, HopOperation, KnownBy, UnderHop},
    digest::HopToken,
    receipt::Outcome,
};
use utoipa::ToSchema;

use super::{Answered, outcome};
use crate::{
    app::App,
    auth::Authenticated,
    body::{Named, RawJson},
    headers::{HOP_TOKEN, Step, Token},
    problem::Problem,
    sight::Sight,
    view::receipt::Receipted,
    wire::{
        answer::HopAnswer,
        opening::OpeningIn,
        operation::{
            self, AskIn, DeclineIn, DelegateAllIn, FailIn, Nothing, ParkIn, ProgressIn, RecordIn,
            ReplyIn, Sent, Source,
        },
    },
};

/// The body of an operation; which it is, the path says.
#[derive(ToSchema)]
#[schema(as = Operation)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "only described: a body is read as what the path says"
)]
pub(crate) enum OperationIn {
    Agree(Nothing),
    Progress(ProgressIn),
    Delegate(Box<OpeningIn>),
    DelegateAll(DelegateAllIn),
    Record(RecordIn),
    Ask(AskIn),
    Answer(HopAnswer),
    Park(ParkIn),
    Reply(ReplyIn),
    Decline(DeclineIn),
    Fail(FailIn),
}

/// Carries out one operation under a hop token: agree, progress, delegate, `delegate_all`, record, ask, answer, park,
/// release, reply, decline, fail, acknowledge, abstain.
#[utoipa::path(
    post, path = "/v1/hops/{operation}", tag = "workers",
    request_body = OperationIn,
    params(
        ("operation" = String, Path),
        ("Hop-Token" = String, Header, description = "The token of the lease"),
        ("Idempotency-Key" = Option<String>, Header, description = "The step's name"),
        ("Handling" = Option<String>, Header, description = "The ask in whose handling it is made"),
        ("Steps-Read" = Option<String>, Header, description = "Recorded steps that the run has come to, by ordinal"),
    ),
    responses((status = 200, description = "What came of it, a refuse too", body = Receipted)),
)]
pub(crate) async fn operate(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    Token(token): Token,
    step: Step,
    Named(name): Named<String>,
    RawJson(bytes): RawJson,
) -> Answered<Receipted> {
    let operation = operation::named("operation", &name)?;
    let missing = "send the `token` of the lease that the operation is under";
    let token = token.ok_or_else(|| Problem::malformed(HOP_TOKEN, missing))?;
    let sent = operation::read(operation, Source::Bytes(&bytes))?;
    carry_out(&app, caller, token, step, sent).await.map(Json)
}

/// Carries out an operation, and shows what came of it as the agent at work sees it.
pub(super) async fn carry_out(
    app: &App,
    caller: Caller,
    token: HopToken,
    step: Step,
    Sent { operation, content }: Sent,
) -> Result<Receipted, Problem> {
    let wait = match &operation {
        HopOperation::Park(wait) => Some(wait.clone()),
        _ => None,
    };
    let under = UnderHop {
        known_by: KnownBy::Token(token),
        step: step.name,
        handling: step.handling,
        read: step.read,
        content,
        operation,
    };
    let (outcome, replayed) = outcome(app, Command::UnderHop(caller.clone(), under)).await?;
    let sight = match &outcome {
        // These name nothing that is read.
        Outcome::Said { .. }
        | Outcome::Recorded { .. }
        | Outcome::Parked
        | Outcome::Released
        | Outcome::Answered { .. }
        | Outcome::Notified { .. }
        | Outcome::Settled { .. }
        | Outcome::WillRetry { .. } => Sight::of(&app.engine, &caller),
        _ => Sight::under(&app.engine, &caller, &token)?.0,
    };
    Ok(Receipted {
        receipt: sight.receipt(outcome, wait.as_ref())?,
        replayed,
    })
}
