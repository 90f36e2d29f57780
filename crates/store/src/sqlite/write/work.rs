//! Tasks and what hangs on them: slots, asks, groups, commitments.

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    ask::{Addressee, Ask, AskState},
    commitment::{Commitment, CommitmentStatus},
    delivery::Delivery,
    facts::Table,
    group::Group,
    ids::{AskId, CommitmentId, ConversationId, GroupId, TaskId},
    slot::Slot,
    task::Task,
};

use super::{fingerprint_bytes, rows, under};
use crate::{StoreError, sqlite::query::json};

const fn delivery(row: &Task) -> &'static str {
    match row.now.delivery {
        Delivery::None => "none",
        Delivery::Pending { .. } => "pending",
        Delivery::Held => "held",
        Delivery::Taken => "taken",
        Delivery::Processed => "processed",
        Delivery::Dead { .. } => "dead",
    }
}

pub(super) fn tasks(conn: &Connection, table: &Table<TaskId, Task>) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO task (root, n, tenant, parent, conversation_root, conversation, requester, debtor, work_id,
                at, state, open, delivery, due, changed, made, now)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
            &insert_task,
        ),
        (UPDATE_TASK, &|statement, row| {
            let (root, n) = (row.id().root, row.id().n);
            let (state, delivery) = (row.now.state.name(), delivery(row));
            let (changed, now) = (row.now.changed.0, json(&row.now)?);
            let root = root.as_bytes();
            if row.is_open() && row.now.closing.is_none() {
                return Ok(statement.execute((root, n, state, delivery, changed, now))?);
            }
            let (open, due) = (row.is_open(), row.next_due().map(|due| due.0));
            let mut end = conn.prepare_cached(END_TASK)?;
            Ok(end.execute((root, n, state, delivery, changed, now, open, due))?)
        }),
    )
}

/// A column of an index that is named here costs that index a deletion and an insertion, whatever it is set to. So a
/// task that goes on leaves alone what only its end changes: an open task was open before, and due at its deadline.
const UPDATE_TASK: &str = "UPDATE task SET state = ?3, delivery = ?4, changed = ?5, now = ?6
    WHERE root = ?1 AND n = ?2";
const END_TASK: &str =
    "UPDATE task SET state = ?3, delivery = ?4, changed = ?5, now = ?6, open = ?7, due = ?8
    WHERE root = ?1 AND n = ?2";

fn insert_task(statement: &mut CachedStatement<'_>, row: &Task) -> Result<usize, StoreError> {
    let made = &*row.made;
    let id = made.id;
    let parent = made
        .parent
        .map(|parent| under(id.root, (parent.root, parent.n)))
        .transpose()?;
    let due = row.next_due().map(|due| due.0);
    let (requester, debtor) = (made.requester.to_string(), made.debtor.to_string());
    let (made_doc, now_doc) = (json(made)?, json(&row.now)?);
    Ok(statement.execute(rusqlite::params![
        id.root.as_bytes(),
        id.n,
        made.tenant.0,
        parent,
        made.conversation.root.as_bytes(),
        made.conversation.n,
        requester,
        debtor,
        made.work_id,
        made.at.0,
        row.now.state.name(),
        row.is_open(),
        delivery(row),
        due,
        row.now.changed.0,
        made_doc,
        now_doc,
    ])?)
}

pub(super) fn slots(
    conn: &Connection,
    table: &Table<(String, ConversationId), Slot>,
) -> Result<usize, StoreError> {
    let run = |statement: &mut CachedStatement<'_>, row: &Slot| {
        let Slot {
            tenant,
            agent,
            conversation,
            version,
            leased,
            head,
        } = row;
        Ok(statement.execute((
            conversation.root.as_bytes(),
            conversation.n,
            agent,
            tenant.0,
            version.0,
            leased.map(|hop| *hop.root.as_bytes()),
            leased.map(|hop| hop.n),
            head.map(|head| head.class.rank()),
            head.map(|head| head.due.0),
            head.map(|head| *head.task.root.as_bytes()),
            head.map(|head| head.task.n),
        ))?)
    };
    rows(
        conn,
        table,
        (
            "INSERT INTO slot
                (root, conversation, agent, tenant, version, leased_root, leased, class, due, task_root, task)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            &run,
        ),
        (
            "UPDATE slot SET tenant = ?4, version = ?5, leased_root = ?6, leased = ?7, class = ?8, due = ?9,
                task_root = ?10, task = ?11 WHERE root = ?1 AND conversation = ?2 AND agent = ?3",
            &run,
        ),
    )
}

