//! The first conversation, step by step: delegate, ask, answer, a coordinator killed and resumed; and its variants.

use tertulia_acts::{
    command::{Answer, Command, Grant, HopOperation, KnownBy},
    facts::Fault,
    group::GroupMode,
    hop::Activation,
    ids::{AskId, GroupId, TaskId},
    limits::{BACKOFF_FIRST, LEASE},
    receipt::Outcome,
    time::Millis,
};

use crate::{
    words::{all, answer, ask, park_on_group, progress, record, reply, request},
    world::{World, fault, outcome, reason, under},
};

const PEOPLE: [&str; 3] = ["coordinator", "logs", "deployments"];

/// The conversation as it stands when logs has asked and the coordinator is about to be claimed again.
struct Asked {
    world: World,
    root: TaskId,
    first: Grant,
    group: GroupId,
    logs: TaskId,
    deployments: TaskId,
    ask: AskId,
    at_deployments: Grant,
}

fn fan_out() -> HopOperation {
    let branches = vec![
        request("logs", "find the errors"),
        request("deployments", "what changed?"),
    ];
    HopOperation::DelegateAll(all(GroupMode::All, branches))
}

fn investigate() -> (World, TaskId, Grant) {
    let mut world = World::with(&PEOPLE);
    let task = world.send(request("coordinator", "what is wrong with checkout?"));
    let grant = world.claim("coordinator");
    (world, task, grant)
}

/// Steps 1 to 6.
fn until_asked() -> Asked {
    let (mut world, root, first) = investigate();
    let Outcome::FannedOut { group, branches } = world.does_as(&first, "s1", fan_out()) else {
        panic!("no fan-out");
    };
    let tasks: Vec<TaskId> = branches.iter().map(crate::world::accepted).collect();
    assert_eq!(world.does(&first, park_on_group(group, 0)), Outcome::Parked);
    let at_logs = world.claim("logs");
    let at_deployments = world.claim("deployments");
    let ask = world.asks(&at_logs, ask("which window?"));
    Asked {
        world,
        root,
        first,
        group,
        logs: tasks[0],
        deployments: tasks[1],
        ask,
        at_deployments,
    }
}

fn answers(it: &mut Asked) -> Grant {
    let resumed = it.world.claim("coordinator");
    let mut under = under(resumed.token, "ignored", answer(it.ask, "since noon"));
    under.handling = Some(it.ask);
    outcome(it.world.operate(&resumed, under));
    resumed
}

#[test]
fn a_request_makes_a_root_a_conversation_and_a_conditional_commitment() {
    let mut world = World::with(&PEOPLE);
    let task = world.send(request("coordinator", "what is wrong with checkout?"));
    assert_eq!(world.state(task), "queued");
    assert_eq!(world.commitment(task), Some("conditional"));
    assert_eq!(world.said(task), ["request ana > coordinator"]);
    assert_eq!(world.evidence(task), 0);
    assert_eq!(world.hops(task), 0, "a hop is minted by the claim");
}

#[test]
fn a_claim_mints_a_hop_with_a_lease_and_the_task_works() {
    let (world, task, grant) = investigate();
    assert_eq!(world.state(task), "working");
    assert!(!grant.resumed && !grant.reconcile);
    assert_eq!(grant.until, world.now.after(LEASE));
    assert_eq!(world.events(task, "task.activated"), 1);
    assert_eq!(world.commitment(task), Some("conditional"));
}

#[test]
fn a_fan_out_agrees_first_and_opens_a_conversation_per_branch() {
    let it = until_asked();
    let w = &it.world;
    assert_eq!(
        w.said(it.root),
        ["request ana > coordinator", "agree coordinator > ana"]
    );
    assert_eq!(w.commitment(it.root), Some("active"));
    for branch in [it.logs, it.deployments] {
        let made = w.task(branch).made;
        assert_eq!(made.genealogy.depth(), 1);
        assert_eq!(made.genealogy.hops()[0].hop, it.first.hop);
        assert_eq!(made.group, Some(it.group));
        assert_eq!(w.commitment(branch), Some("conditional"));
    }
    let conversations = [it.root, it.logs, it.deployments].map(|id| w.task(id).made.conversation);
    assert!(conversations[0] != conversations[1] && conversations[1] != conversations[2]);
}

