//! A call whose caller and agent are known.

use std::sync::Arc;

use http::HeaderMap;
use tertulia_acts::{
    command::{Answer, Caller, Command, HopOperation, KnownBy, UnderHop},
    digest::{Digest, HopToken},
    facts::Fault,
    ids::{ConversationId, TaskId},
    lease::LeaseState,
    party::Party,
    receipt::Outcome,
    viewer::Viewer,
};
use tertulia_engine::{Seat, read::TaskRead};

use super::{House, failure};
use crate::{
    map::SPEECH_ACT,
    wire::{A2aError, ErrorKind, FieldViolation},
};

/// Where the hop token stands.
const HOP_TOKEN: &str = "hop-token";
/// Where the key stands that makes a call safe to repeat.
const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// Where a reader of a stream names the last event that it has seen.
pub(super) const LAST_EVENT_ID: &str = "last-event-id";
/// Where a client names the extensions that it activates, and the server those that it took.
pub(super) const EXTENSIONS: &str = "a2a-extensions";

/// A call.
pub(super) struct Call {
    pub(super) house: Arc<House>,
    /// Who calls, as its credential proved.
    pub(super) caller: Caller,
    /// As whom it looks: under a hop token as the agent at work.
    pub(super) viewer: Viewer,
    /// The agent that is called.
    pub(super) agent: Party,
    /// The token of the hop that it is made in, if it sent one.
    pub(super) token: Option<HopToken>,
    /// The activation that it is made in, by its token or because it joined.
    pub(super) at_work: Option<AtWork>,
    /// The key in its header.
    pub(super) key: Option<String>,
    /// The number of the last event that the caller has seen of a stream.
    pub(super) seen: Option<u32>,
}

/// The activation that a call is made in.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtWork {
    /// By what the agent at work is known.
    pub(super) known_by: KnownBy,
    /// The conversation that it is at work in.
    pub(super) conversation: ConversationId,
}

impl Call {
    /// A place to wait or to stream in, held for as long as that lasts.
    pub(super) fn seat(&self) -> Result<Seat, A2aError> {
        let seat = self
            .house
            .engine
            .seat(self.caller.tenant, &self.caller.party);
        seat.map_err(failure::engine)
    }

    /// Reads what the headers say about a call of `caller` to `agent`.
    pub(super) fn new(
        house: Arc<House>,
        caller: Caller,
        agent: Party,
        headers: &HeaderMap,
    ) -> Result<Self, A2aError> {
        let token: Option<HopToken> = header(headers, HOP_TOKEN)?
            .map(|text| text.parse().map_err(|error| wrong_header(HOP_TOKEN, error)))
            .transpose()?;
        let (viewer, at_work) = match token {
            None => (Viewer::new(caller.tenant, caller.party.clone()), None),
            Some(token) => {
                let (viewer, at_work) = at_work(&house, &caller, token)?;
                (viewer, Some(at_work))
            }
        };
        let seen = header(headers, LAST_EVENT_ID)?
            .filter(|text| !text.is_empty())
            .map(|text| {
                let number = text.parse();
                number.map_err(|_| wrong_header(LAST_EVENT_ID, "must be the number of an event"))
            })
            .transpose()?;
        Ok(Self {
            key: header(headers, IDEMPOTENCY_KEY)?.map(str::to_owned),
            house,
            caller,
            viewer,
            agent,
            token,
            at_work,
            seen,
        })
    }

    /// An operation under a hop.
    pub(super) fn under(
        &self,
        at_work: AtWork,
        step: Option<String>,
        content: Digest,
        operation: HopOperation,
    ) -> Command {
        let under = UnderHop {
            known_by: at_work.known_by,
            step,
            handling: None,
            read: Vec::new(),
            content,
            operation,
        };
        Command::UnderHop(self.caller.clone(), under)
    }

    /// Carries out a command.
    pub(super) async fn command(
        &self,
        command: Command,
    ) -> Result<Result<Outcome, Fault>, A2aError> {
        match self
            .house
            .engine
            .call(command)
            .await
            .map_err(failure::engine)?
        {
            Answer::Outcome { outcome, .. } => Ok(Ok(outcome)),
            Answer::Fault(fault) => Ok(Err(fault)),
            other => Err(failure::internal(format_args!(
                "an unfitting answer: {other:?}"
            ))),
        }
    }

    /// A task of this agent that the caller may see, by the id that it gave.
    pub(super) fn task(&self, id: &str) -> Result<TaskRead, A2aError> {
        let parsed: TaskId = id.parse().map_err(|_| failure::no_task(id))?;
        self.read(parsed)
    }

    /// The same, by the engine's id.
    pub(super) fn read(&self, id: TaskId) -> Result<TaskRead, A2aError> {
        // Those who wait and stream come here again and again: for a key that was revoked nothing more is read.
        self.house
            .engine
            .holds(&self.caller)
            .map_err(failure::engine)?;
        self.house
            .engine
            .reader()
            .task(&self.viewer, id)
            .map_err(failure::engine)?
            .filter(|read| read.task.made.debtor == self.agent)
            .ok_or_else(|| failure::no_task(&id.to_string()))
    }
}

/// The agent at work under a hop token, if the caller serves it. One that is another's looks like one that ended.
fn at_work(house: &House, caller: &Caller, token: HopToken) -> Result<(Viewer, AtWork), A2aError> {
    let lost = || failure::fault(&Fault::LeaseLost);
    let reader = house.engine.reader();
    let found = reader.hop_by_token(token.hash()).map_err(failure::engine)?;
    let (lease, hop) = found
        .filter(|(lease, _)| lease.tenant == caller.tenant)
        .ok_or_else(lost)?;
    let serves = if caller.party.is_agent() {
        caller.party.name() == hop.agent
    } else {
        reader
            .agent(caller.tenant, &hop.agent)
            .map_err(failure::engine)?
            .is_some_and(|read| read.agent.owner == caller.party)
    };
    if !serves {
        return Err(lost());
    }
    let party = Party::agent(&hop.agent).map_err(failure::internal)?;
    let mut viewer = Viewer::new(caller.tenant, party);
    viewer.task = (lease.state == LeaseState::Live).then_some(lease.task);
    let at_work = AtWork {
        known_by: KnownBy::Token(token),
        conversation: hop.conversation,
    };
    Ok((viewer, at_work))
}

/// Whether the client activates the speech-act extension.
pub(super) fn activates(headers: &HeaderMap) -> bool {
    headers
        .get_all(EXTENSIONS)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|uri| uri.trim() == SPEECH_ACT)
}

/// A header that may stand once, as text.
pub(super) fn header<'h>(
    headers: &'h HeaderMap,
    name: &'static str,
) -> Result<Option<&'h str>, A2aError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(wrong_header(name, "is given more than once"));
    }
    let text = value
        .to_str()
        .map_err(|_| wrong_header(name, "must be visible ASCII"))?;
    Ok(Some(text.trim()).filter(|text| !text.is_empty()))
}

pub(super) fn wrong_header(name: &str, what: impl std::fmt::Display) -> A2aError {
    let violation = FieldViolation {
        field: format!("header {name}"),
        description: what.to_string(),
    };
    A2aError {
        kind: ErrorKind::InvalidParams,
        ..A2aError::invalid_params(vec![violation])
    }
}
