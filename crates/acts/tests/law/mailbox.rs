//! One conversation, one worker: serialisation (I7), capacity, order of work; redrive.

use tertulia_acts::{
    command::{Command, HopOperation, Place, Redrive},
    facts::Fault,
    ids::TaskId,
    limits::{BACKOFF_FIRST, LEASE},
    receipt::Outcome,
    time::Millis,
};

use crate::{
    words::{artifact_of, ask, fail, opening, request, within},
    world::{HOME, World, accepted, claim, definition, fault, outcome, reason},
};

/// Two requests to logs in one conversation.
fn two_in_one() -> (World, TaskId, TaskId) {
    let mut w = World::with(&["logs", "coordinator"]);
    let first = w.send(request("logs", "a"));
    let second = follow_up(&mut w, first, "b");
    (w, first, second)
}

fn follow_up(w: &mut World, after: TaskId, text: &str) -> TaskId {
    let mut act = request("logs", text);
    act.place = Place::In(w.task(after).made.conversation);
    w.send(act)
}

#[test]
fn i07_a_follow_up_waits_while_the_first_is_leased() {
    let (mut w, first, second) = two_in_one();
    let grants = w.claim_up_to("logs", 8);
    assert_eq!(grants.len(), 1);
    assert_eq!(grants[0].task.id(), first);
    w.idle("logs");
    w.replies(&grants[0], "none");
    let next = w.claim("logs");
    assert_eq!(next.task.id(), second);
}

#[test]
fn a_parked_activation_lets_its_successor_begin_and_goes_before_the_next() {
    let (mut w, first, second) = two_in_one();
    let at_first = w.claim("logs");
    let ask = w.asks(&at_first, ask("which?"));
    let at_second = w.claim("logs");
    assert_eq!(at_second.task.id(), second);
    let third = follow_up(&mut w, first, "c");
    outcome(w.answers("user:ana", ask, "all"));
    w.idle("logs");
    w.replies(&at_second, "none");
    // Ready activations go first, then pending deliveries.
    let resumed = w.claim("logs");
    assert_eq!(resumed.task.id(), first);
    w.replies(&resumed, "none");
    assert_eq!(w.claim("logs").task.id(), third);
}

#[test]
fn of_two_ready_activations_the_oldest_task_goes_first() {
    let (mut w, first, second) = two_in_one();
    let at_first = w.claim("logs");
    let early = w.asks(&at_first, ask("which?"));
    let at_second = w.claim("logs");
    let late = w.asks(&at_second, ask("which?"));
    outcome(w.answers("user:ana", late, "all"));
    w.wait(Millis::seconds(1));
    outcome(w.answers("user:ana", early, "all"));
    let resumed = w.claim("logs");
    assert_eq!(resumed.task.id(), first);
    w.replies(&resumed, "none");
    assert_eq!(w.claim("logs").task.id(), second);
}

#[test]
fn a_backoff_blocks_its_successors_in_the_same_conversation_only() {
    let (mut w, first, _) = two_in_one();
    let elsewhere = w.send(request("logs", "c"));
    let grants = w.claim_up_to("logs", 8);
    assert_eq!(grants.len(), 2);
    let of = |task: TaskId| grants.iter().find(|grant| grant.task.id() == task).unwrap();
    w.does(of(first), fail(true));
    w.idle("logs");
    w.replies(of(elsewhere), "none");
    w.send(request("logs", "d"));
    w.claim("logs");
    w.wait(BACKOFF_FIRST);
    assert_eq!(w.claim("logs").task.id(), first);
}

#[test]
fn a_backoff_does_not_block_a_ready_activation() {
    let (mut w, _, second) = two_in_one();
    let at_first = w.claim("logs");
    let early = w.asks(&at_first, ask("which?"));
    let at_second = w.claim("logs");
    w.does(&at_second, fail(true));
    outcome(w.answers("user:ana", early, "all"));
    let resumed = w.claim("logs");
    assert!(resumed.resumed);
    w.replies(&resumed, "none");
    w.idle("logs");
    w.wait(BACKOFF_FIRST);
    assert_eq!(w.claim("logs").task.id(), second);
}

