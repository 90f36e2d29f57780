//! Conversations answer with the versions pinned in them (I13), and end or change by an explicit act only.

use tertulia_acts::{
    command::{Close, Command, Grant, Migrate, Place},
    digest::Digest,
    facts::Fault,
    ids::{ConversationId, TaskId},
    limits::{BACKOFF_FIRST, LEASE},
    receipt::Outcome,
};

use crate::{
    words::request,
    world::{HOME, World, claim, definition, fault, outcome, party, reason},
};

fn next_version() -> tertulia_acts::agent::Definition {
    let mut next = definition("logs");
    next.instructions = "look twice".into();
    next
}

fn follow_up(w: &mut World, conversation: ConversationId, text: &str) -> TaskId {
    let mut act = request("logs", text);
    act.place = Place::In(conversation);
    w.send(act)
}

fn migrate(w: &mut World, conversation: ConversationId, version: Option<Digest>) -> Outcome {
    let caller = w.caller("user:ana");
    let migrate = Migrate {
        conversation,
        agent: party("agent:logs"),
        version,
    };
    outcome(w.run(&Command::Migrate(caller, migrate)))
}

fn serving(w: &mut World, version: Digest, request: &str) -> Vec<Grant> {
    let mut claim = claim("logs", request, 8);
    claim.versions = vec![version];
    w.claim_as("logs", &claim)
}

#[test]
fn i13_a_new_version_is_for_new_conversations_only() {
    let mut w = World::with(&["logs"]);
    let old = definition("logs").digest();
    let first = w.send(request("logs", "a"));
    let conversation = w.task(first).made.conversation;
    let new = w.define(HOME, &next_version());
    assert_ne!(old, new);
    let later = follow_up(&mut w, conversation, "b");
    let apart = w.send(request("logs", "c"));
    let versions = [first, later, apart].map(|id| w.task(id).made.version);
    assert_eq!(versions, [Some(old), Some(old), Some(new)]);
    let grant = serving(&mut w, new, "r1").remove(0);
    assert_eq!((grant.task.id(), grant.version), (apart, new));
}

#[test]
fn i13_a_version_nobody_serves_waits_and_then_expires() {
    let mut w = World::with(&["logs"]);
    let task = w.send(request("logs", "a"));
    let new = w.define(HOME, &next_version());
    assert!(serving(&mut w, new, "r1").is_empty());
    assert_eq!(w.state(task), "queued");
    w.now = w.task(task).made.deadline;
    w.upkeep();
    assert_eq!(w.why(task), Some("expired"));
}

#[test]
fn the_first_version_comes_back_as_itself() {
    let mut w = World::with(&["logs"]);
    let old = definition("logs").digest();
    w.define(HOME, &next_version());
    assert_eq!(w.define(HOME, &definition("logs")), old);
    let task = w.send(request("logs", "a"));
    assert_eq!(w.task(task).made.version, Some(old));
    assert_eq!(w.facts.tables().versions.len(), 2);
}

#[test]
fn migrating_pins_another_version_for_tasks_accepted_later() {
    let mut w = World::with(&["logs"]);
    let old = definition("logs").digest();
    let first = w.send(request("logs", "a"));
    let conversation = w.task(first).made.conversation;
    let new = w.define(HOME, &next_version());
    let at_first = w.claim("logs");
    let marked = migrate(&mut w, conversation, None);
    assert!(matches!(marked, Outcome::Marked { .. }), "{marked:?}");
    assert_eq!(w.said(first).last().unwrap(), "inform tertulia > logs");
    let second = follow_up(&mut w, conversation, "b");
    assert_eq!(w.task(second).made.version, Some(new));

    // The task that was accepted before is lost, and its next attempt is of its own version all the same.
    drop(at_first);
    w.wait(LEASE);
    w.upkeep();
    w.wait(BACKOFF_FIRST);
    assert!(serving(&mut w, new, "r1").is_empty());
    let again = serving(&mut w, old, "r2").remove(0);
    assert_eq!((again.task.id(), again.version), (first, old));
    w.replies(&again, "none");
    let result = w.task(first).now.state.result().unwrap();
    let act = w.facts.tables().acts.get(&result).unwrap();
    assert_eq!(act.envelope.sender_version, Some(old));
    assert!(serving(&mut w, old, "r3").is_empty());
    let next = serving(&mut w, new, "r4").remove(0);
    assert_eq!((next.task.id(), next.version), (second, new));
}

