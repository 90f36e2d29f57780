//! Roots.

use rusqlite::Row;
use tertulia_acts::{ids::TenantId, root::Root, time::Timestamp};

use crate::{
    StoreError,
    sqlite::query::{maybe, party, root, time},
};

/// The columns of the root `r` that [`read_root`] reads.
macro_rules! root_columns {
    () => {
        "r.id, r.tenant, r.principal, r.responsible, r.next, r.evidence, r.open_tasks, r.made, r.ended"
    };
}
pub(in crate::sqlite) use root_columns;

/// How many they are: what a query selects after them begins there.
pub(in crate::sqlite) const ROOT_COLUMNS: usize = 9;

/// The root of a row.
pub(in crate::sqlite) fn read_root(row: &Row<'_>) -> Result<Root, StoreError> {
    Ok(Root {
        id: root(row, 0)?,
        tenant: TenantId(row.get(1)?),
        principal: party(row, 2)?,
        responsible: maybe(row, 3, party)?,
        next: row.get(4)?,
        evidence: row.get(5)?,
        open_tasks: row.get(6)?,
        made: Timestamp(row.get(7)?),
        ended: maybe(row, 8, time)?,
    })
}