#[test]
fn capacity_counts_what_is_leased_and_nothing_else() {
    let mut narrow = definition("logs");
    narrow.limits.max_concurrent_conversations = 2;
    let mut w = World::with(&[]);
    w.define(HOME, &narrow);
    for text in ["a", "b", "c"] {
        w.send(request("logs", text));
    }
    let grants = w.claim_up_to("logs", 8);
    assert_eq!(grants.len(), 2);
    w.idle("logs");
    let ask = w.asks(&grants[0], ask("which?"));
    let third = w.claim_up_to("logs", 8);
    assert_eq!(third.len(), 1, "one that is parked takes no place");
    outcome(w.answers("user:ana", ask, "all"));
    w.idle("logs");
    w.replies(&grants[1], "none");
    assert!(w.claim("logs").resumed);
}

#[test]
fn resumed_work_goes_before_new_work() {
    let mut w = World::with(&["logs"]);
    let first = w.send(request("logs", "a"));
    let grant = w.claim("logs");
    let ask = w.asks(&grant, ask("which?"));
    w.send(request("logs", "b"));
    w.wait(Millis::seconds(5));
    outcome(w.answers("user:ana", ask, "all"));
    let next = w.claim("logs");
    assert_eq!(next.task.id(), first);
}

#[test]
fn a_swept_lease_frees_its_slot() {
    let (mut w, first, _) = two_in_one();
    w.claim("logs");
    w.wait(LEASE);
    w.upkeep();
    w.wait(BACKOFF_FIRST);
    assert_eq!(w.claim("logs").task.id(), first, "order holds over a loss");
}

#[test]
fn only_the_agent_and_its_owner_claim_for_it() {
    let (mut w, first, _) = two_in_one();
    for other in ["agent:coordinator", "user:bob"] {
        let caller = w.caller(other);
        let answer = fault(w.run(&Command::Claim(caller, claim("logs", "r", 1))));
        assert!(matches!(answer, Fault::NotFound(_)), "{other}: {answer:?}");
    }
    let caller = w.caller("user:ana");
    let answer = w.run(&Command::Claim(caller, claim("logs", "r", 1)));
    let tertulia_acts::command::Answer::Granted(grants) = answer else {
        panic!();
    };
    assert_eq!(grants[0].task.id(), first);
}

// Redrive ---------------------------------------------------------------------------------------------------------

fn redrive(w: &mut World, who: &str, task: TaskId) -> tertulia_acts::command::Answer {
    let caller = w.caller(who);
    let within = Some(Millis::hours(1));
    w.run(&Command::Redrive(caller, Redrive { task, within }))
}

fn expired(w: &mut World) -> TaskId {
    let files = vec![artifact_of("a trace")];
    let mut act = within(request("logs", "a"), Millis::seconds(5)).bringing(files);
    act.work_id = Some("INC-42".into());
    let task = w.send(act);
    w.wait(Millis::seconds(5));
    w.upkeep();
    task
}

#[test]
fn a_dead_letter_of_a_root_is_sent_again_as_a_new_root() {
    let mut w = World::with(&["logs"]);
    let dead = expired(&mut w);
    let again = accepted(&outcome(redrive(&mut w, "user:ana", dead)));
    assert_ne!(again.root, dead.root);
    assert_eq!(w.state(dead), "failed", "the old one stays as it is");
    let made = w.task(again).made;
    assert_eq!(made.redrive_of, Some(dead));
    assert_eq!(made.deadline, w.now.after(Millis::hours(1)));
    assert_eq!(made.work_id.as_deref(), Some("INC-42"));
    assert_eq!(made.fingerprint, w.task(dead).made.fingerprint);
    let act = |id: TaskId| {
        let opening = w.task(id).made.opening;
        w.facts.tables().acts.get(&opening).unwrap().clone()
    };
    assert_eq!(act(again).body, act(dead).body);
    assert_eq!(act(again).envelope.artifacts, act(dead).envelope.artifacts);
    let artifacts = w.facts.tables().artifacts.rows();
    assert_eq!(artifacts.filter(|row| row.root == again.root).count(), 1);
    assert_eq!(w.events(dead, "mailbox.redriven"), 1);
}

