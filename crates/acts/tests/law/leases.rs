//! Leases: they end by a transaction, never by a clock; loss, retry, late words (I12), deadlines and dead letters (I5).

use tertulia_acts::{
    agent::Retry,
    answers::Operation,
    command::{Answer, Command, Grant, HopOperation, Pulse},
    delivery::Delivery,
    facts::Fault,
    ids::TaskId,
    lease::LeaseEnd,
    limits::{ATTEMPTS, BACKOFF_FIRST, LATE_BYTES_PER_TASK, LATE_RESULTS_PER_TASK, LEASE},
    reason::Reason,
    receipt::Outcome,
    time::Millis,
};

use crate::{
    words::{answer, artifact_of, ask, fail, progress, reply, reply_with, request, within},
    world::{HOME, World, definition, fault, outcome, reason},
};

fn at_work() -> (World, TaskId, Grant) {
    let mut w = World::with(&["coordinator", "logs"]);
    let task = w.send(request("logs", "a"));
    let grant = w.claim("logs");
    (w, task, grant)
}

fn pulse(w: &mut World, who: &str, grant: &Grant) -> Pulse {
    let caller = w.caller(who);
    match w.run(&Command::Heartbeat(caller, vec![grant.token])) {
        Answer::Pulses(mut pulses) => pulses.remove(0),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_late_heartbeat_revives_a_lease_that_was_not_swept() {
    let (mut w, task, grant) = at_work();
    w.wait(Millis(LEASE.0 + 5_000));
    let Pulse::Live {
        until,
        questions,
        deadline,
    } = pulse(&mut w, "agent:logs", &grant)
    else {
        panic!();
    };
    assert_eq!(until, w.now.after(LEASE));
    assert_eq!(questions, 0);
    assert_eq!(deadline, w.task(task).made.deadline);
    w.upkeep();
    assert_eq!(w.task(task).now.attempts, 1);
    w.replies(&grant, "none");
}

#[test]
fn a_lease_past_its_time_works_until_it_is_swept() {
    let (mut w, task, grant) = at_work();
    w.wait(Millis(LEASE.0 * 2));
    w.replies(&grant, "none");
    assert_eq!(w.state(task), "done");
}

#[test]
fn a_sweep_looks_again_before_it_sweeps() {
    let (mut w, _, grant) = at_work();
    w.wait(LEASE);
    let picked = w.due();
    assert_eq!(picked.len(), 1);
    pulse(&mut w, "agent:logs", &grant);
    for due in picked {
        w.run(&Command::Due(due));
    }
    w.replies(&grant, "none");
}

#[test]
fn heartbeats_tell_what_became_of_each_lease_and_nothing_to_others() {
    let (mut w, task, grant) = at_work();
    let foreign = pulse(&mut w, "agent:coordinator", &grant);
    assert_eq!(foreign, Pulse::Unknown);
    // Its owner may serve it.
    assert!(matches!(
        pulse(&mut w, "user:ana", &grant),
        Pulse::Live { .. }
    ));
    w.cancels("user:ana", task);
    let ended = pulse(&mut w, "agent:logs", &grant);
    assert_eq!(ended, Pulse::Ended(LeaseEnd::Cancelled));
}

#[test]
fn another_agents_token_is_no_lease_and_nothing_is_kept() {
    let (mut w, task, grant) = at_work();
    let caller = w.caller("agent:coordinator");
    let under = crate::world::under(grant.token, "", reply("forged"));
    let answer = w.run(&Command::UnderHop(caller, under));
    assert_eq!(fault(answer), Fault::LeaseLost);
    assert_eq!(w.state(task), "working");
    assert_eq!(w.facts.tables().late_results.len(), 0);
}

#[test]
fn i12_late_results_are_kept_within_limits_and_change_nothing() {
    let (mut w, task, grant) = at_work();
    w.wait(LEASE);
    w.upkeep();
    for n in 0..=LATE_RESULTS_PER_TASK {
        let late = w.under(&grant, "", reply(&format!("late {n}")));
        assert_eq!(fault(late), Fault::LeaseLost);
    }
    let kept = w.facts.tables().late_results.len();
    assert_eq!(kept, LATE_RESULTS_PER_TASK as usize);
    assert_eq!(
        w.events(task, "task.late_result"),
        kept + 1,
        "the log says all"
    );
    assert_eq!(w.evidence(task), 0);
    assert_eq!(w.state(task), "working");
}

#[test]
fn a_late_result_keeps_all_that_was_said_and_counts_as_no_evidence() {
    let (mut w, task, grant) = at_work();
    w.wait(LEASE);
    w.upkeep();
    w.under(&grant, "", reply_with("here", "a trace"));
    w.under(&grant, "", fail(false));
    let late: Vec<_> = w.facts.tables().late_results.rows().cloned().collect();
    assert_eq!(late[0].operation, Some(Operation::Reply));
    assert_eq!(late[0].artifacts, [artifact_of("a trace").reference()]);
    assert_eq!(late[1].operation, Some(Operation::Fail));
    assert_eq!(late[1].reason, Some(Reason::GaveUp));
    assert_eq!(late[1].error.as_deref(), Some("it did not work"));
    assert_eq!(w.evidence(task), 0);
    let kept = w.facts.tables().artifacts.rows();
    assert_eq!(kept.map(|row| row.late).collect::<Vec<_>>(), [true]);
    // What the next attempt brings is evidence, though the same was kept already.
    w.wait(BACKOFF_FIRST);
    let next = w.claim("logs");
    w.does(&next, reply_with("here", "a trace"));
    assert_eq!(w.evidence(task), 1);
    let kept = w.facts.tables().artifacts.rows();
    assert_eq!(kept.map(|row| row.late).collect::<Vec<_>>(), [false]);
}

#[test]
fn an_answer_that_comes_too_late_is_kept_with_its_ask() {
    let mut w = World::with(&["coordinator", "logs"]);
    let top = w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    w.delegates(&grant, request("logs", "b"));
    let at_logs = w.claim("logs");
    let asked = w.asks(&at_logs, ask("which?"));
    w.wait(LEASE);
    w.upkeep();
    let answered = w.under(&grant, "", answer(asked, "the first"));
    assert_eq!(fault(answered), Fault::LeaseLost);
    let late = w.facts.tables().late_results.get(&(top, 1)).unwrap();
    assert_eq!(late.operation, Some(Operation::Answer));
    assert_eq!(late.ask, Some(asked));
    assert_eq!(late.body.joined_text(), "the first");
    assert_eq!(w.ask_state(asked), "open");
}

#[test]
fn late_results_take_a_mebibyte_at_most() {
    let (mut w, task, grant) = at_work();
    w.cancels("user:ana", task);
    let big = "x".repeat(LATE_BYTES_PER_TASK / 2 + 1);
    for _ in 0..3 {
        let late = w.does(&grant, reply(&big));
        assert_eq!(reason(&late), "cancelled");
    }
    assert_eq!(w.facts.tables().late_results.len(), 1);
    // Files count too.
    w.does(&grant, reply_with("here", &big));
    assert_eq!(w.facts.tables().late_results.len(), 1);
    assert_eq!(w.facts.tables().artifacts.len(), 0);
    assert!(w.task(task).now.late.1 <= LATE_BYTES_PER_TASK as u64);
}

#[test]
fn attempts_end_in_a_dead_letter_and_a_failure_to_the_sender() {
    let (mut w, task, _) = at_work();
    for attempt in 1..=ATTEMPTS {
        assert_eq!(w.task(task).now.attempts, attempt);
        w.wait(LEASE);
        w.upkeep();
        let waits = Millis(1000 << (attempt - 1));
        if attempt == ATTEMPTS {
            break;
        }
        w.wait(Millis(waits.0 - 1));
        w.idle("logs");
        w.wait(Millis(1));
        assert!(!w.claim("logs").resumed);
    }
    assert_eq!(w.state(task), "failed");
    assert_eq!(w.why(task), Some("attempts-exhausted"));
    assert_eq!(w.commitment(task), Some("violated"));
    assert_eq!(w.events(task, "mailbox.dead_letter"), 1);
    assert_eq!(w.inbox("user:ana"), [("failure", Some(task))]);
    assert!(matches!(w.task(task).now.delivery, Delivery::Dead { .. }));
    assert_eq!(w.hops(task), ATTEMPTS as usize);
    w.idle("logs");
}

#[test]
fn giving_up_counts_as_a_loss_and_the_last_of_them_has_its_receipt() {
    let (mut w, task, mut grant) = at_work();
    for attempt in 1..ATTEMPTS {
        let given_up = w.does(&grant, fail(true));
        let Outcome::WillRetry { due, .. } = given_up else {
            panic!("{given_up:?}");
        };
        assert_eq!(due, w.now.after(Millis(1000 << (attempt - 1))));
        w.now = due;
        grant = w.claim("logs");
    }
    let last = w.under(&grant, "", fail(true));
    let again = w.under(&grant, "", fail(true));
    assert_eq!(outcome(last), outcome(again));
    assert_eq!(w.why(task), Some("attempts-exhausted"));
    let other = fault(w.under(&grant, "", reply("after all")));
    assert!(matches!(other, Fault::HopFinished(_)), "{other:?}");
    assert_eq!(
        w.task(task).now.last_error.as_deref(),
        Some("it did not work")
    );
}

#[test]
fn an_attempt_at_a_notice_can_be_given_up_as_well() {
    use tertulia_acts::performative::Performative;
    let mut w = World::with(&["logs"]);
    w.send(crate::words::opening(
        Performative::Inform,
        "logs",
        "rotated",
    ));
    let grant = w.claim("logs");
    let given_up = w.does(&grant, fail(true));
    assert!(
        matches!(given_up, Outcome::WillRetry { .. }),
        "{given_up:?}"
    );
}

#[test]
fn retry_never_ends_at_the_first_loss_with_its_outcome_unknown() {
    let mut w = World::with(&[]);
    let mut once = definition("logs");
    once.retry = Retry::Never;
    w.define(HOME, &once);
    let task = w.send(request("logs", "a"));
    w.claim("logs");
    w.wait(LEASE);
    w.upkeep();
    assert_eq!(w.why(task), Some("outcome-unknown"));
    assert!(matches!(w.task(task).now.delivery, Delivery::Dead { .. }));
}

#[test]
fn retry_reconcile_is_told_to_later_attempts() {
    let mut w = World::with(&[]);
    let mut looks = definition("logs");
    looks.retry = Retry::Reconcile;
    w.define(HOME, &looks);
    w.send(request("logs", "a"));
    assert!(!w.claim("logs").reconcile);
    w.wait(LEASE);
    w.upkeep();
    w.wait(Millis::seconds(1));
    assert!(w.claim("logs").reconcile);
}

#[test]
fn a_release_is_ready_at_once_on_the_same_hop_and_counts_no_attempt() {
    let (mut w, task, grant) = at_work();
    assert_eq!(w.does(&grant, HopOperation::Release), Outcome::Released);
    let next = w.claim("logs");
    assert!(next.resumed);
    assert_eq!(next.hop, grant.hop);
    assert_ne!(next.token, grant.token);
    assert_eq!(w.task(task).now.attempts, 1);
}

#[test]
fn i05_what_is_never_claimed_expires_as_a_dead_letter_and_its_sender_is_told() {
    let mut w = World::with(&["logs"]);
    let task = w.send(within(request("logs", "a"), Millis::seconds(5)));
    w.wait(Millis(4_999));
    w.upkeep();
    assert_eq!(w.state(task), "queued");
    w.wait(Millis(1));
    w.upkeep();
    assert_eq!(w.state(task), "failed");
    assert_eq!(w.why(task), Some("expired"));
    assert_eq!(w.inbox("user:ana"), [("failure", Some(task))]);
    assert!(matches!(w.task(task).now.delivery, Delivery::Dead { .. }));
    assert_eq!(w.hops(task), 0);
}

#[test]
fn a_claim_passes_by_what_expired_before_any_timer() {
    let mut w = World::with(&["logs"]);
    let task = w.send(within(request("logs", "a"), Millis::seconds(5)));
    w.wait(Millis::seconds(5));
    w.idle("logs");
    assert_eq!(w.state(task), "queued", "a claim closes nothing");
    w.upkeep();
    assert_eq!(w.why(task), Some("expired"));
}

#[test]
fn a_reply_at_the_deadline_is_late_whether_or_not_a_timer_fired() {
    let mut w = World::with(&["logs"]);
    let task = w.send(within(request("logs", "a"), Millis::seconds(5)));
    let grant = w.claim("logs");
    w.wait(Millis::seconds(5));
    let late = w.does(&grant, reply("none"));
    assert_eq!(reason(&late), "deadline");
    assert_eq!(w.state(task), "failed");
    assert_eq!(w.why(task), Some("deadline"));
    assert_eq!(w.facts.tables().late_results.len(), 1);
    let again = w.does(&grant, progress("still here"));
    assert_eq!(reason(&again), "deadline");
    assert_eq!(w.inbox("user:ana"), [("failure", Some(task))]);
}

#[test]
fn a_deadline_meets_what_is_leased_parked_and_in_backoff() {
    for stand in ["leased", "parked", "backoff"] {
        let mut w = World::with(&["coordinator", "logs"]);
        let task = w.send(within(request("coordinator", "a"), Millis::seconds(20)));
        let grant = w.claim("coordinator");
        match stand {
            "parked" => {
                let child = w.delegates(&grant, request("logs", "b"));
                w.parks(&grant, &[child]);
            }
            "backoff" => {
                w.does(&grant, fail(true));
            }
            _ => {}
        }
        w.wait(Millis::seconds(20));
        w.upkeep();
        assert_eq!(w.why(task), Some("deadline"), "{stand}");
        assert_eq!(w.commitment(task), Some("violated"), "{stand}");
        let open = w.facts.tables().tasks.rows().filter(|task| task.is_open());
        assert_eq!(open.count(), 0, "{stand}: the child is closed too");
    }
}

#[test]
fn no_deadline_is_further_than_thirty_days() {
    let mut w = World::with(&["logs"]);
    let task = w.send(within(request("logs", "a"), Millis::hours(24 * 365)));
    let most = w.now.after(tertulia_acts::limits::DEADLINE_MOST);
    assert_eq!(w.task(task).made.deadline, most);
}
