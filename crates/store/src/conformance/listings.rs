//! Listings: filters, pages, cursors, totals.

use std::sync::Arc;

use tertulia_acts::{
    body::Body,
    delivery::Delivery,
    envelope::Act,
    event::Event,
    facts::{Change, Row},
    ids::CommitmentId,
    limits::PAGE_BYTES,
    reason::Reason,
    task::{Task, TaskState},
    viewer::Viewer,
};

use super::{
    Bench,
    world::{T0, World, at, party},
    write,
};
use crate::{
    StoreError,
    read::{CommitmentFilter, MailboxMetrics, Metrics, TaskFilter, Total},
};

fn ana(w: &World) -> Viewer {
    Viewer::new(w.tenant, party("user:ana"))
}

fn task(w: &World, n: u32, change: impl FnOnce(&mut Task)) -> Change {
    let mut task = w.task(2);
    Arc::make_mut(&mut task.made).id = w.task_id(n);
    change(&mut task);
    task.into_change()
}

fn numbers(tasks: &[crate::read::TaskRead]) -> Vec<u32> {
    tasks.iter().map(|read| read.task.id().n).collect()
}

pub(super) fn tasks_by_every_filter(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let reader = bench.reader()?;
    let found = |filter: TaskFilter| {
        reader
            .tasks(&ana(&w), &filter, None, 9)
            .map(|page| numbers(&page.rows))
    };
    let any = TaskFilter::default();
    assert_eq!(found(any.clone())?, [3, 2, 1]);
    let at_two = TaskFilter {
        conversation: Some(w.conversation_id(2)),
        ..any.clone()
    };
    assert_eq!(found(at_two)?, [2]);
    assert_eq!(
        found(TaskFilter {
            states: vec!["working"],
            ..any.clone()
        })?,
        [3, 1]
    );
    let states = vec!["done", "awaiting-clarification"];
    assert_eq!(
        found(TaskFilter {
            states,
            ..any.clone()
        })?,
        [2]
    );
    assert_eq!(
        found(TaskFilter {
            work_id: Some("INC-42".into()),
            ..any.clone()
        })?,
        [1]
    );
    assert_eq!(
        found(TaskFilter {
            own_roots: true,
            ..any.clone()
        })?,
        [1]
    );
    let debtor = Some(party("agent:coordinator"));
    assert_eq!(
        found(TaskFilter {
            debtor,
            ..any.clone()
        })?,
        [3, 1]
    );
    Ok(())
}

pub(super) fn tasks_by_filters_together(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let reader = bench.reader()?;
    let found = |filter: TaskFilter| {
        let page = reader.tasks(&ana(&w), &filter, None, 9);
        page.map(|page| numbers(&page.rows))
    };
    let all = TaskFilter {
        conversation: Some(w.conversation_id(1)),
        states: vec!["working"],
        asks_viewer: None,
        work_id: Some("INC-42".into()),
        own_roots: true,
        debtor: Some(party("agent:coordinator")),
        changed_after: Some(at(0)),
    };
    assert_eq!(found(all.clone())?, [1]);
    assert_eq!(
        found(TaskFilter {
            changed_after: Some(at(1)),
            ..all
        })?,
        [0_u32; 0]
    );
    assert_eq!(
        found(TaskFilter {
            changed_after: Some(at(1)),
            ..TaskFilter::default()
        })?,
        [3, 2]
    );
    Ok(())
}

pub(super) fn a_task_is_read_with_what_is_shown_of_it(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let reader = bench.reader()?;
    let whole = reader.task(&ana(&w), w.task_id(2))?;
    let whole = whole.map(|read| {
        (
            read.task,
            read.opening,
            read.result,
            read.open_ask,
            read.hops,
        )
    });
    let ask = Some((w.ask(), w.act(2, 2)));
    assert_eq!(
        whole,
        Some((w.task(2), w.act(2, 1), None, ask, vec![w.hop(2)]))
    );
    let children = reader.children(&ana(&w), w.task_id(1))?;
    assert_eq!(children, Some(vec![w.task(2)]));
    Ok(())
}

