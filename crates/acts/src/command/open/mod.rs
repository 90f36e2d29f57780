//! Opening: an act passes the gates, and makes a task, or an entry of an inbox, or is refused (SEMANTICS 1).

mod accept;
mod inform;
mod making;
mod refuse;

use super::Opening;
use crate::{
    contract::Contract,
    conversation::{Conversation, ConversationKind},
    digest::Hash16,
    envelope::Refusal,
    facts::{Draft, Stop},
    gate::{self, Asked, Passage},
    genealogy::{Ancestor, Genealogy},
    hop::Hop,
    ids::{GroupId, RootId, TaskId, TenantId},
    limits::ROUNDS_PER_TASK,
    party::Party,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    task::{Attached, Task},
};
use making::Making;

/// Who opens, and from where.
pub(crate) struct Opener<'a> {
    pub(crate) tenant: TenantId,
    pub(crate) sender: &'a Party,
    pub(crate) root: RootId,
    /// The sender's task and hop, if it is an agent at work.
    pub(crate) under: Option<(&'a Task, &'a Hop)>,
    pub(crate) group: Option<GroupId>,
    /// The conversation that the act is said in, if there is one already.
    pub(crate) conversation: Option<Conversation>,
    /// What a conversation that is opened for it is called and why it exists.
    pub(crate) opens: (ConversationKind, Option<String>),
    /// The dead letter that is sent again, if it is one.
    pub(crate) letter: Option<&'a Task>,
    /// Where the receipt of the key is found that it is sent under.
    pub(crate) key: Option<Hash16>,
}

impl Opener<'_> {
    /// The task that the new one hangs below. A child's letter that is sent again hangs below the root's own task: that
    /// is open as long as it may be redriven, while the one that delegated it may have ended.
    fn parent(&self) -> Option<TaskId> {
        let letter = || self.letter?.made.genealogy.hops().first();
        match self.under {
            Some((task, _)) => Some(task.id()),
            None => letter().map(|top| top.task),
        }
    }

    /// The hops above. Those above a letter stand above it also when it is sent again.
    fn genealogy(&self) -> Genealogy {
        match self.under {
            None => self
                .letter
                .map_or_else(Genealogy::default, |letter| letter.made.genealogy.clone()),
            Some((task, hop)) => Genealogy::below(
                &task.made.genealogy,
                Ancestor {
                    agent: hop.agent.clone(),
                    version: hop.version,
                    hop: hop.id,
                    conversation: hop.conversation,
                    task: task.id(),
                    fingerprint: task.made.fingerprint,
                    evidence: hop.evidence,
                },
            ),
        }
    }
}

/// Sends an opening act through the gates.
///
/// # Errors
/// Facts are missing; or a notice to a principal is refused, which leaves no trace in a conversation.
pub(crate) fn open(
    d: &mut Draft<'_>,
    opener: &Opener<'_>,
    opening: &Opening,
) -> Result<Outcome, Stop> {
    let genealogy = opener.genealogy();
    let passage = gate::pass(
        d,
        &Asked {
            tenant: opener.tenant,
            sender: opener.sender,
            root: opener.root,
            under: opener.under.map(|(task, _)| task),
            genealogy: &genealogy,
            opening,
        },
    )?;
    let mut making = Making {
        opener,
        opening,
        genealogy,
        contract: opening.contract.clone(),
        performative: opening.performative,
    };
    match passage {
        Passage::Attach(id) => {
            let task = attach(d, id, opener.group)?;
            Ok(Outcome::Accepted {
                task: id,
                act: task.made.opening,
            })
        }
        // What a principal is told makes no task, nor does it when it is refused.
        Passage::Refused { refusal, .. } if opening.to.is_principal() => Err(refusal.into()),
        Passage::Refused { refusal, agent } => {
            making.refuse(d, refusal, agent.map(|agent| agent.current))
        }
        Passage::Inbox => making.inform(d),
        Passage::Mailbox(agent) => {
            let conversation = making.conversation(d, Some(agent.current))?;
            making.accept(d, &conversation, None)
        }
        Passage::Fold(ancestor) => {
            if let Some(refusal) = count_round(d, opener)? {
                return making.refuse(d, refusal, Some(ancestor.version));
            }
            making.performative = Performative::Query;
            making.contract = Contract::default();
            let kind = ConversationKind::Consults(ancestor.conversation);
            let conversation = making.new_conversation(d, kind, None, Some(ancestor.version))?;
            making.accept(d, &conversation, Some(ancestor.task))
        }
    }
}

/// The same task asked the same before: the request joins it, and as a branch of a fan-out counts there too.
fn attach(d: &mut Draft<'_>, id: TaskId, group: Option<GroupId>) -> Result<Task, Stop> {
    let mut task = d.task(id)?;
    if group.is_some() || task.requests().all(|request| request.is_some()) {
        task.now.attached.push(Attached {
            group,
            arrival: None,
        });
        d.put(task.clone());
    }
    Ok(task)
}

/// A fold is one of the task's rounds (SEMANTICS 8).
fn count_round(d: &mut Draft<'_>, opener: &Opener<'_>) -> Result<Option<Refusal>, Stop> {
    let Some((task, _)) = opener.under else {
        return Ok(None);
    };
    let mut task = d.task(task.id())?;
    if task.now.rounds >= ROUNDS_PER_TASK {
        return Ok(Some(too_many_rounds()));
    }
    task.now.rounds += 1;
    d.put(task);
    Ok(None)
}

pub(crate) fn too_many_rounds() -> Refusal {
    let message = format!(
        "the task has asked and consulted {ROUNDS_PER_TASK} times, the most there may be; answer with what you have"
    );
    Refusal::saying(Reason::TooManyRounds, message).with("limit", ROUNDS_PER_TASK)
}
