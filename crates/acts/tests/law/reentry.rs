//! Loops, spirals and folds.

use serde_json::json;
use tertulia_acts::{
    agent::{RemoteAgent, Runner},
    command::{Grant, HopOperation, Place},
    conversation::ConversationKind,
    ids::TaskId,
    limits::{BACKOFF_FIRST, LEASE},
    performative::Performative,
    receipt::Outcome,
};

use crate::{
    words::{
        answer, ask, decline, delegate, park_on, progress, record, reply, reply_with, request,
    },
    world::{HOME, World, accepted, definition, made, reason},
};

const TEXT: &str = "what is wrong?";

struct Below {
    w: World,
    top: TaskId,
    coordinator: Grant,
    child: TaskId,
    deployments: Grant,
}

/// The coordinator waits for deployments, which is at work.
fn below() -> Below {
    let mut w = World::with(&["coordinator", "deployments", "logs"]);
    let top = w.send(request("coordinator", TEXT));
    let coordinator = w.claim("coordinator");
    let child = w.delegates(&coordinator, request("deployments", "what changed?"));
    w.parks(&coordinator, &[child]);
    let deployments = w.claim("deployments");
    Below {
        w,
        top,
        coordinator,
        child,
        deployments,
    }
}

fn fold(it: &mut Below) -> (TaskId, Grant) {
    let task =
        it.w.delegates(&it.deployments, request("coordinator", "which service?"));
    it.w.parks(&it.deployments, &[task]);
    let grant = it.w.claim("coordinator");
    (task, grant)
}

#[test]
fn the_same_decision_again_is_a_loop() {
    let mut it = below();
    let refused =
        it.w.does(&it.deployments, delegate(request("coordinator", TEXT)));
    assert_eq!(reason(&refused), "loop");
    let Outcome::Refused { refusal, .. } = &refused else {
        panic!();
    };
    assert_eq!(refusal.detail["task"], json!(it.top));
    assert_eq!(refusal.detail["state"], "working");
    assert_eq!(it.w.state(made(&refused)), "refused");
}

#[test]
fn the_same_with_something_learnt_is_a_spiral_and_folds() {
    let mut it = below();
    let task = it.w.delegates(&it.deployments, request("logs", "look"));
    let at_logs = it.w.claim("logs");
    it.w.does(&at_logs, reply_with("found", "a new stack trace"));
    assert_eq!(it.w.evidence(task), 1);
    let again =
        it.w.does(&it.deployments, delegate(request("coordinator", TEXT)));
    let task = accepted(&again);
    assert_eq!(it.w.task(task).made.folded_on, Some(it.top));
}

#[test]
fn the_same_artifact_twice_is_nothing_new() {
    let mut it = below();
    for _ in 0..2 {
        it.w.delegates(&it.deployments, request("logs", "look"));
        let at_logs = it.w.claim("logs");
        it.w.does(&at_logs, reply_with("found", "the same trace"));
    }
    assert_eq!(it.w.evidence(it.top), 1);
}

#[test]
fn nothing_else_is_said_in_a_consultation() {
    let mut it = below();
    let ask = request("coordinator", "which service?");
    let task = it.w.delegates(&it.deployments, ask);
    let consultation = it.w.task(task).made.conversation;
    let consulted = it.w.claim("coordinator");
    it.w.does(&consulted, reply("checkout"));
    let mut more = request("coordinator", "and all the rest?");
    more.place = Place::In(consultation);
    let refused = it.w.does(&it.deployments, delegate(more));
    assert_eq!(reason(&refused), "not-a-participant");
    assert_eq!(
        it.w.said(task),
        [
            "query deployments > coordinator",
            "inform coordinator > deployments"
        ]
    );
}

#[test]
fn a_fold_is_a_query_in_a_conversation_of_its_own_that_consults_the_ancestors() {
    let mut it = below();
    let (task, grant) = fold(&mut it);
    let w = &it.w;
    let made = w.task(task).made;
    assert_eq!(made.performative, Performative::Query);
    assert_eq!(made.folded_on, Some(it.top));
    assert_eq!(made.parent, Some(it.child));
    assert_eq!(made.commitment, None);
    assert_eq!(w.said(task), ["query deployments > coordinator"]);
    let above = w.task(it.top).made.conversation;
    let row = w
        .facts
        .tables()
        .conversations
        .get(&made.conversation)
        .unwrap();
    assert_eq!(row.kind, ConversationKind::Consults(above));
    assert_eq!(grant.consults, Some(above));
    assert_ne!(grant.hop, it.coordinator.hop);
    assert_eq!(w.hops(task), 1, "a fold has one hop");
    assert_eq!(grant.version, it.coordinator.version);
}

