//! The sets that rules ask for, read as the rules read them: through a draft over loaded facts.

use std::sync::Arc;

use tertulia_acts::{
    ask::AskState,
    commitment::CommitmentStatus,
    conversation::ConversationState,
    digest::Ids,
    facts::{Change, Draft, Facts, Need, Row, Stop},
    ids::{AskId, CommitmentId, TaskId},
    slot::{Class, Head, Slot},
    task::{Task, TaskState},
};

use super::{
    Bench,
    world::{T0, World, at, digest, fingerprint, party},
    write,
};
use crate::{Store, StoreError};

/// What a rule reads after `need` was loaded.
fn read<T>(
    store: &mut dyn Store,
    need: &Need,
    read: impl FnOnce(&Draft<'_>) -> Result<T, Stop>,
) -> Result<T, StoreError> {
    let mut facts = Facts::default();
    store.load(std::slice::from_ref(need), &mut facts)?;
    let draft = Draft::new(&facts, at(100), Ids::new([0; 32]));
    read(&draft).map_err(|stop| StoreError::Broken(format!("{need:?} does not answer: {stop:?}")))
}

fn ids(tasks: &[Task]) -> Vec<TaskId> {
    tasks.iter().map(Task::id).collect()
}

/// Another task like `like`, under its own number.
fn another(w: &World, like: u32, n: u32, change: impl FnOnce(&mut Task)) -> Change {
    let mut task = w.task(like);
    let made = Arc::make_mut(&mut task.made);
    (made.id, made.commitment) = (w.task_id(n), None);
    task.now.hop = None;
    change(&mut task);
    task.into_change()
}

pub(super) fn open_children_of_a_task(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    World::build(2, store)?;
    let done = TaskState::Done {
        result: w.act_id(2, 2),
    };
    let more = vec![
        another(&w, 2, 40, |_| {}),
        another(&w, 2, 41, |task| task.now.state = done),
    ];
    write(store, more, T0)?;
    let parent = w.task_id(1);
    let children = read(store, &Need::Children(parent), |draft| {
        draft.children(parent)
    })?;
    assert_eq!(ids(&children), [w.task_id(2), w.task_id(40)]);
    Ok(())
}

pub(super) fn queue_of_a_slot_holds_its_open_tasks(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let done = TaskState::Done {
        result: w.act_id(2, 2),
    };
    let more = vec![
        another(&w, 2, 40, |_| {}),
        another(&w, 2, 41, |task| task.now.state = done),
        another(&w, 2, 42, |task| {
            Arc::make_mut(&mut task.made).debtor = party("agent:coordinator");
        }),
    ];
    write(store, more, T0)?;
    let at = w.conversation_id(2);
    let need = Need::Queue("logs".into(), at);
    let queue = read(store, &need, |draft| {
        // The hop tells whether the activation is ready.
        draft.hop(w.hop_id(12))?;
        draft.queue("logs", at)
    })?;
    assert_eq!(ids(&queue), [w.task_id(2), w.task_id(40)]);
    Ok(())
}

/// Slots of the specialist, one per conversation, with heads of a class and a due time.
fn slots(w: &World, heads: &[(u32, Class, i64)]) -> Vec<Change> {
    let mut changes = Vec::new();
    for &(n, class, due) in heads {
        let mut conversation = w.conversation(2);
        conversation.id = w.conversation_id(n);
        let head = Some(Head {
            class,
            due: at(due),
            task: w.task_id(n),
        });
        let slot = Slot {
            conversation: conversation.id,
            leased: None,
            head,
            ..w.slot()
        };
        let task = another(w, 2, n, |task| {
            Arc::make_mut(&mut task.made).conversation = w.conversation_id(n);
        });
        changes.extend([conversation.into_change(), slot.into_change(), task]);
    }
    changes
}

fn ready(w: &World, versions: Vec<tertulia_acts::digest::Digest>, limit: u32) -> Need {
    Need::Ready {
        tenant: w.tenant,
        agent: "logs".into(),
        versions,
        limit,
    }
}

/// The conversations of ready slots, in the order in which they go, with what they need known.
fn ready_in(store: &mut dyn Store, w: &World, need: &Need) -> Result<Vec<u32>, StoreError> {
    let Need::Ready {
        versions, limit, ..
    } = need
    else {
        return Ok(Vec::new());
    };
    read(store, need, |draft| {
        draft.need(need.clone())?;
        let admits = |version| Ok(versions.is_empty() || versions.contains(&version));
        let mut heads = Vec::new();
        for class in Class::ALL {
            heads.extend(draft.ready(w.tenant, "logs", class, *limit as usize, admits)?);
        }
        for (head, conversation) in &heads {
            assert_eq!(draft.task(head.task)?.made.conversation, *conversation);
            assert_eq!(
                draft.slot("logs", *conversation)?.map(|slot| slot.head),
                Some(Some(*head))
            );
            draft.conversation(*conversation)?;
            draft.root(w.root)?;
        }
        Ok(heads
            .into_iter()
            .map(|(_, conversation)| conversation.n)
            .collect())
    })
}

const HEADS: [(u32, Class, i64); 6] = [
    (51, Class::New, 10),
    (52, Class::New, 5),
    (53, Class::Resume, 90),
    (54, Class::Fold, 50),
    (55, Class::New, 20),
    (56, Class::Resume, 80),
];

pub(super) fn ready_slots_come_by_class_and_due_up_to_a_limit(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    // One without a head is not ready; that of conversation 2 is leased.
    let mut idle = slots(&w, &[(57, Class::New, 1)]);
    for change in &mut idle {
        if let Change::Slot(slot) = change {
            slot.head = None;
        }
    }
    write(store, [slots(&w, &HEADS), idle].concat(), T0)?;
    assert_eq!(
        ready_in(store, &w, &ready(&w, vec![], 2))?,
        [56, 53, 54, 52, 51]
    );
    assert_eq!(ready_in(store, &w, &ready(&w, vec![], 1))?, [56, 54, 52]);
    Ok(())
}

pub(super) fn ready_slots_are_all_known_where_there_are_no_more(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    write(store, slots(&w, &HEADS), T0)?;
    let mut facts = Facts::default();
    store.load(&[ready(&w, vec![], 3)], &mut facts)?;
    // Three new ones were found, and there may be a fourth.
    assert!(facts.knows(&ready(&w, vec![], 3)) && !facts.knows(&ready(&w, vec![], 4)));
    let mut facts = Facts::default();
    store.load(&[ready(&w, vec![], 4)], &mut facts)?;
    assert!(facts.knows(&ready(&w, vec![], 1_000)));
    facts.written();
    assert!(
        facts.knows(&ready(&w, vec![], 1_000)),
        "it stays known after a commit"
    );
    Ok(())
}

pub(super) fn ready_slots_are_of_the_versions_served(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let mut changes = slots(&w, &HEADS);
    for change in &mut changes {
        if let Change::Slot(slot) = change
            && slot.conversation.n != 52
        {
            slot.version = digest(if slot.conversation.n == 51 {
                "older"
            } else {
                "oldest"
            });
        }
    }
    write(store, changes, T0)?;
    let current = w.version("logs").digest;
    assert_eq!(ready_in(store, &w, &ready(&w, vec![current], 9))?, [52]);
    assert_eq!(
        ready_in(store, &w, &ready(&w, vec![digest("older"), current], 9))?,
        [52, 51]
    );
    assert_eq!(
        ready_in(store, &w, &ready(&w, vec![digest("unheard of")], 9))?,
        [0_u32; 0]
    );
    Ok(())
}

pub(super) fn open_asks_to_and_of_a_task(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let mut closed = w.ask();
    (closed.id, closed.state) = (AskId::new(w.root, 60), AskState::Closed);
    write(store, vec![closed.into_change()], T0)?;
    let (asker, addressee) = (w.task_id(2), w.task_id(1));
    let to = read(store, &Need::AsksTo(addressee), |draft| {
        draft.asks_to(addressee)
    })?;
    assert_eq!(to, [w.ask()]);
    let of = read(store, &Need::AsksOf(asker), |draft| draft.asks_of(asker))?;
    assert_eq!(of, [w.ask()]);
    let none = read(store, &Need::AsksOf(addressee), |draft| {
        draft.asks_of(addressee)
    })?;
    assert_eq!(none, []);
    Ok(())
}

pub(super) fn steps_of_a_task_by_ordinal(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let more = [12, 3, 11].map(|n| w.step(n).into_change());
    write(store, vec![w.task(2).into_change()], T0).expect_err("a task is made once");
    let mut facts = Facts::default();
    store.begin()?;
    store.load(&[Need::Task(w.task_id(2))], &mut facts)?;
    facts.apply(more.into());
    store.commit(&facts, at(1))?;
    let task = w.task_id(2);
    let steps = read(store, &Need::Steps(task), |draft| draft.steps(task))?;
    assert_eq!(steps, [1, 2, 3, 11, 12].map(|n| w.step(n)));
    Ok(())
}

pub(super) fn standing_conversation_of_a_pair_in_either_order(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let (a, b) = (party("agent:coordinator"), party("agent:logs"));
    let need = Need::Standing(w.root, a.clone(), b.clone());
    // The fold between the same two is no standing conversation.
    let found = read(store, &need, |draft| draft.standing(w.root, &b, &a))?;
    assert_eq!(found, Some(w.conversation(2)));

    // Opened by the other one, and the first closed.
    let mut closed = w.conversation(2);
    closed.state = ConversationState::Closed;
    let mut reversed = w.conversation(2);
    reversed.id = w.conversation_id(44);
    reversed.participants.reverse();
    let mut facts = Facts::default();
    store.begin()?;
    store.load(std::slice::from_ref(&need), &mut facts)?;
    facts.apply(vec![closed.into_change(), reversed.clone().into_change()]);
    store.commit(&facts, at(1))?;
    let found = read(store, &need, |draft| draft.standing(w.root, &a, &b))?;
    assert_eq!(found, Some(reversed));
    Ok(())
}

pub(super) fn conversation_by_the_alias_of_its_creator(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    World::build(2, store)?;
    let mut found = |creator: &str, other: &str, alias: &str| {
        let (creator, other) = (party(creator), party(other));
        let need = Need::Alias {
            tenant: w.tenant,
            creator: creator.clone(),
            other: other.clone(),
            alias: alias.into(),
        };
        read(store, &need, |draft| {
            draft.alias(w.tenant, &creator, &other, alias)
        })
    };
    assert_eq!(
        found("user:ana", "agent:coordinator", "INC-42")?,
        Some(w.conversation(1))
    );
    assert_eq!(found("user:bob", "agent:coordinator", "INC-42")?, None);
    assert_eq!(found("user:ana", "agent:logs", "INC-42")?, None);
    assert_eq!(found("user:ana", "agent:coordinator", "INC-43")?, None);
    Ok(())
}

pub(super) fn commitments_to_one_thing(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let mut earlier = w.commitment();
    earlier.id = CommitmentId::new(w.root, 5);
    earlier.status = CommitmentStatus::Released;
    let all = vec![earlier.clone(), w.commitment()];
    let mut other = w.commitment();
    other.id = CommitmentId::new(w.root, 70);
    other.fingerprint = fingerprint("agent:other");
    write(store, vec![earlier.into_change(), other.into_change()], T0)?;
    let fingerprint = fingerprint("agent:logs");
    let need = Need::Commitments(w.root, "logs".into(), fingerprint);
    let mut facts = Facts::default();
    store.load(std::slice::from_ref(&need), &mut facts)?;
    assert_eq!(facts.tables().commitments.len(), 2);
    let owed = read(store, &need, |draft| {
        draft.owed(w.root, "logs", fingerprint)
    })?;
    assert_eq!(owed, all);
    Ok(())
}

pub(super) fn directory_of_a_tenant(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    World::build(2, store)?;
    let names = read(store, &Need::Directory(w.tenant), |draft| {
        draft.directory(w.tenant)
    })?;
    assert_eq!(names, ["coordinator", "logs"]);
    Ok(())
}

pub(super) fn agent_with_workload_and_current_version(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let need = Need::Agent(w.tenant, "logs".into());
    let version = w.version("logs");
    let found = read(store, &need, |draft| {
        Ok((
            draft.agent(w.tenant, "logs")?,
            draft.workload(w.tenant, "logs")?,
            draft.version(w.tenant, "logs", version.digest)?,
        ))
    })?;
    assert_eq!(found, (Some(w.agent("logs")), w.workload(), Some(version)));
    Ok(())
}

pub(super) fn token_brings_all_that_settling_looks_at(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let w = World::build(1, store)?;
    let lease = w.lease();
    // One load: whatever else were needed would stop the draft.
    read(store, &Need::Token(lease.token), |draft| {
        assert_eq!(draft.find_lease(lease.token)?, Some(lease.clone()));
        assert_eq!(draft.hop(lease.hop)?, w.hop(2));
        assert_eq!(draft.task(lease.task)?, w.task(2));
        assert_eq!(draft.root(w.root)?, w.root_row());
        assert_eq!(draft.conversation(w.conversation_id(2))?, w.conversation(2));
        assert_eq!(draft.slot("logs", w.conversation_id(2))?, Some(w.slot()));
        let version = w.version("logs");
        assert_eq!(
            draft.version(w.tenant, "logs", version.digest)?,
            Some(version)
        );
        assert_eq!(draft.task(w.task_id(1))?, w.task(1));
        assert_eq!(draft.hop(w.hop_id(11))?, w.hop(1));
        assert_eq!(draft.slot("coordinator", w.conversation_id(1))?, None);
        assert_eq!(draft.commitment(w.commitment_id())?, w.commitment());
        assert_eq!(draft.find_group(w.group_id())?, Some(w.group()));
        Ok(())
    })
}
