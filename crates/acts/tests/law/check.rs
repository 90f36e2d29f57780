//! What holds after every command, recomputed from the rows themselves.

use std::collections::{BTreeMap, BTreeSet};

use tertulia_acts::{
    ask::{Addressee, AskState},
    delivery::Delivery,
    event::EventKind,
    facts::{Facts, Tables},
    group::{Group, GroupState},
    hop::{Activation, Wait},
    ids::{HopId, TaskId},
    lease::{LeaseEnd, LeaseState},
    performative::Performative,
    receipt::Scope,
    slot::{Class, Head},
    task::{Task, TaskState},
    time::Timestamp,
};

/// Every invariant.
pub(crate) fn all(facts: &Facts, now: Timestamp) {
    let t = facts.tables();
    i04_hops_are_accounted_for(t);
    i07_one_live_lease(t);
    i10_one_binding_commitment(t);
    deliveries_and_states_agree(t);
    results(t);
    counters(t);
    logs_have_no_gaps(t);
    heads(t);
    groups(t);
    steps(t);
    keys(t);
    nobody_sleeps_through(t);
    for task in t.tasks.rows() {
        assert!(task.made.at <= now && task.now.changed <= now, "{task:?}");
    }
}

/// I12: what ended stays as it ended.
pub(crate) fn ended_stay_ended(facts: &Facts, ended: &mut BTreeMap<TaskId, TaskState>) {
    for task in facts.tables().tasks.rows().filter(|task| !task.is_open()) {
        let before = ended
            .entry(task.id())
            .or_insert_with(|| task.now.state.clone());
        assert_eq!(*before, task.now.state, "I12: {}", task.id());
    }
}

/// I4: one `activated` event and one opening ledger entry per hop, and no hop is named that is not there.
fn i04_hops_are_accounted_for(t: &Tables) {
    let mut activated: BTreeMap<String, usize> = BTreeMap::new();
    for event in t.events.rows() {
        if event.kind == EventKind::TaskActivated {
            let hop = event.detail["hop"].as_str().unwrap().to_owned();
            *activated.entry(hop).or_default() += 1;
        }
    }
    assert_eq!(activated.len(), t.hops.len(), "I4: events of no hop");
    assert_eq!(t.ledger.len(), t.hops.len(), "I4: ledger entries of no hop");
    for hop in t.hops.rows() {
        assert_eq!(
            activated.get(&hop.id.to_string()),
            Some(&1),
            "I4: {}",
            hop.id
        );
        assert!(t.ledger.get(&(hop.id, 0)).is_some(), "I4: {}", hop.id);
    }
    let named = t.acts.rows().filter_map(|act| act.envelope.hop);
    let above = t
        .tasks
        .rows()
        .flat_map(|task| task.made.genealogy.hops().iter().map(|hop| hop.hop));
    let leased = t.leases.rows().map(|lease| lease.hop);
    let late = t.late_results.rows().map(|late| late.hop);
    let asked = t.asks.rows().map(|ask| ask.hop);
    let all: BTreeSet<HopId> = named
        .chain(above)
        .chain(leased)
        .chain(late)
        .chain(asked)
        .collect();
    for hop in all {
        assert!(t.hops.get(&hop).is_some(), "I4: {hop} is named, and absent");
    }
}

/// I7: at most one live lease per agent and conversation, and slot, hop and lease say the same of it.
fn i07_one_live_lease(t: &Tables) {
    let mut held = BTreeMap::new();
    for lease in t.leases.rows().filter(|l| l.state == LeaseState::Live) {
        let hop = t.hops.get(&lease.hop).unwrap();
        let key = (hop.agent.clone(), hop.conversation);
        let before = held.insert(key, hop.id);
        assert_eq!(
            before, None,
            "I7: two live leases in {} of {}",
            hop.conversation, hop.agent
        );
        let expected = Activation::Leased {
            lease: lease.id,
            token: lease.token,
        };
        assert_eq!(hop.state, expected, "I7: {}", hop.id);
    }
    for hop in t.hops.rows() {
        if let Activation::Leased { token, .. } = &hop.state {
            let lease = t.leases.get(token).unwrap();
            assert_eq!(lease.state, LeaseState::Live, "I7: {}", hop.id);
        }
    }
    for slot in t.slots.rows() {
        let key = (slot.agent.clone(), slot.conversation);
        assert_eq!(slot.leased, held.remove(&key), "I7: slot {key:?}");
    }
    assert!(held.is_empty(), "I7: leases without a slot: {held:?}");
}

