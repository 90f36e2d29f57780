//! A world of facts without a store: a clock, ids, callers, and the loop that decides a command. Nothing but memory
//! exists, so a fact that is missing is known to be absent. After each command the invariants are checked.

use std::{collections::BTreeMap, sync::Arc};

use tertulia_acts::{
    agent::{AgentLimits, Contracts, Definition, Retry, Runner},
    command::{
        Answer, Caller, Claim, Command, Configure, Due, Grant, HopOperation, KnownBy, UnderHop,
    },
    decide::{Undecided, decide},
    digest::{ClaimSecret, Digest, HopToken, Ids},
    facts::{Change, Facts, Fault, Need},
    ids::{AskId, TaskId, TenantId},
    party::Party,
    receipt::Outcome,
    task::{Task, TaskState},
    time::{Millis, Timestamp},
};

use crate::{check, cold};

/// When every world begins.
pub(crate) const DAWN: Timestamp = Timestamp(1_800_000_000_000);
/// The tenant in which things happen, unless a test says otherwise.
pub(crate) const HOME: TenantId = TenantId(1);

pub(crate) struct World {
    pub(crate) facts: Facts,
    pub(crate) now: Timestamp,
    /// How often facts were found missing by the last command.
    pub(crate) rounds: u32,
    /// What the last command found missing.
    pub(crate) asked: Vec<Need>,
    /// Whether the invariants are checked after each command; worlds of thousands of tasks check at their end.
    pub(crate) checked: bool,
    /// Whether nothing is known before a command, and each need is loaded by itself, as on another node.
    pub(crate) forgetful: bool,
    commands: u64,
    ended: BTreeMap<TaskId, TaskState>,
}

/// Reads `kind:name`.
pub(crate) fn party(text: &str) -> Party {
    text.parse().unwrap()
}

impl World {
    /// An empty world.
    pub(crate) fn empty() -> Self {
        Self {
            facts: Facts::default(),
            now: DAWN,
            rounds: 0,
            asked: Vec::new(),
            checked: true,
            forgetful: false,
            commands: 0,
            ended: BTreeMap::new(),
        }
    }

    /// A world with the tenant HOME, its principals ana and bob, and the agents named, all of ana's.
    pub(crate) fn with(agents: &[&str]) -> Self {
        let mut world = Self::empty();
        world.settle_in(HOME, "home", agents);
        world
    }

    pub(crate) fn settle_in(&mut self, id: TenantId, name: &str, agents: &[&str]) {
        let name = name.to_owned();
        self.run(&Command::Configure(
            None,
            Box::new(Configure::Tenant { id, name }),
        ));
        for person in ["user:ana", "user:bob"] {
            self.principal(id, person);
        }
        for agent in agents {
            self.define(id, &definition(agent));
        }
    }

    pub(crate) fn principal(&mut self, tenant: TenantId, who: &str) {
        let principal = Configure::Principal {
            tenant,
            party: party(who),
            responsible: None,
            administers: false,
        };
        self.run(&Command::Configure(None, Box::new(principal)));
    }

    /// Puts a definition into the catalogue; the digest of its version.
    pub(crate) fn define(&mut self, tenant: TenantId, definition: &Definition) -> Digest {
        let digest = definition.digest();
        let definition = Arc::new(definition.clone());
        self.run(&Command::Configure(
            None,
            Box::new(Configure::Agent { tenant, definition }),
        ));
        digest
    }

    /// `who` of the tenant HOME, as judged just now.
    pub(crate) fn caller(&self, who: &str) -> Caller {
        self.caller_of(HOME, who)
    }

    pub(crate) fn caller_of(&self, tenant: TenantId, who: &str) -> Caller {
        let epoch = self
            .facts
            .tables()
            .tenants
            .get(&tenant)
            .map_or(0, |tenant| tenant.epoch);
        Caller {
            tenant,
            party: party(who),
            epoch,
            credential: None,
        }
    }

    /// Decides `command`, as often as facts are missing, applies what comes of it, and checks the invariants.
    pub(crate) fn run(&mut self, command: &Command) -> Answer {
        let (answer, changes) = self.judge(command);
        self.facts.apply(changes);
        check::ended_stay_ended(&self.facts, &mut self.ended);
        if self.checked {
            check::all(&self.facts, self.now);
        }
        answer
    }

