//! Sending an opening act outside a hop: it opens a new root (SEMANTICS 6).

use super::{
    Answer, Caller, Opening, Place,
    open::{Opener, open},
};
use crate::{
    conversation::{Conversation, ConversationKind, ConversationState, Participant},
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Fault, Need, Stop},
    ids::{ConversationId, RootId},
    limits::KEY_KEPT,
    party::{Party, PartyKind},
    performative::Performative,
    reason::Reason,
    receipt::{Outcome, Receipt, Scope},
    root::Root,
    transition::{About, Speech, log, notify, speak},
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
        let mut needs = vec![
            Need::Tenant(caller.tenant),
            Need::Agent(caller.tenant, self.opening.to.name().into()),
        ];
        if let Some(key) = &self.key {
            needs.push(Need::Receipt(Receipt::key_of_key(
                caller.tenant,
                &caller.party,
                key,
            )));
        }
        needs
    }
}

pub(super) fn decide(d: &mut Draft<'_>, caller: &Caller, send: &Send) -> Result<Answer, Stop> {
    let content = send.opening.content();
    let scope = Scope::Key {
        tenant: caller.tenant,
        party: caller.party.clone(),
    };
    if let Some(key) = &send.key
        && let Some(receipt) = d.receipt(scope.key(key))?
        && remembered(d, &receipt)?
    {
        if receipt.content == content {
            return Ok(Answer::again(receipt.outcome));
        }
        let message =
            "this Idempotency-Key was used for another act; send this one with a key of its own";
        return Err(Refusal::saying(Reason::KeyReused, message).into());
    }
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
    let outcome = if send.opening.to.is_principal() {
        inform(d, caller, root, &send.opening)?
    } else {
        let opener = Opener {
            tenant: caller.tenant,
            sender: &caller.party,
            root,
            under: None,
            group: None,
            conversation,
            opens: (ConversationKind::Opened, alias),
            redrive_of: None,
        };
        open(d, &opener, &send.opening)?
    };
    if let Some(key) = &send.key {
        d.put(Receipt::new(scope, key, content, outcome.clone(), d.now));
    }
    Ok(Answer::first(outcome))
}

/// A key is remembered while its task is open and seven days after (SEMANTICS 4).
pub(super) fn remembered(d: &Draft<'_>, receipt: &Receipt) -> Result<bool, Stop> {
    let since = match &receipt.outcome {
        Outcome::Accepted { task, .. }
        | Outcome::Refused {
            task: Some(task), ..
        } => match d.find_task(*task)? {
            Some(task) if task.is_open() => return Ok(true),
            Some(task) => task.now.changed,
            None => receipt.made,
        },
        _ => receipt.made,
    };
    Ok(d.now < since.after(KEY_KEPT))
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

/// An act fits a conversation that is open and has its recipient.
pub(super) fn check(conversation: &Conversation, to: &Party) -> Result<(), Refusal> {
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

/// An inform to a principal is an entry of its inbox: nothing is asked, so there is no task.
pub(super) fn inform(
    d: &mut Draft<'_>,
    caller: &Caller,
    root: RootId,
    opening: &Opening,
) -> Result<Outcome, Stop> {
    inform_from(d, &caller.party, None, root, opening)
}

/// The same, from whoever speaks.
pub(super) fn inform_from(
    d: &mut Draft<'_>,
    sender: &Party,
    hop: Option<&crate::hop::Hop>,
    root: RootId,
    opening: &Opening,
) -> Result<Outcome, Stop> {
    let tenant = d.root(root)?.tenant;
    if opening.performative != Performative::Inform {
        let message = format!(
            "{} is a principal: it can be informed, and asked through an ask; requests and queries go to agents",
            opening.to
        );
        return Err(Refusal::saying(Reason::IllegalAct, message).into());
    }
    if opening.to == *sender {
        let message = "nobody informs itself; name another principal, or an agent";
        return Err(Refusal::saying(Reason::ToOneself, message).into());
    }
    if d.principal(tenant, &opening.to)?.is_none() {
        let message = format!("there is no {} here", opening.to);
        return Err(Refusal::saying(Reason::UnknownRecipient, message).into());
    }
    let conversation = match d.standing(root, sender, &opening.to)? {
        Some(conversation) => conversation.id,
        None => begin_standing(d, sender, hop, root, &opening.to)?,
    };
    let artifacts = super::open::store_artifacts(d, root, &opening.artifacts)?;
    let mut speech = Speech::new(
        Performative::Inform,
        sender.clone(),
        opening.to.clone(),
        opening.body.clone(),
    );
    speech.hop = hop.map(|hop| hop.id);
    speech.artifacts = artifacts;
    let about = About {
        conversation,
        root,
        task: None,
        parent: hop.map(|hop| hop.task),
    };
    let act = speak(d, &about, speech)?;
    log(
        d,
        conversation,
        None,
        EventKind::ConversationAct,
        serde_json::json!({"act": act, "performative": "inform"}),
    )?;
    notify(d, tenant, &opening.to, act, None, None)?;
    if hop.is_none() {
        // Nothing is open under a root that only informs.
        let mut row = d.root(root)?;
        row.ended = Some(d.now);
        d.put(row);
    }
    Ok(Outcome::Notified { act })
}

/// Opens the conversation in which `sender` and the principal `to` go on talking under `root`.
fn begin_standing(
    d: &mut Draft<'_>,
    sender: &Party,
    hop: Option<&crate::hop::Hop>,
    root: RootId,
    to: &Party,
) -> Result<ConversationId, Stop> {
    let id = ConversationId::new(root, d.number(root)?);
    let version = hop.map(|hop| hop.version);
    let participants = vec![
        Participant {
            party: sender.clone(),
            version,
        },
        Participant {
            party: to.clone(),
            version: None,
        },
    ];
    let tenant = d.root(root)?.tenant;
    d.put(Conversation {
        id,
        tenant,
        participants,
        kind: ConversationKind::Standing,
        alias: None,
        state: ConversationState::Open,
        last_seq: 0,
        last_event: 0,
        open_tasks: 0,
        made: d.now,
    });
    let detail = serde_json::json!({"with": to});
    log(d, id, None, EventKind::ConversationOpened, detail)?;
    Ok(id)
}