pub(super) fn acts_are_read_by_name_in_the_order_of_the_names(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let reader = bench.reader()?;
    let names = [
        w.act_id(3, 1),
        w.act_id(2, 77),
        w.act_id(1, 1),
        w.act_id(3, 1),
    ];
    let read = reader.acts_named(&ana(&w), &names)?;
    let third = Some(w.act(3, 1));
    assert_eq!(read, [third.clone(), None, Some(w.act(1, 1)), third]);
    assert!(reader.acts_named(&ana(&w), &[])?.is_empty());
    Ok(())
}

pub(super) fn a_task_is_at_rest_where_it_ended_or_waits_for_somebody(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let reader = bench.reader()?;
    let result = w.act_id(2, 2);
    let ask = w.ask_id();
    let states = [
        (TaskState::Queued, false),
        (TaskState::Working, false),
        (TaskState::Uncertain, false),
        (TaskState::Cancelling, false),
        (TaskState::AwaitingClarification { ask }, true),
        (TaskState::Done { result }, true),
        (TaskState::Failed { result }, true),
        (TaskState::Cancelled { result }, true),
        (TaskState::Refused { result }, true),
    ];
    for (n, (state, rests)) in (80..).zip(states) {
        assert_eq!(state.is_at_rest(), rests, "{state:?}");
        let made = task(&w, n, |task| task.now.state = state.clone());
        write(bench.store(), vec![made], T0)?;
        let found = reader.is_at_rest(&ana(&w), w.task_id(n))?;
        assert_eq!(found, Some(rests), "{state:?}");
    }
    Ok(())
}

pub(super) fn tasks_come_page_by_page_from_the_last_changed(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    // Pairs that changed at the same instant.
    let more = (40..48).map(|n| task(&w, n, |task| task.now.changed = at(i64::from(n / 2))));
    write(bench.store(), more.collect(), T0)?;
    let reader = bench.reader()?;
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = reader.tasks(&ana(&w), &TaskFilter::default(), cursor, 3)?;
        assert_eq!(page.total, Total { n: 11, more: false });
        assert!(page.rows.len() == 3 || page.next.is_none());
        seen.extend(numbers(&page.rows));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, [47, 46, 45, 44, 43, 42, 41, 40, 3, 2, 1]);
    Ok(())
}

pub(super) fn a_task_is_found_by_its_key_until_that_expires(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let mut second = w.receipt();
    (second.name, second.key) = ("key-2".into(), second.scope.key("key-2"));
    second.expires = Some(at(100));
    write(bench.store(), vec![second.into_change()], T0)?;
    let reader = bench.reader()?;
    let found = |key: &str, ms: i64| {
        let read = reader.task_by_key(&ana(&w), key, at(ms))?;
        Ok::<_, StoreError>(read.map(|read| read.task.id()))
    };
    assert_eq!(found("key-1", 1_000_000)?, Some(w.task_id(1)));
    assert_eq!(found("key-2", 99)?, Some(w.task_id(1)));
    assert_eq!(found("key-2", 100)?, None);
    assert_eq!(found("key-3", 0)?, None);
    Ok(())
}

pub(super) fn dead_letters_and_mailbox_page(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let dead = |task: &mut Task| {
        task.now.delivery = Delivery::Dead {
            reason: Reason::Expired,
            at: at(9),
        };
        task.now.state = TaskState::Failed {
            result: w.act_id(2, 2),
        };
    };
    let more = [
        task(&w, 40, dead),
        task(&w, 41, dead),
        task(&w, 42, dead),
        task(&w, 43, |_| {}),
    ];
    write(bench.store(), more.into(), T0)?;
    let reader = bench.reader()?;
    let olga = Viewer::new(w.tenant, party("user:olga"));
    let ids = |tasks: Vec<Task>| tasks.iter().map(|task| task.id().n).collect::<Vec<_>>();

    let first = reader.dead_letters(&olga, None, 2)?;
    assert_eq!((first.total.n, first.next), (3, Some(w.task_id(41))));
    assert_eq!(ids(first.rows), [42, 41]);
    let second = reader.dead_letters(&olga, first.next, 2)?;
    assert_eq!(
        (second.total.n, second.next, ids(second.rows)),
        (3, None, vec![40])
    );

    let Some(first) = reader.mailbox(&olga, "logs", None, 1)? else {
        return Err(StoreError::Broken("the owner sees no mailbox".into()));
    };
    assert_eq!(
        (first.total.n, first.next, ids(first.rows)),
        (2, Some(w.task_id(2)), vec![2])
    );
    let second = reader.mailbox(&olga, "logs", first.next, 1)?;
    assert_eq!(
        second.map(|page| (page.next, ids(page.rows))),
        Some((None, vec![43]))
    );
    Ok(())
}

