//! Rounds of loading: a command over a store that gives nothing unasked stays far below the most there may be.

use std::collections::BTreeMap;

use tertulia_acts::{
    command::{Answer, Command, Grant, Opening, Place, Pulse},
    group::GroupMode,
    limits::{BATCH_ITEMS, CASCADE, CLAIM_LEASES, DEPTH, FAN_OUT, LOAD_ROUNDS},
};

use crate::{
    words::{all, artifact_of, ask, delegate, fail, reply, request},
    world::{World, accepted},
};

/// A cold world with one task of `top` at work.
fn cold(names: &[String]) -> (World, Grant) {
    let mut agents: Vec<&str> = names.iter().map(String::as_str).collect();
    agents.push("top");
    let mut w = World::with(&agents);
    w.checked = false;
    w.forgetful = true;
    w.send(request("top", "everything"));
    let grant = w.claim("top");
    (w, grant)
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("a{n}")).collect()
}

/// Far below: a store's own needs, such as those of what came between, have room as well.
fn few(w: &World, what: &str) {
    let most = u32::try_from(LOAD_ROUNDS / 2).unwrap();
    assert!(w.rounds <= most, "{what} took {} rounds", w.rounds);
}

fn wide(names: &[String]) -> Vec<Opening> {
    let mut branches: Vec<Opening> = (0..FAN_OUT)
        .map(|n| request(&names[n % names.len()], &n.to_string()))
        .collect();
    for opening in &mut branches {
        opening.place = Place::New;
    }
    branches
}

#[test]
fn the_widest_fan_out_to_as_many_agents_and_its_cascade() {
    let names = names(FAN_OUT);
    let (mut w, grant) = cold(&names);
    w.fans_out(&grant, all(GroupMode::All, wide(&names)));
    few(&w, "the fan-out");
    for name in names.iter().take(40) {
        let below = w.claim(name);
        w.does(&below, ask("which?"));
    }
    w.cancels("user:ana", grant.task.id());
    few(&w, "the cancel");
    let due = w.due();
    w.run(&Command::Due(due[0].clone()));
    few(&w, "the cascade");
    let open = w.facts.tables().tasks.rows().filter(|t| t.is_open());
    assert!(CASCADE >= FAN_OUT && open.count() == 0);
}

#[test]
fn the_largest_claim_and_the_closing_of_a_group() {
    let names = names(1);
    let (mut w, grant) = cold(&names);
    let mut spec = all(GroupMode::Quorum(1), wide(&names));
    spec.branches.truncate(100);
    w.fans_out(&grant, spec);
    let grants = w.claim_up_to("a0", CLAIM_LEASES);
    few(&w, "the claim");
    assert_eq!(grants.len(), CLAIM_LEASES as usize);
    w.does(&grants[0], reply("done"));
    few(&w, "the settle");
    let due = w.due();
    assert_eq!(due.len(), 1);
    w.run(&Command::Due(due[0].clone()));
    few(&w, "the closing");
    let open = w.facts.tables().tasks.rows().filter(|t| t.is_open());
    assert_eq!(open.count(), 1);
}

#[test]
fn the_deepest_chain() {
    let names = names(DEPTH);
    let (mut w, mut grant) = cold(&names);
    let mut most = BTreeMap::new();
    for name in names.iter().take(DEPTH - 1) {
        accepted(&w.does(&grant, delegate(request(name, name))));
        most.insert("delegate", w.rounds);
        grant = w.claim(name);
        most.insert("claim", w.rounds);
    }
    for (what, rounds) in most {
        assert!(rounds as usize <= LOAD_ROUNDS / 2, "{what}: {rounds}");
    }
    w.does(&grant, reply("done"));
    few(&w, "the settle");
}

/// How many rounds a fan-out of `count` branches takes that go on in conversations that stand, each bringing something.
fn rounds_in_place(count: usize) -> u32 {
    let names = names(count);
    let (mut w, grant) = cold(&names);
    let mut first = all(GroupMode::All, wide(&names));
    first.branches.truncate(count);
    let (_, tasks) = w.fans_out(&grant, first);
    // Some are at work and parked, some are to be tried again, so that their slots have something to look at.
    for (n, name) in names.iter().enumerate() {
        let below = w.claim(name);
        match n % 3 {
            0 => drop(w.does(&below, ask("which?"))),
            1 => drop(w.does(&below, fail(true))),
            _ => drop(w.does(&below, reply("done"))),
        }
    }
    let mut second = all(GroupMode::All, Vec::new());
    for (n, (name, task)) in names.iter().zip(tasks).enumerate() {
        let mut opening = request(name, &format!("more of {n}"));
        opening.place = Place::In(w.task(task).made.conversation);
        let mut opening = opening.bringing(vec![artifact_of(&n.to_string())]);
        if n % 2 == 0 {
            opening.not_equivalent = Some("another window".into());
        }
        second.branches.push(opening);
    }
    let (_, more) = w.fans_out(&grant, second);
    let rounds = w.rounds;
    assert!(more.iter().all(|task| w.state(*task) == "queued"));
    rounds
}

#[test]
fn a_fan_out_in_conversations_that_stand_takes_as_many_rounds_however_wide() {
    assert_eq!(rounds_in_place(FAN_OUT), rounds_in_place(6));
}

/// How many rounds a heartbeat for the leases of `count` agents takes, by their owner.
fn rounds_of_heartbeat(count: usize) -> u32 {
    let names = names(count);
    let (mut w, grant) = cold(&names);
    let mut spec = all(GroupMode::All, wide(&names));
    spec.branches.truncate(count);
    w.fans_out(&grant, spec);
    let tokens: Vec<_> = names.iter().map(|name| w.claim(name).token).collect();
    let caller = w.caller("user:ana");
    let Answer::Pulses(pulses) = w.run(&Command::Heartbeat(caller, tokens)) else {
        panic!();
    };
    let live = |pulse: &Pulse| matches!(pulse, Pulse::Live { .. });
    assert_eq!(pulses.iter().filter(|pulse| live(pulse)).count(), count);
    w.rounds
}

#[test]
fn a_heartbeat_takes_as_many_rounds_for_however_many_leases() {
    assert_eq!(rounds_of_heartbeat(BATCH_ITEMS), rounds_of_heartbeat(3));
}
