//! Closing a conversation: an engine-marked inform; refused while tasks in it are open (SEMANTICS 6).

use serde_json::json;

use super::{Answer, Caller};
use crate::{
    body::Body,
    conversation::{Conversation, ConversationState},
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Fault, Stop},
    ids::{ActId, ConversationId},
    party::Party,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    transition::{About, Speech, log, speak},
};

/// A close.
#[derive(Debug, Clone)]
pub struct Close {
    /// The conversation.
    pub conversation: ConversationId,
}

pub(super) fn decide(d: &mut Draft<'_>, caller: &Caller, close: &Close) -> Result<Answer, Stop> {
    let conversation = owned(d, caller, close.conversation)?;
    if !conversation.is_open() {
        let act = ActId {
            conversation: conversation.id,
            seq: conversation.last_seq,
        };
        return Ok(Answer::again(Outcome::Marked { act }));
    }
    if conversation.open_tasks > 0 {
        let open = conversation.open_tasks;
        let message = format!(
            "{} has {open} open tasks; wait for them, or cancel them, then close it",
            conversation.id
        );
        return Err(Refusal::saying(Reason::OpenTasks, message)
            .with("open_tasks", open)
            .into());
    }
    let act = mark(
        d,
        caller,
        &conversation,
        format!("{} closed this conversation", caller.party),
    )?;
    let mut row = d.conversation(conversation.id)?;
    row.state = ConversationState::Closed;
    d.put(row);
    log(
        d,
        conversation.id,
        None,
        EventKind::ConversationClosed,
        json!({"act": act, "by": caller.party}),
    )?;
    Ok(Answer::first(Outcome::Marked { act }))
}

/// A conversation that the caller may close or migrate: a principal that takes part in it, or to whom the root belongs
/// under which it was opened. Agents do neither; for others it is absent (I15).
pub(super) fn owned(
    d: &Draft<'_>,
    caller: &Caller,
    id: ConversationId,
) -> Result<Conversation, Stop> {
    let absent = || Stop::Fault(Fault::NotFound(format!("conversation {id}")));
    let row = d
        .find_conversation(id)?
        .filter(|row| row.tenant == caller.tenant)
        .ok_or_else(absent)?;
    let takes_part = row.participant(&caller.party).is_some();
    if takes_part && caller.party.is_agent() {
        let message = "principals close and migrate conversations, agents do not";
        return Err(Fault::Forbidden(message.into()).into());
    }
    if takes_part || d.root(id.root)?.principal == caller.party {
        Ok(row)
    } else {
        Err(absent())
    }
}

/// An inform of the engine about the conversation itself, to the one who did not ask for it.
pub(super) fn mark(
    d: &mut Draft<'_>,
    caller: &Caller,
    conversation: &Conversation,
    text: String,
) -> Result<ActId, Stop> {
    let to = conversation
        .other(&caller.party)
        .map_or_else(|| caller.party.clone(), |other| other.party.clone());
    let about = About {
        conversation: conversation.id,
        root: conversation.id.root,
        task: None,
        parent: None,
    };
    let speech = Speech::new(Performative::Inform, Party::engine(), to, Body::text(text));
    let act = speak(d, &about, speech)?;
    log(
        d,
        conversation.id,
        None,
        EventKind::ConversationAct,
        json!({"act": act, "performative": "inform"}),
    )?;
    Ok(act)
}
