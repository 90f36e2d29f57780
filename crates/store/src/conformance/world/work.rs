//! Its tasks and the work on them.

use std::sync::Arc;

use tertulia_acts::{
    ask::{Addressee, Ask, AskState},
    commitment::{Commitment, CommitmentStatus},
    contract::Contract,
    delivery::Delivery,
    genealogy::{Ancestor, Genealogy},
    group::{Group, GroupMode, GroupState},
    hop::{Activation, Hop, LedgerEntry},
    ids::LeaseId,
    lease::{Lease, LeaseState},
    performative::Performative,
    slot::{Class, Head, Slot},
    task::{Task, TaskMade, TaskNow, TaskState},
};

use super::{World, at, fingerprint, party};

impl World {
    /// 1: Ana asks the coordinator. 2: it asks the specialist. 3: the specialist consults it. Each in the
    /// conversation of its number.
    pub(in crate::conformance) fn task(&self, n: u32) -> Task {
        let (requester, debtor) = match n {
            1 => ("user:ana", "agent:coordinator"),
            2 => ("agent:coordinator", "agent:logs"),
            _ => ("agent:logs", "agent:coordinator"),
        };
        let version = debtor
            .strip_prefix("agent:")
            .map(|name| self.version(name).digest);
        Task {
            made: Arc::new(TaskMade {
                id: self.task_id(n),
                tenant: self.tenant,
                parent: (n > 1).then(|| self.task_id(n - 1)),
                conversation: self.conversation_id(n),
                opening: self.act_id(n, 1),
                performative: Performative::Request,
                requester: party(requester),
                requester_hop: (n > 1).then(|| self.hop_id(9 + n)),
                debtor: party(debtor),
                version,
                genealogy: self.genealogy(n),
                fingerprint: fingerprint(debtor),
                contract: Contract {
                    variant: Some("b".into()),
                    ..Contract::default()
                },
                deadline: at(60_000 + i64::from(n)),
                group: (n == 2).then(|| self.group_id()),
                folded_on: (n == 3).then(|| self.task_id(1)),
                work_id: (n == 1).then(|| "INC-42".into()),
                parent_work_id: None,
                redrive_of: None,
                key: None,
                commitment: (n == 2).then(|| self.commitment_id()),
                at: at(n.into()),
            }),
            now: TaskNow {
                state: match n {
                    2 => TaskState::AwaitingClarification { ask: self.ask_id() },
                    _ => TaskState::Working,
                },
                delivery: Delivery::Taken,
                agreed: true,
                attempts: 1,
                hop: Some(self.hop_id(10 + n)),
                steps: 1,
                rounds: 1,
                last_event: 1,
                arrival: None,
                attached: Vec::new(),
                late: (1, 10),
                last_error: Some("a worker was lost".into()),
                closing: None,
                redriven_as: None,
                changed: at(n.into()),
            },
        }
    }

    fn genealogy(&self, n: u32) -> Genealogy {
        (1..n).fold(Genealogy::default(), |above, n| {
            let agent = if n == 1 { "coordinator" } else { "logs" };
            let author = Ancestor {
                agent: agent.into(),
                version: self.version(agent).digest,
                hop: self.hop_id(10 + n),
                conversation: self.conversation_id(n),
                task: self.task_id(n),
                fingerprint: fingerprint(&format!("agent:{agent}")),
                evidence: 0,
            };
            Genealogy::below(&above, author)
        })
    }

    /// Hop `10 + n` works on task `n`.
    pub(in crate::conformance) fn hop(&self, n: u32) -> Hop {
        let agent = if n == 2 { "logs" } else { "coordinator" };
        Hop {
            id: self.hop_id(10 + n),
            tenant: self.tenant,
            task: self.task_id(n),
            attempt: 1,
            agent: agent.into(),
            version: self.version(agent).digest,
            conversation: self.conversation_id(n),
            evidence: 0,
            state: Activation::Leased {
                lease: self.lease().id,
                token: self.lease().token,
            },
            made: at(5),
        }
    }

    pub(in crate::conformance) fn ledger(&self, n: u32) -> LedgerEntry {
        LedgerEntry {
            hop: self.hop_id(10 + n),
            n: 0,
            tenant: self.tenant,
            at: at(5),
        }
    }

    /// Of hop 12, which works on task 2.
    pub(in crate::conformance) fn lease(&self) -> Lease {
        Lease {
            token: self.secret("token"),
            id: LeaseId::new(self.root, 20),
            tenant: self.tenant,
            hop: self.hop_id(12),
            task: self.task_id(2),
            worker: "w1".into(),
            until: at(30_000),
            state: LeaseState::Live,
            unread: vec![1, 2],
            made: at(5),
        }
    }

    /// Of the specialist in conversation 2, leased.
    pub(in crate::conformance) fn slot(&self) -> Slot {
        Slot {
            tenant: self.tenant,
            agent: "logs".into(),
            conversation: self.conversation_id(2),
            version: self.version("logs").digest,
            leased: Some(self.hop_id(12)),
            head: Some(Head {
                class: Class::New,
                due: at(7),
                task: self.task_id(2),
            }),
        }
    }

    pub(in crate::conformance) fn ask(&self) -> Ask {
        Ask {
            id: self.ask_id(),
            tenant: self.tenant,
            asker: self.task_id(2),
            hop: self.hop_id(12),
            addressee: Addressee::Task(self.task_id(1)),
            query: self.act_id(2, 2),
            state: AskState::Open,
            deadline: at(50_000),
            made: at(9),
        }
    }

    pub(in crate::conformance) fn group(&self) -> Group {
        Group {
            id: self.group_id(),
            tenant: self.tenant,
            owner: self.task_id(1),
            branches: vec![self.task_id(2)],
            mode: GroupMode::Quorum(1),
            keep_rest: true,
            ended: 0,
            results: 0,
            deadline: Some(at(40_000)),
            closing: false,
            state: GroupState::Open,
        }
    }

    pub(in crate::conformance) fn commitment(&self) -> Commitment {
        Commitment {
            id: self.commitment_id(),
            tenant: self.tenant,
            debtor: "logs".into(),
            creditor: party("agent:coordinator"),
            creditor_task: Some(self.task_id(1)),
            fingerprint: fingerprint("agent:logs"),
            task: self.task_id(2),
            status: CommitmentStatus::Active,
            made: at(2),
            changed: at(3),
        }
    }
}