#[test]
fn asking_parks_the_asker_and_wakes_the_one_it_asks() {
    let it = until_asked();
    let w = &it.world;
    assert_eq!(w.state(it.logs), "awaiting-clarification");
    assert_eq!(
        w.said(it.logs),
        ["request coordinator > logs", "query logs > coordinator"]
    );
    let hop = &w.facts.tables().hops.get(&it.first.hop).unwrap().state;
    assert_eq!(*hop, Activation::Ready);
    let load = w.facts.tables().workloads.rows();
    let leased: Vec<_> = load
        .map(|load| (load.agent.as_str(), load.leased))
        .collect();
    assert_eq!(
        leased,
        [("coordinator", 0), ("deployments", 1), ("logs", 0)]
    );
}

#[test]
fn a_resume_is_a_new_lease_on_the_same_hop() {
    let mut it = until_asked();
    let resumed = it.world.claim("coordinator");
    assert!(resumed.resumed);
    assert_eq!(resumed.hop, it.first.hop);
    assert_ne!(resumed.token, it.first.token);
    assert_eq!(it.world.hops(it.root), 1);
    assert_eq!(it.world.task(it.root).now.attempts, 1);
}

#[test]
fn an_answer_is_learnt_and_its_asker_goes_on() {
    let mut it = until_asked();
    answers(&mut it);
    let w = &mut it.world;
    assert_eq!(w.evidence(it.root), 1);
    assert_eq!(w.state(it.logs), "working");
    assert_eq!(w.ask_state(it.ask), "answered");
    assert_eq!(w.said(it.logs)[2], "inform coordinator > logs");
    let resumed = w.claim("logs");
    assert!(resumed.resumed);
    assert_eq!(w.hops(it.logs), 1);
}

#[test]
fn i06_a_coordinator_killed_after_its_answer_is_resumed_by_another_attempt_with_its_steps_made() {
    let mut it = until_asked();
    let killed = answers(&mut it);
    let w = &mut it.world;
    let at_logs = w.claim("logs");
    w.replies(&at_logs, "the pool is exhausted");
    assert_eq!(w.commitment(it.logs), Some("satisfied"));
    w.replies(&it.at_deployments, "a new version at noon");
    let group = w.facts.tables().groups.get(&it.group).unwrap().clone();
    assert_eq!((group.ended, group.results), (2, 2));
    assert_eq!(w.events(it.root, "task.group_fired"), 1);
    assert_eq!(w.task(it.logs).now.arrival, Some(1));
    assert_eq!(w.task(it.deployments).now.arrival, Some(2));
    w.idle("coordinator");

    w.wait(LEASE);
    w.upkeep();
    assert_eq!(
        w.state(it.root),
        "working",
        "a loss leaves the task working"
    );
    assert_eq!(w.commitment(it.root), Some("active"));
    w.idle("coordinator");
    w.wait(BACKOFF_FIRST);
    let second = w.claim("coordinator");
    assert!(!second.resumed);
    assert_ne!(second.hop, killed.hop);
    assert_eq!(second.task.now.attempts, 2);
    assert_eq!(w.hops(it.root), 2);

    let replayed = w.under(&second, "s1", fan_out());
    let Answer::Outcome {
        outcome: Outcome::FannedOut { group, .. },
        replayed: true,
    } = replayed
    else {
        panic!("{replayed:?}");
    };
    assert_eq!(group, it.group);
    assert_eq!(w.does(&second, park_on_group(group, 0)), Outcome::Met);
    w.replies(&second, "roll back");
    assert_eq!(w.state(it.root), "done");
    assert_eq!(w.commitment(it.root), Some("satisfied"));
    assert_eq!(w.said(it.root).len(), 3, "one agree, one result");
    assert_eq!(w.inbox("user:ana"), [("inform", Some(it.root))]);
    assert_eq!(w.facts.tables().tasks.len(), 3, "nothing was done twice");
}

#[test]
fn variant_a_a_worker_killed_while_parked_loses_nothing() {
    let mut it = until_asked();
    it.world.wait(Millis(LEASE.0 * 3));
    it.world.upkeep();
    let resumed = it.world.claim("coordinator");
    assert_eq!(resumed.hop, it.first.hop);
    assert_eq!(it.world.task(it.root).now.attempts, 1);
}

