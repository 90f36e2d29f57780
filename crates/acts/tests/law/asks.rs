//! Asks: durable questions, upwards.

use serde_json::json;
use tertulia_acts::{
    body::Body,
    command::{AnswerAsk, Command, Grant, HopOperation, Words},
    facts::Fault,
    hop::Wait,
    ids::TaskId,
    limits::ROUNDS_PER_TASK,
    receipt::Outcome,
    time::Millis,
};

use crate::{
    words::{answer, ask, ask_within, reply, request},
    world::{World, fault, outcome, reason, under},
};

fn at_work() -> (World, TaskId, Grant) {
    let mut w = World::with(&["coordinator", "logs", "deployments"]);
    let task = w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    (w, task, grant)
}

fn unnamed(task: TaskId, text: &str) -> AnswerAsk {
    AnswerAsk {
        ask: None,
        task: Some(task),
        words: Words::Inform(Body::text(text)),
        key: None,
    }
}

#[test]
fn a_principal_is_asked_in_its_inbox_and_answers() {
    let (mut w, task, grant) = at_work();
    let ask = w.asks(&grant, ask("which window?"));
    assert_eq!(w.state(task), "awaiting-clarification");
    assert_eq!(w.inbox("user:ana"), [("query", Some(task))]);
    w.idle("coordinator");
    let answered = outcome(w.answers("user:ana", ask, "since noon"));
    assert!(matches!(answered, Outcome::Answered { .. }));
    assert_eq!(w.state(task), "working");
    assert_eq!(w.evidence(task), 1);
    let resumed = w.claim("coordinator");
    assert_eq!(resumed.hop, grant.hop);
    let twice = outcome(w.answers("user:ana", ask, "since dawn"));
    assert_eq!(reason(&twice), "ask-closed");
    assert_eq!(w.evidence(task), 1);
}

#[test]
fn an_ask_of_others_looks_absent() {
    let (mut w, _, grant) = at_work();
    let ask = w.asks(&grant, ask("which window?"));
    let by_bob = fault(w.answers("user:bob", ask, "all"));
    assert!(matches!(by_bob, Fault::NotFound(_)), "{by_bob:?}");
    let by_agent = fault(w.answers("agent:coordinator", ask, "all"));
    assert!(matches!(by_agent, Fault::NotFound(_)), "{by_agent:?}");
    assert_eq!(w.ask_state(ask), "open");
}

#[test]
fn declining_to_answer_resumes_the_asker_and_teaches_nothing() {
    let (mut w, task, grant) = at_work();
    let ask = w.asks(&grant, ask("which window?"));
    let mut refusal = crate::words::answer_to(ask, "no idea");
    refusal.words = Words::Refuse(Body::text("no idea"));
    let caller = w.caller("user:ana");
    outcome(w.run(&Command::Answer(caller, refusal)));
    assert_eq!(w.ask_state(ask), "refused");
    assert_eq!(w.evidence(task), 0);
    assert!(w.claim("coordinator").resumed);
}

#[test]
fn an_ask_expires_and_its_activation_goes_on() {
    let (mut w, task, grant) = at_work();
    let ask = w.asks(&grant, ask_within("which window?", Millis::seconds(60)));
    w.wait(Millis::seconds(60));
    let late = outcome(w.answers("user:ana", ask, "since noon"));
    assert_eq!(reason(&late), "ask-closed", "no timer has fired yet");
    w.upkeep();
    assert_eq!(w.ask_state(ask), "expired");
    assert_eq!(w.state(task), "working");
    let resumed = w.claim("coordinator");
    assert_eq!(resumed.hop, grant.hop);
    let late = outcome(w.answers("user:ana", ask, "since noon"));
    assert_eq!(reason(&late), "ask-closed");
    w.replies(&resumed, "all of it");
}

#[test]
fn an_ask_lives_no_longer_than_its_task() {
    let (mut w, task, grant) = at_work();
    let ask = w.asks(&grant, ask_within("which?", Millis::hours(24 * 300)));
    let deadline = w.facts.tables().asks.get(&ask).unwrap().deadline;
    assert_eq!(deadline, w.task(task).made.deadline);
    w.now = deadline;
    w.upkeep();
    assert_eq!(w.why(task), Some("deadline"));
    assert_eq!(w.ask_state(ask), "closed");
}

#[test]
fn settling_or_cancelling_closes_open_asks() {
    let (mut w, task, grant) = at_work();
    let ask = w.asks(&grant, ask("which window?"));
    outcome(w.cancels("user:ana", task));
    assert_eq!(w.ask_state(ask), "closed");
    let late = outcome(w.answers("user:ana", ask, "since noon"));
    assert_eq!(reason(&late), "ask-closed");
    w.idle("coordinator");
}

