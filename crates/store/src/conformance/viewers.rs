//! Who may see what (SEMANTICS 13; I15): every read, for every kind of viewer.

use std::sync::Arc;

use tertulia_acts::{
    delivery::Delivery,
    facts::Row,
    ids::{TaskId, TenantId},
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
    Reader, StoreError,
    read::{CommitmentFilter, TaskFilter},
};

/// A read, and whether it showed something.
type Shown = (&'static str, bool);

/// Every read of a world's task `n` and what hangs on it, with whether it shows something.
fn shown(reader: &Reader, viewer: &Viewer, w: &World, n: u32) -> Result<Vec<Shown>, StoreError> {
    let (task, at) = (w.task_id(n), w.conversation_id(n));
    Ok(vec![
        ("task", reader.task(viewer, task)?.is_some()),
        ("is_at_rest", reader.is_at_rest(viewer, task)?.is_some()),
        ("tree", reader.tree(viewer, task)?.is_some()),
        ("children", reader.children(viewer, task)?.is_some()),
        ("conversation", reader.conversation(viewer, at)?.is_some()),
        ("acts", reader.acts(viewer, at, 0, 9)?.is_some()),
        ("history", reader.history(viewer, at, 9, 9)?.is_some()),
        ("act", reader.act(viewer, w.act_id(n, 1))?.is_some()),
        (
            "acts_named",
            reader.acts_named(viewer, &[w.act_id(n, 1)])?[0].is_some(),
        ),
        ("hop", reader.hop(viewer, w.hop_id(10 + n))?.is_some()),
        ("steps", reader.steps(viewer, task)?.is_some()),
        ("ledger", reader.ledger(viewer, task)?.is_some()),
        ("late_results", reader.late_results(viewer, task)?.is_some()),
        (
            "events_of_task",
            reader.events_of_task(viewer, task, 0, 9)?.is_some(),
        ),
        (
            "events_of_conversation",
            reader.events_of_conversation(viewer, at, 0, 9)?.is_some(),
        ),
    ])
}

/// The reads of a world that name no task, with whether they show something of it.
fn shown_besides(reader: &Reader, viewer: &Viewer, w: &World) -> Result<Vec<Shown>, StoreError> {
    let filter = CommitmentFilter {
        root: Some(w.root),
        ..CommitmentFilter::default()
    };
    let alias = reader.conversation_by_alias(viewer, &party("agent:coordinator"), "INC-42")?;
    let tasks = reader.tasks(viewer, &TaskFilter::default(), None, 99)?.rows;
    let asks = reader.asks_open_for(viewer)?;
    let dead = reader.dead_letters(viewer, None, 9)?;
    let by_key = reader.task_by_key(viewer, "key-1", at(2))?;
    let entries = reader.inbox(viewer, 0, 9)?.entries;
    Ok(vec![
        ("tasks", tasks.iter().any(|read| read.root.id == w.root)),
        (
            "commitments",
            !reader
                .commitments(viewer, &filter, None, 9)?
                .rows
                .is_empty(),
        ),
        ("group", reader.group(viewer, w.group_id())?.is_some()),
        ("ask", reader.ask(viewer, w.ask_id())?.is_some()),
        (
            "asks_open_for",
            asks.iter().any(|(ask, _)| ask.id.root == w.root),
        ),
        (
            "artifact",
            reader
                .artifact(viewer, w.root, w.artifact().digest)?
                .is_some(),
        ),
        ("alias", alias.is_some_and(|found| found.id.root == w.root)),
        (
            "dead_letters",
            dead.rows.iter().any(|task| task.id().root == w.root),
        ),
        (
            "task_by_key",
            by_key.is_some_and(|read| read.root.id == w.root),
        ),
        (
            "inbox",
            entries.iter().any(|read| read.act.envelope.root == w.root),
        ),
    ])
}

/// Everything of a world that is shown.
fn everything(reader: &Reader, viewer: &Viewer, w: &World) -> Result<Vec<Shown>, StoreError> {
    let mut all = shown_besides(reader, viewer, w)?;
    for n in 1..=3 {
        all.extend(shown(reader, viewer, w, n)?);
    }
    Ok(all)
}

fn only(all: Vec<Shown>, wanted: bool) -> Vec<&'static str> {
    all.into_iter()
        .filter(|(_, shown)| *shown == wanted)
        .map(|(read, _)| read)
        .collect()
}

