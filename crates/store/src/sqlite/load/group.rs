//! Fan-out groups.

use rusqlite::Connection;
use tertulia_acts::{
    facts::{Facts, Need},
    group::Group,
    ids::GroupId,
};

use super::single;
use crate::{StoreError, sqlite::query::doc};

pub(super) fn group(conn: &Connection, id: GroupId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = "SELECT doc FROM task_group WHERE root = ?1 AND n = ?2";
    let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n];
    single::<Group>(conn, facts, Need::Group(id), &id, (query, params), |row| {
        doc(row, 0)
    })
}
