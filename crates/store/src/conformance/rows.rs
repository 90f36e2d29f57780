//! Every kind of row: to apply a change to facts, and to write and reload it, are the same (SEMANTICS 14).

use std::fmt::Debug;

use tertulia_acts::{
    ask::{Addressee, AskState},
    commitment::CommitmentStatus,
    conversation::ConversationState,
    delivery::Delivery,
    digest::Digest,
    envelope::Refusal,
    facts::{Change, Facts, Need, Row},
    group::{FiredBy, GroupState},
    hop::{Activation, Wait},
    lease::{LeaseEnd, LeaseReceipt, LeaseState},
    party::Party,
    reason::Reason,
    receipt::Outcome,
    slot::{Class, Head},
    task::TaskState,
};

use super::{
    Bench,
    world::{T0, World, at, digest, fingerprint, party},
    write,
};
use crate::{Store, StoreError};

/// The row of a key, from a store alone.
fn reload<R: Row>(
    store: &mut dyn Store,
    key: &R::Key,
    need: &Need,
) -> Result<Option<R>, StoreError> {
    let mut facts = Facts::default();
    store.load(std::slice::from_ref(need), &mut facts)?;
    assert!(facts.knows(need), "{need:?} is not known after a load");
    Ok(R::table(facts.tables()).get(key).cloned())
}

/// The row that `wanted` holds under a key is the one that the store gives back.
#[expect(
    clippy::needless_pass_by_value,
    reason = "a list of needs reads better without &"
)]
fn same<R: Row + PartialEq + Debug>(
    store: &mut dyn Store,
    wanted: &Facts,
    row: &R,
    need: Need,
) -> Result<(), StoreError> {
    let applied = R::table(wanted.tables()).get(&row.key()).cloned();
    assert!(applied.is_some(), "{row:?} was not applied");
    assert_eq!(reload::<R>(store, &row.key(), &need)?, applied);
    Ok(())
}

/// Compares every row of a world that a need names.
fn all_same(store: &mut dyn Store, w: &World, facts: &Facts) -> Result<(), StoreError> {
    let (tenant, root) = (w.tenant, w.root);
    let logs = "logs".to_owned();
    let version = w.version("logs");
    same(store, facts, &w.tenant(), Need::Tenant(tenant))?;
    same(
        store,
        facts,
        &w.principal(),
        Need::Principal(tenant, party("service:ci")),
    )?;
    same(store, facts, &w.key(), Need::ApiKey(w.key().digest))?;
    same(
        store,
        facts,
        &w.agent("logs"),
        Need::Agent(tenant, logs.clone()),
    )?;
    same(
        store,
        facts,
        &w.workload(),
        Need::Agent(tenant, logs.clone()),
    )?;
    same(
        store,
        facts,
        &version,
        Need::Version(tenant, logs.clone(), version.digest),
    )?;
    same(store, facts, &w.root_row(), Need::Root(root))?;
    for n in 1..=3 {
        same(
            store,
            facts,
            &w.conversation(n),
            Need::Conversation(w.conversation_id(n)),
        )?;
        same(store, facts, &w.task(n), Need::Task(w.task_id(n)))?;
        same(store, facts, &w.hop(n), Need::Hop(w.hop_id(10 + n)))?;
    }
    same(store, facts, &w.lease(), Need::Token(w.lease().token))?;
    same(
        store,
        facts,
        &w.slot(),
        Need::Slot(logs, w.conversation_id(2)),
    )?;
    same(store, facts, &w.ask(), Need::Ask(w.ask_id()))?;
    same(store, facts, &w.group(), Need::Group(w.group_id()))?;
    same(
        store,
        facts,
        &w.commitment(),
        Need::Commitment(w.commitment_id()),
    )?;
    same(store, facts, &w.receipt(), Need::Receipt(w.receipt().key))?;
    same(store, facts, &w.step(1), Need::Receipt(w.step(1).key))?;
    same(
        store,
        facts,
        &w.inbox(),
        Need::Inbox(tenant, party("user:ana")),
    )
}

