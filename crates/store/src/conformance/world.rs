//! A small world to try a store on: a root of Ana's, in which a coordinator delegated to a specialist that asked back
//! and consulted it; made for any tenant, so that the same names stand twice.

mod work;

use std::sync::Arc;

use serde_json::{Map, json};
use tertulia_acts::{
    agent::{Agent, AgentLimits, Contracts, Definition, Retry, Runner, Version, Workload},
    answers::Operation,
    artifact::{Artifact, LateResult},
    body::{ArtifactRef, Body},
    contract::Contract,
    conversation::{Conversation, ConversationKind, ConversationState, Participant},
    digest::Digest,
    envelope::{Act, Envelope, Provenance},
    event::{Event, EventKind},
    facts::{Change, Row},
    fingerprint::Fingerprint,
    ids::{ActId, AskId, CommitmentId, ConversationId, GroupId, HopId, RootId, TaskId, TenantId},
    inbox::{Inbox, InboxEntry},
    party::Party,
    performative::Performative,
    reason::Reason,
    receipt::{Outcome, Receipt, Scope},
    root::Root,
    tenant::{ApiKey, Principal, Tenant},
    time::Timestamp,
};

use super::write;
use crate::{Store, StoreError};

/// When the world was made.
pub(in crate::conformance) const T0: i64 = 1_700_000_000_000;

pub(in crate::conformance) fn at(ms: i64) -> Timestamp {
    Timestamp(T0 + ms)
}

pub(in crate::conformance) fn digest(text: &str) -> Digest {
    Digest::of(text.as_bytes())
}

/// A party by its text; what is no party is the engine, which nobody is.
pub(in crate::conformance) fn party(text: &str) -> Party {
    text.parse().unwrap_or_else(|_| Party::engine())
}

/// What a debtor is asked in this world.
pub(in crate::conformance) fn fingerprint(debtor: &str) -> Fingerprint {
    Fingerprint::of(
        &party(debtor),
        &Body::text("why?"),
        &[],
        &Contract::default(),
    )
}

/// The world of a tenant.
pub(in crate::conformance) struct World {
    pub(in crate::conformance) tenant: TenantId,
    pub(in crate::conformance) root: RootId,
}

impl World {
    /// The numbers of tenant, root and everything below differ from those of another `n`.
    pub(in crate::conformance) fn new(n: u8) -> Self {
        Self {
            tenant: TenantId(n.into()),
            root: RootId::from_bytes([n; 16]),
        }
    }

    /// Makes it stand in a store.
    pub(in crate::conformance) fn build(n: u8, store: &mut dyn Store) -> Result<Self, StoreError> {
        let world = Self::new(n);
        write(store, world.changes(), T0)?;
        Ok(world)
    }

    pub(in crate::conformance) fn task_id(&self, n: u32) -> TaskId {
        TaskId::new(self.root, n)
    }

    pub(in crate::conformance) fn hop_id(&self, n: u32) -> HopId {
        HopId::new(self.root, n)
    }

    pub(in crate::conformance) fn conversation_id(&self, n: u32) -> ConversationId {
        ConversationId::new(self.root, n)
    }

    pub(in crate::conformance) fn act_id(&self, conversation: u32, seq: u32) -> ActId {
        ActId {
            conversation: self.conversation_id(conversation),
            seq,
        }
    }

    pub(in crate::conformance) fn ask_id(&self) -> AskId {
        AskId::new(self.root, 30)
    }

    pub(in crate::conformance) fn group_id(&self) -> GroupId {
        GroupId::new(self.root, 31)
    }

    pub(in crate::conformance) fn commitment_id(&self) -> CommitmentId {
        CommitmentId::new(self.root, 32)
    }

    /// Digests differ between worlds, where they are found without naming the tenant.
    pub(in crate::conformance) fn secret(&self, text: &str) -> Digest {
        digest(&format!("{text} of {}", self.tenant.0))
    }

    pub(in crate::conformance) fn tenant(&self) -> Tenant {
        Tenant {
            id: self.tenant,
            name: format!("tenant-{}", self.tenant.0),
            epoch: 3,
        }
    }

