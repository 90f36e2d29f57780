//! Notices to principals: they pass the gates like every act, and are said where they name.

use tertulia_acts::{
    command::{Close, Command, Grant, Opening, Place},
    facts::Fault,
    ids::{ActId, ConversationId},
    limits::DEPTH,
    performative::Performative,
    receipt::Outcome,
};

use crate::{
    words::{delegate, opening, request},
    world::{World, fault, outcome, reason},
};

fn notice(to: &str, place: Place) -> Opening {
    let mut notice = opening(Performative::Inform, to, "deployed");
    notice.place = place;
    notice
}

#[track_caller]
fn told(outcome: &Outcome) -> ActId {
    match outcome {
        Outcome::Notified { act } => *act,
        other => panic!("not told: {other:?}"),
    }
}

#[test]
fn a_principal_is_informed_by_an_entry_of_its_inbox_and_asked_nothing() {
    let mut w = World::with(&["logs"]);
    let notice = opening(Performative::Inform, "user:bob", "deployed");
    let told = outcome(w.send_as("user:ana", notice, None));
    assert!(matches!(told, Outcome::Notified { .. }), "{told:?}");
    assert_eq!(w.inbox("user:bob"), [("inform", None)]);
    assert_eq!(w.facts.tables().tasks.len(), 0);
    let asked = outcome(w.send_as("user:ana", request("user:bob", "deploy"), None));
    assert_eq!(reason(&asked), "illegal-act");
    let own = opening(Performative::Inform, "user:ana", "remember");
    let own = outcome(w.send_as("user:ana", own, None));
    assert_eq!(reason(&own), "to-oneself");
    let nobody = opening(Performative::Inform, "user:eve", "hello");
    let nobody = outcome(w.send_as("user:ana", nobody, None));
    assert_eq!(reason(&nobody), "unknown-recipient");
}

/// Ana tells bob something in a conversation of its own.
fn conversation(w: &mut World) -> ConversationId {
    let sent = outcome(w.send_as("user:ana", notice("user:bob", Place::New), None));
    told(&sent).conversation
}

#[test]
fn a_notice_is_said_in_the_conversation_that_it_names() {
    let mut w = World::with(&["logs"]);
    let first = conversation(&mut w);
    assert_ne!(conversation(&mut w), first);
    for who in ["user:ana", "user:bob"] {
        let to = if who == "user:ana" {
            "user:bob"
        } else {
            "user:ana"
        };
        let sent = outcome(w.send_as(who, notice(to, Place::In(first)), None));
        assert_eq!(told(&sent).conversation, first, "{who}");
    }
    assert_eq!(
        w.facts.tables().conversations.get(&first).unwrap().last_seq,
        3
    );
    assert_eq!(w.inbox("user:bob").len(), 3);
    assert_eq!(w.inbox("user:ana").len(), 1);
}

#[test]
fn a_notice_is_said_in_the_conversation_that_its_sender_calls_so() {
    let mut w = World::with(&["logs"]);
    let mut say = |who: &str, alias: &str| {
        let to = if who == "user:ana" {
            "user:bob"
        } else {
            "user:ana"
        };
        let sent = outcome(w.send_as(who, notice(to, Place::Alias(alias.into())), None));
        told(&sent).conversation
    };
    let first = say("user:ana", "releases");
    assert_eq!(say("user:ana", "releases"), first);
    assert_ne!(say("user:ana", "incidents"), first);
    assert_ne!(
        say("user:bob", "releases"),
        first,
        "an alias is its sender's"
    );
}

#[test]
fn a_notice_is_not_said_where_it_does_not_belong() {
    let mut w = World::with(&["logs"]);
    let with_bob = conversation(&mut w);
    let task = w.send(request("logs", "a"));
    let with_logs = w.task(task).made.conversation;
    let sent = outcome(w.send_as("user:ana", notice("user:bob", Place::In(with_logs)), None));
    assert_eq!(reason(&sent), "not-a-participant");
    // One that its sender takes no part in is absent for it.
    w.principal(crate::world::HOME, "user:eve");
    let foreign = fault(w.send_as("user:eve", notice("user:bob", Place::In(with_bob)), None));
    assert!(matches!(foreign, Fault::NotFound(_)), "{foreign:?}");
    let caller = w.caller("user:ana");
    let close = Close {
        conversation: with_bob,
    };
    outcome(w.run(&Command::Close(caller, close)));
    let sent = outcome(w.send_as("user:ana", notice("user:bob", Place::In(with_bob)), None));
    assert_eq!(reason(&sent), "conversation-closed");
    assert_eq!(w.inbox("user:bob").len(), 1, "nothing of it was said");
}

fn at_work() -> (World, Grant) {
    let mut w = World::with(&["coordinator"]);
    w.send(request("coordinator", "a"));
    let grant = w.claim("coordinator");
    (w, grant)
}

#[test]
fn under_a_hop_the_two_go_on_talking_unless_told_otherwise() {
    let (mut w, grant) = at_work();
    let mut say = |place: Place| told(&w.does(&grant, delegate(notice("user:bob", place))));
    let first = say(Place::Standing).conversation;
    assert_eq!(say(Place::Standing).conversation, first);
    let apart = say(Place::New).conversation;
    assert_ne!(apart, first);
    assert_eq!(say(Place::In(apart)).conversation, apart);
    let act = say(Place::In(first));
    assert_eq!(act.conversation, first);
    let envelope = &w.facts.tables().acts.get(&act).unwrap().envelope;
    assert_eq!(envelope.hop, Some(grant.hop));
    assert_eq!(envelope.sender_version, Some(grant.version));
    assert_eq!(envelope.parent_task, Some(grant.task.id()));
    assert_eq!((envelope.task, envelope.deadline), (None, None));
    let alias = delegate(notice("user:bob", Place::Alias("releases".into())));
    let refused = fault(w.under(&grant, "alias", alias));
    assert!(matches!(refused, Fault::Invalid(_)), "{refused:?}");
}

#[test]
fn a_notice_comes_up_against_the_fuse_like_every_opening_act() {
    let names: Vec<String> = (0..DEPTH).map(|n| format!("a{n:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut w = World::with(&names);
    w.send(request(names[0], "level 0"));
    let mut grant = w.claim(names[0]);
    for name in &names[1..] {
        told(&w.does(&grant, delegate(notice("user:bob", Place::New))));
        w.delegates(&grant, request(name, name));
        grant = w.claim(name);
    }
    let before = w.inbox("user:bob").len();
    let refused = w.does(&grant, delegate(notice("user:bob", Place::New)));
    assert_eq!(reason(&refused), "fuse");
    assert!(matches!(
        refused,
        Outcome::Refused {
            task: None,
            act: None,
            ..
        }
    ));
    assert_eq!(w.inbox("user:bob").len(), before);
    // The recipient comes before it.
    let nobody = w.does(&grant, delegate(notice("user:eve", Place::New)));
    assert_eq!(reason(&nobody), "unknown-recipient");
}