    /// What would come of `command`.
    pub(crate) fn judge(&mut self, command: &Command) -> (Answer, Vec<Change>) {
        self.commands += 1;
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&self.commands.to_be_bytes());
        let ids = Ids::new(seed);
        let mut cold = Facts::default();
        self.rounds = 0;
        self.asked.clear();
        loop {
            let facts = if self.forgetful { &cold } else { &self.facts };
            match decide(facts, command, self.now, &ids) {
                Ok(decision) => return (decision.answer, decision.changes),
                Err(Undecided::Missing(needs)) => {
                    self.rounds += 1;
                    assert!(self.rounds < 2_000, "{needs:?} are asked for for ever");
                    self.asked.extend(needs.iter().cloned());
                    for need in needs {
                        if self.forgetful {
                            cold::load(&self.facts, &need, &mut cold);
                        } else {
                            self.facts.know(need);
                        }
                    }
                }
                Err(Undecided::Broken(why)) => panic!("{why}\n{command:?}"),
            }
        }
    }

    // The clock and what is due -----------------------------------------------------------------------------------

    /// Lets time pass; nothing fires by itself.
    pub(crate) fn wait(&mut self, span: Millis) {
        self.now = self.now.after(span);
    }

    /// What upkeep would pick now.
    pub(crate) fn due(&self) -> Vec<Due> {
        let tables = self.facts.tables();
        let is_due = |due: Option<Timestamp>| due.is_some_and(|due| due <= self.now);
        let tasks = tables.tasks.rows().filter(|row| is_due(row.next_due()));
        let leases = tables.leases.rows().filter(|row| is_due(row.next_due()));
        let asks = tables.asks.rows().filter(|row| is_due(row.next_due()));
        let groups = tables.groups.rows().filter(|row| is_due(row.next_due()));
        let tasks = tasks.map(|task| Due::Task(task.id()));
        let leases = leases.map(|lease| Due::Lease(lease.token));
        let asks = asks.map(|ask| Due::Ask(ask.id));
        let groups = groups.map(|group| Due::Group(group.id));
        tasks.chain(leases).chain(asks).chain(groups).collect()
    }

    /// Runs all that is due, and what becomes due by it.
    pub(crate) fn upkeep(&mut self) {
        for _ in 0..64 {
            let due = self.due();
            if due.is_empty() {
                return;
            }
            for due in due {
                self.run(&Command::Due(due));
            }
        }
        panic!("upkeep finds no end: {:?}", self.due());
    }

    // Claiming and working ----------------------------------------------------------------------------------------

    /// A claim of up to `max` leases, by the agent's own key, under a request of its own.
    pub(crate) fn claim_up_to(&mut self, agent: &str, max: u32) -> Vec<Grant> {
        let request = format!("request-{}", self.commands);
        self.claim_as(agent, &claim(agent, &request, max))
    }

    pub(crate) fn claim_as(&mut self, agent: &str, claim: &Claim) -> Vec<Grant> {
        let caller = self.caller(&format!("agent:{agent}"));
        match self.run(&Command::Claim(caller, claim.clone())) {
            Answer::Granted(grants) => grants,
            other => panic!("agent:{agent} claimed and got {other:?}"),
        }
    }

    /// A claim that gets the one lease there is.
    pub(crate) fn claim(&mut self, agent: &str) -> Grant {
        let mut grants = self.claim_up_to(agent, 1);
        assert_eq!(grants.len(), 1, "agent:{agent} has nothing to claim");
        grants.remove(0)
    }

    /// Nothing is there to be claimed.
    pub(crate) fn idle(&mut self, agent: &str) {
        let grants = self.claim_up_to(agent, 8);
        assert!(grants.is_empty(), "agent:{agent} got {grants:?}");
    }

    /// An operation under the grant's token, as a step called `step`.
    pub(crate) fn under(&mut self, grant: &Grant, step: &str, operation: HopOperation) -> Answer {
        self.operate(grant, under(grant.token, step, operation))
    }

    pub(crate) fn operate(&mut self, grant: &Grant, under: UnderHop) -> Answer {
        let debtor = grant.task.made.debtor.to_string();
        let caller = self.caller_of(grant.task.made.tenant, &debtor);
        self.run(&Command::UnderHop(caller, under))
    }

    /// An operation that ends in an outcome.
    pub(crate) fn does(&mut self, grant: &Grant, operation: HopOperation) -> Outcome {
        let step = format!("step-{}", self.commands);
        self.does_as(grant, &step, operation)
    }

    pub(crate) fn does_as(
        &mut self,
        grant: &Grant,
        step: &str,
        operation: HopOperation,
    ) -> Outcome {
        outcome(self.under(grant, step, operation))
    }

    // Reading back ------------------------------------------------------------------------------------------------

    pub(crate) fn task(&self, id: TaskId) -> Task {
        self.facts.tables().tasks.get(&id).unwrap().clone()
    }

    pub(crate) fn state(&self, id: TaskId) -> &'static str {
        self.task(id).now.state.name()
    }

    pub(crate) fn ask_state(&self, id: AskId) -> &'static str {
        self.facts.tables().asks.get(&id).unwrap().state.name()
    }

    /// How the commitment of a task stands; none where it made none.
    pub(crate) fn commitment(&self, id: TaskId) -> Option<&'static str> {
        let commitment = self.task(id).made.commitment?;
        let row = self.facts.tables().commitments.get(&commitment);
        row.map(|row| row.status.name())
    }

    /// The performative, sender and recipient of each act of the task's conversation, in order.
    pub(crate) fn said(&self, id: TaskId) -> Vec<String> {
        let conversation = self.task(id).made.conversation;
        let acts = self.facts.tables().acts.rows();
        acts.filter(|act| act.envelope.id.conversation == conversation)
            .map(|act| {
                let envelope = &act.envelope;
                let (from, to) = (&envelope.sender, &envelope.recipient);
                format!("{} {} > {}", envelope.performative, from.name(), to.name())
            })
            .collect()
    }

    /// Why the task ended.
    pub(crate) fn why(&self, id: TaskId) -> Option<&'static str> {
        let result = self.task(id).now.state.result()?;
        let act = self.facts.tables().acts.get(&result)?;
        let refusal = act.envelope.refusal.as_ref();
        refusal.map(|refusal| refusal.reason.code())
    }

    /// The acts that a principal of HOME was brought, oldest first: performative and task.
    pub(crate) fn inbox(&self, who: &str) -> Vec<(&'static str, Option<TaskId>)> {
        let tables = self.facts.tables();
        let entries = tables.inbox_entries.rows();
        entries
            .filter(|entry| entry.tenant == HOME && entry.principal == party(who))
            .map(|entry| {
                let act = tables.acts.get(&entry.act).unwrap();
                (act.envelope.performative.name(), entry.task)
            })
            .collect()
    }

    /// How many events of a kind the task has.
    pub(crate) fn events(&self, id: TaskId, kind: &str) -> usize {
        let events = self.facts.tables().events.rows();
        events
            .filter(|event| event.task == Some(id) && event.kind.name() == kind)
            .count()
    }

    pub(crate) fn evidence(&self, id: TaskId) -> u32 {
        self.facts.tables().roots.get(&id.root).unwrap().evidence
    }

    pub(crate) fn hops(&self, id: TaskId) -> usize {
        let hops = self.facts.tables().hops.rows();
        hops.filter(|hop| hop.task == id).count()
    }
}

