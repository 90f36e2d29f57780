//! Sending an opening act outside a hop: it opens a new root (SEMANTICS 6).

use super::{
    Answer, Caller, Opening, Place,
    key::{self, once},
    open::{Opener, open},
};
use crate::{
    conversation::{Conversation, ConversationKind},
    envelope::Refusal,
    facts::{Draft, Fault, Need, Stop},
    ids::{ConversationId, RootId},
    party::{Party, PartyKind},
    reason::Reason,
    receipt::Outcome,
    root::Root,
};

/// An opening act outside a hop.
#[derive(Debug, Clone)]
pub struct Send {
    /// What it says.
    pub opening: Opening,
    /// The key that makes it safe to repeat.
    pub key: Option<String>,
}

impl Send {
    pub(super) fn needs(&self, caller: &Caller) -> Vec<Need> {
        let to = &self.opening.to;
        let mut needs = vec![
            Need::Tenant(caller.tenant),
            if to.is_principal() {
                Need::Principal(caller.tenant, to.clone())
            } else {
                Need::Agent(caller.tenant, to.name().into())
            },
        ];
        let receipt = self.key.as_deref().map(|key| key::of(caller, key));
        needs.extend(receipt.map(Need::Receipt));
        needs
    }
}

pub(super) fn decide(d: &mut Draft<'_>, caller: &Caller, send: &Send) -> Result<Answer, Stop> {
    let content = send.opening.content();
    once(d, caller, send.key.as_deref(), content, |d| {
        open_root(d, caller, send)
    })
}

/// Opens a root with the act.
fn open_root(d: &mut Draft<'_>, caller: &Caller, send: &Send) -> Result<Outcome, Stop> {
    send.opening.can_open()?;
    if caller.party.is_agent() {
        let message = "an agent opens no root of its own; act under the hop token of a lease, or let a principal send this";
        return Err(Refusal::saying(Reason::NoRoot, message).into());
    }
    let conversation = place(d, caller, &send.opening)?;
    let root = new_root(d, caller)?;
    let alias = match &send.opening.place {
        Place::Alias(alias) => Some(alias.clone()),
        _ => None,
    };
    let opener = Opener {
        tenant: caller.tenant,
        sender: &caller.party,
        root,
        under: None,
        group: None,
        conversation,
        opens: (ConversationKind::Opened, alias),
        letter: None,
        key: send.key.as_deref().map(|key| key::of(caller, key)),
    };
    let opening = send.opening.distinct(d, root)?;
    open(d, &opener, &opening)
}

/// The root of an act outside a hop, whose first task it will be.
pub(super) fn new_root(d: &mut Draft<'_>, caller: &Caller) -> Result<RootId, Stop> {
    let responsible = match caller.party.kind() {
        PartyKind::User => Some(caller.party.clone()),
        _ => d
            .principal(caller.tenant, &caller.party)?
            .and_then(|principal| principal.responsible),
    };
    let id = d.new_root();
    d.put(Root {
        id,
        tenant: caller.tenant,
        principal: caller.party.clone(),
        responsible,
        next: 1,
        evidence: 0,
        open_tasks: 0,
        made: d.now,
        ended: None,
    });
    Ok(id)
}

/// The conversation that the act names, if the sender takes part in it and it is open.
fn place(d: &Draft<'_>, caller: &Caller, opening: &Opening) -> Result<Option<Conversation>, Stop> {
    let found = match &opening.place {
        Place::Standing | Place::New => return Ok(None),
        Place::In(id) => Some(named(d, caller, *id)?),
        Place::Alias(alias) => d.alias(caller.tenant, &caller.party, &opening.to, alias)?,
    };
    let Some(conversation) = found else {
        return Ok(None);
    };
    check(&conversation, &opening.to)?;
    Ok(Some(conversation))
}

/// A conversation that the caller takes part in; a foreign one looks absent (I15).
pub(super) fn named(
    d: &Draft<'_>,
    caller: &Caller,
    id: ConversationId,
) -> Result<Conversation, Stop> {
    d.find_conversation(id)?
        .filter(|row| row.tenant == caller.tenant && row.participant(&caller.party).is_some())
        .ok_or_else(|| Fault::NotFound(format!("conversation {id}")).into())
}

/// An act fits a conversation that is open, is for more than one act, and has its recipient.
pub(super) fn check(conversation: &Conversation, to: &Party) -> Result<(), Refusal> {
    if !conversation.takes_openings() {
        let what = match conversation.kind {
            ConversationKind::Consults(other) => format!("consults {other}"),
            _ => "holds a refused act".into(),
        };
        let message = format!(
            "{} {what}, and nothing else is said in it; send without it, or in another",
            conversation.id
        );
        return Err(
            Refusal::saying(Reason::NotAParticipant, message).with("conversation", conversation.id)
        );
    }
    if !conversation.is_open() {
        let message = format!(
            "{} is closed; send without it to open another",
            conversation.id
        );
        return Err(Refusal::saying(Reason::ConversationClosed, message)
            .with("conversation", conversation.id));
    }
    if conversation.participant(to).is_none() {
        let others: Vec<String> = conversation
            .participants
            .iter()
            .map(|p| p.party.to_string())
            .collect();
        let message = format!(
            "{to} takes no part in {}; it is between {}",
            conversation.id,
            others.join(" and ")
        );
        return Err(Refusal::saying(Reason::NotAParticipant, message).with("participants", others));
    }
    Ok(())
}
