//! How an agent at work that sends no hop token joins the genealogy: its message names, in `referenceTaskIds` or as its
//! `contextId`, a task or the conversation of an open activation **of its own** (SEMANTICS 3). What it names must be its
//! own, by its credential; of what it may not see nothing is found, and nothing is joined.
//!
//! An activation that is parked has no lease, and nobody is at work in it: it is not joined.

use tertulia_acts::{
    command::KnownBy,
    hop::Activation,
    ids::{ConversationId, TaskId},
    limits::PAGE,
};
use tertulia_engine::read::{TaskFilter, TaskRead};

use super::{
    call::{AtWork, Call},
    failure,
};
use crate::wire::{A2aError, FieldViolation, Message};

impl Call {
    /// Joins the activation that the message names, if it is one of the caller's own and the call is in none yet.
    pub(super) fn join(&mut self, message: &Message) -> Result<(), A2aError> {
        if self.at_work.is_some() || !self.caller.party.is_agent() {
            return Ok(());
        }
        let Some((task, at_work)) = self.named(message)? else {
            return Ok(());
        };
        self.viewer.task = Some(task);
        self.at_work = Some(at_work);
        Ok(())
    }

    /// The activation that the message names. Tasks are more exact than a context, so they go before it.
    fn named(&self, message: &Message) -> Result<Option<(TaskId, AtWork)>, A2aError> {
        let reader = self.house.engine.reader();
        let mut named: Vec<(TaskId, AtWork)> = Vec::new();
        for text in &message.reference_task_ids {
            // A reference is a hint: one that is no task of ours is somebody else's.
            let Ok(id) = text.parse::<TaskId>() else {
                continue;
            };
            let read = reader.task(&self.viewer, id).map_err(failure::engine)?;
            let own = read.as_ref().and_then(|read| self.own(read));
            named.extend(own.filter(|(id, _)| named.iter().all(|(other, _)| other != id)));
        }
        if named.len() > 1 {
            return Err(A2aError::invalid_params(vec![FieldViolation {
                field: "message.referenceTaskIds".to_owned(),
                description:
                    "name several tasks that you are at work on; name the one that this belongs to"
                        .to_owned(),
            }]));
        }
        match (named.pop(), message.context_id.parse::<ConversationId>()) {
            (Some(named), _) => Ok(Some(named)),
            (None, Ok(context)) => self.at_work_in(context),
            (None, Err(_)) => Ok(None),
        }
    }

    /// What the caller is at work on in a conversation: one task at most (I7).
    fn at_work_in(
        &self,
        conversation: ConversationId,
    ) -> Result<Option<(TaskId, AtWork)>, A2aError> {
        let reader = self.house.engine.reader();
        let filter = TaskFilter {
            conversation: Some(conversation),
            debtor: Some(self.caller.party.clone()),
            states: vec!["working", "awaiting-authorization"],
            ..TaskFilter::default()
        };
        let mut cursor = None;
        loop {
            let page = reader
                .tasks(&self.viewer, &filter, cursor, PAGE)
                .map_err(failure::engine)?;
            if let Some(own) = page.rows.iter().find_map(|read| self.own(read)) {
                return Ok(Some(own));
            }
            cursor = page.next;
            if cursor.is_none() {
                return Ok(None);
            }
        }
    }

    /// The activation of a task, if it is the caller's own and it is at work in it.
    fn own(&self, read: &TaskRead) -> Option<(TaskId, AtWork)> {
        let hop = read.hops.last()?;
        let Activation::Leased { token, .. } = hop.state else {
            return None;
        };
        let own = read.task.made.debtor == self.caller.party && read.task.is_open();
        own.then_some((
            read.task.id(),
            AtWork {
                known_by: KnownBy::Joined(token),
                conversation: hop.conversation,
            },
        ))
    }
}
