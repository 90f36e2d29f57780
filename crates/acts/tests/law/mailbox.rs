//! One conversation, one worker: serialisation (I7), capacity, order of work.

use tertulia_acts::{
    command::{Command, Place},
    facts::Fault,
    ids::TaskId,
    limits::{BACKOFF_FIRST, LEASE},
    time::Millis,
};

use crate::{
    words::{ask, fail, request},
    world::{HOME, World, claim, definition, fault, outcome},
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