/// Two worlds with the same names in two tenants, with a dead letter in each.
fn worlds(bench: &mut dyn Bench) -> Result<(World, World, Reader), StoreError> {
    let store = bench.store();
    let (one, two) = (World::build(1, store)?, World::build(2, store)?);
    for w in [&one, &two] {
        let mut dead = w.task(2);
        let made = Arc::make_mut(&mut dead.made);
        made.id = TaskId::new(w.root, 80);
        let reason = Reason::Expired;
        dead.now.delivery = Delivery::Dead { reason, at: at(9) };
        let result = w.act_id(2, 2);
        dead.now.state = TaskState::Failed { result };
        write(store, vec![dead.into_change()], T0)?;
    }
    let reader = bench.reader()?;
    Ok((one, two, reader))
}

pub(super) fn i15_what_is_foreign_looks_absent_to_every_read(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let (one, two, reader) = worlds(bench)?;
    let parties = [
        "user:ana",
        "user:olga",
        "agent:coordinator",
        "agent:logs",
        "service:ci",
    ];
    for text in parties {
        let viewer = Viewer::new(two.tenant, party(text));
        assert_eq!(
            only(everything(&reader, &viewer, &one)?, true),
            [""; 0],
            "{text}"
        );
        // With the hop of its own world too.
        let viewer = Viewer {
            task: Some(two.task_id(1)),
            ..viewer
        };
        assert_eq!(
            only(everything(&reader, &viewer, &one)?, true),
            [""; 0],
            "{text} at work"
        );
        // Even a hop of the foreign world does not help a viewer of this tenant.
        let viewer = Viewer {
            task: Some(one.task_id(1)),
            ..viewer
        };
        assert_eq!(
            only(everything(&reader, &viewer, &one)?, true),
            [""; 0],
            "{text} astray"
        );
    }
    let stranger = Viewer::new(TenantId(3), party("user:ana"));
    assert!(reader.agents(stranger.tenant)?.is_empty());
    assert_eq!(reader.agent(stranger.tenant, "logs")?, None);
    assert_eq!(
        reader.principal(stranger.tenant, &party("service:ci"))?,
        None
    );
    let digest = one.version("logs").digest;
    assert_eq!(reader.version(stranger.tenant, "logs", digest)?, None);
    assert!(reader.versions(stranger.tenant, "logs")?.is_empty());
    assert!(reader.mailbox(&stranger, "logs", None, 9)?.is_none());
    Ok(())
}

pub(super) fn i15_a_stranger_of_the_same_tenant_sees_nothing(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let (one, _, reader) = worlds(bench)?;
    for text in ["user:bob", "service:ci", "agent:deployments"] {
        let viewer = Viewer::new(one.tenant, party(text));
        assert_eq!(
            only(everything(&reader, &viewer, &one)?, true),
            [""; 0],
            "{text}"
        );
        assert!(
            reader.mailbox(&viewer, "logs", None, 9)?.is_none(),
            "{text}"
        );
    }
    Ok(())
}

pub(super) fn the_principal_of_the_root_sees_everything_under_it(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let (one, _, reader) = worlds(bench)?;
    let ana = Viewer::new(one.tenant, party("user:ana"));
    // The open ask is addressed to the coordinator's task, not to Ana.
    assert_eq!(
        only(everything(&reader, &ana, &one)?, false),
        ["asks_open_for"]
    );
    let tree = reader.tree(&ana, one.task_id(2))?;
    let tree = tree.map(|tree| (tree.tasks.len(), tree.hops, tree.groups, tree.conversations));
    let hops = [1, 2, 3].map(|n| one.hop(n)).to_vec();
    let conversations = [1, 2, 3].map(|n| one.conversation(n)).to_vec();
    assert_eq!(tree, Some((4, hops, vec![one.group()], conversations)));
    // But her agents' mailboxes are their owner's.
    assert!(reader.mailbox(&ana, "logs", None, 9)?.is_none());
    Ok(())
}

