//! What a claim gives, and what it passes by: capacity comes first, what is over is left to upkeep.

use tertulia_acts::{
    agent::Definition,
    command::Grant,
    facts::{Change, Need},
    ids::TaskId,
    limits::CLAIM_SPARE,
    time::Millis,
};

use crate::{
    words::{answer, ask, request, within},
    world::{HOME, World, claim, definition, outcome},
};

fn narrow(name: &str, most: u32) -> Definition {
    let mut narrow = definition(name);
    narrow.limits.max_concurrent_conversations = most;
    narrow
}

/// The tasks that the last command had to ask for.
fn tasks_read(w: &World) -> usize {
    let tasks = w.asked.iter().filter(|need| matches!(need, Need::Task(_)));
    tasks.count()
}

fn ids(grants: &[Grant]) -> Vec<TaskId> {
    grants.iter().map(|grant| grant.task.id()).collect()
}

#[test]
fn at_capacity_a_claim_looks_at_nothing() {
    let mut w = World::with(&[]);
    w.define(HOME, &narrow("logs", 1));
    for n in 0..40 {
        w.send(request("logs", &n.to_string()));
    }
    let held = w.claim("logs");
    w.forgetful = true;
    w.idle("logs");
    assert_eq!(tasks_read(&w), 0, "{:?}", w.asked);
    w.replies(&held, "none");
    assert_eq!(w.claim_up_to("logs", 8).len(), 1);
    // Nothing behind the one that there was room for is begun.
    let taken = w.facts.tables().hops.rows().count();
    assert_eq!(taken, 2);
}

#[test]
fn a_claim_passes_by_what_is_over_and_ends_nothing() {
    let mut w = World::with(&["coordinator", "logs"]);
    let top = w.send(request("coordinator", "a"));
    let coordinator = w.claim("coordinator");
    let severed = w.delegates(&coordinator, request("logs", "b"));
    outcome(w.cancels("user:ana", top));
    let expired = w.send(within(request("logs", "c"), Millis::seconds(5)));
    let good = w.send(request("logs", "d"));
    w.wait(Millis::seconds(5));
    let others = |w: &World| {
        let events = w.facts.tables().events.rows();
        events.filter(|event| event.task != Some(good)).count()
    };
    let before = others(&w);
    let grants = w.claim_up_to("logs", 8);
    assert_eq!(ids(&grants), [good]);
    for over in [severed, expired] {
        assert_eq!(w.state(over), "queued");
    }
    assert_eq!(others(&w), before);
    w.upkeep();
    assert_eq!(
        (w.state(severed), w.why(severed)),
        ("cancelled", Some("cancelled"))
    );
    assert_eq!(
        (w.state(expired), w.why(expired)),
        ("failed", Some("expired"))
    );
}

#[test]
fn a_claim_looks_at_so_many_and_no_more() {
    let mut w = World::with(&["logs"]);
    for n in 0..=CLAIM_SPARE {
        w.send(within(request("logs", &n.to_string()), Millis::seconds(5)));
    }
    w.wait(Millis::seconds(5));
    let good = w.send(request("logs", "good"));
    w.forgetful = true;
    assert!(w.claim_up_to("logs", 1).is_empty());
    assert_eq!(tasks_read(&w), 1 + CLAIM_SPARE as usize);
    w.upkeep();
    assert_eq!(ids(&w.claim_up_to("logs", 1)), [good]);
}

#[test]
fn a_claim_changes_what_it_grants_and_nothing_else() {
    let mut w = World::with(&["logs"]);
    w.send(within(request("logs", "over"), Millis::seconds(5)));
    w.wait(Millis::seconds(5));
    let caller = w.caller("agent:logs");
    let claim = tertulia_acts::command::Command::Claim(caller, claim("logs", "r", 8));
    let (_, changes): (_, Vec<Change>) = w.judge(&claim);
    assert_eq!(changes, []);
}

#[test]
fn consultations_go_on_at_capacity_past_all_that_waits_for_it() {
    let mut w = World::with(&["deployments"]);
    w.define(HOME, &narrow("coordinator", 1));
    w.send(request("coordinator", "what is wrong?"));
    let coordinator = w.claim("coordinator");
    let child = w.delegates(&coordinator, request("deployments", "what changed?"));
    w.parks(&coordinator, &[child]);
    let deployments = w.claim("deployments");
    // More activations that could go on than a claim looks at, and one that has the only place.
    let mut waiting = Vec::new();
    for n in 0..CLAIM_SPARE + 4 {
        w.send(request("coordinator", &n.to_string()));
        let grant = w.claim("coordinator");
        waiting.push(w.asks(&grant, ask("which?")));
    }
    w.send(request("coordinator", "the last"));
    w.claim("coordinator");
    for ask in waiting {
        outcome(w.answers("user:ana", ask, "all"));
    }
    w.idle("coordinator");
    let fold = w.delegates(&deployments, request("coordinator", "which service?"));
    let begun = w.claim("coordinator");
    assert_eq!((begun.task.id(), begun.resumed), (fold, false));
    let question = w.asks(&begun, ask("which one do you mean?"));
    w.does(&deployments, answer(question, "the checkout"));
    let resumed = w.claim("coordinator");
    assert_eq!((resumed.task.id(), resumed.resumed), (fold, true));
    assert_eq!(resumed.hop, begun.hop);
    w.replies(&resumed, "checkout");
    w.idle("coordinator");
}

#[test]
fn what_asks_for_another_version_does_not_stand_in_the_way() {
    let mut w = World::with(&["logs"]);
    for n in 0..CLAIM_SPARE + 4 {
        w.send(request("logs", &n.to_string()));
    }
    let mut next = definition("logs");
    next.instructions = "look twice".into();
    let version = w.define(HOME, &next);
    let task = w.send(request("logs", "new"));
    for forgetful in [false, true] {
        w.forgetful = forgetful;
        let mut claim = claim("logs", &format!("r{forgetful}"), 1);
        claim.versions = vec![version];
        let grants = w.claim_as("logs", &claim);
        assert_eq!(ids(&grants), [task]);
        w.does(&grants[0], tertulia_acts::command::HopOperation::Release);
    }
}
