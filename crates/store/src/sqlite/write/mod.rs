//! Writing changes: every row that the facts hold and the store does not, table by table, with one prepared statement
//! for new rows and one for changed ones.

mod catalog;
mod conversation;
mod event;
mod hop;
mod inbox;
mod receipt;
mod work;

use rusqlite::{CachedStatement, Connection};
use tertulia_acts::{
    facts::{Facts, Standing, Table},
    fingerprint::Fingerprint,
    ids::RootId,
    time::Timestamp,
};

use crate::StoreError;

/// Writes what is unwritten and, if there is anything, `now` as the last committed instant.
pub(super) fn write(conn: &Connection, facts: &Facts, now: Timestamp) -> Result<(), StoreError> {
    let tables = facts.tables();
    let written = catalog::tenants(conn, &tables.tenants)?
        + catalog::principals(conn, &tables.principals)?
        + catalog::keys(conn, &tables.keys)?
        + catalog::agents(conn, &tables.agents)?
        + catalog::workloads(conn, &tables.workloads)?
        + catalog::versions(conn, &tables.versions)?
        + conversation::roots(conn, &tables.roots)?
        + conversation::conversations(conn, &tables.conversations)?
        + conversation::acts(conn, &tables.acts)?
        + event::events(conn, &tables.events)?
        + work::tasks(conn, &tables.tasks)?
        + hop::hops(conn, &tables.hops)?
        + hop::ledger(conn, &tables.ledger)?
        + hop::leases(conn, &tables.leases)?
        + work::slots(conn, &tables.slots)?
        + work::asks(conn, &tables.asks)?
        + work::groups(conn, &tables.groups)?
        + work::commitments(conn, &tables.commitments)?
        + receipt::receipts(conn, facts)?
        + inbox::inboxes(conn, &tables.inboxes)?
        + inbox::entries(conn, &tables.inbox_entries)?
        + inbox::artifacts(conn, &tables.artifacts)?
        + inbox::late_results(conn, &tables.late_results)?;
    if written > 0 {
        conn.prepare_cached("UPDATE meta SET last_now = ?1")?
            .execute([now.0])?;
    }
    Ok(())
}

/// A statement and how a row is run through it; it tells how many rows it wrote.
type Statement<'s, R> = (
    &'s str,
    &'s dyn Fn(&mut CachedStatement<'_>, &R) -> Result<usize, StoreError>,
);

/// Writes a table's unwritten rows and tells how many there were.
fn rows<K: Ord + Clone, R>(
    conn: &Connection,
    table: &Table<K, R>,
    (insert, new): Statement<'_, R>,
    (update, changed): Statement<'_, R>,
) -> Result<usize, StoreError> {
    let mut inserts: Option<CachedStatement<'_>> = None;
    let mut updates: Option<CachedStatement<'_>> = None;
    let mut written = 0;
    for entry in table.unwritten() {
        let (statement, sql, run) = match entry.standing {
            Standing::Stored => continue,
            Standing::New => (&mut inserts, insert, new),
            Standing::Changed => (&mut updates, update, changed),
        };
        if statement.is_none() {
            *statement = Some(conn.prepare_cached(sql)?);
        }
        if let Some(statement) = statement
            && run(statement, &entry.row)? != 1
        {
            return Err(StoreError::Constraint(format!(
                "a row to be changed is absent: {sql}"
            )));
        }
        written += 1;
    }
    Ok(written)
}

/// Writes a table whose rows never change.
fn append<K: Ord + Clone, R>(
    conn: &Connection,
    table: &Table<K, R>,
    insert: Statement<'_, R>,
) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        insert,
        (insert.0, &|_, _| {
            Err(StoreError::Constraint(
                "a row that never changes was changed".into(),
            ))
        }),
    )
}

/// The number of something that must lie under `root`, since only its number is stored.
fn under(root: RootId, (of, n): (RootId, u32)) -> Result<u32, StoreError> {
    if of == root {
        Ok(n)
    } else {
        Err(StoreError::Constraint(format!(
            "a row under {root} names one under {of}"
        )))
    }
}

/// A fingerprint as it is stored: the algorithm's number, then the digest.
pub(super) fn fingerprint_bytes(fingerprint: Fingerprint) -> [u8; 33] {
    let mut bytes = [fingerprint.algorithm; 33];
    bytes[1..].copy_from_slice(&fingerprint.digest.0);
    bytes
}
