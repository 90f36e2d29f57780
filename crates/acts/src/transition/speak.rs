//! Saying: an act is appended to its conversation, and logged.

use serde_json::{Map, Value, json};

use crate::{
    body::{ArtifactRef, Body},
    envelope::{Act, Envelope, Provenance, Refusal},
    event::{Event, EventKind},
    facts::{Draft, Stop},
    ids::{ActId, AskId, ConversationId, HopId, RootId, TaskId, TenantId},
    inbox::InboxEntry,
    party::{Party, PartyKind},
    performative::Performative,
    task::Task,
    time::Timestamp,
};

/// What is said, beside what the engine adds of its own knowledge.
pub(crate) struct Speech {
    pub(crate) performative: Performative,
    pub(crate) sender: Party,
    pub(crate) hop: Option<HopId>,
    pub(crate) recipient: Party,
    pub(crate) in_reply_to: Option<ActId>,
    pub(crate) ask: Option<AskId>,
    pub(crate) refusal: Option<Refusal>,
    pub(crate) deadline: Option<Timestamp>,
    pub(crate) artifacts: Vec<ArtifactRef>,
    pub(crate) body: Body,
}

impl Speech {
    /// An act of `sender` to `recipient`, without more.
    pub(crate) fn new(
        performative: Performative,
        sender: Party,
        recipient: Party,
        body: Body,
    ) -> Self {
        Self {
            performative,
            sender,
            hop: None,
            recipient,
            in_reply_to: None,
            ask: None,
            refusal: None,
            deadline: None,
            artifacts: Vec::new(),
            body,
        }
    }
}

/// What an act is about.
pub(crate) struct About {
    pub(crate) conversation: ConversationId,
    pub(crate) root: RootId,
    pub(crate) task: Option<TaskId>,
    pub(crate) parent: Option<TaskId>,
}

impl About {
    /// An act about a task, in the conversation in which it was asked.
    pub(crate) fn task(task: &Task) -> Self {
        Self {
            conversation: task.made.conversation,
            root: task.id().root,
            task: Some(task.id()),
            parent: task.made.parent,
        }
    }
}

const fn provenance(kind: PartyKind) -> Provenance {
    match kind {
        PartyKind::User => Provenance::Human,
        PartyKind::Agent => Provenance::Agent,
        PartyKind::Service | PartyKind::Engine => Provenance::System,
    }
}

/// Appends an act, without an event of its task: for acts that open one, whose row is made after.
pub(crate) fn speak(d: &mut Draft<'_>, about: &About, speech: Speech) -> Result<ActId, Stop> {
    let root = d.root(about.root)?;
    let (seq, tenant, sender_pinned, recipient_version) =
        d.change_conversation(about.conversation, |row| {
            row.last_seq += 1;
            let pinned = |party| row.pinned(party);
            let (sender, recipient) = (pinned(&speech.sender), pinned(&speech.recipient));
            (row.last_seq, row.tenant, sender, recipient)
        })?;
    let id = ActId {
        conversation: about.conversation,
        seq,
    };
    // Whoever speaks in a hop does so at that hop's version, though another may be pinned by now.
    let sender_version = match speech.hop {
        Some(hop) => Some(d.hop(hop)?.version),
        None => sender_pinned,
    };
    let envelope = Envelope {
        id,
        tenant,
        performative: speech.performative,
        provenance: provenance(speech.sender.kind()),
        sender_version,
        sender: speech.sender,
        hop: speech.hop,
        recipient_version,
        recipient: speech.recipient,
        task: about.task,
        parent_task: about.parent,
        root: root.id,
        root_principal: root.principal,
        in_reply_to: speech.in_reply_to,
        ask: speech.ask,
        refusal: speech.refusal,
        deadline: speech.deadline,
        artifacts: speech.artifacts,
        at: d.now,
    };
    d.put(Act {
        envelope,
        body: speech.body,
    });
    Ok(id)
}

/// Appends an act about a task and logs it.
pub(crate) fn say(d: &mut Draft<'_>, task: &mut Task, speech: Speech) -> Result<ActId, Stop> {
    let performative = speech.performative;
    let id = speak(d, &About::task(task), speech)?;
    log(
        d,
        task.made.conversation,
        Some(task),
        EventKind::ConversationAct,
        json!({"act": id, "performative": performative}),
    )?;
    Ok(id)
}

/// Appends an event to the log of a conversation and, where it is about one, of a task. The task's counter is raised
/// in `task`; whoever has it in hand puts it.
pub(crate) fn log(
    d: &mut Draft<'_>,
    conversation: ConversationId,
    task: Option<&mut Task>,
    kind: EventKind,
    detail: Value,
) -> Result<(), Stop> {
    let (n, tenant) = d.change_conversation(conversation, |row| {
        row.last_event += 1;
        (row.last_event, row.tenant)
    })?;
    let (id, task_n) = match task {
        Some(task) => {
            task.now.last_event += 1;
            (Some(task.id()), task.now.last_event)
        }
        None => (None, 0),
    };
    let detail = match detail {
        Value::Object(detail) => detail,
        _ => Map::new(),
    };
    let event = Event {
        conversation,
        n,
        tenant,
        task: id,
        task_n,
        kind,
        detail,
        at: d.now,
    };
    d.put(event);
    Ok(())
}

/// Puts an act in a principal's inbox.
pub(crate) fn notify(
    d: &mut Draft<'_>,
    tenant: TenantId,
    principal: &Party,
    act: ActId,
    task: Option<TaskId>,
    ask: Option<AskId>,
) -> Result<(), Stop> {
    let mut inbox = d.inbox(tenant, principal)?;
    inbox.last += 1;
    let entry = InboxEntry {
        tenant,
        principal: principal.clone(),
        n: inbox.last,
        act,
        task,
        ask,
        at: d.now,
    };
    d.put(inbox);
    d.put(entry);
    Ok(())
}

/// Writes `agree` where the debtor of a request has not said so yet: its first delegation or progress means it, and
/// what fails was begun (SEMANTICS 1).
pub(crate) fn agree_first(
    d: &mut Draft<'_>,
    task: &mut Task,
    hop: HopId,
) -> Result<Option<ActId>, Stop> {
    if task.now.agreed || task.made.performative != Performative::Request {
        return Ok(None);
    }
    let mut speech = Speech::new(
        Performative::Agree,
        task.made.debtor.clone(),
        task.made.requester.clone(),
        Body::default(),
    );
    speech.hop = Some(hop);
    speech.in_reply_to = Some(task.made.opening);
    let act = say(d, task, speech)?;
    task.now.agreed = true;
    if let Some(id) = task.made.commitment {
        let mut commitment = d.commitment(id)?;
        commitment.status = commitment.status.agree()?;
        commitment.changed = d.now;
        let detail = json!({"commitment": id, "status": commitment.status.name()});
        d.put(commitment);
        log(
            d,
            task.made.conversation,
            Some(task),
            EventKind::CommitmentStatus,
            detail,
        )?;
    }
    d.put(task.clone());
    Ok(Some(act))
}
