//! Keys, steps and receipts: the same key and the same content, the same answer (I6).

use serde_json::json;
use tertulia_acts::{
    command::{Answer, Command, Grant, HopOperation, KnownBy, Place},
    facts::Fault,
    ids::TaskId,
    limits::{BACKOFF_FIRST, DEADLINE, KEY_KEPT, LEASE, STEPS_PER_TASK},
    receipt::{Outcome, Scope},
    time::{Millis, Timestamp},
};

use crate::{
    words::{
        answer_to, ask, decline, delegate, opening, park_on, progress, record, reply, request,
    },
    world::{World, accepted, claim, fault, made, outcome, reason, secret, under},
};

fn replayed(answer: &Answer) -> bool {
    matches!(answer, Answer::Outcome { replayed: true, .. })
}

#[test]
fn i06_a_repeated_key_gets_the_same_receipt_and_makes_nothing() {
    let mut w = World::with(&["logs"]);
    let first = w.send_as("user:ana", request("logs", "a"), Some("k1"));
    let again = w.send_as("user:ana", request("logs", "a"), Some("k1"));
    assert!(!replayed(&first) && replayed(&again));
    assert_eq!(outcome(first), outcome(again));
    assert_eq!(w.facts.tables().tasks.len(), 1);
    // Another principal's key of the same name is another key.
    let of_bob = w.send_as("user:bob", request("logs", "a"), Some("k1"));
    assert!(!replayed(&of_bob));
}

#[test]
fn a_key_with_other_content_is_refused_and_makes_no_task() {
    let mut w = World::with(&["logs"]);
    w.send_as("user:ana", request("logs", "a"), Some("k1"));
    let other = outcome(w.send_as("user:ana", request("logs", "b"), Some("k1")));
    assert_eq!(reason(&other), "key-reused");
    assert!(matches!(other, Outcome::Refused { task: None, .. }));
    assert_eq!(w.facts.tables().tasks.len(), 1);
}

#[test]
fn a_refusal_is_remembered_too() {
    let mut w = World::with(&["logs"]);
    let first = w.send_as("user:ana", request("log", "a"), Some("k1"));
    let again = w.send_as("user:ana", request("log", "a"), Some("k1"));
    assert!(replayed(&again));
    assert_eq!(made(&outcome(first)), made(&outcome(again)));
}

#[test]
fn a_key_is_kept_while_its_task_is_open_and_seven_days_after() {
    let mut w = World::with(&["logs"]);
    let mut act = request("logs", "a");
    act.within = Some(Millis(KEY_KEPT.0 * 2));
    let first = accepted(&outcome(w.send_as("user:ana", act.clone(), Some("k1"))));
    w.wait(Millis(KEY_KEPT.0 + 1000));
    let open = w.send_as("user:ana", act.clone(), Some("k1"));
    assert!(replayed(&open), "its task is open");
    let grant = w.claim("logs");
    w.replies(&grant, "none");
    w.wait(Millis(KEY_KEPT.0 - 1));
    assert!(replayed(&w.send_as("user:ana", act.clone(), Some("k1"))));
    w.wait(Millis(1));
    let later = w.send_as("user:ana", act, Some("k1"));
    assert!(!replayed(&later));
    assert_ne!(accepted(&outcome(later)), first);
}

/// When the receipts of keys run out.
fn run_out(w: &World) -> Vec<Option<Timestamp>> {
    let receipts = w.facts.tables().receipts.rows();
    let keys = receipts.filter(|receipt| matches!(receipt.scope, Scope::Key { .. }));
    keys.map(|receipt| receipt.expires).collect()
}

#[test]
fn the_end_of_its_task_begins_the_time_of_a_key() {
    let ways: [fn(&mut World); 4] = [
        |w| {
            let grant = w.claim("logs");
            w.replies(&grant, "none");
        },
        |w| {
            let grant = w.claim("logs");
            w.does(&grant, decline());
        },
        |w| {
            let task = w.facts.tables().tasks.rows().next().unwrap().id();
            w.cancels("user:ana", task);
        },
        |w| {
            w.wait(DEADLINE);
            w.upkeep();
        },
    ];
    for way in ways {
        let mut w = World::with(&["logs"]);
        w.send_as("user:ana", request("logs", "a"), Some("k1"));
        assert_eq!(run_out(&w), [None], "its task is open");
        w.wait(Millis::seconds(1));
        way(&mut w);
        assert_eq!(run_out(&w), [Some(w.now.after(KEY_KEPT))]);
    }
}