/// The child's question wakes the coordinator, which is waiting for ana, and is passed on to her.
#[test]
fn who_waits_for_an_answer_can_be_asked_and_pass_the_question_on() {
    let (mut w, task, grant) = at_work();
    let child = w.delegates(&grant, request("logs", "b"));
    let at_logs = w.claim("logs");
    let own = w.asks(&grant, ask("which service?"));
    let childs = w.asks(&at_logs, ask("which window?"));
    assert_eq!(w.state(task), "awaiting-clarification");
    let woken = w.claim("coordinator");
    assert!(woken.resumed);

    let mut pass_on = under(woken.token, "pass on", ask("which window, asks logs?"));
    pass_on.handling = Some(childs);
    let Outcome::Asked { ask: second, .. } = outcome(w.operate(&woken, pass_on)) else {
        panic!();
    };
    // Two are open: who answers names one.
    let caller = w.caller("user:ana");
    let ambiguous = outcome(w.run(&Command::Answer(caller.clone(), unnamed(task, "x"))));
    assert_eq!(reason(&ambiguous), "ambiguous-answer");
    let Outcome::Refused { refusal, .. } = &ambiguous else {
        panic!();
    };
    assert_eq!(refusal.detail["asks"], json!([own, second]));

    outcome(w.answers("user:ana", own, "checkout"));
    assert_eq!(w.state(task), "awaiting-clarification", "one is still open");
    // What it asked for itself is there, so it goes on, and comes to wait for the other.
    let resumed = w.claim("coordinator");
    let on = HopOperation::Park(Wait::Ask { ask: second });
    assert_eq!(w.does(&resumed, on), Outcome::Parked);
    w.idle("coordinator");
    outcome(w.run(&Command::Answer(caller, unnamed(task, "since noon"))));
    assert_eq!(w.state(task), "working");
    let resumed = w.claim("coordinator");
    w.does(&resumed, answer(childs, "since noon"));
    assert_eq!(w.state(child), "working");
    let at_logs = w.claim("logs");
    w.replies(&at_logs, "none");
    w.replies(&resumed, "all is well");
    assert_eq!(w.evidence(task), 3);
}

#[test]
fn of_two_open_asks_one_may_expire() {
    let (mut w, task, grant) = at_work();
    w.delegates(&grant, request("logs", "b"));
    let at_logs = w.claim("logs");
    let own = w.asks(&grant, ask_within("which service?", Millis::seconds(60)));
    let childs = w.asks(&at_logs, ask("which window?"));
    let woken = w.claim("coordinator");
    let mut pass_on = under(woken.token, "pass on", ask("which window, asks logs?"));
    pass_on.handling = Some(childs);
    let Outcome::Asked { ask: second, .. } = outcome(w.operate(&woken, pass_on)) else {
        panic!();
    };
    w.wait(Millis::seconds(60));
    w.upkeep();
    assert_eq!(w.ask_state(own), "expired");
    assert_eq!(w.state(task), "awaiting-clarification");
    outcome(w.answers("user:ana", second, "since noon"));
    assert_eq!(w.state(task), "working");
    w.claim("coordinator");
}

#[test]
fn an_answer_to_a_task_that_asks_nothing_is_an_illegal_act() {
    let (mut w, task, _) = at_work();
    let answers = |w: &mut World, who: &str| {
        let caller = w.caller(who);
        w.run(&Command::Answer(caller, unnamed(task, "x")))
    };
    let refused = outcome(answers(&mut w, "user:ana"));
    assert_eq!(reason(&refused), "illegal-act");
    assert_eq!(w.state(task), "working");
    let stranger = fault(answers(&mut w, "user:bob"));
    assert!(matches!(stranger, Fault::NotFound(_)), "{stranger:?}");
}

#[test]
fn sixteen_rounds_are_enough() {
    let (mut w, task, mut grant) = at_work();
    for n in 0..ROUNDS_PER_TASK {
        let ask = w.asks(&grant, ask(&format!("question {n}")));
        outcome(w.answers("user:ana", ask, "answer"));
        // Its handler runs again and comes to what it made before.
        grant = w.claim("coordinator");
        let steps: Vec<u32> = (1..=w.task(task).now.steps).collect();
        let mut read = under(
            grant.token,
            &format!("read {n}"),
            HopOperation::Record(json!(n)),
        );
        read.read = steps;
        outcome(w.operate(&grant, read));
    }
    let one_more = w.does(&grant, ask("one more?"));
    assert_eq!(reason(&one_more), "too-many-rounds");
    assert_eq!(w.state(task), "working");
    let other = w.delegates(&grant, request("logs", "b"));
    let at_logs = w.claim("logs");
    // A fold is a round of the one who makes it.
    let fold = w.delegates(&at_logs, request("coordinator", "c"));
    assert_eq!(w.task(other).now.rounds, 1);
    assert!(w.task(fold).is_fold());
    w.does(&grant, reply("enough"));
}

#[test]
fn a_question_to_the_one_above_tells_its_worker_at_the_next_heartbeat() {
    use tertulia_acts::command::{Answer, Pulse};
    let (mut w, _, grant) = at_work();
    w.delegates(&grant, request("logs", "b"));
    let at_logs = w.claim("logs");
    w.asks(&at_logs, ask("which window?"));
    let caller = w.caller("agent:coordinator");
    let Answer::Pulses(pulses) = w.run(&Command::Heartbeat(caller, vec![grant.token])) else {
        panic!();
    };
    assert!(matches!(pulses[0], Pulse::Live { questions: 1, .. }));
}
