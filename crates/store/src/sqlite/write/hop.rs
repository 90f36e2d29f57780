//! Hops, their ledgers and their leases.

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    digest::Digest,
    facts::Table,
    hop::{Activation, Hop, LedgerEntry},
    ids::HopId,
    lease::{Lease, LeaseState},
};

use super::{append, rows, under};
use crate::{
    StoreError,
    sqlite::{query::json, row::end_name},
};

pub(super) fn hops(conn: &Connection, table: &Table<HopId, Hop>) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO hop (root, n, tenant, task, attempt, agent, version, conversation_root, conversation,
                evidence, made, activation, lease, token, wait)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
            &insert_hop,
        ),
        // What it works on, and as what, stays.
        (
            "UPDATE hop SET activation = ?3, lease = ?4, token = ?5, wait = ?6 WHERE root = ?1 AND n = ?2",
            &|statement, row| {
                let State {
                    activation,
                    lease,
                    token,
                    wait,
                } = State::of(row)?;
                let id = row.id;
                let root = id.root.as_bytes();
                Ok(statement.execute((root, id.n, activation, lease, token, wait))?)
            },
        ),
    )
}

/// Where a hop stands, as columns.
struct State {
    activation: &'static str,
    lease: Option<u32>,
    token: Option<[u8; 32]>,
    wait: Option<String>,
}

impl State {
    fn of(row: &Hop) -> Result<Self, StoreError> {
        let bare = |activation| Self {
            activation,
            lease: None,
            token: None,
            wait: None,
        };
        Ok(match &row.state {
            Activation::Leased { lease, token } => Self {
                lease: Some(under(row.id.root, (lease.root, lease.n))?),
                token: Some(token.0),
                ..bare("leased")
            },
            Activation::Parked { on } => Self {
                wait: Some(json(on)?),
                ..bare("parked")
            },
            Activation::Ready => bare("ready"),
            Activation::Settled => bare("settled"),
            Activation::Lost => bare("lost"),
            Activation::Cancelled => bare("cancelled"),
        })
    }
}

fn insert_hop(statement: &mut CachedStatement<'_>, row: &Hop) -> Result<usize, StoreError> {
    let id = row.id;
    let state = State::of(row)?;
    Ok(statement.execute((
        id.root.as_bytes(),
        id.n,
        row.tenant.0,
        under(id.root, (row.task.root, row.task.n))?,
        row.attempt,
        &row.agent,
        row.version.0,
        row.conversation.root.as_bytes(),
        row.conversation.n,
        row.evidence,
        row.made.0,
        state.activation,
        state.lease,
        state.token,
        state.wait,
    ))?)
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
    rows(
        conn,
        table,
        (
            "INSERT INTO lease (token, root, n, tenant, hop, task, worker, made, until, due, ended_by, receipt, unread)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            &insert_lease,
        ),
        // What it holds, and who, stays.
        (
            "UPDATE lease SET until = ?2, due = ?3, ended_by = ?4, receipt = ?5, unread = ?6 WHERE token = ?1",
            &|statement, row| {
                let (ended_by, receipt) = lease_end(row)?;
                let due = row.next_due().map(|due| due.0);
                let (token, until, unread) = (row.token.0, row.until.0, unread(row)?);
                Ok(statement.execute((token, until, due, ended_by, receipt, unread))?)
            },
        ),
    )
}

/// How a lease ended, and the receipt of what ended it.
fn lease_end(row: &Lease) -> Result<(Option<&'static str>, Option<String>), StoreError> {
    Ok(match &row.state {
        LeaseState::Live => (None, None),
        LeaseState::Ended { by, receipt } => {
            let receipt = receipt.as_deref().map(json).transpose()?;
            (Some(end_name(*by)), receipt)
        }
    })
}

fn unread(row: &Lease) -> Result<Option<String>, StoreError> {
    let unread = Some(&row.unread).filter(|unread| !unread.is_empty());
    unread.map(json).transpose()
}

fn insert_lease(statement: &mut CachedStatement<'_>, row: &Lease) -> Result<usize, StoreError> {
    let Lease { id, hop, task, .. } = row;
    let (ended_by, receipt) = lease_end(row)?;
    Ok(statement.execute((
        row.token.0,
        id.root.as_bytes(),
        id.n,
        row.tenant.0,
        under(id.root, (hop.root, hop.n))?,
        under(id.root, (task.root, task.n))?,
        &row.worker,
        row.made.0,
        row.until.0,
        row.next_due().map(|due| due.0),
        ended_by,
        receipt,
        unread(row)?,
    ))?)
}