#[test]
fn variant_b_a_worker_that_slept_over_its_lease_is_told_and_its_words_are_kept() {
    let mut it = until_asked();
    let asleep = answers(&mut it);
    let w = &mut it.world;
    w.wait(LEASE);
    w.upkeep();
    let late = w.under(&asleep, "", reply("roll back"));
    assert_eq!(fault(late), Fault::LeaseLost);
    assert_eq!(w.state(it.root), "working");
    let kept: Vec<_> = w.facts.tables().late_results.rows().collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].body.joined_text(), "roll back");
    assert_eq!(kept[0].hop, asleep.hop);
    // A step tells it as well: it must not go on.
    let step = w.under(&asleep, "s1", fan_out());
    assert_eq!(fault(step), Fault::LeaseLost);
}

#[test]
fn variant_c_an_answer_that_was_committed_and_not_heard_of_is_there_already() {
    let mut it = until_asked();
    let killed = answers(&mut it);
    let w = &mut it.world;
    let mut again = under(killed.token, "whatever", answer(it.ask, "since noon"));
    again.handling = Some(it.ask);
    let Answer::Outcome { outcome, replayed } = w.operate(&killed, again.clone()) else {
        panic!();
    };
    assert!(replayed && matches!(outcome, Outcome::Answered { ask, .. } if ask == it.ask));
    // The next attempt finds it too.
    w.wait(LEASE);
    w.upkeep();
    w.wait(BACKOFF_FIRST);
    let second = w.claim("coordinator");
    again.known_by = KnownBy::Token(second.token);
    let replayed = w.operate(&second, again);
    assert!(matches!(replayed, Answer::Outcome { replayed: true, .. }));
    assert_eq!(w.evidence(it.root), 1);
}

#[test]
fn variant_d_a_run_that_differs_from_its_last_one_is_stopped() {
    let (mut w, task, first) = investigate();
    w.does_as(&first, "at 12:00", record(1.into()));
    w.wait(LEASE);
    w.upkeep();
    w.wait(BACKOFF_FIRST);
    let second = w.claim("coordinator");
    let acts = w.facts.tables().acts.len();
    let diverged = fault(w.under(&second, "at 12:01", record(2.into())));
    let expected = Fault::ReplayDiverged {
        step: "at 12:01".into(),
        unread: 1,
    };
    assert_eq!(diverged, expected);
    assert_eq!(w.facts.tables().acts.len(), acts, "nothing was sent");
    assert_eq!(w.task(task).now.steps, 1);
}

#[test]
fn variant_f_a_settle_whose_answer_was_lost_gives_the_same_receipt() {
    let (mut w, task, grant) = investigate();
    let first = w.under(&grant, "", reply("a full disk"));
    let again = w.under(&grant, "", reply("a full disk"));
    assert!(matches!(again, Answer::Outcome { replayed: true, .. }));
    assert_eq!(outcome(first), outcome(again));
    let other = fault(w.under(&grant, "", reply("no, the network")));
    assert!(matches!(other, Fault::HopFinished(_)), "{other:?}");
    assert_eq!(w.said(task).len(), 2);
}

#[test]
fn variant_g_a_result_after_a_cancel_is_refused_and_kept() {
    let (mut w, task, grant) = investigate();
    outcome(w.cancels("user:ana", task));
    let late = outcome(w.under(&grant, "", reply("a full disk")));
    assert_eq!(reason(&late), "cancelled");
    assert_eq!(w.state(task), "cancelled");
    assert_eq!(w.facts.tables().late_results.len(), 1);
}

#[test]
fn i08_processed_reply_commitment_slot_and_inbox_change_in_one_decision() {
    let (mut w, task, grant) = investigate();
    w.does(&grant, progress("looking"));
    let caller = w.caller("agent:coordinator");
    let under = under(grant.token, "", reply("a full disk"));
    let (_, changes) = w.judge(&Command::UnderHop(caller, under));
    w.facts.apply(changes);
    // Nothing else ran, and all of it is there.
    crate::check::all(&w.facts, w.now);
    assert_eq!(w.state(task), "done");
    assert_eq!(w.events(task, "mailbox.processed"), 1);
    assert_eq!(w.commitment(task), Some("satisfied"));
    assert_eq!(w.inbox("user:ana"), [("inform", Some(task))]);
    let load = w.facts.tables().workloads.rows().next().unwrap();
    assert_eq!((load.open, load.leased), (0, 0));
}
