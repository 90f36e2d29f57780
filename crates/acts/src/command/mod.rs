//! Commands: what callers and the engine's own upkeep can ask for. One file per command; each is decided on a
//! [`Draft`] and knows nothing of where facts come from.

mod abstain;
mod acknowledge;
mod agree;
mod answer;
mod ask;
mod cancel;
mod cascade;
mod claim;
mod close;
mod configure;
mod decline;
mod delegate;
mod delegate_all;
mod due;
mod fail;
mod grant;
mod heartbeat;
mod hold;
mod holder;
mod key;
mod late;
mod migrate;
mod open;
mod opening;
mod park;
mod progress;
mod record;
mod redrive;
mod release;
mod reply;
mod send;
mod step;
mod under_hop;

use crate::{
    digest::{Digest, HopToken},
    facts::{Draft, Fault, Need, Stop},
    ids::{AskId, GroupId, TaskId, TenantId},
    party::Party,
    receipt::Outcome,
};

pub use self::{
    answer::{AnswerAsk, Words},
    ask::AskUp,
    cancel::Cancel,
    claim::Claim,
    close::Close,
    configure::Configure,
    decline::Decline,
    delegate_all::DelegateAll,
    fail::Fail,
    grant::Grant,
    heartbeat::Pulse,
    migrate::Migrate,
    opening::{Opening, Place},
    progress::Progress,
    redrive::Redrive,
    reply::Reply,
    send::Send,
};

/// Who calls, as its credential proved, and the configuration it was judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// Its tenant.
    pub tenant: TenantId,
    /// Who it is.
    pub party: Party,
    /// The tenant's config epoch when the credential was checked (SEMANTICS 11).
    pub epoch: u64,
    /// The digest of the key that proved it; none for a caller that the house itself vouches for.
    pub credential: Option<Digest>,
}

/// A command.
#[derive(Debug, Clone)]
pub enum Command {
    /// A principal, or an agent outside a hop, sends an opening act.
    Send(Caller, Box<Send>),
    /// An agent at work does something under its hop token.
    UnderHop(Caller, UnderHop),
    /// A worker asks for work.
    Claim(Caller, Claim),
    /// A worker says that it lives.
    Heartbeat(Caller, Vec<HopToken>),
    /// A principal answers an ask.
    Answer(Caller, AnswerAsk),
    /// A task is cancelled.
    Cancel(Caller, Cancel),
    /// A conversation is closed.
    Close(Caller, Close),
    /// A participant's version is migrated.
    Migrate(Caller, Migrate),
    /// A dead letter is sent again.
    Redrive(Caller, Redrive),
    /// Tenants, principals, keys or agents are changed.
    Configure(Option<Caller>, Box<Configure>),
    /// Upkeep: something may be due.
    Due(Due),
}

/// Something that may be due. Whether it still is, is decided when its turn comes (SEMANTICS 14).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// A task's deadline, or its children to be closed.
    Task(TaskId),
    /// A lease without a heartbeat.
    Lease(Digest),
    /// An ask's deadline.
    Ask(AskId),
    /// A group's deadline, or its rest to be closed.
    Group(GroupId),
}

/// By what an agent at work is known (SEMANTICS 3).
#[derive(Debug, Clone, Copy)]
pub enum KnownBy {
    /// The token of its lease, which it sent.
    Token(HopToken),
    /// A call of the authenticated agent itself that named its own activation: the digest of the token, which it does not
    /// know. What it makes so is made once like any step, but by another program than the one that holds the lease: no
    /// later run of that one is expected to come to it.
    Joined(Digest),
}

impl KnownBy {
    /// The digest of the token, by which the lease is found.
    #[must_use]
    pub fn token(&self) -> Digest {
        match self {
            Self::Token(token) => token.hash(),
            Self::Joined(digest) => *digest,
        }
    }

    const fn is_joined(self) -> bool {
        matches!(self, Self::Joined(_))
    }
}

/// An operation under a hop token (SEMANTICS 1).
#[derive(Debug, Clone)]
pub struct UnderHop {
    /// By what the lease is found.
    pub known_by: KnownBy,
    /// What the operation is called among the task's steps, where it is one.
    pub step: Option<String>,
    /// The ask in whose handling it is made.
    pub handling: Option<AskId>,
    /// Recorded steps, by ordinal, that the run has come to since its last operation.
    pub read: Vec<u32>,
    /// The digest of the operation and its arguments as sent.
    pub content: Digest,
    /// What is done.
    pub operation: HopOperation,
}

