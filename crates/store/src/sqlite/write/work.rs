//! Tasks and the work on them: hops, leases, slots, asks, groups, commitments.

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    ask::{Addressee, Ask, AskState},
    commitment::Commitment,
    delivery::Delivery,
    digest::Digest,
    facts::Table,
    group::{Group, GroupState},
    hop::{Hop, LedgerEntry},
    ids::{AskId, CommitmentId, ConversationId, GroupId, HopId, TaskId},
    lease::{Lease, LeaseState},
    slot::Slot,
    task::Task,
};

use super::{append, fingerprint_bytes, rows, under};
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
        // The columns in which partial indexes are interested are set in one statement with the rest: SQLite looks
        // at each such index once.
        (
            "UPDATE task SET state = ?3, open = ?4, delivery = ?5, due = ?6, changed = ?7, now = ?8
                WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                let id = row.id();
                Ok(statement.execute((
                    id.root.as_bytes(),
                    id.n,
                    row.now.state.name(),
                    row.is_open(),
                    delivery(row),
                    row.next_due().map(|due| due.0),
                    row.now.changed.0,
                    json(&row.now)?,
                ))?)
            },
        ),
    )
}

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

pub(super) fn hops(conn: &Connection, table: &Table<HopId, Hop>) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO hop (root, n, tenant, task, doc) VALUES (?1, ?2, ?3, ?4, ?5)",
            &|statement, row| {
                let id = row.id;
                let task = under(id.root, (row.task.root, row.task.n))?;
                Ok(
                    statement.execute((
                        id.root.as_bytes(),
                        id.n,
                        row.tenant.0,
                        task,
                        json(row)?,
                    ))?,
                )
            },
        ),
        (
            "UPDATE hop SET doc = ?3 WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                Ok(statement.execute((row.id.root.as_bytes(), row.id.n, json(row)?))?)
            },
        ),
    )
}

pub(super) fn ledger(
    conn: &Connection,
    table: &Table<(HopId, u32), LedgerEntry>,
) -> Result<usize, StoreError> {
    let sql = "INSERT INTO ledger (root, hop, n, tenant, at) VALUES (?1, ?2, ?3, ?4, ?5)";
    append(
        conn,
        table,
        (sql, &|statement, row| {
            let LedgerEntry { hop, n, tenant, at } = row;
            Ok(statement.execute((hop.root.as_bytes(), hop.n, n, tenant.0, at.0))?)
        }),
    )
}

pub(super) fn leases(conn: &Connection, table: &Table<Digest, Lease>) -> Result<usize, StoreError> {
    let live = |row: &Lease| matches!(row.state, LeaseState::Live);
    rows(
        conn,
        table,
        (
            "INSERT INTO lease (token, tenant, live, until, doc) VALUES (?1, ?2, ?3, ?4, ?5)",
            &|statement, row| {
                let tenant = row.tenant.0;
                Ok(statement.execute((row.token.0, tenant, live(row), row.until.0, json(row)?))?)
            },
        ),
        (
            "UPDATE lease SET live = ?2, until = ?3, doc = ?4 WHERE token = ?1",
            &|statement, row| {
                Ok(statement.execute((row.token.0, live(row), row.until.0, json(row)?))?)
            },
        ),
    )
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
            row.deadline.0,
            json(row)?,
        ))?)
    };
    rows(
        conn,
        table,
        (
            "INSERT INTO ask (root, n, tenant, asker, addressee_task_root, addressee_task, addressee_party, open,
                deadline, doc) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            &run,
        ),
        // An ask may climb: its addressee changes.
        (
            "UPDATE ask SET tenant = ?3, asker = ?4, addressee_task_root = ?5, addressee_task = ?6,
                addressee_party = ?7, open = ?8, deadline = ?9, doc = ?10 WHERE root = ?1 AND n = ?2",
            &run,
        ),
    )
}

/// While it waits, its deadline; while the rest of its branches are to be closed, at once.
fn group_due(row: &Group) -> Option<i64> {
    if row.closing {
        return Some(0);
    }
    row.deadline
        .filter(|_| row.state == GroupState::Open)
        .map(|at| at.0)
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
                    group_due(row),
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
                    group_due(row),
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
            "INSERT INTO commitment (root, n, tenant, debtor, fingerprint, task, status, doc)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            &|statement, row| {
                let id = row.id;
                Ok(statement.execute((
                    id.root.as_bytes(),
                    id.n,
                    row.tenant.0,
                    &row.debtor,
                    fingerprint_bytes(row.fingerprint),
                    under(id.root, (row.task.root, row.task.n))?,
                    row.status.name(),
                    json(row)?,
                ))?)
            },
        ),
        (
            "UPDATE commitment SET status = ?3, doc = ?4 WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                let id = row.id;
                Ok(statement.execute((id.root.as_bytes(), id.n, row.status.name(), json(row)?))?)
            },
        ),
    )
}
