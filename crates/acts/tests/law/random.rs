//! Random lives: scripted agents and principals do what comes to their mind, in any order, over clock jumps. Every
//! invariant is checked after every command; when all deadlines have passed, nothing is open any more.

use proptest::prelude::*;
use serde_json::json;
use tertulia_acts::{
    ask::{Addressee, Ask, AskState},
    command::{
        Answer, Close, Command, DelegateAll, Grant, HopOperation, Migrate, Opening, Place, Redrive,
        UnderHop,
    },
    delivery::Delivery,
    group::GroupMode,
    hop::Wait,
    ids::{AskId, GroupId, TaskId},
    lease::LeaseState,
    limits::DEADLINE_MOST,
    performative::Performative,
    task::Task,
    time::Millis,
};

use crate::{
    check,
    words::{
        answer, answer_to, ask_within, cancel, decline, delegate, fail, needs_credential, opening,
        progress, record, reply, reply_with,
    },
    world::{HOME, World, claim, definition, party, under},
};

const AGENTS: [&str; 4] = ["a", "b", "c", "d"];
const PEOPLE: [&str; 2] = ["user:ana", "user:bob"];
const TEXTS: [&str; 2] = ["one thing", "another thing"];

/// One thing that someone does; the numbers choose who, what and about what.
#[derive(Debug, Clone, Copy)]
struct Move {
    kind: u8,
    who: u16,
    what: u16,
    about: u16,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = (0_u8..100, any::<u16>(), any::<u16>(), any::<u16>()).prop_map(
        |(kind, who, what, about)| Move {
            kind,
            who,
            what,
            about,
        },
    );
    prop::collection::vec(one, 30..150)
}

fn pick<T: Clone>(from: &[T], by: u16) -> Option<T> {
    (!from.is_empty()).then(|| from[usize::from(by) % from.len()].clone())
}

struct Life {
    w: World,
    grants: Vec<Grant>,
    answers: Vec<String>,
    count: u32,
}

impl Life {
    fn new(forgetful: bool) -> Self {
        let mut w = World::with(&AGENTS);
        let mut narrow = definition("d");
        narrow.limits.max_concurrent_conversations = 1;
        narrow.retry = tertulia_acts::agent::Retry::Never;
        w.define(HOME, &narrow);
        w.forgetful = forgetful;
        Self {
            w,
            grants: Vec::new(),
            answers: Vec::new(),
            count: 0,
        }
    }

    fn run(&mut self, command: &Command) {
        let answer = self.w.run(command);
        self.answers.push(format!("{answer:?}"));
        if let Answer::Granted(grants) = answer {
            self.grants.extend(grants);
        }
    }

    fn go(&mut self, it: Move) {
        self.count += 1;
        match it.kind {
            0..14 => self.send(it),
            14..36 => self.claim(it),
            36..72 => self.work(it),
            72..80 => self.wait(it),
            80..84 => self.upkeep(),
            84..87 => self.one_due(it),
            87..89 => self.cancel(it),
            89..94 => self.answer(it),
            94..96 => self.beat(it),
            96..98 => self.redrive(it),
            _ => self.rearrange(it),
        }
    }

    /// Mostly the tasks that are `so`; now and then all of them.
    fn tasks(&self, it: Move, so: impl Fn(&Task) -> bool) -> Vec<TaskId> {
        let tasks = self.w.facts.tables().tasks.rows();
        tasks
            .filter(|task| it.about.is_multiple_of(7) || so(task))
            .map(Task::id)
            .collect()
    }

