//! What an opening act makes, accepted or not: the conversation it is said in, its words, its task.

use std::sync::Arc;

use serde_json::json;

use super::{super::Opening, Opener};
use crate::{
    body::ArtifactRef,
    contract::Contract,
    conversation::{Conversation, ConversationKind, ConversationState, Participant},
    delivery::Delivery,
    digest::Digest,
    event::EventKind,
    facts::{Draft, Stop},
    genealogy::Genealogy,
    ids::{ConversationId, HopId, TaskId},
    performative::Performative,
    task::{Task, TaskMade, TaskNow, TaskState},
    transition::{About, Speech, bring, log, speak},
};

/// An act on its way from the gates.
pub(super) struct Making<'a> {
    pub(super) opener: &'a Opener<'a>,
    pub(super) opening: &'a Opening,
    pub(super) genealogy: Genealogy,
    pub(super) contract: Contract,
    pub(super) performative: Performative,
}

impl Making<'_> {
    /// The conversation that the act is said in, opened if need be, with the recipient pinned to `version`.
    pub(super) fn conversation(
        &self,
        d: &mut Draft<'_>,
        version: Option<Digest>,
    ) -> Result<Conversation, Stop> {
        if let Some(conversation) = &self.opener.conversation {
            return Ok(conversation.clone());
        }
        let (kind, alias) = &self.opener.opens;
        self.new_conversation(d, *kind, alias.clone(), version)
    }

    pub(super) fn new_conversation(
        &self,
        d: &mut Draft<'_>,
        kind: ConversationKind,
        alias: Option<String>,
        version: Option<Digest>,
    ) -> Result<Conversation, Stop> {
        let id = ConversationId::new(self.opener.root, d.number(self.opener.root)?);
        let sender = Participant {
            party: self.opener.sender.clone(),
            version: self.opener.under.map(|(_, hop)| hop.version),
        };
        let mut participants = vec![sender];
        // Who speaks to itself takes part once.
        if kind != ConversationKind::Alone && self.opening.to != *self.opener.sender {
            participants.push(Participant {
                party: self.opening.to.clone(),
                version,
            });
        }
        let conversation = Conversation {
            id,
            tenant: self.opener.tenant,
            participants,
            kind,
            alias,
            state: ConversationState::Open,
            last_seq: 0,
            last_event: 0,
            open_tasks: 0,
            made: d.now,
        };
        d.put(conversation);
        log(
            d,
            id,
            None,
            EventKind::ConversationOpened,
            json!({"with": self.opening.to}),
        )?;
        d.conversation(id)
    }

    pub(super) fn speech(&self, artifacts: Vec<ArtifactRef>) -> Speech {
        let mut speech = Speech::new(
            self.performative,
            self.opener.sender.clone(),
            self.opening.to.clone(),
            self.opening.body.clone(),
        );
        speech.hop = self.hop();
        speech.artifacts = artifacts;
        speech
    }

    fn hop(&self) -> Option<HopId> {
        self.opener.under.map(|(_, hop)| hop.id)
    }

    pub(super) fn parent(&self) -> Option<TaskId> {
        self.opener.parent()
    }

    /// Says the opening act about a task numbered anew, and makes that task's rows.
    pub(super) fn begin(
        &self,
        d: &mut Draft<'_>,
        conversation: &Conversation,
        folded_on: Option<TaskId>,
    ) -> Result<Task, Stop> {
        let root = self.opener.root;
        let id = TaskId::new(root, d.number(root)?);
        let artifacts = bring(d, root, self.opening.artifacts())?;
        let about = About {
            conversation: conversation.id,
            root,
            task: Some(id),
            parent: self.parent(),
        };
        let mut speech = self.speech(artifacts);
        speech.deadline = Some(self.opening.deadline(d.now));
        let opening = speak(d, &about, speech)?;
        let made = TaskMade {
            id,
            tenant: self.opener.tenant,
            parent: self.parent(),
            conversation: conversation.id,
            opening,
            performative: self.performative,
            requester: self.opener.sender.clone(),
            requester_hop: self.hop(),
            debtor: self.opening.to.clone(),
            version: conversation.pinned(&self.opening.to),
            genealogy: self.genealogy.clone(),
            fingerprint: self.opening.fingerprint(),
            contract: self.contract.clone(),
            deadline: self.opening.deadline(d.now),
            group: self.opener.group,
            folded_on,
            work_id: self.opening.work_id.clone(),
            parent_work_id: self.opening.parent_work_id.clone(),
            redrive_of: self.opener.letter.map(Task::id),
            key: self.opener.key,
            commitment: None,
            at: d.now,
        };
        let now = TaskNow {
            state: TaskState::Queued,
            delivery: Delivery::Pending { due: d.now },
            agreed: false,
            attempts: 0,
            hop: None,
            steps: 0,
            rounds: 0,
            last_event: 0,
            arrival: None,
            attached: Vec::new(),
            late: (0, 0),
            last_error: None,
            closing: None,
            redriven_as: None,
            changed: d.now,
        };
        Ok(Task {
            made: Arc::new(made),
            now,
        })
    }

    pub(super) fn announce(d: &mut Draft<'_>, task: &mut Task) -> Result<(), Stop> {
        let conversation = task.made.conversation;
        let detail =
            json!({"parent": task.made.parent, "agent": task.made.debtor, "fold": task.is_fold()});
        log(d, conversation, Some(task), EventKind::TaskCreated, detail)?;
        let detail = json!({"act": task.made.opening, "performative": task.made.performative});
        log(
            d,
            conversation,
            Some(task),
            EventKind::ConversationAct,
            detail,
        )
    }
}