#[test]
fn redriven_twice_it_is_the_same_task() {
    let mut w = World::with(&["logs"]);
    let dead = expired(&mut w);
    let first = outcome(redrive(&mut w, "user:ana", dead));
    let again = outcome(redrive(&mut w, "user:ana", dead));
    assert_eq!(first, again);
    assert_eq!(w.facts.tables().tasks.len(), 2);
}

#[test]
fn a_childs_letter_is_sent_again_under_its_parent_while_that_is_open() {
    let mut w = World::with(&["coordinator", "logs"]);
    let top = w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    let child = w.delegates(&grant, within(request("logs", "b"), Millis::seconds(5)));
    w.parks(&grant, &[child]);
    w.wait(Millis::seconds(5));
    w.upkeep();
    assert_eq!(w.why(child), Some("expired"));
    let resumed = w.claim("coordinator");
    let again = accepted(&outcome(redrive(&mut w, "user:ana", child)));
    let made = w.task(again).made;
    assert_eq!(made.parent, Some(top));
    assert_eq!(made.requester, w.task(child).made.requester);
    assert_eq!(made.genealogy, w.task(child).made.genealogy);
    let at_logs = w.claim("logs");
    w.replies(&at_logs, "none");
    w.replies(&resumed, "done");
}

#[test]
fn a_childs_letter_is_not_sent_again_when_the_root_has_ended() {
    let mut w = World::with(&["coordinator", "logs"]);
    w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    let child = w.delegates(&grant, within(request("logs", "b"), Millis::seconds(5)));
    w.wait(Millis::seconds(5));
    w.upkeep();
    w.replies(&grant, "without logs");
    let refused = outcome(redrive(&mut w, "user:ana", child));
    assert_eq!(reason(&refused), "root-closed");
}

#[test]
fn what_was_answered_or_is_open_is_not_redriven_and_for_others_it_is_absent() {
    let mut w = World::with(&["logs"]);
    let task = w.send(request("logs", "a"));
    let open = outcome(redrive(&mut w, "user:ana", task));
    assert_eq!(reason(&open), "already-answered");
    let grant = w.claim("logs");
    w.replies(&grant, "none");
    let done = outcome(redrive(&mut w, "user:ana", task));
    assert_eq!(reason(&done), "already-answered");
    for other in ["user:bob", "agent:logs"] {
        let absent = fault(redrive(&mut w, other, task));
        assert!(matches!(absent, Fault::NotFound(_)), "{other}");
    }
}

#[test]
fn a_redrive_that_is_refused_may_be_tried_again() {
    use tertulia_acts::command::Configure;
    let mut w = World::with(&["logs"]);
    let dead = expired(&mut w);
    let retire = Configure::RetireAgent {
        tenant: HOME,
        name: "logs".into(),
    };
    w.run(&Command::Configure(None, Box::new(retire)));
    let refused = outcome(redrive(&mut w, "user:ana", dead));
    assert_eq!(reason(&refused), "unknown-recipient");
    w.define(HOME, &definition("logs"));
    let again = outcome(redrive(&mut w, "user:ana", dead));
    assert!(matches!(again, Outcome::Accepted { .. }), "{again:?}");
}

#[test]
fn a_notice_that_dies_is_listed_and_can_be_redriven() {
    use tertulia_acts::performative::Performative;
    let mut w = World::with(&["logs"]);
    let notice = within(
        opening(Performative::Inform, "logs", "rotated"),
        Millis::seconds(5),
    );
    let dead = w.send(notice);
    w.wait(Millis::seconds(5));
    w.upkeep();
    let again = accepted(&outcome(redrive(&mut w, "user:ana", dead)));
    let grant = w.claim("logs");
    w.does(&grant, HopOperation::Acknowledge);
    assert_eq!(w.state(again), "done");
}
