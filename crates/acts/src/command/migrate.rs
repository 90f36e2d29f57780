//! Migrating: one participant of a conversation is pinned to another version, for tasks accepted later (SEMANTICS 6;
//! I13).

use serde_json::json;

use super::{
    Answer, Caller,
    close::{mark, owned},
};
use crate::{
    digest::Digest,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Fault, Stop},
    ids::ConversationId,
    party::Party,
    reason::Reason,
    receipt::Outcome,
    transition::log,
};

/// A migration.
#[derive(Debug, Clone)]
pub struct Migrate {
    /// The conversation.
    pub conversation: ConversationId,
    /// The participant.
    pub agent: Party,
    /// The version; none is the current one.
    pub version: Option<Digest>,
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    caller: &Caller,
    migrate: &Migrate,
) -> Result<Answer, Stop> {
    let mut conversation = owned(d, caller, migrate.conversation)?;
    if !conversation.is_open() {
        let message = format!(
            "{} is closed; its versions stay as they are",
            conversation.id
        );
        return Err(Refusal::saying(Reason::ConversationClosed, message).into());
    }
    let name = migrate.agent.name();
    let agent = d
        .agent(caller.tenant, name)?
        .filter(|_| migrate.agent.is_agent());
    let Some(agent) = agent.filter(|_| conversation.participant(&migrate.agent).is_some()) else {
        let message = format!("{} takes no part in {}", migrate.agent, conversation.id);
        return Err(Refusal::saying(Reason::NotAParticipant, message).into());
    };
    let version = migrate.version.unwrap_or(agent.current);
    if d.version(caller.tenant, name, version)?.is_none() {
        return Err(Fault::NotFound(format!("version {version} of {}", migrate.agent)).into());
    }
    // Tasks that were accepted keep their version.
    for participant in &mut conversation.participants {
        if participant.party == migrate.agent {
            participant.version = Some(version);
        }
    }
    d.put(conversation.clone());
    let act = mark(
        d,
        caller,
        &conversation,
        format!(
            "{} answers here as version {version} from now on",
            migrate.agent
        ),
    )?;
    let detail = json!({"act": act, "agent": migrate.agent, "version": version});
    log(
        d,
        conversation.id,
        None,
        EventKind::ConversationMigrated,
        detail,
    )?;
    Ok(Answer::first(Outcome::Marked { act }))
}
