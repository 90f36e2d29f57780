//! Gates: what refuses an opening act, and what a refused act leaves.

use tertulia_acts::{
    command::{Command, Place, Send},
    facts::Fault,
    ids::TaskId,
    limits::{DEPTH, OPEN_DELIVERIES_PER_AGENT, OPEN_TASKS_PER_ROOT},
    performative::Performative,
    receipt::Outcome,
};

use crate::{
    words::{delegate, opening, reply, request},
    world::{HOME, World, accepted, fault, made, outcome, reason},
};

#[test]
fn a_refused_act_makes_its_acts_and_a_refused_task_and_nothing_else() {
    let mut w = World::with(&["coordinator"]);
    let root = w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    let refused = w.does(&grant, delegate(request("coordinator", "b")));
    assert_eq!(reason(&refused), "to-oneself");
    let task = made(&refused);
    assert_eq!(w.state(task), "refused");
    assert_eq!(
        w.said(task),
        [
            "request coordinator > coordinator",
            "refuse tertulia > coordinator"
        ]
    );
    assert_eq!(w.commitment(task), None);
    assert_eq!(w.hops(task), 0);
    assert_eq!(w.task(task).now.steps, 0);
    assert_eq!(w.task(root).now.steps, 1, "a refusal is a step");
    let root = w.facts.tables().roots.get(&root.root).unwrap();
    assert_eq!(root.open_tasks, 1);
}

#[test]
fn under_a_hop_nothing_is_said_in_the_conversations_of_another_root() {
    let mut w = World::with(&["coordinator", "logs"]);
    w.send(request("coordinator", "a"));
    let one = w.claim("coordinator");
    let below = w.delegates(&one, request("logs", "look"));
    let there = w.task(below).made.conversation;
    w.send(request("coordinator", "b"));
    let two = w.claim("coordinator");
    let say = |text: &str| {
        let mut opening = request("logs", text);
        opening.place = Place::In(there);
        delegate(opening)
    };
    let told = fault(w.under(&two, "s", say("look there")));
    assert!(
        matches!(&told, Fault::NotFound(what) if what.contains("under this root")),
        "{told:?}"
    );
    let more = w.does(&one, say("look again"));
    assert_eq!(w.task(accepted(&more)).made.conversation, there);
}

#[test]
fn an_unknown_recipient_is_told_who_is_there_in_a_conversation_of_the_sender_alone() {
    let mut w = World::with(&["logs", "deployments", "billing"]);
    let answer = w.send_as("user:ana", request("log", "find the errors"), None);
    let refused = outcome(answer);
    assert_eq!(reason(&refused), "unknown-recipient");
    let Outcome::Refused { refusal, act, .. } = &refused else {
        panic!();
    };
    assert_eq!(
        refusal.detail["candidates"],
        serde_json::json!(["agent:logs"])
    );
    assert!(act.is_some());
    let task = made(&refused);
    let conversation = w.task(task).made.conversation;
    let row = w.facts.tables().conversations.get(&conversation).unwrap();
    assert_eq!(row.participants.len(), 1);
    assert_eq!(w.inbox("user:ana"), [("refuse", Some(task))]);
}

#[test]
fn an_inform_to_an_agent_is_a_task_that_ends_by_acknowledge_alone() {
    use tertulia_acts::command::HopOperation;
    let mut w = World::with(&["logs"]);
    let task = w.send(opening(Performative::Inform, "logs", "rotated"));
    let grant = w.claim("logs");
    assert_eq!(reason(&w.does(&grant, reply("thanks"))), "illegal-act");
    assert_eq!(
        reason(&w.does(&grant, crate::words::decline())),
        "illegal-act"
    );
    assert_eq!(w.state(task), "working", "an illegal act changes nothing");
    w.does(&grant, HopOperation::Acknowledge);
    assert_eq!(w.state(task), "done");
    assert_eq!(w.commitment(task), None);
}

#[test]
fn what_answers_cannot_open() {
    let mut w = World::with(&["logs"]);
    for performative in Performative::ALL {
        let sent = outcome(w.send_as("user:ana", opening(*performative, "logs", "x"), None));
        let opens = matches!(
            performative,
            Performative::Request | Performative::Query | Performative::Inform
        );
        if opens {
            assert!(matches!(sent, Outcome::Accepted { .. }), "{performative}");
        } else {
            assert_eq!(reason(&sent), "illegal-act", "{performative}");
        }
    }
}

#[test]
fn an_agents_credential_opens_no_root() {
    let mut w = World::with(&["logs", "deployments"]);
    let sent = outcome(w.send_as("agent:logs", request("deployments", "a"), None));
    assert_eq!(reason(&sent), "no-root");
    assert_eq!(w.facts.tables().roots.len(), 0);
}