pub(super) fn asks(conn: &Connection, table: &Table<AskId, Ask>) -> Result<usize, StoreError> {
    let run = |statement: &mut CachedStatement<'_>, row: &Ask| {
        let id = row.id;
        let (task, party) = match &row.addressee {
            Addressee::Task(task) => (Some(*task), None),
            Addressee::Principal(party) => (None, Some(party.to_string())),
        };
        Ok(statement.execute((
            id.root.as_bytes(),
            id.n,
            row.tenant.0,
            under(id.root, (row.asker.root, row.asker.n))?,
            task.map(|task| *task.root.as_bytes()),
            task.map(|task| task.n),
            party,
            row.state == AskState::Open,
            row.next_due().map(|due| due.0),
            json(row)?,
        ))?)
    };
    rows(
        conn,
        table,
        (
            "INSERT INTO ask (root, n, tenant, asker, addressee_task_root, addressee_task, addressee_party, open,
                due, doc) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            &run,
        ),
        // An ask may climb: its addressee changes.
        (
            "UPDATE ask SET tenant = ?3, asker = ?4, addressee_task_root = ?5, addressee_task = ?6,
                addressee_party = ?7, open = ?8, due = ?9, doc = ?10 WHERE root = ?1 AND n = ?2",
            &run,
        ),
    )
}

pub(super) fn groups(
    conn: &Connection,
    table: &Table<GroupId, Group>,
) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO task_group (root, n, tenant, owner, due, doc) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            &|statement, row| {
                let (id, tenant) = (row.id, row.tenant.0);
                let owner = under(id.root, (row.owner.root, row.owner.n))?;
                Ok(statement.execute((
                    id.root.as_bytes(),
                    id.n,
                    tenant,
                    owner,
                    row.next_due().map(|due| due.0),
                    json(row)?,
                ))?)
            },
        ),
        (
            "UPDATE task_group SET due = ?3, doc = ?4 WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                Ok(statement.execute((
                    row.id.root.as_bytes(),
                    row.id.n,
                    row.next_due().map(|due| due.0),
                    json(row)?,
                ))?)
            },
        ),
    )
}

pub(super) fn commitments(
    conn: &Connection,
    table: &Table<CommitmentId, Commitment>,
) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO commitment (root, n, tenant, debtor, creditor, creditor_task, fingerprint, task, made,
                status, evidence, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            &insert_commitment,
        ),
        // Who owes what to whom stays.
        (
            "UPDATE commitment SET status = ?3, evidence = ?4, changed = ?5 WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                let (id, evidence) = (row.id, evidence(row));
                let (status, changed) = (row.status.name(), row.changed.0);
                Ok(statement.execute((id.root.as_bytes(), id.n, status, evidence, changed))?)
            },
        ),
    )
}

const fn evidence(row: &Commitment) -> Option<u32> {
    match row.status {
        CommitmentStatus::Satisfied { evidence } => Some(evidence),
        _ => None,
    }
}

fn insert_commitment(
    statement: &mut CachedStatement<'_>,
    row: &Commitment,
) -> Result<usize, StoreError> {
    let id = row.id;
    let creditor_task = row.creditor_task;
    let creditor_task = creditor_task.map(|task| under(id.root, (task.root, task.n)));
    Ok(statement.execute((
        id.root.as_bytes(),
        id.n,
        row.tenant.0,
        &row.debtor,
        row.creditor.to_string(),
        creditor_task.transpose()?,
        fingerprint_bytes(row.fingerprint),
        under(id.root, (row.task.root, row.task.n))?,
        row.made.0,
        row.status.name(),
        evidence(row),
        row.changed.0,
    ))?)
}