#[test]
fn a_key_without_an_open_task_runs_out_from_its_making() {
    use tertulia_acts::performative::Performative;
    let acts = [
        // Refused at the gates, refused before them, and told.
        request("nobody", "a"),
        opening(Performative::Propose, "logs", "a"),
        opening(Performative::Inform, "user:bob", "deployed"),
    ];
    for act in acts {
        let mut w = World::with(&["logs"]);
        w.send_as("user:ana", act, Some("k1"));
        assert_eq!(run_out(&w), [Some(w.now.after(KEY_KEPT))]);
    }
}

#[test]
fn a_refusal_that_leaves_no_task_is_remembered_too() {
    let mut w = World::with(&["logs"]);
    let task = w.send(request("logs", "a"));
    let grant = w.claim("logs");
    w.replies(&grant, "none");
    let conversation = w.task(task).made.conversation;
    let mut later = request("deployments", "b");
    later.place = Place::In(conversation);
    let roots = w.facts.tables().roots.len();
    let first = w.send_as("user:ana", later.clone(), Some("k1"));
    let again = w.send_as("user:ana", later.clone(), Some("k1"));
    assert!(!replayed(&first) && replayed(&again));
    assert_eq!(reason(&outcome(again)), "not-a-participant");
    assert_eq!(w.facts.tables().roots.len(), roots, "nothing else is left");
    w.wait(KEY_KEPT);
    assert!(!replayed(&w.send_as("user:ana", later, Some("k1"))));
}

fn at_work() -> (World, TaskId, Grant) {
    let mut w = World::with(&["coordinator", "logs"]);
    let task = w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    (w, task, grant)
}

/// The attempt is lost, and another begins.
fn next_attempt(w: &mut World) -> Grant {
    w.wait(LEASE);
    w.upkeep();
    w.wait(BACKOFF_FIRST);
    w.claim("coordinator")
}

#[test]
fn i06_a_step_belongs_to_the_task_and_not_to_the_hop() {
    let (mut w, task, first) = at_work();
    let delegated = w.does_as(&first, "ask logs", delegate(request("logs", "b")));
    let second = next_attempt(&mut w);
    assert_ne!(first.hop, second.hop);
    let again = w.under(&second, "ask logs", delegate(request("logs", "b")));
    assert!(replayed(&again));
    assert_eq!(outcome(again), delegated);
    assert_eq!(w.facts.tables().tasks.len(), 2);
    // A child that is still open is attached again: the new hop waits for it, its genealogy stays as made.
    let child = accepted(&delegated);
    w.parks(&second, &[child]);
    let at_logs = w.claim("logs");
    w.replies(&at_logs, "none");
    assert_eq!(w.claim("coordinator").hop, second.hop);
    assert_eq!(w.task(child).made.genealogy.hops()[0].hop, first.hop);
    assert_eq!(w.task(task).now.steps, 1);
}

#[test]
fn a_step_with_other_content_is_refused() {
    let (mut w, _, grant) = at_work();
    w.does_as(&grant, "ask logs", delegate(request("logs", "b")));
    let other = w.does_as(&grant, "ask logs", delegate(request("logs", "c")));
    assert_eq!(reason(&other), "key-reused");
}

#[test]
fn recorded_results_come_back() {
    let (mut w, _, grant) = at_work();
    let value = json!({"lines": 7});
    w.does_as(&grant, "count", record(value.clone()));
    let second = next_attempt(&mut w);
    let again = w.does_as(&second, "count", record(value.clone()));
    assert_eq!(again, Outcome::Recorded { value });
}

