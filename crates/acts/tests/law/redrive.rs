//! Redrive: dead letters are sent again (SEMANTICS 6).

use tertulia_acts::{
    answers::Operation,
    command::{Command, Configure, Grant, HopOperation, Redrive},
    envelope::Provenance,
    facts::Fault,
    ids::TaskId,
    performative::Performative,
    receipt::Outcome,
    time::Millis,
};

use crate::{
    words::{artifact_of, ask, opening, reply_with, request, within},
    world::{HOME, World, accepted, definition, fault, outcome, reason},
};

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

/// The coordinator asked deployments, which asked logs: that letter died, and deployments went on without it.
struct Below {
    w: World,
    top: Grant,
    mid: TaskId,
    leaf: TaskId,
}

fn below() -> Below {
    let mut w = World::with(&["coordinator", "deployments", "logs"]);
    w.send(request("coordinator", "what is wrong?"));
    let top = w.claim("coordinator");
    let mid = w.delegates(&top, request("deployments", "what changed?"));
    let at_mid = w.claim("deployments");
    let leaf = within(request("logs", "find the errors"), Millis::seconds(5));
    let leaf = leaf.bringing(vec![artifact_of("a trace")]);
    let leaf = w.delegates(&at_mid, leaf);
    w.wait(Millis::seconds(5));
    w.upkeep();
    assert_eq!(w.why(leaf), Some("expired"));
    w.replies(&at_mid, "nothing, as far as I see");
    Below { w, top, mid, leaf }
}

#[test]
fn a_childs_letter_is_sent_again_by_the_roots_principal_while_the_root_is_open() {
    let mut it = below();
    assert_eq!(it.w.state(it.mid), "done");
    let first = outcome(redrive(&mut it.w, "user:ana", it.leaf));
    let again = accepted(&first);
    let (made, was) = (it.w.task(again).made, it.w.task(it.leaf).made);
    assert_eq!(made.redrive_of, Some(it.leaf));
    assert_eq!(again.root, it.leaf.root);
    assert_eq!(
        made.parent,
        Some(it.top.task.id()),
        "what delegated it has ended"
    );
    assert_eq!(made.genealogy, was.genealogy);
    assert_eq!(made.fingerprint, was.fingerprint);
    assert_eq!(made.deadline, it.w.now.after(Millis::hours(1)));
    // Who redrives is who asks.
    assert_eq!(made.requester.to_string(), "user:ana");
    assert_eq!(made.requester_hop, None);
    let opening = it.w.facts.tables().acts.get(&made.opening).unwrap();
    assert_eq!(opening.envelope.provenance, Provenance::Human);
    assert_eq!(opening.envelope.hop, None);
    assert_eq!(it.w.state(it.leaf), "failed", "the old one stays as it is");
    assert_eq!(outcome(redrive(&mut it.w, "user:ana", it.leaf)), first);
}

#[test]
fn what_comes_of_it_is_a_late_result_of_the_task_that_delegated_it() {
    let mut it = below();
    let other = it.w.delegates(&it.top, request("logs", "count them"));
    it.w.parks(&it.top, &[other]);
    let again = accepted(&outcome(redrive(&mut it.w, "user:ana", it.leaf)));
    let mid = it.w.task(it.mid);
    let work = it.w.claim_up_to("logs", 2);
    let grant = work.iter().find(|grant| grant.task.id() == again).unwrap();
    it.w.does(grant, reply_with("three errors", "the errors"));
    assert_eq!(it.w.state(again), "done");
    assert_eq!(it.w.commitment(again), Some("satisfied"));
    let late = it.w.facts.tables().late_results.get(&(it.mid, 1)).unwrap();
    assert_eq!(late.of, Some(again));
    assert_eq!(late.operation, Some(Operation::Reply));
    assert_eq!(late.hop, grant.hop);
    assert_eq!(late.body.joined_text(), "three errors");
    let brought = artifact_of("the errors").reference();
    assert_eq!(late.artifacts, [brought]);
    // It flips nothing there, and wakes nobody.
    assert_eq!(it.w.task(it.mid).now.state, mid.now.state);
    assert_eq!(it.w.events(it.mid, "task.late_result"), 1);
    it.w.idle("coordinator");
    // Whoever redrove it is told.
    assert_eq!(it.w.inbox("user:ana"), [("inform", Some(again))]);
}

#[test]
fn its_result_is_late_also_while_the_one_that_delegated_it_goes_on() {
    let mut w = World::with(&["coordinator", "logs"]);
    let top = w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    let child = w.delegates(&grant, within(request("logs", "b"), Millis::seconds(5)));
    w.parks(&grant, &[child]);
    w.wait(Millis::seconds(5));
    w.upkeep();
    let resumed = w.claim("coordinator");
    let again = accepted(&outcome(redrive(&mut w, "user:ana", child)));
    let at_logs = w.claim("logs");
    w.replies(&at_logs, "none");
    let late = w.facts.tables().late_results.get(&(top, 1)).unwrap();
    assert_eq!(late.of, Some(again));
    w.replies(&resumed, "done");
    assert_eq!(w.state(top), "done");
}

#[test]
fn its_question_goes_to_whoever_redrove_it() {
    let mut it = below();
    let again = accepted(&outcome(redrive(&mut it.w, "user:ana", it.leaf)));
    let grant = it.w.claim("logs");
    let asked = it.w.asks(&grant, ask("of which day?"));
    assert_eq!(it.w.inbox("user:ana"), [("query", Some(again))]);
    it.w.answers("user:ana", asked, "Monday");
    let resumed = it.w.claim("logs");
    it.w.replies(&resumed, "none");
    assert_eq!(it.w.state(again), "done");
}

#[test]
fn it_is_closed_with_the_root() {
    let mut it = below();
    let again = accepted(&outcome(redrive(&mut it.w, "user:ana", it.leaf)));
    let grant = it.w.claim("logs");
    it.w.replies(&it.top, "done");
    let refused = it.w.does(&grant, reply_with("three", "the errors"));
    assert_eq!(reason(&refused), "parent-settled");
    it.w.upkeep();
    assert_eq!(it.w.state(again), "cancelled");
}

#[test]
fn when_it_dies_again_it_is_sent_again_and_still_answers_the_first() {
    let mut it = below();
    let again = accepted(&outcome(redrive(&mut it.w, "user:ana", it.leaf)));
    it.w.wait(Millis::hours(1));
    it.w.upkeep();
    assert_eq!(it.w.why(again), Some("expired"));
    let third = accepted(&outcome(redrive(&mut it.w, "user:ana", again)));
    assert_eq!(it.w.task(third).made.redrive_of, Some(again));
    let grant = it.w.claim("logs");
    it.w.replies(&grant, "three errors");
    let late = it.w.facts.tables().late_results.get(&(it.mid, 1)).unwrap();
    assert_eq!(late.of, Some(third));
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