/// What an agent at work can do.
#[derive(Debug, Clone)]
pub enum HopOperation {
    /// Agrees to the request.
    Agree,
    /// Tells how far it is.
    Progress(Progress),
    /// Asks something of another.
    Delegate(Box<Opening>),
    /// Asks several at once.
    DelegateAll(DelegateAll),
    /// Stores a result, so that a later attempt does not make it again.
    Record(serde_json::Value),
    /// Asks whoever made the request what is meant, and parks.
    Ask(AskUp),
    /// Answers a question that is addressed to this task.
    Answer(AnswerAsk),
    /// Waits.
    Park(crate::hop::Wait),
    /// Gives the lease back; any worker may go on.
    Release,
    /// Brings the result.
    Reply(Reply),
    /// Does not take it on.
    Decline(Decline),
    /// Gives it up, for now or for good.
    Fail(Fail),
    /// Ends a notification.
    Acknowledge,
    /// Passes over a turn in a room.
    Abstain,
}

/// What a command is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// What came of it, and whether it had come of it before.
    Outcome {
        /// What came of it.
        outcome: Outcome,
        /// Whether this repeats an earlier answer.
        replayed: bool,
    },
    /// Leases.
    Granted(Vec<Grant>),
    /// Where leases stand, in the order of the tokens.
    Pulses(Vec<Pulse>),
    /// The call cannot be carried out.
    Fault(Fault),
}

impl Answer {
    /// Whether it is that of a claim for which there is nothing to do.
    #[must_use]
    pub const fn grants_nothing(&self) -> bool {
        matches!(self, Self::Granted(grants) if grants.is_empty())
    }

    pub(crate) const fn first(outcome: Outcome) -> Self {
        Self::Outcome {
            outcome,
            replayed: false,
        }
    }

    pub(crate) const fn again(outcome: Outcome) -> Self {
        Self::Outcome {
            outcome,
            replayed: true,
        }
    }
}

impl Command {
    /// What is known beforehand to be needed, so that a batch loads it at once.
    #[must_use]
    pub fn needs(&self) -> Vec<Need> {
        match self {
            Self::Send(caller, send) => send.needs(caller),
            Self::UnderHop(_, under) => vec![Need::Token(under.known_by.token())],
            Self::Claim(caller, claim) => claim.needs(caller),
            Self::Heartbeat(_, tokens) => tokens
                .iter()
                .map(|token| Need::Token(token.hash()))
                .collect(),
            Self::Answer(_, answer) => answer.ask.map(Need::Ask).into_iter().collect(),
            Self::Cancel(_, cancel) => vec![Need::Task(cancel.task)],
            Self::Redrive(_, redrive) => vec![Need::Task(redrive.task)],
            Self::Close(_, close) => vec![Need::Conversation(close.conversation)],
            Self::Migrate(_, migrate) => vec![Need::Conversation(migrate.conversation)],
            Self::Configure(..) => Vec::new(),
            Self::Due(due) => vec![match due {
                Due::Task(id) => Need::Task(*id),
                Due::Lease(token) => Need::Token(*token),
                Due::Ask(id) => Need::Ask(*id),
                Due::Group(id) => Need::Group(*id),
            }],
        }
    }