#[test]
fn steps_may_be_read_by_their_ordinals() {
    let (mut w, _, grant) = at_work();
    w.does_as(&grant, "one", record(json!(1)));
    w.does_as(&grant, "two", record(json!(2)));
    let second = next_attempt(&mut w);
    let step = |read: Vec<u32>| {
        let mut under = under(second.token, "three", record(json!(3)));
        under.read = read;
        under
    };
    let diverged = fault(w.operate(&second, step(vec![1])));
    assert!(matches!(diverged, Fault::ReplayDiverged { unread: 1, .. }));
    let made = outcome(w.operate(&second, step(vec![1, 2])));
    assert_eq!(made, Outcome::Recorded { value: json!(3) });
}

#[test]
fn what_was_read_stays_read_when_the_operation_is_refused() {
    let (mut w, task, grant) = at_work();
    w.does_as(&grant, "agree", HopOperation::Agree);
    let second = next_attempt(&mut w);
    let mut refused = under(second.token, "", decline());
    refused.read = vec![1];
    assert_eq!(reason(&outcome(w.operate(&second, refused))), "illegal-act");
    assert_eq!(w.state(task), "working");
    w.does(&second, record(json!(1)));
}

#[test]
fn steps_made_for_a_question_are_not_read_again() {
    let (mut w, task, grant) = at_work();
    let child = w.delegates(&grant, request("logs", "b"));
    let at_logs = w.claim("logs");
    let ask = w.asks(&at_logs, ask("which?"));
    let mut step = under(grant.token, "look it up", record(json!(1)));
    step.handling = Some(ask);
    outcome(w.operate(&grant, step));
    let mut reply = under(
        grant.token,
        "",
        HopOperation::Answer(answer_to(ask, "all of them")),
    );
    reply.handling = Some(ask);
    outcome(w.operate(&grant, reply));
    assert_eq!(w.task(task).now.steps, 3);
    let second = next_attempt(&mut w);
    let again = w.under(&second, "step-3", delegate(request("logs", "b")));
    // Whatever that step was called, only the delegation is to be read.
    let unread = match again {
        Answer::Fault(Fault::ReplayDiverged { unread, .. }) => unread,
        Answer::Outcome { replayed: true, .. } => 1,
        other => panic!("{other:?}"),
    };
    assert_eq!(unread, 1);
    assert_eq!(w.state(child), "working");
}

#[test]
fn steps_of_a_call_that_joined_are_made_once_and_not_read_again() {
    let (mut w, task, grant) = at_work();
    let joined = |grant: &Grant, text: &str| {
        let mut step = under(grant.token, "step-1", delegate(request("logs", text)));
        step.known_by = KnownBy::Joined(grant.token.hash());
        step
    };
    w.does_as(&grant, "step-1", record(json!(1)));
    let first = outcome(w.operate(&grant, joined(&grant, "b")));
    let child = accepted(&first);
    assert_eq!(w.task(child).made.parent, Some(task));
    // The names of those who joined are their own, and the next run comes to its own steps alone.
    let second = next_attempt(&mut w);
    assert_eq!(outcome(w.operate(&second, joined(&second, "b"))), first);
    w.does_as(&second, "step-1", record(json!(1)));
    w.does_as(&second, "step-2", record(json!(2)));
    assert_eq!(w.task(task).now.steps, 3);
}

#[test]
fn a_task_makes_a_thousand_steps_at_most() {
    let (mut w, task, grant) = at_work();
    w.checked = false;
    for n in 0..STEPS_PER_TASK {
        w.does(&grant, record(json!(n)));
    }
    let one_more = w.does(&grant, record(json!("more")));
    assert_eq!(reason(&one_more), "too-many-steps");
    assert_eq!(w.task(task).now.steps, STEPS_PER_TASK);
    w.checked = true;
    w.replies(&grant, "enough");
}

#[test]
fn i06_a_settle_is_repeated_with_the_same_receipt_for_each_way_to_end() {
    for operation in [
        reply("a"),
        decline(),
        crate::words::fail(false),
        crate::words::fail(true),
        HopOperation::Release,
    ] {
        let (mut w, _, grant) = at_work();
        let first = w.under(&grant, "", operation.clone());
        let again = w.under(&grant, "", operation.clone());
        assert!(replayed(&again), "{operation:?}");
        assert_eq!(outcome(first), outcome(again));
        let other = fault(w.under(&grant, "", reply("something else")));
        assert!(matches!(other, Fault::HopFinished(_)), "{operation:?}");
        assert_eq!(w.facts.tables().late_results.len(), 0);
    }
}

