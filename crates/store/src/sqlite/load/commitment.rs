//! Commitments.

use rusqlite::Connection;
use tertulia_acts::{
    commitment::Commitment,
    facts::{Facts, Need},
    fingerprint::Fingerprint,
    ids::{CommitmentId, RootId},
};

use super::{single, task};
use crate::{
    StoreError,
    sqlite::{
        query::all,
        row::{commitment_columns, read_commitment},
        write::fingerprint_bytes,
    },
};

pub(super) fn commitment(
    conn: &Connection,
    id: CommitmentId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = concat!(
        "SELECT ",
        commitment_columns!(),
        " FROM commitment m WHERE m.root = ?1 AND m.n = ?2"
    );
    let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n];
    let need = Need::Commitment(id);
    single::<Commitment>(conn, facts, need, &id, (query, params), read_commitment)
}

/// All commitments of a debtor to one thing under a root, with the tasks in which they are worked on.
pub(super) fn owed(
    conn: &Connection,
    root: RootId,
    debtor: &str,
    fingerprint: Fingerprint,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = concat!(
        "SELECT ",
        commitment_columns!(),
        " FROM commitment m WHERE m.root = ?1 AND m.debtor = ?2 AND m.fingerprint = ?3"
    );
    let bytes = fingerprint_bytes(fingerprint);
    let params: &[&dyn rusqlite::ToSql] = &[root.as_bytes(), &debtor, &bytes];
    for row in all(conn, query, params, read_commitment)? {
        task::task(conn, row.task, facts)?;
        facts.load(row);
    }
    facts.know(Need::Commitments(root, debtor.to_owned(), fingerprint));
    Ok(())
}
