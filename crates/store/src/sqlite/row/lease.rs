//! Leases.

use rusqlite::{Row, types::ValueRef};
use tertulia_acts::{
    ids::{HopId, LeaseId, TaskId, TenantId},
    lease::{Lease, LeaseEnd, LeaseState},
    time::Timestamp,
};

use crate::{
    StoreError,
    sqlite::query::{digest, doc, maybe, root},
};

/// The columns of the lease `l` that [`read_lease`] reads.
macro_rules! lease_columns {
    () => {
        "l.token, l.root, l.n, l.tenant, l.hop, l.task, l.worker, l.until, l.ended_by, l.receipt, l.unread, l.made"
    };
}
pub(in crate::sqlite) use lease_columns;

const ENDS: [LeaseEnd; 6] = [
    LeaseEnd::Parked,
    LeaseEnd::Settled,
    LeaseEnd::Released,
    LeaseEnd::Swept,
    LeaseEnd::Cancelled,
    LeaseEnd::Deadline,
];

/// How an end is written.
pub(in crate::sqlite) const fn end_name(end: LeaseEnd) -> &'static str {
    match end {
        LeaseEnd::Parked => "parked",
        LeaseEnd::Settled => "settled",
        LeaseEnd::Released => "released",
        LeaseEnd::Swept => "swept",
        LeaseEnd::Cancelled => "cancelled",
        LeaseEnd::Deadline => "deadline",
    }
}

/// The lease of a row.
pub(in crate::sqlite) fn read_lease(row: &Row<'_>) -> Result<Lease, StoreError> {
    let of = root(row, 1)?;
    Ok(Lease {
        token: digest(row, 0)?,
        id: LeaseId::new(of, row.get(2)?),
        tenant: TenantId(row.get(3)?),
        hop: HopId::new(of, row.get(4)?),
        task: TaskId::new(of, row.get(5)?),
        worker: row.get(6)?,
        until: Timestamp(row.get(7)?),
        state: read_state(row)?,
        unread: maybe(row, 10, doc)?.unwrap_or_default(),
        made: Timestamp(row.get(11)?),
    })
}

fn read_state(row: &Row<'_>) -> Result<LeaseState, StoreError> {
    let name = match row.get_ref(8)? {
        ValueRef::Null => return Ok(LeaseState::Live),
        name => name.as_str()?,
    };
    let by = ENDS.into_iter().find(|end| end_name(*end) == name);
    Ok(LeaseState::Ended {
        by: by.ok_or_else(|| StoreError::Corrupt(format!("a lease ended by {name}")))?,
        receipt: maybe(row, 9, doc)?,
    })
}