pub(super) fn commitments_by_every_filter(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let mut older = w.commitment();
    older.id = CommitmentId::new(w.root, 5);
    older.debtor = "coordinator".into();
    older.status = tertulia_acts::commitment::CommitmentStatus::Violated;
    write(bench.store(), vec![older.clone().into_change()], T0)?;
    let reader = bench.reader()?;
    let found = |filter: CommitmentFilter| {
        reader
            .commitments(&ana(&w), &filter, None, 9)
            .map(|page| page.rows)
    };
    let any = CommitmentFilter::default();
    assert_eq!(found(any.clone())?, [w.commitment(), older.clone()]);
    assert_eq!(
        found(CommitmentFilter {
            root: Some(World::new(2).root),
            ..any.clone()
        })?,
        []
    );
    let status = Some("violated".to_owned());
    assert_eq!(
        found(CommitmentFilter {
            status,
            ..any.clone()
        })?,
        [older.clone()]
    );
    let debtor = Some("logs".to_owned());
    let root = Some(w.root);
    assert_eq!(
        found(CommitmentFilter {
            root,
            debtor,
            ..any.clone()
        })?,
        [w.commitment()]
    );
    let first = reader.commitments(&ana(&w), &any, None, 1)?;
    assert_eq!((first.total.n, first.next), (2, Some(w.commitment_id())));
    let second = reader.commitments(&ana(&w), &any, first.next, 1)?;
    assert_eq!((second.next, second.rows), (None, vec![older]));
    Ok(())
}

pub(super) fn inbox_from_a_cursor(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let reader = bench.reader()?;
    let read = |after: u32, limit: usize| {
        let read = reader.inbox(&ana(&w), after, limit)?;
        let numbers: Vec<_> = read.entries.iter().map(|one| one.entry.n).collect();
        Ok::<_, StoreError>((numbers, read.last))
    };
    assert_eq!(read(0, 1)?, (vec![1], 2));
    assert_eq!(read(1, 9)?, (vec![2], 2));
    assert_eq!(read(2, 9)?, (vec![], 2));
    let entries = reader.inbox(&ana(&w), 1, 9)?.entries;
    let brought: Vec<_> = entries.into_iter().map(|one| (one.act, one.ask)).collect();
    assert_eq!(brought, [(w.act(1, 2), Some(w.ask()))]);
    let nobody = Viewer::new(w.tenant, party("user:bob"));
    assert_eq!(reader.inbox(&nobody, 0, 9)?.last, 0);
    Ok(())
}

pub(super) fn a_page_ends_early_where_bodies_are_large(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    for seq in 3..=6 {
        let mut act = w.act(2, seq);
        act.body = Body::text("x".repeat(PAGE_BYTES / 3 + 1));
        write(bench.store(), vec![act.into_change()], T0)?;
    }
    let reader = bench.reader()?;
    let (viewer, at) = (ana(&w), w.conversation_id(2));
    let numbers = |acts: Option<Vec<Act>>| {
        let acts = acts.unwrap_or_default().into_iter();
        acts.map(|act| act.envelope.id.seq).collect::<Vec<_>>()
    };
    assert_eq!(numbers(reader.acts(&viewer, at, 2, 9)?), [3, 4, 5]);
    assert_eq!(numbers(reader.acts(&viewer, at, 5, 9)?), [6]);
    assert_eq!(numbers(reader.history(&viewer, at, 7, 9)?), [4, 5, 6]);
    Ok(())
}