#[test]
fn a_migration_names_a_participant_and_a_version_that_exist() {
    let mut w = World::with(&["logs", "deployments"]);
    let task = w.send(request("logs", "a"));
    let conversation = w.task(task).made.conversation;
    let caller = w.caller("user:ana");
    let other = Migrate {
        conversation,
        agent: party("agent:deployments"),
        version: None,
    };
    let refused = outcome(w.run(&Command::Migrate(caller.clone(), other)));
    assert_eq!(reason(&refused), "not-a-participant");
    let unknown = Migrate {
        conversation,
        agent: party("agent:logs"),
        version: Some(Digest::of(b"nothing")),
    };
    let absent = fault(w.run(&Command::Migrate(caller, unknown)));
    assert!(matches!(absent, Fault::NotFound(_)));
}

#[test]
fn a_conversation_is_closed_when_nothing_in_it_is_open() {
    let mut w = World::with(&["logs"]);
    let task = w.send(request("logs", "a"));
    let conversation = w.task(task).made.conversation;
    let close = |w: &mut World, who: &str| {
        let caller = w.caller(who);
        w.run(&Command::Close(caller, Close { conversation }))
    };
    let refused = outcome(close(&mut w, "user:ana"));
    assert_eq!(reason(&refused), "open-tasks");
    let absent = fault(close(&mut w, "user:bob"));
    assert!(matches!(absent, Fault::NotFound(_)));
    let grant = w.claim("logs");
    w.replies(&grant, "none");
    let closed = outcome(close(&mut w, "user:ana"));
    assert!(matches!(closed, Outcome::Marked { .. }), "{closed:?}");
    assert_eq!(outcome(close(&mut w, "user:ana")), closed);
    assert_eq!(w.said(task).len(), 3);

    let mut act = request("logs", "b");
    act.place = Place::In(conversation);
    let refused = outcome(w.send_as("user:ana", act, None));
    assert_eq!(reason(&refused), "conversation-closed");
    let refused = migrate(&mut w, conversation, None);
    assert_eq!(reason(&refused), "conversation-closed");
}

#[test]
fn the_root_principal_closes_what_was_opened_under_its_root_and_an_agent_nothing() {
    use crate::words::reply;
    let mut w = World::with(&["coordinator", "logs"]);
    w.send(request("coordinator", "a"));
    let top = w.claim("coordinator");
    let task = w.delegates(&top, request("logs", "b"));
    let at_logs = w.claim("logs");
    w.does(&at_logs, reply("none"));
    let conversation = w.task(task).made.conversation;
    let close = |w: &mut World, who: &str| {
        let caller = w.caller(who);
        w.run(&Command::Close(caller, Close { conversation }))
    };
    let by_agent = fault(close(&mut w, "agent:logs"));
    assert!(matches!(by_agent, Fault::Forbidden(_)), "{by_agent:?}");
    let caller = w.caller("agent:logs");
    let agent = party("agent:coordinator");
    let repin = Migrate {
        conversation,
        agent,
        version: None,
    };
    let by_agent = fault(w.run(&Command::Migrate(caller, repin)));
    assert!(matches!(by_agent, Fault::Forbidden(_)), "{by_agent:?}");
    outcome(close(&mut w, "user:ana"));
    // The two go on in another.
    let again = w.delegates(&top, request("logs", "c"));
    assert_ne!(w.task(again).made.conversation, conversation);
}
