//! `delegate`: an agent at work asks something of another, in the conversation in which the two go on talking.

use super::{
    Opening, Place,
    holder::Holder,
    open::{Opener, open},
    send::{check, named},
};
use crate::{
    conversation::ConversationKind,
    facts::{Draft, Fault, Stop},
    ids::GroupId,
    receipt::Outcome,
};

pub(super) fn decide(
    d: &mut Draft<'_>,
    holder: &Holder,
    opening: &Opening,
) -> Result<Outcome, Stop> {
    opening.can_open()?;
    let opening = opening.distinct(d, holder.task.id().root)?;
    branch(d, holder, &opening, None)
}

/// One delegation, alone or as a branch of a fan-out: a branch always has a conversation of its own.
pub(super) fn branch(
    d: &mut Draft<'_>,
    holder: &Holder,
    opening: &Opening,
    group: Option<GroupId>,
) -> Result<Outcome, Stop> {
    let task = d.task(holder.task.id())?;
    let root = task.id().root;
    let sender = task.made.debtor.clone();
    let own = (ConversationKind::Branch, None);
    let (conversation, opens) = match &opening.place {
        Place::In(id) => {
            let agent = super::Caller {
                party: sender.clone(),
                ..holder.caller.clone()
            };
            if id.root != root && *id != task.made.conversation {
                let message = format!(
                    "conversation {id} under this root; under a hop token name one that was opened below {root}, or leave \
                     it out"
                );
                return Err(Fault::NotFound(message).into());
            }
            let conversation = named(d, &agent, *id)?;
            check(&conversation, &opening.to)?;
            (Some(conversation), own)
        }
        Place::Standing if group.is_none() => (
            d.standing(root, &sender, &opening.to)?,
            (ConversationKind::Standing, None),
        ),
        Place::Standing | Place::New => (None, own),
        Place::Alias(_) => {
            let message = "an alias names a conversation of a principal; under a hop token name the conversation itself";
            return Err(Fault::Invalid(message.into()).into());
        }
    };
    let opener = Opener {
        tenant: task.made.tenant,
        sender: &sender,
        root,
        under: Some((&task, &holder.hop)),
        group,
        conversation,
        opens,
        letter: None,
        key: None,
    };
    open(d, &opener, opening)
}