    /// The name under which it is counted.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Send(..) => "send",
            Self::UnderHop(_, under) => under.operation.kind().name(),
            Self::Claim(..) => "claim",
            Self::Heartbeat(..) => "heartbeat",
            Self::Answer(..) => "answer",
            Self::Cancel(..) => "cancel",
            Self::Close(..) => "close",
            Self::Migrate(..) => "migrate",
            Self::Redrive(..) => "redrive",
            Self::Configure(..) => "configure",
            Self::Due(..) => "upkeep",
        }
    }

    /// Who calls, to be judged again.
    pub const fn caller_mut(&mut self) -> Option<&mut Caller> {
        match self {
            Self::Send(caller, _)
            | Self::UnderHop(caller, _)
            | Self::Claim(caller, _)
            | Self::Heartbeat(caller, _)
            | Self::Answer(caller, _)
            | Self::Cancel(caller, _)
            | Self::Close(caller, _)
            | Self::Migrate(caller, _)
            | Self::Redrive(caller, _) => Some(caller),
            Self::Configure(caller, _) => caller.as_mut(),
            Self::Due(_) => None,
        }
    }

    /// About how many bytes it takes in a queue: the bytes that callers send, and a little for the rest.
    #[must_use]
    pub fn weight(&self) -> usize {
        let said = match self {
            Self::Send(_, send) => send.opening.weight(),
            Self::UnderHop(_, under) => match &under.operation {
                HopOperation::Delegate(opening) => opening.weight(),
                HopOperation::DelegateAll(all) => all.branches.iter().map(Opening::weight).sum(),
                HopOperation::Reply(reply) => {
                    reply.body.weight()
                        + reply
                            .artifacts
                            .iter()
                            .map(|a| a.bytes().len())
                            .sum::<usize>()
                }
                HopOperation::Progress(progress) => progress.body.weight(),
                HopOperation::Ask(ask) => ask.body.weight(),
                HopOperation::Answer(answer) => answer.weight(),
                HopOperation::Decline(decline) => decline.body.weight(),
                HopOperation::Fail(fail) => fail.body.weight() + fail.error.len(),
                HopOperation::Record(value) => crate::body::weight(value),
                _ => 0,
            },
            Self::Answer(_, answer) => answer.weight(),
            Self::Heartbeat(_, tokens) => tokens.len() * 16,
            _ => 0,
        };
        said + 256
    }

    fn caller(&self) -> Option<&Caller> {
        match self {
            Self::Send(caller, _)
            | Self::UnderHop(caller, _)
            | Self::Claim(caller, _)
            | Self::Heartbeat(caller, _)
            | Self::Answer(caller, _)
            | Self::Cancel(caller, _)
            | Self::Close(caller, _)
            | Self::Migrate(caller, _)
            | Self::Redrive(caller, _) => Some(caller),
            Self::Configure(caller, _) => caller.as_ref(),
            Self::Due(_) => None,
        }
    }

    /// Decides it.
    pub(crate) fn decide(&self, d: &mut Draft<'_>) -> Result<Answer, Stop> {
        if let Some(caller) = self.caller() {
            current(d, caller)?;
        }
        match self {
            Self::Send(caller, send) => send::decide(d, caller, send),
            Self::UnderHop(caller, under) => under_hop::decide(d, caller, under),
            Self::Claim(caller, claim) => claim::decide(d, caller, claim),
            Self::Heartbeat(caller, tokens) => heartbeat::decide(d, caller, tokens),
            Self::Answer(caller, answer) => answer::decide(d, caller, answer),
            Self::Cancel(caller, cancel) => cancel::decide(d, caller, cancel),
            Self::Close(caller, close) => close::decide(d, caller, close),
            Self::Migrate(caller, migrate) => migrate::decide(d, caller, migrate),
            Self::Redrive(caller, redrive) => redrive::decide(d, caller, redrive),
            Self::Configure(caller, change) => configure::decide(d, caller.as_ref(), change),
            Self::Due(due) => due::decide(d, due),
        }
    }
}

impl HopOperation {
    /// Which operation it is.
    #[must_use]
    pub const fn kind(&self) -> crate::answers::Operation {
        use crate::answers::Operation;
        match self {
            Self::Agree => Operation::Agree,
            Self::Progress(_) => Operation::Progress,
            Self::Delegate(_) => Operation::Delegate,
            Self::DelegateAll(_) => Operation::DelegateAll,
            Self::Record(_) => Operation::Record,
            Self::Ask(_) => Operation::Ask,
            Self::Answer(_) => Operation::Answer,
            Self::Park(_) => Operation::Park,
            Self::Release => Operation::Release,
            Self::Reply(_) => Operation::Reply,
            Self::Decline(_) => Operation::Decline,
            Self::Fail(_) => Operation::Fail,
            Self::Acknowledge => Operation::Acknowledge,
            Self::Abstain => Operation::Abstain,
        }
    }
}

/// The configuration that the caller was judged by must still be the one that holds (SEMANTICS 11).
fn current(d: &Draft<'_>, caller: &Caller) -> Result<(), Stop> {
    match d.tenant(caller.tenant)? {
        Some(tenant) if tenant.epoch == caller.epoch => Ok(()),
        Some(_) => Err(Fault::Stale.into()),
        None => Err(Fault::NotFound("tenant".into()).into()),
    }
}

/// Whether `caller` may act as the agent called `name`: it is the agent, or owns it (SEMANTICS 13).
fn may_serve(d: &Draft<'_>, caller: &Caller, name: &str) -> Result<bool, Stop> {
    if caller.party.is_agent() {
        return Ok(caller.party.name() == name);
    }
    Ok(d.agent(caller.tenant, name)?
        .is_some_and(|agent| agent.owner == caller.party))
}