pub(super) fn an_agent_sees_the_conversations_that_it_is_pinned_in(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let (one, _, reader) = worlds(bench)?;
    let logs = Viewer::new(one.tenant, party("agent:logs"));
    // Of the ancestor's task and conversation nothing.
    assert_eq!(only(shown(&reader, &logs, &one, 1)?, true), [""; 0]);
    assert_eq!(only(shown(&reader, &logs, &one, 2)?, false), [""; 0]);
    assert_eq!(only(shown(&reader, &logs, &one, 3)?, false), [""; 0]);
    let besides = only(shown_besides(&reader, &logs, &one)?, true);
    // The artifact was brought in conversation 2; its own dead letter.
    assert_eq!(
        besides,
        ["tasks", "commitments", "ask", "artifact", "dead_letters"]
    );
    // The tree is cut to what it may see.
    let tree = reader.tree(&logs, one.task_id(2))?;
    let tree = tree.map(|tree| {
        tree.tasks
            .iter()
            .map(|task| task.id().n)
            .collect::<Vec<_>>()
    });
    assert_eq!(tree, Some(vec![2, 3, 80]));
    Ok(())
}

pub(super) fn a_hop_sees_its_children_and_what_it_consults(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let (one, _, reader) = worlds(bench)?;
    // A party that takes part nowhere, so that only the hop can show it something.
    let nobody = Viewer::new(one.tenant, party("agent:deployments"));
    let parent = Viewer {
        task: Some(one.task_id(1)),
        ..nobody.clone()
    };
    assert_eq!(only(shown(&reader, &parent, &one, 1)?, true), [""; 0]);
    assert_eq!(only(shown(&reader, &parent, &one, 2)?, false), [""; 0]);
    assert_eq!(only(shown(&reader, &parent, &one, 3)?, true), [""; 0]);
    // An ask addressed to its task is its own.
    let asks = reader.asks_open_for(&parent)?;
    assert_eq!(asks, [(one.ask(), one.act(2, 2))]);
    // Task 3 is a fold on task 1: it reads conversation 1, if it is the one asked.
    let fold = Viewer {
        task: Some(one.task_id(3)),
        ..nobody
    };
    assert!(
        reader
            .conversation(&fold, one.conversation_id(1))?
            .is_none()
    );
    let consulted = Viewer {
        party: party("agent:coordinator"),
        ..fold
    };
    assert!(
        reader
            .conversation(&consulted, one.conversation_id(1))?
            .is_some()
    );
    Ok(())
}

pub(super) fn only_the_consultation_itself_sees_what_is_consulted(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let (one, _) = (World::build(1, store)?, World::build(2, store)?);
    // Two tasks of one agent in the conversation that consults conversation 1. Only the second is the consultation.
    let tasks = [(90, None), (91, Some(one.task_id(1)))].map(|(n, folded_on)| {
        let mut task = one.task(3);
        let made = Arc::make_mut(&mut task.made);
        made.id = TaskId::new(one.root, n);
        made.debtor = party("agent:deployments");
        made.folded_on = folded_on;
        task.into_change()
    });
    write(store, tasks.to_vec(), T0)?;
    let reader = bench.reader()?;
    let sees = |n: u32| -> Result<bool, StoreError> {
        let viewer = Viewer {
            task: Some(TaskId::new(one.root, n)),
            ..Viewer::new(one.tenant, party("agent:deployments"))
        };
        let history = reader.history(&viewer, one.conversation_id(1), 9, 9)?;
        let conversation = reader.conversation(&viewer, one.conversation_id(1))?;
        assert_eq!(history.is_some(), conversation.is_some(), "task {n}");
        Ok(conversation.is_some())
    };
    assert!(!sees(90)?, "it takes part in the conversation, no more");
    assert!(sees(91)?);
    Ok(())
}