/// A chain of agents a00, a01, …, each delegating to the next; the grant of the last, at `depth` hops.
fn chain(w: &mut World, depth: usize) -> tertulia_acts::command::Grant {
    w.send(request("a00", "level 0"));
    let mut grant = w.claim("a00");
    for level in 1..depth {
        let to = format!("a{level:02}");
        w.delegates(&grant, request(&to, &format!("level {level}")));
        grant = w.claim(&to);
    }
    grant
}

fn letters(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("a{n:02}")).collect()
}

#[test]
fn the_fuse_blows_at_sixteen_hops() {
    let names = letters(DEPTH + 1);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut w = World::with(&names);
    let grant = chain(&mut w, DEPTH - 1);
    // Fifteen hops above: the sixteenth still goes.
    let task = w.delegates(&grant, request(names[DEPTH - 1], "one more"));
    assert_eq!(w.task(task).made.genealogy.depth(), DEPTH - 1);
    let last = w.claim(names[DEPTH - 1]);
    let refused = w.does(&last, delegate(request(names[DEPTH], "too deep")));
    assert_eq!(reason(&refused), "fuse");
    assert_eq!(w.state(made(&refused)), "refused");
}

#[test]
fn the_fuse_blows_at_a_thousand_open_tasks() {
    use tertulia_acts::group::GroupMode;
    let mut w = World::with(&["coordinator", "logs"]);
    w.checked = false;
    w.send(request("coordinator", "everything"));
    let grant = w.claim("coordinator");
    let mut open = 1;
    while open < OPEN_TASKS_PER_ROOT {
        let count = (OPEN_TASKS_PER_ROOT - open).min(200);
        let branches = (0..count)
            .map(|n| request("logs", &format!("{open} {n}")))
            .collect();
        w.fans_out(&grant, crate::words::all(GroupMode::All, branches));
        open += count;
    }
    let root = grant.task.id().root;
    let row = w.facts.tables().roots.get(&root).unwrap();
    assert_eq!(row.open_tasks, OPEN_TASKS_PER_ROOT);
    let refused = w.does(&grant, delegate(request("logs", "one more")));
    assert_eq!(reason(&refused), "fuse");
    crate::check::all(&w.facts, w.now);
}

#[test]
fn a_full_mailbox_refuses() {
    let mut w = World::with(&["logs"]);
    w.send(request("logs", "a"));
    let mut load = w.facts.tables().workloads.rows().next().unwrap().clone();
    load.open = OPEN_DELIVERIES_PER_AGENT;
    w.checked = false;
    w.facts
        .apply(vec![tertulia_acts::facts::Change::Workload(load)]);
    let refused = outcome(w.send_as("user:ana", request("logs", "b"), None));
    assert_eq!(reason(&refused), "mailbox-full");
    assert_eq!(w.state(made(&refused)), "refused");
}

#[test]
fn an_act_in_a_conversation_needs_its_sender_and_recipient_in_it() {
    let mut w = World::with(&["logs", "deployments"]);
    let first = w.send(request("logs", "a"));
    let id = w.task(first).made.conversation;
    let into = |to: &str| {
        let mut act = request(to, "b");
        act.place = Place::In(id);
        act
    };
    let refused = outcome(w.send_as("user:ana", into("deployments"), None));
    assert_eq!(reason(&refused), "not-a-participant");
    let foreign = fault(w.send_as("user:bob", into("logs"), None));
    assert!(matches!(foreign, Fault::NotFound(_)), "{foreign:?}");
    let follow_up: TaskId = w.send(into("logs"));
    let made = w.task(follow_up).made;
    assert_eq!(made.conversation, id);
    assert_ne!(made.id.root, id.root, "a follow-up is a root of its own");
}

#[test]
fn an_alias_finds_the_senders_conversation_again() {
    let mut w = World::with(&["logs"]);
    let called = |text: &str| {
        let mut act = request("logs", text);
        act.place = Place::Alias("ctx-1".into());
        act
    };
    let first = w.send(called("a"));
    let second = w.send(called("b"));
    assert_eq!(
        w.task(first).made.conversation,
        w.task(second).made.conversation
    );
    let of_bob = made(&outcome(w.send_as("user:bob", called("c"), None)));
    assert_ne!(
        w.task(first).made.conversation,
        w.task(of_bob).made.conversation
    );
}

#[test]
fn a_retired_agent_is_unknown() {
    use tertulia_acts::command::Configure;
    let mut w = World::with(&["logs"]);
    let retire = Configure::RetireAgent {
        tenant: HOME,
        name: "logs".into(),
    };
    let caller = w.caller("user:ana");
    w.run(&Command::Configure(Some(caller), Box::new(retire)));
    let send = Send {
        opening: request("logs", "a"),
        key: None,
    };
    let caller = w.caller("user:ana");
    let refused = outcome(w.run(&Command::Send(caller, Box::new(send))));
    assert_eq!(reason(&refused), "unknown-recipient");
}