#[test]
fn a_park_and_an_ask_are_repeated_with_the_same_receipt() {
    let (mut w, _, grant) = at_work();
    let child = w.delegates(&grant, request("logs", "b"));
    w.parks(&grant, &[child]);
    let again = w.under(&grant, "", park_on(&[child]));
    assert!(replayed(&again));
    assert_eq!(outcome(again), Outcome::Parked);

    let at_logs = w.claim("logs");
    let first = w.under(&at_logs, "q", ask("which?"));
    let again = w.under(&at_logs, "q", ask("which?"));
    assert!(replayed(&again));
    assert_eq!(outcome(first), outcome(again));
    let other = fault(w.under(&at_logs, "p", progress("looking")));
    assert!(matches!(other, Fault::HopFinished(_)));
}

#[test]
fn a_principals_answer_has_a_key_too() {
    let (mut w, _, grant) = at_work();
    let ask = w.asks(&grant, ask("which?"));
    let keyed = |text: &str| {
        let mut answer = answer_to(ask, text);
        answer.key = Some("k".into());
        answer
    };
    let caller = w.caller("user:ana");
    let first = w.run(&Command::Answer(caller.clone(), keyed("all")));
    let again = w.run(&Command::Answer(caller.clone(), keyed("all")));
    assert!(!replayed(&first) && replayed(&again));
    assert_eq!(outcome(first), outcome(again));
    let other = outcome(w.run(&Command::Answer(caller, keyed("none"))));
    assert_eq!(reason(&other), "key-reused");
}

#[test]
fn a_repeated_claim_returns_the_same_leases() {
    let mut w = World::with(&["logs"]);
    for text in ["a", "b", "c"] {
        w.send(request("logs", text));
    }
    let first = w.claim_as("logs", &claim("logs", "r1", 2));
    let again = w.claim_as("logs", &claim("logs", "r1", 2));
    assert_eq!(first.len(), 2);
    let tokens = |grants: &[Grant]| grants.iter().map(|g| g.token.reveal()).collect::<Vec<_>>();
    assert_eq!(tokens(&first), tokens(&again));
    assert!(again.iter().all(|grant| !grant.resumed));
    assert_eq!(w.facts.tables().hops.len(), 2);
    // What has ended since is not given again.
    w.replies(&first[0], "none");
    assert_eq!(w.claim_as("logs", &claim("logs", "r1", 2)).len(), 1);

    let mut stolen = claim("logs", "r1", 2);
    stolen.secret = secret("another");
    let caller = w.caller("agent:logs");
    let refused = outcome(w.run(&Command::Claim(caller, stolen)));
    assert_eq!(reason(&refused), "key-reused");
}

#[test]
fn a_claim_is_forgotten_after_its_time() {
    let mut w = World::with(&["logs"]);
    w.send(request("logs", "a"));
    assert_eq!(w.claim_as("logs", &claim("logs", "r1", 1)).len(), 1);
    w.wait(tertulia_acts::limits::CLAIM_KEPT);
    w.send(request("logs", "b"));
    let mut other = claim("logs", "r1", 1);
    other.secret = secret("drawn anew");
    let grants = w.claim_as("logs", &other);
    assert_eq!(grants.len(), 1);
}

#[test]
fn an_empty_claim_stores_nothing() {
    let mut w = World::with(&["logs"]);
    assert!(w.claim_as("logs", &claim("logs", "r1", 2)).is_empty());
    assert_eq!(w.facts.tables().receipts.len(), 0);
    w.send(request("logs", "a"));
    assert_eq!(w.claim_as("logs", &claim("logs", "r1", 2)).len(), 1);
}

#[test]
fn a_resumed_lease_says_so_when_its_claim_is_repeated() {
    let (mut w, _, grant) = at_work();
    w.does(&grant, HopOperation::Release);
    let first = w.claim_as("coordinator", &claim("coordinator", "r2", 1));
    let again = w.claim_as("coordinator", &claim("coordinator", "r2", 1));
    assert!(first[0].resumed && again[0].resumed);
}
