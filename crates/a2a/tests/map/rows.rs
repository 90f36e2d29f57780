//! Rows as the engine has them: a task of `user:ana`, asked of `agent:logs`.

use std::sync::Arc;

use serde_json::json;
use tertulia_acts::{
    artifact::Artifact,
    ask::{Addressee, Ask, AskState},
    body::{ArtifactRef, Body},
    contract::Contract,
    delivery::Delivery,
    digest::Digest,
    envelope::{Act, Envelope, Provenance, Refusal},
    fingerprint::Fingerprint,
    genealogy::Genealogy,
    ids::{ActId, AskId, ConversationId, HopId, RootId, TaskId, TenantId},
    party::Party,
    performative::Performative,
    root::Root,
    task::{Task, TaskMade, TaskNow, TaskState},
    time::Timestamp,
    viewer::Viewer,
};
use tertulia_engine::read::TaskRead;

pub(crate) const TENANT: TenantId = TenantId(1);
pub(crate) const NOW: Timestamp = Timestamp(1_767_225_600_000);

pub(crate) fn party(text: &str) -> Party {
    text.parse().unwrap()
}

pub(crate) fn root() -> RootId {
    "root_01890a5d0c4e7c3a9d2f0123456789ab".parse().unwrap()
}

pub(crate) fn task_id() -> TaskId {
    TaskId::new(root(), 2)
}

pub(crate) fn hop_id() -> HopId {
    HopId::new(root(), 4)
}

pub(crate) fn ask_id() -> AskId {
    AskId::new(root(), 5)
}

pub(crate) fn act_id(seq: u32) -> ActId {
    let conversation = ConversationId::new(root(), 1);
    ActId { conversation, seq }
}

pub(crate) fn ana() -> Viewer {
    Viewer::new(TENANT, party("user:ana"))
}

/// An act about the task: from Ana if it opens or answers, else from the agent.
pub(crate) fn act(seq: u32, performative: Performative, by: &str, body: Body) -> Act {
    let (sender, recipient) = match by {
        "user:ana" => (party(by), party("agent:logs")),
        "engine" => (Party::engine(), party("user:ana")),
        _ => (party(by), party("user:ana")),
    };
    let hop = sender.is_agent().then(hop_id);
    Act {
        envelope: Envelope {
            id: act_id(seq),
            tenant: TENANT,
            performative,
            sender,
            sender_version: None,
            hop,
            recipient,
            recipient_version: None,
            task: Some(task_id()),
            parent_task: None,
            root: root(),
            root_principal: party("user:ana"),
            in_reply_to: (seq > 1).then(|| act_id(1)),
            ask: None,
            refusal: None,
            deadline: None,
            artifacts: Vec::new(),
            provenance: Provenance::Human,
            at: NOW,
        },
        body,
    }
}

pub(crate) fn refused(mut act: Act, refusal: Refusal) -> Act {
    act.envelope.refusal = Some(refusal);
    act
}

pub(crate) fn bringing(mut act: Act, artifacts: &[Artifact]) -> Act {
    let reference = |artifact: &Artifact| ArtifactRef {
        digest: artifact.digest,
        name: artifact.name.clone(),
        media_type: artifact.media_type.clone(),
        size: artifact.bytes.len() as u64,
    };
    act.envelope.artifacts = artifacts.iter().map(reference).collect();
    act
}

pub(crate) fn file(name: &str, media_type: &str, bytes: &[u8]) -> Artifact {
    Artifact {
        root: root(),
        digest: Digest::of(bytes),
        tenant: TENANT,
        media_type: media_type.into(),
        name: name.into(),
        bytes: Arc::from(bytes),
        late: false,
        made: NOW,
    }
}

/// The task in a state, with the act that ended it.
pub(crate) fn read(state: TaskState, result: Option<Act>) -> TaskRead {
    let opening = act(
        1,
        Performative::Request,
        "user:ana",
        Body::text("find the errors"),
    );
    let hop = (state != TaskState::Queued).then(hop_id);
    let contract = Contract::default();
    let fingerprint = Fingerprint::of(&party("agent:logs"), &opening.body, &[], &contract);
    let made = TaskMade {
        id: task_id(),
        tenant: TENANT,
        parent: None,
        conversation: ConversationId::new(root(), 1),
        opening: act_id(1),
        performative: Performative::Request,
        requester: party("user:ana"),
        requester_hop: None,
        debtor: party("agent:logs"),
        version: None,
        genealogy: Genealogy::default(),
        fingerprint,
        contract,
        deadline: Timestamp(NOW.0 + 1_000),
        group: None,
        folded_on: None,
        work_id: None,
        parent_work_id: None,
        redrive_of: None,
        key: None,
        commitment: None,
        at: NOW,
    };
    let now = json!({
        "state": state, "delivery": Delivery::None, "agreed": false, "attempts": 1, "hop": hop,
        "steps": 0, "rounds": 0, "last_event": 7, "changed": NOW,
    });
    // What it does not say is as of a new task.
    let now: TaskNow = serde_json::from_value(now).unwrap();
    TaskRead {
        task: Task {
            made: Arc::new(made),
            now,
        },
        root: Root {
            id: root(),
            tenant: TENANT,
            principal: party("user:ana"),
            responsible: Some(party("user:ana")),
            next: 9,
            evidence: 0,
            open_tasks: 1,
            made: NOW,
            ended: None,
        },
        opening,
        result,
        open_ask: None,
        hops: Vec::new(),
        last_seq: 1,
    }
}

/// The task, parked on a question to `addressee`.
pub(crate) fn asking(addressee: Addressee) -> TaskRead {
    let mut query = act(
        2,
        Performative::Query,
        "agent:logs",
        Body::text("which service?"),
    );
    query.envelope.ask = Some(ask_id());
    let ask = Ask {
        id: ask_id(),
        tenant: TENANT,
        asker: task_id(),
        hop: hop_id(),
        addressee,
        query: act_id(2),
        state: AskState::Open,
        deadline: Timestamp(NOW.0 + 1_000),
        made: NOW,
    };
    let mut read = read(TaskState::AwaitingClarification { ask: ask_id() }, None);
    read.open_ask = Some((ask, query));
    read
}
