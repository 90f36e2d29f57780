//! Opening: an act passes the gates and makes a task, or is refused and makes a refused one (SEMANTICS 1).

use std::sync::Arc;

use serde_json::json;

use super::Opening;
use crate::{
    artifact::Artifact,
    body::{ArtifactRef, Body, NewArtifact},
    commitment::{Commitment, CommitmentStatus},
    contract::Contract,
    conversation::{Conversation, ConversationKind, ConversationState, Participant},
    delivery::Delivery,
    digest::Digest,
    envelope::Refusal,
    event::EventKind,
    facts::{Draft, Need, Stop},
    fingerprint::Fingerprint,
    gate::{self, Asked, Passage},
    genealogy::{Ancestor, Genealogy},
    hop::Hop,
    ids::{ActId, CommitmentId, ConversationId, GroupId, HopId, RootId, TaskId, TenantId},
    limits::ROUNDS_PER_TASK,
    party::Party,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    slot::Slot,
    task::{Attached, Task, TaskMade, TaskNow, TaskState},
    transition::{About, Speech, log, notify, refresh, speak},
};

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
    pub(crate) redrive_of: Option<TaskId>,
}

impl Opener<'_> {
    fn genealogy(&self) -> Genealogy {
        match self.under {
            None => Genealogy::default(),
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

/// Sends an opening act to an agent through the gates.
pub(crate) fn open(
    d: &mut Draft<'_>,
    opener: &Opener<'_>,
    opening: &Opening,
) -> Result<Outcome, Stop> {
    let genealogy = opener.genealogy();
    let (contract, fingerprint) = overridden(d, opener, opening)?;
    let passage = gate::pass(
        d,
        &Asked {
            tenant: opener.tenant,
            sender: opener.sender,
            root: opener.root,
            under: opener.under.map(|(task, _)| task),
            genealogy: &genealogy,
            opening,
            fingerprint,
        },
    )?;
    let mut making = Making {
        opener,
        opening,
        genealogy,
        contract,
        fingerprint,
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
        Passage::Refused { refusal, agent } => {
            making.refuse(d, refusal, agent.map(|agent| agent.current))
        }
        Passage::Ordinary(agent) => {
            let conversation = making.conversation(d, agent.current)?;
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

/// `not_equivalent` makes an intended repeat distinct: the variant becomes the override's own number.
fn overridden(
    d: &mut Draft<'_>,
    opener: &Opener<'_>,
    opening: &Opening,
) -> Result<(Contract, Fingerprint), Stop> {
    if opening.not_equivalent.is_none() {
        return Ok((opening.contract.clone(), opening.fingerprint));
    }
    let n = d.number(opener.root)?;
    let contract = Contract {
        variant: Some(format!("override_{n}")),
        ..opening.contract.clone()
    };
    let fingerprint = Fingerprint::of(&opening.to, &opening.body, &contract);
    Ok((contract, fingerprint))
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

/// Stores what an act brings. The evidence counter rises by one per digest that is new to the root (SEMANTICS 5).
pub(crate) fn store_artifacts(
    d: &mut Draft<'_>,
    root: RootId,
    artifacts: &[NewArtifact],
) -> Result<Vec<ArtifactRef>, Stop> {
    let digests = artifacts.iter().map(|artifact| artifact.reference().digest);
    d.foresee(digests.map(|digest| Need::Artifact(root, digest)))?;
    let mut references = Vec::with_capacity(artifacts.len());
    for artifact in artifacts {
        let reference = artifact.reference();
        if !d.has_artifact(root, reference.digest)? {
            let mut row = d.root(root)?;
            row.evidence += 1;
            let tenant = row.tenant;
            d.put(row);
            d.put(Artifact {
                root,
                digest: reference.digest,
                tenant,
                media_type: reference.media_type.clone(),
                name: reference.name.clone(),
                bytes: Arc::from(artifact.bytes()),
                made: d.now,
            });
        }
        references.push(reference);
    }
    Ok(references)
}

struct Making<'a> {
    opener: &'a Opener<'a>,
    opening: &'a Opening,
    genealogy: Genealogy,
    contract: Contract,
    fingerprint: Fingerprint,
    performative: Performative,
}

impl Making<'_> {
    /// The conversation that the act is said in, opened if need be, with the recipient pinned to `version`.
    fn conversation(&self, d: &mut Draft<'_>, version: Digest) -> Result<Conversation, Stop> {
        if let Some(conversation) = &self.opener.conversation {
            return Ok(conversation.clone());
        }
        let (kind, alias) = &self.opener.opens;
        self.new_conversation(d, *kind, alias.clone(), Some(version))
    }

    fn new_conversation(
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

    fn speech(&self, artifacts: Vec<ArtifactRef>, d: &Draft<'_>) -> Speech {
        let mut speech = Speech::new(
            self.performative,
            self.opener.sender.clone(),
            self.opening.to.clone(),
            self.opening.body.clone(),
        );
        speech.hop = self.hop();
        speech.deadline = Some(self.opening.deadline(d.now));
        speech.artifacts = artifacts;
        speech
    }

    fn hop(&self) -> Option<HopId> {
        self.opener.under.map(|(_, hop)| hop.id)
    }

    fn parent(&self) -> Option<TaskId> {
        self.opener.under.map(|(task, _)| task.id())
    }

    /// Says the opening act about a task numbered anew, and makes that task's rows.
    fn begin(
        &self,
        d: &mut Draft<'_>,
        conversation: &Conversation,
        folded_on: Option<TaskId>,
    ) -> Result<Task, Stop> {
        let root = self.opener.root;
        let id = TaskId::new(root, d.number(root)?);
        let artifacts = store_artifacts(d, root, &self.opening.artifacts)?;
        let about = About {
            conversation: conversation.id,
            root,
            task: Some(id),
            parent: self.parent(),
        };
        let speech = self.speech(artifacts, d);
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
            fingerprint: self.fingerprint,
            contract: self.contract.clone(),
            deadline: self.opening.deadline(d.now),
            group: self.opener.group,
            folded_on,
            work_id: self.opening.work_id.clone(),
            parent_work_id: self.opening.parent_work_id.clone(),
            redrive_of: self.opener.redrive_of,
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

    fn announce(d: &mut Draft<'_>, task: &mut Task) -> Result<(), Stop> {
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

    fn accept(
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
            fingerprint: self.fingerprint,
            task: task.id(),
            status: CommitmentStatus::Conditional,
            made: d.now,
            changed: d.now,
        });
        Ok(id)
    }

    /// A refused act makes its acts and a task in state refused, in the conversation it would have had; to one who is
    /// unknown, in one with the sender alone. No delivery, hop or commitment.
    fn refuse(
        &self,
        d: &mut Draft<'_>,
        refusal: Refusal,
        version: Option<Digest>,
    ) -> Result<Outcome, Stop> {
        let conversation = match version {
            Some(version) => self.conversation(d, version)?,
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
