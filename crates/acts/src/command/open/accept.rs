//! An act that passed: its task waits in a mailbox, and what it asks is owed.

use std::sync::Arc;

use serde_json::json;

use super::making::Making;
use crate::{
    commitment::{Commitment, CommitmentStatus},
    conversation::Conversation,
    event::EventKind,
    facts::{Draft, Stop},
    ids::{CommitmentId, TaskId},
    performative::Performative,
    receipt::Outcome,
    slot::Slot,
    task::{Task, TaskMade},
    transition::{log, refresh},
};

impl Making<'_> {
    /// Makes the task of an act that passed, as a consultation of `folded_on` if that is named.
    pub(super) fn accept(
        &self,
        d: &mut Draft<'_>,
        conversation: &Conversation,
        folded_on: Option<TaskId>,
    ) -> Result<Outcome, Stop> {
        let mut task = self.begin(d, conversation, folded_on)?;
        if task.made.performative == Performative::Request {
            let id = self.commit(d, &task)?;
            let made = TaskMade {
                commitment: Some(id),
                ..(*task.made).clone()
            };
            task.made = Arc::new(made);
        }
        Self::announce(d, &mut task)?;
        if let Some(id) = task.made.commitment {
            let detail = json!({"commitment": id, "status": CommitmentStatus::Conditional.name()});
            log(
                d,
                conversation.id,
                Some(&mut task),
                EventKind::CommitmentMade,
                detail,
            )?;
        }
        if let Some(why) = &self.opening.not_equivalent {
            let detail = json!({"not_equivalent": why, "by": self.opener.sender});
            log(
                d,
                conversation.id,
                Some(&mut task),
                EventKind::CommitmentOverride,
                detail,
            )?;
        }
        let detail = json!({"agent": task.made.debtor});
        log(
            d,
            conversation.id,
            Some(&mut task),
            EventKind::MailboxQueued,
            detail,
        )?;

        let mut root = d.root(self.opener.root)?;
        root.open_tasks += 1;
        d.put(root);
        let mut row = d.conversation(conversation.id)?;
        row.open_tasks += 1;
        d.put(row);
        let agent = task.made.debtor.name().to_owned();
        let mut workload = d.workload(self.opener.tenant, &agent)?;
        workload.open += 1;
        d.put(workload);
        let outcome = Outcome::Accepted {
            task: task.id(),
            act: task.made.opening,
        };
        let version = task
            .made
            .version
            .ok_or_else(|| Stop::Broken("a recipient without a pinned version".into()))?;
        d.put(task);
        if d.slot(&agent, conversation.id)?.is_none() {
            let slot = Slot {
                tenant: self.opener.tenant,
                agent: agent.clone(),
                conversation: conversation.id,
                version,
                leased: None,
                head: None,
            };
            d.put(slot);
        }
        refresh(d, &agent, conversation.id)?;
        Ok(outcome)
    }

    fn commit(&self, d: &mut Draft<'_>, task: &Task) -> Result<CommitmentId, Stop> {
        let id = CommitmentId::new(self.opener.root, d.number(self.opener.root)?);
        d.put(Commitment {
            id,
            tenant: self.opener.tenant,
            debtor: task.made.debtor.name().to_owned(),
            creditor: self.opener.sender.clone(),
            creditor_task: self.parent(),
            fingerprint: task.made.fingerprint,
            task: task.id(),
            status: CommitmentStatus::Conditional,
            made: d.now,
            changed: d.now,
        });
        Ok(id)
    }
}
