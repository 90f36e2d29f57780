//! Commitments: the same is owed once.

use serde_json::json;
use tertulia_acts::{
    command::{Answer, Grant, HopOperation, Place},
    ids::TaskId,
    limits::{BACKOFF_FIRST, LEASE},
    receipt::Outcome,
    time::Millis,
};

use crate::{
    words::{artifact_of, decline, delegate, fail, reply_with, request, within},
    world::{World, accepted, made, reason},
};

const TEXT: &str = "find the errors";

struct Two {
    w: World,
    top: Grant,
    first: TaskId,
    other: Grant,
}

/// The coordinator has asked logs; deployments, below it, is at work and may ask logs too.
fn two() -> Two {
    let mut w = World::with(&["coordinator", "deployments", "logs"]);
    w.send(request("coordinator", "what is wrong?"));
    let top = w.claim("coordinator");
    let first = w.delegates(&top, request("logs", TEXT));
    w.delegates(&top, request("deployments", "what changed?"));
    let other = w.claim("deployments");
    Two {
        w,
        top,
        first,
        other,
    }
}

#[test]
fn i10_an_equivalent_request_of_another_task_is_refused_with_where_it_is_worked_on() {
    let mut it = two();
    let refused = it.w.does(&it.other, delegate(request("logs", TEXT)));
    assert_eq!(reason(&refused), "already-committed");
    let Outcome::Refused { refusal, .. } = &refused else {
        panic!();
    };
    assert_eq!(refusal.detail["task"], json!(it.first));
    assert_eq!(refusal.detail["state"], "queued");
    assert_eq!(
        refusal.detail["conversation"],
        json!(it.w.task(it.first).made.conversation)
    );
    let task = made(&refused);
    assert_eq!(it.w.commitment(task), None);
    assert_eq!(it.w.hops(task), 0);
}

#[test]
fn the_same_words_with_another_file_are_another_request() {
    let mut it = two();
    let with = |file: &str| request("logs", TEXT).bringing(vec![artifact_of(file)]);
    let one = it.w.delegates(&it.top, with("the log of Monday"));
    assert_ne!(one, it.first, "without a file it is another one");
    let two = it.w.delegates(&it.top, with("the log of Tuesday"));
    assert_ne!(one, two);
    let again = it.w.delegates(&it.top, with("the log of Monday"));
    assert_eq!(again, one, "the same file: the same request");
    let refused = it.w.does(&it.other, delegate(with("the log of Tuesday")));
    assert_eq!(reason(&refused), "already-committed");
}

#[test]
fn what_was_satisfied_and_is_still_all_there_is_is_refused_too() {
    let mut it = two();
    let at_logs = it.w.claim("logs");
    it.w.replies(&at_logs, "none");
    let refused = it.w.does(&it.other, delegate(request("logs", TEXT)));
    assert_eq!(reason(&refused), "already-committed");
    let Outcome::Refused { refusal, .. } = &refused else {
        panic!();
    };
    assert_eq!(refusal.detail["state"], "done");
}

#[test]
fn what_was_satisfied_counts_also_where_it_was_asked_again_and_refused() {
    let mut it = two();
    let at_logs = it.w.claim("logs");
    it.w.replies(&at_logs, "none");
    // The one who got it may ask anew; that it is then declined takes nothing back.
    let anew = it.w.delegates(&it.top, request("logs", TEXT));
    let at_logs = it.w.claim("logs");
    it.w.does(&at_logs, decline());
    assert_eq!(it.w.commitment(anew), Some("released"));
    let refused = it.w.does(&it.other, delegate(request("logs", TEXT)));
    assert_eq!(reason(&refused), "already-committed");
    let Outcome::Refused { refusal, .. } = &refused else {
        panic!();
    };
    assert_eq!(refusal.detail["task"], json!(it.first));
    assert_eq!(refusal.detail["state"], "done");
}

#[test]
fn after_something_was_learnt_it_may_be_asked_again() {
    let mut it = two();
    let at_logs = it.w.claim("logs");
    it.w.replies(&at_logs, "none");
    // The next result brings an artifact: something was learnt since.
    let task =
        it.w.delegates(&it.other, request("logs", "find the warnings"));
    let at_logs = it.w.claim("logs");
    it.w.does(&at_logs, reply_with("some", "a trace"));
    assert_eq!(it.w.evidence(task), 1);
    let again = it.w.delegates(&it.other, request("logs", TEXT));
    assert_ne!(again, it.first);
    assert_eq!(it.w.commitment(again), Some("conditional"));
}

#[test]
fn what_its_own_result_brought_is_not_learnt_since() {
    let mut it = two();
    let at_logs = it.w.claim("logs");
    it.w.does(&at_logs, reply_with("one", "a trace"));
    let refused = it.w.does(&it.other, delegate(request("logs", TEXT)));
    assert_eq!(reason(&refused), "already-committed");
}