    /// Who is asked by `by`: mostly another.
    fn asked(by: &str, it: Move) -> &'static str {
        let others: Vec<&str> = AGENTS.into_iter().filter(|name| *name != by).collect();
        match it.about % 23 {
            0 => AGENTS[usize::from(it.what) % AGENTS.len()],
            _ => others[usize::from(it.about) % others.len()],
        }
    }

    fn opening(by: &str, it: Move) -> Opening {
        let performative = match it.what % 8 {
            0 => Performative::Query,
            1 => Performative::Inform,
            _ => Performative::Request,
        };
        let to = Self::asked(by, it);
        let text = TEXTS[usize::from(it.about / 7) % TEXTS.len()];
        let mut opening = opening(performative, to, text);
        if it.what.is_multiple_of(5) {
            opening.within = Some(Millis(i64::from(it.what) * 3));
        }
        if it.what.is_multiple_of(11) {
            opening.place = Place::New;
        }
        if it.what.is_multiple_of(13) {
            opening.not_equivalent = Some("it is another thing".into());
        }
        if it.what.is_multiple_of(17) {
            opening = opening.bringing(vec![crate::words::artifact_of(text)]);
        }
        opening
    }

    fn send(&mut self, it: Move) {
        let who = PEOPLE[usize::from(it.who) % 2];
        let mut opening = Self::opening("", it);
        if it.who.is_multiple_of(3) {
            let conversations = self.w.facts.tables().conversations.rows();
            let own: Vec<_> = conversations
                .filter(|row| row.participants[0].party == party(who))
                .map(|row| row.id)
                .collect();
            if let Some(id) = pick(&own, it.about) {
                opening.place = Place::In(id);
                let row = self.w.facts.tables().conversations.get(&id).unwrap();
                if let Some(other) = row.participants.get(1) {
                    let files = opening.artifacts().to_vec();
                    let to = other.party.clone();
                    let (body, contract) = (opening.body, opening.contract);
                    let place = opening.place;
                    opening =
                        Opening::new(opening.performative, to, body, contract).bringing(files);
                    opening.place = place;
                }
            }
        }
        let key = (it.who.is_multiple_of(5)).then(|| format!("key {}", it.what % 4));
        let send = tertulia_acts::command::Send { opening, key };
        let caller = self.w.caller(who);
        self.run(&Command::Send(caller, Box::new(send)));
    }

    fn claim(&mut self, it: Move) {
        // Mostly one that has something to do.
        let ready: Vec<&str> = AGENTS
            .into_iter()
            .filter(|agent| {
                let mut slots = self.w.facts.tables().slots.rows();
                slots.any(|slot| {
                    slot.agent == *agent && slot.leased.is_none() && slot.head.is_some()
                })
            })
            .collect();
        let agent = pick(&ready, it.who)
            .filter(|_| !it.what.is_multiple_of(5))
            .unwrap_or(AGENTS[usize::from(it.who) % AGENTS.len()]);
        let request = match it.what % 9 {
            0 => format!("request {}", it.about % 3),
            _ => format!("request of {}", self.count),
        };
        let caller = self.w.caller(&format!("agent:{agent}"));
        let claim = claim(agent, &request, 1 + u32::from(it.about % 3));
        self.run(&Command::Claim(caller, claim));
    }

    fn work(&mut self, it: Move) {
        // Mostly one whose lease lives; now and then any that ever was.
        let leases = &self.w.facts.tables().leases;
        let live: Vec<Grant> = self
            .grants
            .iter()
            .filter(|grant| {
                let lease = leases.get(&grant.token.hash());
                lease.is_some_and(|lease| lease.state == LeaseState::Live)
            })
            .cloned()
            .collect();
        let any = live.is_empty() || it.about.is_multiple_of(8);
        let Some(grant) = pick(if any { &self.grants } else { &live }, it.who) else {
            return;
        };
        let operation = self.operation(it, &grant);
        let name = match it.about % 9 {
            0 => format!("step {}", it.what % 3),
            _ => format!("step of {}", self.count),
        };
        let mut under: UnderHop = under(grant.token, &name, operation);
        // Most runs have come to all steps there are.
        if !it.about.is_multiple_of(10) {
            let task = self.w.facts.tables().tasks.get(&grant.task.id());
            under.read = (1..=task.map_or(0, |task| task.now.steps)).collect();
        }
        if it.about.is_multiple_of(8) {
            under.handling = pick(&self.asks_to(grant.task.id()), it.what);
        }
        let caller = self.w.caller(&grant.task.made.debtor.to_string());
        let command = Command::UnderHop(caller, under);
        self.run(&command);
        if it.about.is_multiple_of(7) {
            self.run(&command);
        }
    }

    fn asks_to(&self, task: TaskId) -> Vec<AskId> {
        let asks = self.w.facts.tables().asks.rows();
        asks.filter(|ask| ask.addressee == Addressee::Task(task) && ask.state == AskState::Open)
            .map(|ask| ask.id)
            .collect()
    }

    fn operation(&self, it: Move, grant: &Grant) -> HopOperation {
        let text = TEXTS[usize::from(it.about) % 2];
        let asked = self.asks_to(grant.task.id());
        if let Some(ask) = pick(&asked, it.about)
            && it.what.is_multiple_of(3)
        {
            return answer(ask, text);
        }
        match it.what % 40 {
            0..4 => reply(text),
            4 => reply_with(text, TEXTS[usize::from(it.about / 3) % 2]),
            5 => decline(),
            6 => fail(false),
            7..9 => fail(true),
            9 => HopOperation::Agree,
            10 if it.about.is_multiple_of(2) => needs_credential(text),
            10 => progress(text),
            11 => HopOperation::Release,
            12 => record(json!(it.about % 2)),
            13 => HopOperation::Acknowledge,
            14..17 => ask_within(text, Millis(i64::from(it.about))),
            17..20 => Self::fan_out(grant.task.made.debtor.name(), it),
            20..32 => delegate(Self::opening(
                grant.task.made.debtor.name(),
                Move {
                    what: it.about,
                    about: it.what / 40,
                    ..it
                },
            )),
            _ => self.park(it, grant.task.id()),
        }
    }

    fn fan_out(by: &str, it: Move) -> HopOperation {
        let count = 1 + it.about % 4;
        let branches: Vec<_> = (0..count)
            .map(|n| {
                Self::opening(
                    by,
                    Move {
                        what: it.what / 40 + n,
                        about: it.about / 5 + n * 3,
                        ..it
                    },
                )
            })
            .collect();
        let count = u32::try_from(branches.len()).unwrap();
        HopOperation::DelegateAll(DelegateAll {
            branches,
            mode: match it.about % 3 {
                0 => GroupMode::Each,
                1 => GroupMode::All,
                _ => GroupMode::Quorum(1 + u32::from(it.about) % count),
            },
            within: (it.about.is_multiple_of(2)).then(|| Millis(i64::from(it.about))),
            keep_rest: it.about.is_multiple_of(4),
        })
    }

    fn park(&self, it: Move, task: TaskId) -> HopOperation {
        let t = self.w.facts.tables();
        let children: Vec<TaskId> = t
            .tasks
            .rows()
            .filter(|child| child.made.parent == Some(task))
            .map(Task::id)
            .collect();
        let groups: Vec<GroupId> = t
            .groups
            .rows()
            .filter(|group| group.owner == task)
            .map(|group| group.id)
            .collect();
        let asks: Vec<AskId> = t
            .asks
            .rows()
            .filter(|ask| ask.asker == task)
            .map(|ask| ask.id)
            .collect();
        let on = match it.about % 4 {
            0 => pick(&asks, it.who).map(|ask| Wait::Ask { ask }),
            1 | 2 => pick(&groups, it.who).map(|group| Wait::Group {
                group,
                seen: u32::from(it.about % 3),
            }),
            _ => pick(&children, it.who).map(|child| Wait::Tasks {
                tasks: vec![child, children[0]],
            }),
        };
        HopOperation::Park(on.unwrap_or(Wait::Tasks { tasks: children }))
    }

    fn wait(&mut self, it: Move) {
        let span = match it.what % 12 {
            0..3 => Millis(1),
            3..7 => Millis::seconds(1),
            7..9 => Millis::seconds(5),
            9 => Millis::seconds(31),
            10 => Millis::seconds(300),
            _ => Millis::hours(i64::from(it.about % 30)),
        };
        self.w.wait(span);
    }

    fn upkeep(&mut self) {
        self.w.upkeep();
    }

    fn one_due(&mut self, it: Move) {
        if let Some(due) = pick(&self.w.due(), it.what) {
            self.run(&Command::Due(due));
        }
    }

    fn cancel(&mut self, it: Move) {
        let Some(task) = pick(&self.tasks(it, Task::is_open), it.what) else {
            return;
        };
        let mut cancel = cancel(task);
        let mut who = PEOPLE[usize::from(it.who) % 2].to_owned();
        if it.about.is_multiple_of(2)
            && let Some(grant) = pick(&self.grants, it.who)
        {
            cancel.token = Some(grant.token);
            who = grant.task.made.debtor.to_string();
        }
        let caller = self.w.caller(&who);
        self.run(&Command::Cancel(caller, cancel));
    }

    fn answer(&mut self, it: Move) {
        let asks: Vec<&Ask> = self.w.facts.tables().asks.rows().collect();
        let to_people: Vec<&Ask> = asks
            .iter()
            .filter(|ask| {
                ask.state == AskState::Open && matches!(ask.addressee, Addressee::Principal(_))
            })
            .copied()
            .collect();
        let from = if it.about.is_multiple_of(7) {
            &asks
        } else {
            &to_people
        };
        if let Some(ask) = pick(from, it.what) {
            let who = match &ask.addressee {
                Addressee::Principal(who) => who.to_string(),
                Addressee::Task(_) => PEOPLE[usize::from(it.who) % 2].to_owned(),
            };
            let ask = ask.id;
            let caller = self.w.caller(&who);
            let answer = answer_to(ask, TEXTS[usize::from(it.about) % 2]);
            self.run(&Command::Answer(caller, answer));
        }
    }

    fn beat(&mut self, it: Move) {
        if let Some(grant) = pick(&self.grants, it.who) {
            let caller = self.w.caller(&grant.task.made.debtor.to_string());
            self.run(&Command::Heartbeat(caller, vec![grant.token]));
        }
    }

    fn redrive(&mut self, it: Move) {
        let dead = |task: &Task| matches!(task.now.delivery, Delivery::Dead { .. });
        if let Some(task) = pick(&self.tasks(it, dead), it.what) {
            let caller = self.w.caller(PEOPLE[usize::from(it.who) % 2]);
            let within = Some(Millis::seconds(60));
            self.run(&Command::Redrive(caller, Redrive { task, within }));
        }
    }

    /// A new version, a migration, or the end of a conversation.
    fn rearrange(&mut self, it: Move) {
        let conversations: Vec<_> = self
            .w
            .facts
            .tables()
            .conversations
            .rows()
            .map(|row| row.id)
            .collect();
        let agent = AGENTS[usize::from(it.about) % AGENTS.len()];
        let caller = self.w.caller(PEOPLE[usize::from(it.who) % 2]);
        match (it.what % 3, pick(&conversations, it.what / 3)) {
            (0, Some(conversation)) => self.run(&Command::Close(caller, Close { conversation })),
            (1, Some(conversation)) => {
                let agent = party(&format!("agent:{agent}"));
                let migrate = Migrate {
                    conversation,
                    agent,
                    version: None,
                };
                self.run(&Command::Migrate(caller, migrate));
            }
            _ => {
                let mut next = definition(agent);
                next.instructions = format!("version {}", it.about % 3);
                self.w.define(HOME, &next);
            }
        }
    }

    /// All deadlines pass, and what is due is done.
    fn end(&mut self) {
        self.w.wait(DEADLINE_MOST);
        self.w.upkeep();
        self.w.wait(DEADLINE_MOST);
        self.w.upkeep();
        check::all(&self.w.facts, self.w.now);
        for task in self.w.facts.tables().tasks.rows() {
            assert!(!task.is_open(), "{} is open for ever: {task:?}", task.id());
        }
        for hop in self.w.facts.tables().hops.rows() {
            assert!(!hop.state.is_live(), "{} lives for ever", hop.id);
        }
        for agent in AGENTS {
            self.w.idle(agent);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// I4, I5, I7, I10, I12, counters, logs and heads after each command; and that everything ends.
    #[test]
    fn i05_whatever_happens_every_invariant_holds_and_everything_ends(moves in moves()) {
        let mut life = Life::new(false);
        for it in moves {
            life.go(it);
        }
        life.end();
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 24,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// To apply changes and to write and reload them are the same: a world that forgets everything before each command
    /// and loads it again answers as one that remembers, and ends as it.
    #[test]
    fn what_is_reloaded_decides_as_what_is_remembered(moves in moves()) {
        let mut remembering = Life::new(false);
        let mut forgetting = Life::new(true);
        remembering.w.checked = false;
        forgetting.w.checked = false;
        for it in moves {
            remembering.go(it);
            forgetting.go(it);
        }
        prop_assert_eq!(&remembering.answers, &forgetting.answers);
        check::all(&forgetting.w.facts, forgetting.w.now);
        macro_rules! equal {
            ($($table:ident)+) => {$(
                let rows = |life: &Life| -> Vec<String> {
                    life.w.facts.tables().$table.rows().map(|row| format!("{row:?}")).collect()
                };
                prop_assert_eq!(rows(&remembering), rows(&forgetting));
            )+};
        }
        equal!(roots conversations acts tasks hops ledger leases slots asks groups commitments receipts events
            workloads inboxes inbox_entries artifacts late_results);
    }
}