pub(super) fn acts_and_events_from_a_cursor(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let reader = bench.reader()?;
    let (viewer, at, task) = (ana(&w), w.conversation_id(2), w.task_id(2));
    assert_eq!(reader.acts(&viewer, at, 0, 1)?, Some(vec![w.act(2, 1)]));
    assert_eq!(reader.acts(&viewer, at, 1, 9)?, Some(vec![w.act(2, 2)]));
    assert_eq!(reader.acts(&viewer, at, 2, 9)?, Some(vec![]));
    assert_eq!(
        reader.history(&viewer, at, 3, 9)?,
        Some(vec![w.act(2, 1), w.act(2, 2)])
    );
    assert_eq!(reader.history(&viewer, at, 3, 1)?, Some(vec![w.act(2, 2)]));
    assert_eq!(reader.act(&viewer, w.act_id(2, 2))?, Some(w.act(2, 2)));
    let events = reader.events_of_conversation(&viewer, at, 1, 9)?;
    let events = events.map(|read| (read.events, read.last));
    assert_eq!(events, Some((vec![w.event(2, 2)], 2)));
    let events = reader.events_of_task(&viewer, task, 0, 9)?;
    assert_eq!(
        events.map(|read| (read.events, read.last)),
        Some((vec![w.event(2, 2)], 1))
    );
    let steps = reader.steps(&viewer, task)?;
    assert_eq!(steps, Some(vec![w.step(1), w.step(2)]));
    assert_eq!(
        reader.artifact(&viewer, w.root, w.artifact().digest)?,
        Some(w.artifact())
    );
    Ok(())
}

pub(super) fn a_cursor_may_stand_between_events_that_were_written_together(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let (viewer, at, task) = (ana(&w), w.conversation_id(2), w.task_id(2));
    // The world has events 1 and 2, the second of which is the task's first. Of these, 5 is about no task.
    let events: Vec<Event> = [(3, 2), (4, 3), (5, 0), (6, 4), (7, 5)]
        .into_iter()
        .map(|(n, task_n)| Event {
            n,
            task: (task_n > 0).then_some(task),
            task_n,
            ..w.event(2, 2)
        })
        .collect();
    let changes = events.iter().cloned().map(Row::into_change);
    write(bench.store(), changes.collect(), T0)?;
    let reader = bench.reader()?;
    let numbers = |after, limit| {
        let read = reader.events_of_conversation(&viewer, at, after, limit)?;
        let read = read.map(|read| read.events).unwrap_or_default();
        Ok::<_, StoreError>(read.iter().map(|event| event.n).collect::<Vec<_>>())
    };
    assert_eq!(numbers(0, 9)?, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(numbers(1, 3)?, [2, 3, 4]);
    assert_eq!(numbers(4, 2)?, [5, 6]);
    assert_eq!(numbers(6, 9)?, [7]);
    assert!(numbers(7, 9)?.is_empty());
    assert!(numbers(0, 0)?.is_empty());
    let of_task = |after, limit| {
        let read = reader.events_of_task(&viewer, task, after, limit)?;
        Ok::<_, StoreError>(read.map(|read| read.events).unwrap_or_default())
    };
    let [third, fourth, _, sixth, seventh] = &events[..] else {
        panic!("five events");
    };
    let expected = [third, fourth, sixth, seventh];
    assert_eq!(of_task(1, 9)?.iter().collect::<Vec<_>>(), expected);
    assert_eq!(of_task(2, 2)?.iter().collect::<Vec<_>>(), expected[1..3]);
    Ok(())
}

pub(super) fn metrics_count_what_waits(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let w = World::build(1, bench.store())?;
    let pending = |task: &mut Task| {
        task.now.delivery = Delivery::Pending { due: at(0) };
        Arc::make_mut(&mut task.made).at = at(7);
    };
    let dead = |task: &mut Task| {
        task.now.delivery = Delivery::Dead {
            reason: Reason::Expired,
            at: at(9),
        };
        task.now.state = TaskState::Failed {
            result: w.act_id(2, 2),
        };
    };
    let redriven = |task: &mut Task| {
        dead(task);
        task.now.redriven_as = Some(w.task_id(90));
    };
    let more = [
        task(&w, 40, pending),
        task(&w, 41, dead),
        task(&w, 42, redriven),
    ];
    write(bench.store(), more.into(), T0)?;
    let mailbox = |agent: &str, pending: u64, taken: u64| MailboxMetrics {
        tenant: w.tenant,
        agent: agent.into(),
        pending,
        taken,
        oldest: (pending > 0).then(|| at(7)),
    };
    let metrics = bench.reader()?.metrics()?;
    // Neither a dead letter that was sent again, nor one who is no agent.
    assert_eq!(
        metrics,
        Metrics {
            mailboxes: vec![mailbox("coordinator", 0, 2), mailbox("logs", 1, 1)],
            dead_letters: 1,
            open_tasks: 4,
        }
    );
    Ok(())
}