/// I10: one conditional or active commitment per root, debtor and fingerprint; it binds as long as its task is open.
fn i10_one_binding_commitment(t: &Tables) {
    let mut binding = BTreeSet::new();
    for row in t.commitments.rows() {
        let task = t.tasks.get(&row.task).unwrap();
        assert_eq!(task.made.commitment, Some(row.id));
        assert_eq!(
            row.status.binds(),
            task.is_open(),
            "{} is {:?} and its task {}",
            row.id,
            row.status,
            task.now.state.name()
        );
        if row.status.binds() {
            let key = (row.id.root, row.debtor.clone(), row.fingerprint);
            assert!(binding.insert(key), "I10: {}", row.id);
        }
    }
    for task in t.tasks.rows().filter(|task| task.is_open()) {
        let request = task.made.performative == Performative::Request;
        assert_eq!(
            task.made.commitment.is_some(),
            request,
            "I10: {}",
            task.id()
        );
    }
}

/// The delivery, the activation and the state of a task tell one story.
fn deliveries_and_states_agree(t: &Tables) {
    for task in t.tasks.rows() {
        let hop = task.now.hop.map(|hop| t.hops.get(&hop).unwrap());
        let live = hop.is_some_and(|hop| hop.state.is_live());
        let id = task.id();
        match &task.now.delivery {
            Delivery::Pending { .. } => assert!(task.is_open() && !live, "{id}: {task:?}"),
            Delivery::Taken => assert!(task.is_open() && live, "{id}: {hop:?}"),
            Delivery::None => assert!(!task.is_open() && hop.is_none(), "{id}"),
            Delivery::Processed | Delivery::Dead { .. } => {
                assert!(!task.is_open() && !live, "{id}");
            }
            Delivery::Held => panic!("{id}: nothing is held yet"),
        }
        let asks: Vec<_> = t
            .asks
            .rows()
            .filter(|ask| ask.asker == id && ask.state == AskState::Open)
            .map(|ask| ask.id)
            .collect();
        match &task.now.state {
            TaskState::Queued => assert!(task.now.attempts == 0 && asks.is_empty(), "{id}"),
            TaskState::Working | TaskState::AwaitingAuthorization => {
                assert!(task.now.attempts > 0 && asks.is_empty(), "{id}: {asks:?}");
            }
            TaskState::AwaitingClarification { ask } => {
                assert!(asks.contains(ask), "{id}: {asks:?}");
            }
            state => assert!(state.is_terminal() && asks.is_empty(), "{id}: {asks:?}"),
        }
        if task.now.state == TaskState::AwaitingAuthorization
            && let Some(above) = task.made.parent
        {
            let above = t.tasks.get(&above).unwrap();
            assert_ne!(
                above.now.state,
                TaskState::Working,
                "{id} waits, not so the one above"
            );
        }
        let attempts = t.hops.rows().filter(|hop| hop.task == id).count();
        assert_eq!(attempts, task.now.attempts as usize, "{id}");
    }
}

/// Every ended task has exactly one result: the act that its state names, the last that is about it (I5, I8).
fn results(t: &Tables) {
    let mut ends: BTreeMap<TaskId, usize> = BTreeMap::new();
    for event in t.events.rows() {
        let terminal = ["done", "refused", "failed", "cancelled"];
        let state = event.detail.get("state").and_then(|state| state.as_str());
        if event.kind == EventKind::TaskState
            && state.is_some_and(|state| terminal.contains(&state))
        {
            *ends.entry(event.task.unwrap()).or_default() += 1;
        }
    }
    for task in t.tasks.rows() {
        let id = task.id();
        let Some(result) = task.now.state.result() else {
            assert_eq!(ends.get(&id), None, "{id} is open and ended");
            continue;
        };
        assert_eq!(ends.get(&id), Some(&1), "{id} ended so often");
        let act = &t.acts.get(&result).unwrap().envelope;
        assert_eq!(act.task, Some(id));
        assert_eq!(act.in_reply_to, Some(task.made.opening));
        let expected = match task.now.state {
            TaskState::Done { .. } => Performative::Inform,
            TaskState::Refused { .. } => Performative::Refuse,
            TaskState::Failed { .. } => Performative::Failure,
            _ => Performative::Cancel,
        };
        assert_eq!(act.performative, expected, "{id}");
        let later = t.acts.rows().find(|later| {
            let about = later.envelope.task == Some(id);
            about && later.envelope.id.seq > result.seq
        });
        assert_eq!(later, None, "{id} goes on after its result");
        if task.made.requester.is_principal() {
            let brought = t
                .inbox_entries
                .rows()
                .filter(|entry| entry.act == result && entry.principal == task.made.requester)
                .count();
            assert_eq!(
                brought, 1,
                "I5: {id} and the inbox of {}",
                task.made.requester
            );
        }
        if let Delivery::Dead { .. } = task.now.delivery {
            assert_eq!(act.performative, Performative::Failure, "I5: {id}");
        }
    }
}