    pub(in crate::conformance) fn principal(&self) -> Principal {
        Principal {
            tenant: self.tenant,
            party: party("service:ci"),
            responsible: Some(party("user:ana")),
            administers: false,
            made: at(0),
        }
    }

    pub(in crate::conformance) fn key(&self) -> ApiKey {
        ApiKey {
            digest: self.secret("key"),
            tenant: self.tenant,
            party: party("user:ana"),
            label: "laptop".into(),
            made: at(0),
            revoked: None,
        }
    }

    pub(in crate::conformance) fn version(&self, agent: &str) -> Version {
        let definition = Definition {
            name: agent.into(),
            description: "reads logs".into(),
            owner: party("user:olga"),
            skills: Vec::new(),
            contracts: Contracts::default(),
            limits: AgentLimits::default(),
            retry: Retry::Reconcile,
            runner: Runner::Worker,
            instructions: "Look closely.".into(),
        };
        Version {
            tenant: self.tenant,
            agent: agent.into(),
            digest: definition.digest(),
            definition: Arc::new(definition),
            made: at(0),
        }
    }

    pub(in crate::conformance) fn agent(&self, name: &str) -> Agent {
        Agent {
            tenant: self.tenant,
            name: name.into(),
            owner: party("user:olga"),
            current: self.version(name).digest,
            made: at(0),
            retired: false,
        }
    }

    pub(in crate::conformance) fn workload(&self) -> Workload {
        Workload {
            tenant: self.tenant,
            agent: "logs".into(),
            leased: 1,
            open: 2,
        }
    }

    pub(in crate::conformance) fn root_row(&self) -> Root {
        Root {
            id: self.root,
            tenant: self.tenant,
            principal: party("user:ana"),
            responsible: Some(party("user:ana")),
            next: 100,
            evidence: 2,
            open_tasks: 3,
            made: at(0),
            ended: None,
        }
    }

    /// 1: Ana and the coordinator. 2: the coordinator and the specialist. 3: the specialist consults the coordinator.
    pub(in crate::conformance) fn conversation(&self, n: u32) -> Conversation {
        let (parties, kind) = match n {
            1 => (["user:ana", "agent:coordinator"], ConversationKind::Opened),
            2 => (
                ["agent:coordinator", "agent:logs"],
                ConversationKind::Standing,
            ),
            _ => {
                let consulted = ConversationKind::Consults(self.conversation_id(1));
                (["agent:logs", "agent:coordinator"], consulted)
            }
        };
        let pinned = |text: &str| Participant {
            party: party(text),
            version: text
                .strip_prefix("agent:")
                .map(|name| self.version(name).digest),
        };
        Conversation {
            id: self.conversation_id(n),
            tenant: self.tenant,
            participants: parties.map(pinned).into(),
            kind,
            alias: (n == 1).then(|| "INC-42".into()),
            state: ConversationState::Open,
            last_seq: 2,
            last_event: 2,
            open_tasks: 1,
            made: at(0),
        }
    }

    pub(in crate::conformance) fn act(&self, conversation: u32, seq: u32) -> Act {
        Act {
            envelope: Envelope {
                id: self.act_id(conversation, seq),
                tenant: self.tenant,
                performative: Performative::Request,
                sender: party("user:ana"),
                sender_version: None,
                hop: None,
                recipient: party("agent:coordinator"),
                recipient_version: Some(self.version("coordinator").digest),
                task: Some(self.task_id(conversation)),
                parent_task: None,
                root: self.root,
                root_principal: party("user:ana"),
                in_reply_to: None,
                ask: None,
                refusal: None,
                deadline: Some(at(60_000)),
                artifacts: match (conversation, seq) {
                    (2, 2) => vec![ArtifactRef {
                        digest: digest("evidence"),
                        name: "log.txt".into(),
                        media_type: "text/plain".into(),
                        size: 8,
                    }],
                    _ => Vec::new(),
                },
                provenance: Provenance::Human,
                at: at(0),
            },
            body: Body::text(format!("act {conversation}.{seq}")),
        }
    }

