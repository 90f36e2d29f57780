//! A house to test in: an engine with a clock that the test moves, two principals and some agents.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use tertulia_acts::{
    agent::{AgentLimits, Contracts, Definition, Retry, Runner},
    body::Body,
    command::{
        Answer, Caller, Claim, Command, Configure, Grant, HopOperation, KnownBy, Opening, Reply,
        Send, UnderHop,
    },
    contract::Contract,
    digest::{ClaimSecret, Digest},
    ids::TaskId,
    party::Party,
    performative::Performative,
    receipt::Outcome,
    time::{Millis, Timestamp},
    viewer::Viewer,
};
use tertulia_engine::{Clock, DataFolder, Engine, Options};
use tertulia_store::read::TaskRead;

/// A clock that stands still until it is moved, and counts how often it is looked at.
#[derive(Clone)]
pub(crate) struct HandClock(Arc<AtomicI64>, Arc<AtomicI64>);

impl HandClock {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicI64::new(1_700_000_000_000)), Arc::default())
    }

    pub(crate) fn looks(&self) -> i64 {
        self.1.load(Ordering::SeqCst)
    }

    pub(crate) fn move_by(&self, span: Millis) {
        self.0.fetch_add(span.0, Ordering::SeqCst);
    }
}

impl Clock for HandClock {
    fn now(&self) -> Timestamp {
        self.1.fetch_add(1, Ordering::SeqCst);
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}

pub(crate) struct House {
    pub(crate) engine: Engine,
    pub(crate) clock: HandClock,
    pub(crate) folder: tempfile::TempDir,
}

pub(crate) fn party(text: &str) -> Party {
    text.parse().expect("a party")
}

pub(crate) fn definition(name: &str) -> Definition {
    Definition {
        name: name.into(),
        description: format!("the agent {name}"),
        owner: party("user:ana"),
        skills: Vec::new(),
        contracts: Contracts::default(),
        limits: AgentLimits::default(),
        retry: Retry::Safe,
        runner: Runner::Worker,
        instructions: String::new(),
    }
}

impl House {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let clock = HandClock::new();
        let engine = start(folder.path(), &clock);
        let house = Self {
            engine,
            clock,
            folder,
        };
        let tenant = house.engine.tenant("default").await.expect("a tenant");
        for name in ["user:ana", "user:bob"] {
            house
                .configure(Configure::Principal {
                    tenant,
                    party: party(name),
                    responsible: None,
                    administers: false,
                })
                .await;
        }
        for name in ["coordinator", "logs", "deployments"] {
            house
                .configure(Configure::Agent {
                    tenant,
                    definition: Arc::new(definition(name)),
                })
                .await;
        }
        house
    }

    pub(crate) async fn configure(&self, change: Configure) {
        let answer = self
            .engine
            .call(Command::Configure(None, Box::new(change)))
            .await
            .expect("configured");
        assert!(
            matches!(
                answer,
                Answer::Outcome {
                    outcome: Outcome::Configured,
                    ..
                }
            ),
            "{answer:?}"
        );
    }

    /// The same data, opened by an engine that starts anew.
    pub(crate) async fn restart(&mut self) {
        self.engine.stop().await;
        self.engine = start(self.folder.path(), &self.clock);
    }

    pub(crate) fn caller(&self, who: &str) -> Caller {
        self.engine
            .trusted("default", &party(who))
            .expect("readable")
            .expect("a tenant")
    }

    pub(crate) fn viewer(&self, who: &str) -> Viewer {
        let caller = self.caller(who);
        Viewer::new(caller.tenant, caller.party)
    }

    pub(crate) async fn send(&self, who: &str, to: &str, text: &str, key: Option<&str>) -> Outcome {
        let opening = request(to, text);
        let send = Send {
            opening,
            key: key.map(Into::into),
        };
        outcome(
            self.engine
                .call(Command::Send(self.caller(who), Box::new(send)))
                .await
                .expect("answered"),
        )
    }

    pub(crate) async fn claim(&self, agent: &str, request: &str) -> Option<Grant> {
        let claim = claim(agent, request);
        let caller = self.caller(&format!("agent:{agent}"));
        match self
            .engine
            .claim(caller, claim, Duration::ZERO)
            .await
            .expect("answered")
        {
            Answer::Granted(mut grants) => grants.pop(),
            other => panic!("a claim was answered {other:?}"),
        }
    }

    pub(crate) async fn under(&self, grant: &Grant, step: &str, operation: HopOperation) -> Answer {
        let agent = grant.task.made.debtor.clone();
        let under = UnderHop {
            known_by: KnownBy::Token(grant.token),
            step: Some(step.into()),
            handling: None,
            read: Vec::new(),
            content: Digest::of(format!("{operation:?}").as_bytes()),
            operation,
        };
        let caller = self.caller(&agent.to_string());
        self.engine
            .call(Command::UnderHop(caller, under))
            .await
            .expect("answered")
    }

    pub(crate) async fn reply(&self, grant: &Grant, text: &str) -> Answer {
        let reply = Reply {
            body: Body::text(text),
            artifacts: Vec::new(),
        };
        self.under(grant, "reply", HopOperation::Reply(reply)).await
    }

    pub(crate) fn task(&self, id: TaskId) -> TaskRead {
        self.engine
            .reader()
            .task(&self.viewer("user:ana"), id)
            .expect("readable")
            .expect("visible")
    }

    pub(crate) async fn ended(&self, id: TaskId) -> TaskRead {
        let read = self
            .engine
            .ended(&self.viewer("user:ana"), id, Duration::from_secs(20))
            .await;
        let read = read.expect("readable").expect("visible");
        assert!(
            !read.task.is_open(),
            "{id} is {} after 20 s",
            read.task.now.state.name()
        );
        read
    }
}

fn start(folder: &std::path::Path, clock: &HandClock) -> Engine {
    let options = Options {
        data: DataFolder::Path(folder.to_owned()),
    };
    Engine::start_with(&options, Box::new(clock.clone())).expect("an engine")
}

pub(crate) fn request(to: &str, text: &str) -> Opening {
    Opening::new(
        Performative::Request,
        party(to),
        Body::text(text),
        Contract::default(),
    )
}

pub(crate) fn claim(agent: &str, request: &str) -> Claim {
    Claim {
        agent: agent.into(),
        max: 1,
        versions: Vec::new(),
        request: request.into(),
        secret: ClaimSecret::new(request.bytes().cycle().take(32).collect()).expect("a secret"),
        worker: "test".into(),
    }
}

pub(crate) fn outcome(answer: Answer) -> Outcome {
    match answer {
        Answer::Outcome { outcome, .. } => outcome,
        other => panic!("not an outcome: {other:?}"),
    }
}

pub(crate) fn accepted(outcome: &Outcome) -> TaskId {
    match outcome {
        Outcome::Accepted { task, .. } => *task,
        other => panic!("not accepted: {other:?}"),
    }
}