/// Counters equal what they count.
fn counters(t: &Tables) {
    let open: Vec<&Task> = t.tasks.rows().filter(|task| task.is_open()).collect();
    for root in t.roots.rows() {
        let count = open.iter().filter(|task| task.id().root == root.id).count();
        assert_eq!(root.open_tasks as usize, count, "{}", root.id);
        let mut tops = t
            .tasks
            .rows()
            .filter(|task| task.id().root == root.id && task.made.parent.is_none());
        let ended = tops.next().is_none_or(|top| !top.is_open());
        assert_eq!(root.ended.is_some(), ended, "{}", root.id);
        assert!(tops.next().is_none(), "{} has two tops", root.id);
    }
    for conversation in t.conversations.rows() {
        let count = open
            .iter()
            .filter(|task| task.made.conversation == conversation.id)
            .count();
        assert_eq!(
            conversation.open_tasks as usize, count,
            "{}",
            conversation.id
        );
    }
    for load in t.workloads.rows() {
        let of = |tenant, name: &str| tenant == load.tenant && name == load.agent;
        let count = open
            .iter()
            .filter(|task| of(task.made.tenant, task.made.debtor.name()))
            .count();
        assert_eq!(load.open as usize, count, "open of {}", load.agent);
        let leased = t
            .hops
            .rows()
            .filter(|hop| of(hop.tenant, &hop.agent))
            .filter(|hop| matches!(hop.state, Activation::Leased { .. }))
            .filter(|hop| !t.tasks.get(&hop.task).unwrap().is_fold())
            .count();
        assert_eq!(load.leased as usize, leased, "leased of {}", load.agent);
    }
}

fn logs_have_no_gaps(t: &Tables) {
    for conversation in t.conversations.rows() {
        let acts = t
            .acts
            .rows()
            .filter(|act| act.envelope.id.conversation == conversation.id)
            .map(|act| act.envelope.id.seq);
        assert!(
            acts.eq(1..=conversation.last_seq),
            "acts of {}",
            conversation.id
        );
        let events = t
            .events
            .rows()
            .filter(|event| event.conversation == conversation.id)
            .map(|event| event.n);
        assert!(
            events.eq(1..=conversation.last_event),
            "events of {}",
            conversation.id
        );
    }
    for task in t.tasks.rows() {
        let mut events: Vec<u32> = t
            .events
            .rows()
            .filter(|event| event.task == Some(task.id()))
            .map(|event| event.task_n)
            .collect();
        events.sort_unstable();
        assert!(
            events.into_iter().eq(1..=task.now.last_event),
            "events of {}",
            task.id()
        );
    }
    for inbox in t.inboxes.rows() {
        let entries = t
            .inbox_entries
            .rows()
            .filter(|entry| entry.principal == inbox.principal && entry.tenant == inbox.tenant)
            .map(|entry| entry.n);
        assert!(entries.eq(1..=inbox.last), "inbox of {}", inbox.principal);
    }
}

