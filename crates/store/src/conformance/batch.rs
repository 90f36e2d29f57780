//! Batches: all or nothing, the backstops of the schema, and what is due.

use tertulia_acts::{
    ask::AskState,
    command::Due,
    envelope::Refusal,
    facts::{Change, Facts, Need, Row},
    ids::CommitmentId,
    lease::{LeaseEnd, LeaseState},
    reason::Reason,
    task::TaskState,
    time::Timestamp,
};

use super::{
    Bench,
    world::{T0, World, at, digest},
    write,
};
use crate::{Store, StoreError};

fn has(store: &mut dyn Store, need: Need) -> Result<bool, StoreError> {
    let mut facts = Facts::default();
    store.load(&[need], &mut facts)?;
    Ok(!facts.tables().tenants.is_empty() || !facts.tables().roots.is_empty())
}

pub(super) fn a_batch_rolled_back_leaves_nothing(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::new(1);
    store.begin()?;
    let mut facts = Facts::default();
    facts.apply(w.changes());
    store.rollback()?;
    store.rollback()?;
    assert!(!has(store, Need::Tenant(w.tenant))?);
    // A batch that was begun and left is ended by the next.
    store.begin()?;
    store.begin()?;
    store.commit(&facts, at(0))?;
    assert!(has(store, Need::Tenant(w.tenant))?);
    Ok(())
}

pub(super) fn a_batch_of_nothing_writes_nothing(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    store.begin()?;
    store.commit(&Facts::default(), at(5))?;
    assert_eq!(store.last_now()?, None);
    Ok(())
}

pub(super) fn the_last_instant_is_kept(bench: &mut dyn Bench) -> Result<(), StoreError> {
    assert_eq!(bench.store().last_now()?, None);
    World::build(1, bench.store())?;
    bench.reopen()?;
    assert_eq!(bench.store().last_now()?, Some(Timestamp(T0)));
    Ok(())
}

pub(super) fn a_second_binding_commitment_is_a_constraint_and_stores_nothing(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let mut second = w.commitment();
    second.id = CommitmentId::new(w.root, 90);
    let mut root = w.root_row();
    root.id = World::new(9).root;
    let innocent = root.into_change();
    let refused = write(store, vec![innocent.clone(), second.into_change()], T0 + 1);
    assert!(
        matches!(&refused, Err(error) if error.blames_command()),
        "{refused:?}"
    );
    assert!(
        !has(store, Need::Root(World::new(9).root))?,
        "half of a batch was stored"
    );
    assert_eq!(store.last_now()?, Some(Timestamp(T0)));
    // Run singly, the innocent one is stored.
    write(store, vec![innocent], T0 + 1)?;
    assert!(has(store, Need::Root(World::new(9).root))?);
    Ok(())
}

pub(super) fn a_number_given_twice_is_a_constraint(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    // The same number of the task, under another of the conversation.
    let mut event = w.event(2, 2);
    event.n = 3;
    let twice: [Change; 6] = [
        w.event(2, 2).into_change(),
        event.into_change(),
        // One that was written together with the next.
        w.event(2, 1).into_change(),
        w.act(2, 2).into_change(),
        w.inbox_entry(2).into_change(),
        w.ledger(2).into_change(),
    ];
    for change in twice {
        let refused = write(store, vec![change.clone()], T0 + 1);
        assert!(
            matches!(refused, Err(StoreError::Constraint(_))),
            "{change:?}: {refused:?}"
        );
    }
    Ok(())
}

pub(super) fn a_changed_row_that_is_absent_is_a_constraint(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::new(1);
    let mut facts = Facts::default();
    facts.load(w.root_row());
    facts.apply(vec![w.root_row().into_change()]);
    store.begin()?;
    let refused = store.commit(&facts, at(1));
    assert!(
        matches!(refused, Err(StoreError::Constraint(_))),
        "{refused:?}"
    );
    Ok(())
}

pub(super) fn what_is_due_comes_in_order_and_bounded(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    assert_eq!(
        (store.due(at(99_999), 10)?, store.next_due()?),
        (vec![], None)
    );
    let w = World::build(1, store)?;
    assert_eq!(store.next_due()?, Some(at(30_000)));
    assert_eq!(store.due(at(29_999), 10)?, []);
    let mut all = vec![
        Due::Lease(w.lease().token),
        Due::Group(w.group_id()),
        Due::Ask(w.ask_id()),
        Due::Task(w.task_id(1)),
        Due::Task(w.task_id(2)),
        Due::Task(w.task_id(3)),
    ];
    assert_eq!(store.due(at(60_001), 10)?, all[..4]);
    assert_eq!(store.due(at(99_999), 10)?, all);
    all.truncate(2);
    assert_eq!(store.due(at(99_999), 2)?, all);
    Ok(())
}

pub(super) fn what_has_ended_is_due_no_more(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let mut facts = Facts::default();
    facts.apply(w.changes());
    facts.written();
    let mut lease = w.lease();
    lease.state = LeaseState::Ended {
        by: LeaseEnd::Settled,
        receipt: None,
    };
    let mut ask = w.ask();
    ask.state = AskState::Expired;
    let mut group = w.group();
    group.deadline = None;
    let ended = |n: u32| {
        let mut task = w.task(n);
        task.now.state = TaskState::Done {
            result: w.act_id(n, 2),
        };
        task
    };
    let mut closing = ended(1);
    let why = Reason::ParentSettled;
    closing.now.closing = Some(Refusal::new(why));
    let tasks = [closing, ended(2), ended(3)].map(Row::into_change);
    facts.apply(vec![
        lease.into_change(),
        ask.into_change(),
        group.clone().into_change(),
    ]);
    facts.apply(tasks.into());
    store.begin()?;
    store.commit(&facts, at(1))?;
    facts.written();
    // What has children to close is due at once.
    assert_eq!(store.due(at(99_999), 10)?, [Due::Task(w.task_id(1))]);
    assert_eq!(store.next_due()?, Some(at(1)));
    // So is a group that has branches to close.
    group.closing = true;
    facts.apply(vec![ended(1).into_change(), group.into_change()]);
    store.begin()?;
    store.commit(&facts, at(1))?;
    assert_eq!(store.due(at(0), 10)?, [Due::Group(w.group_id())]);
    Ok(())
}

pub(super) fn expired_receipts_are_swept_and_may_come_again(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let mut facts = Facts::default();
    store.begin()?;
    store.load(&[Need::Receipt(w.receipt().key)], &mut facts)?;
    let mut receipt = w.receipt();
    receipt.expires = Some(at(100));
    facts.apply(vec![receipt.clone().into_change()]);
    store.commit(&facts, at(1))?;
    facts.written();
    assert_eq!(store.sweep(at(99), 10)?, 0);
    assert_eq!(store.sweep(at(100), 0)?, 0);
    assert_eq!(store.sweep(at(100), 10)?, 1);
    // Facts that were kept have it still; the key is used anew.
    receipt.content = digest("new");
    facts.apply(vec![receipt.clone().into_change()]);
    store.begin()?;
    store.commit(&facts, at(101))?;
    let mut again = Facts::default();
    store.load(&[Need::Receipt(receipt.key)], &mut again)?;
    assert_eq!(again.tables().receipts.get(&receipt.key), Some(&receipt));
    Ok(())
}