pub(super) fn what_is_applied_is_what_is_written_and_reloaded(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let mut facts = Facts::default();
    facts.apply(w.changes());
    let store = bench.store();
    all_same(store, &w, &facts)?;
    same(store, &facts, &w.act(1, 2), Need::Act(w.act_id(1, 2)))?;
    same(
        store,
        &facts,
        &w.artifact(),
        Need::Artifact(w.root, w.artifact().digest),
    )?;
    // The logs, which no need names, as the reader gives them back.
    let reader = bench.reader()?;
    let ana = tertulia_acts::viewer::Viewer::new(w.tenant, party("user:ana"));
    assert_eq!(reader.ledger(&ana, w.task_id(2))?, Some(vec![w.ledger(2)]));
    assert_eq!(
        reader.late_results(&ana, w.task_id(2))?,
        Some(vec![w.late_result()])
    );
    let events = reader.events_of_conversation(&ana, w.conversation_id(2), 0, 10)?;
    let events = events.map(|read| read.events);
    assert_eq!(events, Some(vec![w.event(2, 1), w.event(2, 2)]));
    let entries = reader.inbox(&ana, 0, 10)?.entries;
    let entries: Vec<_> = entries.into_iter().map(|read| read.entry).collect();
    assert_eq!(entries, [w.inbox_entry(1), w.inbox_entry(2)]);
    Ok(())
}

/// Each row that can change, changed in everything that can.
fn changed(w: &World) -> Vec<Change> {
    [changed_catalog(w), changed_work(w), changed_talk(w)].concat()
}

fn changed_catalog(w: &World) -> Vec<Change> {
    let mut tenant = w.tenant();
    (tenant.name, tenant.epoch) = ("renamed".into(), 4);
    let mut principal = w.principal();
    principal.responsible = None;
    let mut key = w.key();
    key.revoked = Some(at(99));
    let mut agent = w.agent("logs");
    (agent.owner, agent.retired) = (party("user:bob"), true);
    agent.current = w.version("coordinator").digest;
    let mut workload = w.workload();
    (workload.leased, workload.open) = (7, 8);
    vec![
        tenant.into_change(),
        principal.into_change(),
        key.into_change(),
        agent.into_change(),
        workload.into_change(),
    ]
}

fn changed_work(w: &World) -> Vec<Change> {
    let mut task = w.task(2);
    task.now.state = TaskState::Failed {
        result: w.act_id(2, 2),
    };
    task.now.delivery = Delivery::Dead {
        reason: Reason::Expired,
        at: at(77),
    };
    task.now.closing = Some(Refusal::new(Reason::ParentSettled).with("task", w.task_id(1)));
    (task.now.changed, task.now.arrival, task.now.late) = (at(78), Some(1), (2, 99));
    task.now.redriven_as = Some(w.task_id(50));
    let mut artifact = w.artifact();
    artifact.late = false;
    let mut hop = w.hop(2);
    hop.state = Activation::Parked {
        on: Wait::Group {
            group: w.group_id(),
            seen: 3,
        },
    };
    let mut lease = w.lease();
    lease.state = LeaseState::Ended {
        by: LeaseEnd::Parked,
        receipt: Some(Box::new(LeaseReceipt {
            content: digest("op"),
            outcome: Outcome::Parked,
        })),
    };
    (lease.until, lease.unread) = (at(31_000), Vec::new());
    let mut slot = w.slot();
    slot.leased = None;
    slot.head = Some(Head {
        class: Class::Resume,
        due: at(80),
        task: w.task_id(3),
    });
    slot.version = digest("a later version");
    let mut group = w.group();
    group.state = GroupState::Fired {
        by: FiredBy::Deadline,
        ended: 1,
    };
    (group.ended, group.results, group.closing) = (1, 1, true);
    let mut commitment = w.commitment();
    commitment.status = CommitmentStatus::Satisfied { evidence: 5 };
    commitment.changed = at(80);
    vec![
        task.into_change(),
        hop.into_change(),
        lease.into_change(),
        slot.into_change(),
        group.into_change(),
        commitment.into_change(),
    ]
}

fn changed_talk(w: &World) -> Vec<Change> {
    let mut root = w.root_row();
    (root.next, root.evidence, root.ended) = (120, 9, Some(at(90)));
    let mut conversation = w.conversation(2);
    conversation.state = ConversationState::Closed;
    (conversation.last_seq, conversation.last_event) = (9, 30);
    if let Some(one) = conversation.participants.first_mut() {
        one.version = Some(digest("a later version"));
    }
    let mut ask = w.ask();
    ask.addressee = Addressee::Principal(party("user:ana"));
    ask.state = AskState::Answered {
        answer: w.act_id(2, 1),
    };
    let mut receipt = w.receipt();
    (receipt.expires, receipt.content) = (Some(at(1_000)), digest("other"));
    let mut inbox = w.inbox();
    inbox.last = 3;
    vec![
        root.into_change(),
        conversation.into_change(),
        ask.into_change(),
        receipt.into_change(),
        inbox.into_change(),
    ]
}