    /// The receipt of Ana's key, which made task 1.
    pub(in crate::conformance) fn receipt(&self) -> Receipt {
        let scope = Scope::Key {
            tenant: self.tenant,
            party: party("user:ana"),
        };
        let outcome = Outcome::Accepted {
            task: self.task_id(1),
            act: self.act_id(1, 1),
        };
        Receipt::new(scope, "key-1", digest("content"), outcome, at(1))
    }

    /// A step of task 2.
    pub(in crate::conformance) fn step(&self, ordinal: u32) -> Receipt {
        let scope = Scope::Step {
            task: self.task_id(2),
            ordinal,
            handling: None,
            joined: false,
        };
        let outcome = Outcome::Recorded {
            value: json!({"lines": ordinal}),
        };
        Receipt::new(
            scope,
            &format!("step-{ordinal}"),
            digest("content"),
            outcome,
            at(6),
        )
    }

    pub(in crate::conformance) fn event(&self, conversation: u32, n: u32) -> Event {
        Event {
            conversation: self.conversation_id(conversation),
            n,
            tenant: self.tenant,
            task: (n > 1).then(|| self.task_id(conversation)),
            task_n: n - 1,
            kind: EventKind::TaskActivated,
            detail: match n {
                1 => Map::new(),
                _ => Map::from_iter([("hop".to_owned(), json!(self.hop_id(10 + conversation)))]),
            },
            at: at(5),
        }
    }

    pub(in crate::conformance) fn inbox(&self) -> Inbox {
        Inbox {
            tenant: self.tenant,
            principal: party("user:ana"),
            last: 2,
        }
    }

    pub(in crate::conformance) fn inbox_entry(&self, n: u32) -> InboxEntry {
        InboxEntry {
            tenant: self.tenant,
            principal: party("user:ana"),
            n,
            act: self.act_id(1, n),
            task: Some(self.task_id(1)),
            ask: (n == 2).then(|| self.ask_id()),
            at: at(9),
        }
    }

    pub(in crate::conformance) fn artifact(&self) -> Artifact {
        Artifact {
            root: self.root,
            digest: digest("evidence"),
            tenant: self.tenant,
            media_type: "text/plain".into(),
            name: "log.txt".into(),
            bytes: b"evidence"[..].into(),
            late: true,
            made: at(8),
        }
    }

    pub(in crate::conformance) fn late_result(&self) -> LateResult {
        LateResult {
            task: self.task_id(2),
            n: 1,
            tenant: self.tenant,
            hop: self.hop_id(12),
            operation: Some(Operation::Fail),
            ask: Some(self.ask_id()),
            of: Some(self.task_id(3)),
            reason: Some(Reason::GaveUp),
            error: Some("it did not work".into()),
            artifacts: vec![ArtifactRef {
                digest: self.artifact().digest,
                name: "log.txt".into(),
                media_type: "text/plain".into(),
                size: 8,
            }],
            body: Body::text("too late"),
            at: at(9),
        }
    }

    /// All of it.
    pub(in crate::conformance) fn changes(&self) -> Vec<Change> {
        let mut all = vec![
            self.tenant().into_change(),
            self.principal().into_change(),
            self.key().into_change(),
            self.workload().into_change(),
            self.root_row().into_change(),
            self.lease().into_change(),
            self.slot().into_change(),
            self.ask().into_change(),
            self.group().into_change(),
            self.commitment().into_change(),
            self.receipt().into_change(),
            self.inbox().into_change(),
            self.artifact().into_change(),
            self.late_result().into_change(),
        ];
        for name in ["coordinator", "logs"] {
            all.extend([
                self.agent(name).into_change(),
                self.version(name).into_change(),
            ]);
        }
        for n in 1..=3 {
            all.extend([
                self.conversation(n).into_change(),
                self.task(n).into_change(),
            ]);
            all.extend([self.hop(n).into_change(), self.ledger(n).into_change()]);
            for k in 1..=2 {
                all.extend([self.act(n, k).into_change(), self.event(n, k).into_change()]);
            }
        }
        for n in 1..=2 {
            all.extend([
                self.step(n).into_change(),
                self.inbox_entry(n).into_change(),
            ]);
        }
        all
    }
}