pub(super) fn a_mailbox_is_seen_by_the_agent_and_its_owner(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let (one, _, reader) = worlds(bench)?;
    for text in ["agent:logs", "user:olga"] {
        let viewer = Viewer::new(one.tenant, party(text));
        let mailbox = reader.mailbox(&viewer, "logs", None, 9)?;
        assert_eq!(
            mailbox.map(|page| page.rows),
            Some(vec![one.task(2)]),
            "{text}"
        );
        let dead = reader.dead_letters(&viewer, None, 9)?.rows;
        let dead: Vec<_> = dead.iter().map(Task::id).collect();
        assert_eq!(dead, [one.task_id(80)], "{text}");
    }
    // The owner sees the listing, not the conversation.
    let olga = Viewer::new(one.tenant, party("user:olga"));
    assert_eq!(only(shown(&reader, &olga, &one, 2)?, true), [""; 0]);
    let coordinator = Viewer::new(one.tenant, party("agent:coordinator"));
    assert!(reader.mailbox(&coordinator, "logs", None, 9)?.is_none());
    Ok(())
}

pub(super) fn a_revoked_key_authenticates_nobody(bench: &mut dyn Bench) -> Result<(), StoreError> {
    let store = bench.store();
    let (one, two) = (World::build(1, store)?, World::build(2, store)?);
    let mut revoked = one.key();
    (revoked.digest, revoked.revoked) = (one.secret("revoked"), Some(at(1)));
    write(store, vec![revoked.into_change()], T0)?;
    let reader = bench.reader()?;
    assert_eq!(
        reader.authenticate(one.secret("key"))?,
        Some((one.key(), one.tenant()))
    );
    assert_eq!(
        reader.authenticate(two.secret("key"))?,
        Some((two.key(), two.tenant()))
    );
    assert_eq!(reader.authenticate(one.secret("revoked"))?, None);
    assert_eq!(reader.authenticate(one.secret("unheard of"))?, None);
    let token = reader.hop_by_token(one.secret("token"))?;
    assert_eq!(token, Some((one.lease(), one.hop(2))));
    assert_eq!(reader.hop_by_token(one.secret("unheard of"))?, None);
    Ok(())
}

pub(super) fn keys_are_seen_by_their_bearer_and_the_owner_of_their_agent(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let (one, _) = (World::build(1, store)?, World::build(2, store)?);
    let mut of_agent = one.key();
    (of_agent.digest, of_agent.party) = (one.secret("agent's"), party("agent:logs"));
    (of_agent.made, of_agent.revoked) = (at(7), Some(at(8)));
    write(store, vec![of_agent.clone().into_change()], T0)?;
    let reader = bench.reader()?;
    let seen = |text: &str| reader.keys(&Viewer::new(one.tenant, party(text)));
    assert_eq!(seen("user:ana")?, [one.key()]);
    assert_eq!(seen("user:olga")?, [of_agent.clone()]);
    assert_eq!(seen("agent:logs")?, [of_agent]);
    assert_eq!(seen("user:bob")?, []);
    Ok(())
}

pub(super) fn an_administrator_sees_the_principals_of_its_tenant_and_their_keys(
    bench: &mut dyn Bench,
) -> Result<(), StoreError> {
    let store = bench.store();
    let (one, _) = (World::build(1, store)?, World::build(2, store)?);
    let mut admin = one.principal();
    (admin.party, admin.administers) = (party("user:zoe"), true);
    let mut ana = one.principal();
    ana.party = party("user:ana");
    let mut of_agent = one.key();
    (of_agent.digest, of_agent.party) = (one.secret("agent's"), party("agent:logs"));
    write(
        store,
        vec![
            admin.clone().into_change(),
            ana.clone().into_change(),
            of_agent.into_change(),
        ],
        T0,
    )?;
    let reader = bench.reader()?;
    let viewer = |text: &str| Viewer::new(one.tenant, party(text));
    let all = reader.principals(&viewer("user:zoe"))?;
    assert_eq!(all, [one.principal(), ana, admin]);
    assert_eq!(reader.principals(&viewer("service:ci"))?, [one.principal()]);
    assert_eq!(reader.principals(&viewer("agent:logs"))?, []);
    // Of principals, not of agents, which are their owners'.
    assert_eq!(reader.keys(&viewer("user:zoe"))?, [one.key()]);
    Ok(())
}