/// A definition with nothing but a name, of ana's.
pub(crate) fn definition(name: &str) -> Definition {
    Definition {
        name: name.to_owned(),
        description: format!("does what {name} does"),
        owner: party("user:ana"),
        skills: Vec::new(),
        contracts: Contracts::default(),
        limits: AgentLimits::default(),
        retry: Retry::Safe,
        runner: Runner::Worker,
        instructions: String::new(),
    }
}

pub(crate) fn claim(agent: &str, request: &str, max: u32) -> Claim {
    Claim {
        agent: agent.to_owned(),
        max,
        versions: Vec::new(),
        request: request.to_owned(),
        secret: secret(request),
        worker: format!("worker of {agent}"),
    }
}

pub(crate) fn secret(of: &str) -> ClaimSecret {
    ClaimSecret::new(Digest::of(of.as_bytes()).0.to_vec()).unwrap()
}

pub(crate) fn under(token: HopToken, step: &str, operation: HopOperation) -> UnderHop {
    UnderHop {
        known_by: KnownBy::Token(token),
        step: Some(step.to_owned()),
        handling: None,
        read: Vec::new(),
        content: Digest::of(format!("{operation:?}").as_bytes()),
        operation,
    }
}

#[track_caller]
pub(crate) fn outcome(answer: Answer) -> Outcome {
    match answer {
        Answer::Outcome { outcome, .. } => outcome,
        other => panic!("no outcome: {other:?}"),
    }
}

#[track_caller]
pub(crate) fn fault(answer: Answer) -> Fault {
    match answer {
        Answer::Fault(fault) => fault,
        other => panic!("no fault: {other:?}"),
    }
}

/// The reason code of a refusal.
#[track_caller]
pub(crate) fn reason(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Refused { refusal, .. } => refusal.reason.code(),
        other => panic!("not refused: {other:?}"),
    }
}

/// The task that an opening act made, accepted or not.
#[track_caller]
pub(crate) fn made(outcome: &Outcome) -> TaskId {
    match outcome {
        Outcome::Accepted { task, .. }
        | Outcome::Refused {
            task: Some(task), ..
        } => *task,
        other => panic!("no task: {other:?}"),
    }
}

/// The task that an accepted act made.
#[track_caller]
pub(crate) fn accepted(outcome: &Outcome) -> TaskId {
    match outcome {
        Outcome::Accepted { task, .. } => *task,
        other => panic!("not accepted: {other:?}"),
    }
}