/// Changes rows that are loaded, in a second batch, and tells what facts hold then.
fn change(store: &mut dyn Store, w: &World) -> Result<Facts, StoreError> {
    let mut facts = Facts::default();
    store.begin()?;
    facts.apply(w.changes());
    // As after a commit: what follows are changes of rows that the store has.
    facts.written();
    facts.apply(changed(w));
    store.commit(&facts, at(100))?;
    facts.written();
    Ok(facts)
}

pub(super) fn what_is_changed_is_what_is_written_and_reloaded(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let facts = change(store, &w)?;
    all_same(store, &w, &facts)
}

pub(super) fn what_is_written_outlives_the_process(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let facts = change(bench.store(), &w)?;
    bench.reopen()?;
    all_same(bench.store(), &w, &facts)?;
    assert_eq!(bench.store().last_now()?, Some(at(100)));
    // And it goes on.
    let mut root = w.root_row();
    root.next = 200;
    let mut later = Facts::default();
    bench.store().begin()?;
    bench.store().load(&[Need::Root(w.root)], &mut later)?;
    later.apply(vec![root.clone().into_change()]);
    bench.store().commit(&later, at(101))?;
    assert_eq!(
        reload(bench.store(), &w.root, &Need::Root(w.root))?,
        Some(root)
    );
    Ok(())
}

pub(super) fn what_is_absent_is_known_to_be_absent(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::new(1);
    let nobody: Party = party("user:nobody");
    let needs = [
        Need::Tenant(w.tenant),
        Need::Principal(w.tenant, nobody.clone()),
        Need::ApiKey(digest("none")),
        Need::Agent(w.tenant, "none".into()),
        Need::Version(w.tenant, "none".into(), digest("none")),
        Need::Directory(w.tenant),
        Need::Root(w.root),
        Need::Conversation(w.conversation_id(1)),
        Need::Standing(w.root, party("agent:a"), party("agent:b")),
        Need::Alias {
            tenant: w.tenant,
            creator: nobody.clone(),
            other: party("agent:a"),
            alias: "x".into(),
        },
        Need::Act(w.act_id(1, 1)),
        Need::Task(w.task_id(1)),
        Need::Hop(w.hop_id(1)),
        Need::Token(Digest([0; 32])),
        Need::Slot("none".into(), w.conversation_id(1)),
        Need::Queue("none".into(), w.conversation_id(1)),
        Need::Ready {
            tenant: w.tenant,
            agent: "none".into(),
            versions: vec![],
            limit: 5,
        },
        Need::Receipt(w.receipt().key),
        Need::Steps(w.task_id(1)),
        Need::Ask(w.ask_id()),
        Need::AsksTo(w.task_id(1)),
        Need::AsksOf(w.task_id(1)),
        Need::Group(w.group_id()),
        Need::Commitment(w.commitment_id()),
        Need::Commitments(w.root, "none".into(), fingerprint("agent:none")),
        Need::Children(w.task_id(1)),
        Need::Inbox(w.tenant, nobody),
        Need::Artifact(w.root, digest("none")),
    ];
    let mut facts = Facts::default();
    store.begin()?;
    store.load(&needs, &mut facts)?;
    store.rollback()?;
    for need in &needs {
        assert!(facts.knows(need), "{need:?}");
    }
    assert_eq!(facts.len(), 0);
    Ok(())
}

pub(super) fn facts_that_are_here_are_not_overwritten_by_a_load(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let mut task = w.task(2);
    task.now.state = TaskState::Done {
        result: w.act_id(2, 2),
    };
    let mut facts = Facts::default();
    facts.apply(vec![task.clone().into_change()]);
    store.load(
        &[Need::Task(w.task_id(2)), Need::Children(w.task_id(1))],
        &mut facts,
    )?;
    assert_eq!(facts.tables().tasks.get(&w.task_id(2)), Some(&task));
    write(store, vec![], T0)
}