#[test]
fn a_fold_takes_no_capacity_and_its_answer_wakes_the_one_who_asked() {
    let mut narrow = definition("coordinator");
    narrow.limits.max_concurrent_conversations = 1;
    let mut w = World::with(&["deployments"]);
    w.define(HOME, &narrow);
    w.send(request("coordinator", TEXT));
    let coordinator = w.claim("coordinator");
    w.delegates(&coordinator, request("deployments", "what changed?"));
    let deployments = w.claim("deployments");
    // The coordinator does not park: it blocks in its handler, and its only place is taken.
    let task = w.delegates(&deployments, request("coordinator", "which service?"));
    w.parks(&deployments, &[task]);
    let folded = w.claim("coordinator");
    assert!(folded.consults.is_some());
    w.replies(&folded, "checkout");
    let resumed = w.claim("deployments");
    assert_eq!(resumed.hop, deployments.hop);
    w.replies(&resumed, "a new version");
    w.replies(&coordinator, "roll back");
}

#[test]
fn i02_a_folded_activation_opens_no_edge_and_has_no_effects() {
    let mut it = below();
    let (task, grant) = fold(&mut it);
    let tasks = it.w.facts.tables().tasks.len();
    let acts = it.w.facts.tables().acts.len();
    let forbidden = [
        delegate(request("logs", "look")),
        HopOperation::DelegateAll(crate::words::all(
            tertulia_acts::group::GroupMode::All,
            vec![request("logs", "look")],
        )),
        record(json!(1)),
        HopOperation::Agree,
        progress("reading"),
        HopOperation::Acknowledge,
        HopOperation::Abstain,
    ];
    for operation in forbidden {
        let name = operation.kind();
        assert_eq!(reason(&it.w.does(&grant, operation)), "read-only", "{name}");
    }
    assert_eq!(it.w.facts.tables().tasks.len(), tasks);
    assert_eq!(it.w.facts.tables().acts.len(), acts);
    assert_eq!(it.w.task(task).now.steps, 0);
    it.w.replies(&grant, "checkout");
    assert_eq!(it.w.state(task), "done");
}

#[test]
fn a_fold_may_decline_and_ask() {
    let mut it = below();
    let (task, grant) = fold(&mut it);
    let ask = it.w.asks(&grant, ask("which of them?"));
    assert_eq!(it.w.state(task), "awaiting-clarification");
    let asked = it.w.claim("deployments");
    let tried = it.w.does(&asked, park_on(&[task]));
    assert_eq!(reason(&tried), "would-deadlock");
    it.w.does(&asked, answer(ask, "the newest"));
    let resumed = it.w.claim("coordinator");
    assert_eq!(resumed.hop, grant.hop);
    it.w.does(&resumed, decline());
    assert_eq!(it.w.state(task), "refused");
}

#[test]
fn a_fold_goes_on_while_the_ancestor_is_lost() {
    let mut w = World::with(&["coordinator", "deployments"]);
    let top = w.send(request("coordinator", TEXT));
    let coordinator = w.claim("coordinator");
    w.delegates(&coordinator, request("deployments", "what changed?"));
    w.wait(tertulia_acts::time::Millis(LEASE.0 - 1));
    let deployments = w.claim("deployments");
    w.wait(tertulia_acts::time::Millis(1));
    w.upkeep();
    let task = w.delegates(&deployments, request("coordinator", "which service?"));
    assert_eq!(w.task(task).made.folded_on, Some(top));
    let folded = w.claim("coordinator");
    assert_eq!(folded.task.id(), task);
    w.replies(&folded, "checkout");
    w.wait(BACKOFF_FIRST);
    assert_eq!(w.claim("coordinator").task.id(), top);
}

#[test]
fn a_remote_ancestor_cannot_be_consulted() {
    let mut remote = definition("coordinator");
    remote.runner = Runner::A2a(RemoteAgent {
        url: "https://example.org".into(),
        token_env: None,
        allow_private: false,
        headers: serde_json::Map::new(),
    });
    let mut w = World::with(&["deployments"]);
    w.define(HOME, &remote);
    w.send(request("coordinator", TEXT));
    let coordinator = w.claim("coordinator");
    w.delegates(&coordinator, request("deployments", "what changed?"));
    let deployments = w.claim("deployments");
    let refused = w.does(&deployments, delegate(request("coordinator", "which?")));
    assert_eq!(reason(&refused), "cannot-fold");
}

#[test]
fn a_notice_to_an_ancestor_is_neither_loop_nor_fold() {
    let mut it = below();
    let notice = crate::words::opening(Performative::Inform, "coordinator", TEXT);
    let task = it.w.delegates(&it.deployments, notice);
    assert_eq!(it.w.task(task).made.folded_on, None);
    let grant = it.w.claim("coordinator");
    assert_eq!(grant.task.id(), task);
    it.w.does(&grant, HopOperation::Acknowledge);
    assert_eq!(it.w.state(task), "done");
}

#[test]
fn genealogies_grow_by_the_authors_hop_and_only_so() {
    let mut it = below();
    let (task, grant) = fold(&mut it);
    let hops = |w: &World, id: TaskId| -> Vec<_> {
        let made = w.task(id).made;
        made.genealogy.hops().iter().map(|hop| hop.hop).collect()
    };
    assert_eq!(hops(&it.w, it.top), []);
    assert_eq!(hops(&it.w, it.child), [it.coordinator.hop]);
    assert_eq!(hops(&it.w, task), [it.coordinator.hop, it.deployments.hop]);
    it.w.does(&grant, reply("checkout"));
}
