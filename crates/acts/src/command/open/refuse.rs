//! An act that was refused at the gates.

use serde_json::json;

use super::making::Making;
use crate::{
    body::Body,
    conversation::ConversationKind,
    delivery::Delivery,
    digest::Digest,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Stop},
    ids::ActId,
    party::Party,
    performative::Performative,
    receipt::Outcome,
    task::{Task, TaskState},
    transition::{About, Speech, log, notify, speak},
};

impl Making<'_> {
    /// A refused act makes its acts and a task in state refused, in the conversation it would have had; to one who is
    /// unknown, in one with the sender alone. No delivery, hop or commitment.
    pub(super) fn refuse(
        &self,
        d: &mut Draft<'_>,
        refusal: Refusal,
        version: Option<Digest>,
    ) -> Result<Outcome, Stop> {
        let conversation = match version {
            Some(version) => self.conversation(d, Some(version))?,
            None => self.new_conversation(d, ConversationKind::Alone, None, None)?,
        };
        let mut task = self.begin(d, &conversation, None)?;
        Self::announce(d, &mut task)?;
        let mut speech = Speech::new(
            Performative::Refuse,
            Party::engine(),
            self.opener.sender.clone(),
            Body::default(),
        );
        speech.in_reply_to = Some(task.made.opening);
        speech.refusal = Some(refusal.clone());
        let act: ActId = speak(d, &About::task(&task), speech)?;
        task.now.delivery = Delivery::None;
        task.now.state = task.now.state.end(TaskState::Refused { result: act })?;
        let detail = json!({"act": act, "performative": Performative::Refuse});
        log(
            d,
            conversation.id,
            Some(&mut task),
            EventKind::ConversationAct,
            detail,
        )?;
        let detail = json!({"state": task.now.state.name(), "act": act, "reason": refusal.reason});
        log(
            d,
            conversation.id,
            Some(&mut task),
            EventKind::TaskState,
            detail,
        )?;
        if self.opener.sender.is_principal() {
            notify(
                d,
                self.opener.tenant,
                self.opener.sender,
                act,
                Some(task.id()),
                None,
            )?;
        }
        let outcome = Outcome::Refused {
            task: Some(task.id()),
            act: Some(act),
            refusal,
        };
        self.count_branch(d, &mut task)?;
        if task.made.parent.is_none() {
            let mut root = d.root(self.opener.root)?;
            root.ended = Some(d.now);
            d.put(root);
        }
        d.put(task);
        Ok(outcome)
    }

    /// A refused branch of a fan-out is an answered branch (SEMANTICS 7).
    fn count_branch(&self, d: &mut Draft<'_>, task: &mut Task) -> Result<(), Stop> {
        if let Some(id) = self.opener.group
            && let Some(mut group) = d.find_group(id)?
        {
            group.ended += 1;
            task.now.arrival = Some(group.ended);
            d.put(group);
        }
        Ok(())
    }
}