#[test]
fn the_same_task_attaches_while_it_is_open_and_asks_anew_afterwards() {
    let mut it = two();
    let again = accepted(&it.w.does(
        &it.top,
        delegate(within(request("logs", TEXT), Millis::seconds(1))),
    ));
    assert_eq!(again, it.first);
    let deadline = it.w.task(again).made.deadline;
    assert!(
        deadline > it.w.now.after(Millis::seconds(1)),
        "{deadline:?}"
    );
    let at_logs = it.w.claim("logs");
    it.w.replies(&at_logs, "none");
    let anew = it.w.delegates(&it.top, request("logs", TEXT));
    assert_ne!(anew, it.first);
    assert_eq!(it.w.state(anew), "queued");
}

#[test]
fn an_override_makes_it_another_thing_and_is_logged() {
    let mut it = two();
    let mut act = request("logs", TEXT);
    act.not_equivalent = Some("another window".into());
    let task = it.w.delegates(&it.other, act.clone());
    assert_ne!(task, it.first);
    assert_eq!(it.w.events(task, "commitment.override"), 1);
    let variant = it.w.task(task).made.contract.variant.clone();
    assert!(variant.is_some_and(|variant| variant.starts_with("override_")));
    assert_ne!(
        it.w.task(task).made.fingerprint,
        it.w.task(it.first).made.fingerprint
    );
    let third = it.w.delegates(&it.top, act);
    assert!(third != task && third != it.first);
}

#[test]
fn what_was_refused_lost_or_failed_no_longer_binds() {
    for end in ["decline", "fail", "cancel", "expire"] {
        let mut it = two();
        let expected = match end {
            "decline" => {
                let at_logs = it.w.claim("logs");
                it.w.does(&at_logs, decline());
                "released"
            }
            "fail" => {
                let at_logs = it.w.claim("logs");
                it.w.does(&at_logs, fail(false));
                "violated"
            }
            "cancel" => {
                it.w.cancels("user:ana", it.first);
                "released"
            }
            _ => {
                it.w.does(
                    &it.top,
                    delegate(within(request("logs", "soon"), Millis::seconds(1))),
                );
                it.w.wait(Millis::seconds(1));
                it.w.upkeep();
                continue;
            }
        };
        assert_eq!(it.w.commitment(it.first), Some(expected), "{end}");
        let again = it.w.delegates(&it.other, request("logs", TEXT));
        assert_ne!(again, it.first, "{end}");
    }
}

#[test]
fn an_expired_request_is_released_and_a_missed_deadline_violates() {
    let mut w = World::with(&["logs"]);
    let expired = w.send(within(request("logs", "a"), Millis::seconds(5)));
    let missed = w.send(within(request("logs", "b"), Millis::seconds(6)));
    w.wait(Millis::seconds(5));
    let grant = w.claim_up_to("logs", 2);
    assert_eq!(grant.len(), 1, "the other is over");
    w.wait(Millis::seconds(1));
    w.upkeep();
    assert_eq!(w.commitment(expired), Some("released"));
    assert_eq!(w.commitment(missed), Some("violated"));
}

#[test]
fn a_loss_leaves_the_commitment_as_it_is() {
    let mut it = two();
    let at_logs = it.w.claim("logs");
    it.w.does_as(&at_logs, "agree", HopOperation::Agree);
    it.w.wait(LEASE);
    it.w.upkeep();
    assert_eq!(it.w.commitment(it.first), Some("active"));
    it.w.wait(BACKOFF_FIRST);
    let second = it.w.claim("logs");
    // It was agreed to, and who agreed can fail but no longer refuse.
    assert_eq!(reason(&it.w.does(&second, decline())), "illegal-act");
    let again = it.w.under(&second, "agree", HopOperation::Agree);
    assert!(matches!(again, Answer::Outcome { replayed: true, .. }));
    let anew = it.w.does(&second, HopOperation::Agree);
    assert_eq!(reason(&anew), "illegal-act");
}

#[test]
fn giving_an_attempt_up_does_not_agree() {
    let mut it = two();
    let at_logs = it.w.claim("logs");
    let given_up = it.w.does(&at_logs, fail(true));
    assert!(
        matches!(given_up, Outcome::WillRetry { .. }),
        "{given_up:?}"
    );
    assert_eq!(it.w.commitment(it.first), Some("conditional"));
    it.w.wait(BACKOFF_FIRST);
    let second = it.w.claim("logs");
    it.w.does(&second, decline());
    assert_eq!(it.w.state(it.first), "refused");
}

#[test]
fn a_single_delegation_goes_on_in_the_conversation_of_the_two_and_a_new_one_does_not() {
    let mut it = two();
    let second = it.w.delegates(&it.top, request("logs", "and the warnings"));
    let conversation = |w: &World, id| w.task(id).made.conversation;
    assert_eq!(conversation(&it.w, second), conversation(&it.w, it.first));
    let mut apart = request("logs", "apart");
    apart.place = Place::New;
    let apart = it.w.delegates(&it.top, apart);
    assert_ne!(conversation(&it.w, apart), conversation(&it.w, it.first));
}