/// The head of a free slot: ready activations first, oldest task first; then the first pending delivery by sequence.
fn heads(t: &Tables) {
    for slot in t.slots.rows().filter(|slot| slot.leased.is_none()) {
        let mut queue: Vec<&Task> = t
            .tasks
            .rows()
            .filter(|task| {
                task.is_open()
                    && task.made.conversation == slot.conversation
                    && task.made.debtor.name() == slot.agent
            })
            .collect();
        queue.sort_by_key(|task| task.made.opening.seq);
        let ready = queue.iter().find(|task| {
            let hop = task.now.hop.map(|hop| t.hops.get(&hop).unwrap());
            hop.is_some_and(|hop| hop.state == Activation::Ready)
        });
        let pending = queue.iter().find_map(|task| match task.now.delivery {
            Delivery::Pending { due } => Some((task, due)),
            _ => None,
        });
        let expected = match (ready, pending) {
            (Some(task), _) | (None, Some((task, _))) if task.is_fold() => {
                Some((Class::Fold, task.id()))
            }
            (Some(task), _) => Some((Class::Resume, task.id())),
            (None, Some((task, _))) => Some((Class::New, task.id())),
            (None, None) => None,
        };
        let head = slot.head.map(|head: Head| (head.class, head.task));
        assert_eq!(head, expected, "{} in {}", slot.agent, slot.conversation);
        if let (None, Some((_, due))) = (ready, pending) {
            assert_eq!(slot.head.map(|head| head.due), Some(due));
        }
    }
}

/// A group counts its branches that ended, and has fired exactly if it had to.
fn groups(t: &Tables) {
    for group in t.groups.rows() {
        let branches: Vec<&Task> = group
            .branches
            .iter()
            .map(|id| t.tasks.get(id).unwrap())
            .collect();
        let ended = branches.iter().filter(|task| !task.is_open()).count();
        let results = branches
            .iter()
            .filter(|task| matches!(task.now.state, TaskState::Done { .. }))
            .count();
        assert_eq!(group.ended as usize, ended, "{}: {group:?}", group.id);
        assert_eq!(group.results as usize, results, "{}: {group:?}", group.id);
        if group.state == GroupState::Open {
            assert_eq!(group.fires(), None, "{} should have fired", group.id);
        }
    }
}

fn steps(t: &Tables) {
    let mut made: BTreeMap<TaskId, Vec<u32>> = BTreeMap::new();
    for receipt in t.receipts.rows() {
        if let Scope::Step { task, ordinal, .. } = receipt.scope {
            made.entry(task).or_default().push(ordinal);
        }
    }
    for task in t.tasks.rows() {
        let mut ordinals = made.remove(&task.id()).unwrap_or_default();
        ordinals.sort_unstable();
        assert!(
            ordinals.into_iter().eq(1..=task.now.steps),
            "steps of {}",
            task.id()
        );
    }
}

/// A key is remembered without end while its task is open, and only so long.
fn keys(t: &Tables) {
    for receipt in t.receipts.rows() {
        if matches!(receipt.scope, Scope::Key { .. }) {
            let task = receipt.outcome.opened().map(|id| t.tasks.get(&id).unwrap());
            let open = task.is_some_and(Task::is_open);
            assert_eq!(receipt.expires.is_none(), open, "key `{}`", receipt.name);
        }
    }
}

/// A parked activation waits for something that is not there yet, and for nobody who waits for it.
fn nobody_sleeps_through(t: &Tables) {
    for hop in t.hops.rows() {
        let Activation::Parked { on } = &hop.state else {
            continue;
        };
        let met = match on {
            Wait::Tasks { tasks } => tasks.iter().all(|id| !t.tasks.get(id).unwrap().is_open()),
            Wait::Group { group, seen } => {
                t.groups.get(group).is_none_or(|g: &Group| g.is_met(*seen))
            }
            Wait::Ask { ask } => t.asks.get(ask).unwrap().state != AskState::Open,
        };
        assert!(!met, "{} sleeps though {on:?} is there", hop.id);
        // One may wait for an answer to pass it on.
        let asked = t
            .asks
            .rows()
            .filter(|_| !matches!(on, Wait::Ask { .. }))
            .find(|ask| {
                let asker = t.tasks.get(&ask.asker).unwrap();
                ask.state == AskState::Open
                    && asker.is_open()
                    && ask.addressee == Addressee::Task(hop.task)
            });
        assert_eq!(asked, None, "{} sleeps though it is asked", hop.id);
    }
    for lease in t.leases.rows() {
        let hop = &t.hops.get(&lease.hop).unwrap().state;
        match &lease.state {
            LeaseState::Ended {
                by: LeaseEnd::Swept,
                ..
            } => assert_eq!(*hop, Activation::Lost, "{}", lease.id),
            LeaseState::Ended {
                by: LeaseEnd::Settled,
                ..
            } => {
                assert!(
                    matches!(hop, Activation::Settled | Activation::Lost),
                    "{}: {hop:?}",
                    lease.id
                );
            }
            _ => {}
        }
    }
}
