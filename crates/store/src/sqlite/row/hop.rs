//! Hops.

use rusqlite::Row;
use tertulia_acts::{
    hop::{Activation, Hop},
    ids::{ConversationId, HopId, LeaseId, RootId, TaskId, TenantId},
    time::Timestamp,
};

use crate::{
    StoreError,
    sqlite::query::{digest, doc, root},
};

/// The columns of the hop `h` that [`read_hop`] reads.
macro_rules! hop_columns {
    () => {
        "h.root, h.n, h.tenant, h.task, h.attempt, h.agent, h.version, h.conversation_root, h.conversation, \
         h.evidence, h.made, h.activation, h.lease, h.token, h.wait"
    };
}
pub(in crate::sqlite) use hop_columns;

/// The hop of a row.
pub(in crate::sqlite) fn read_hop(row: &Row<'_>) -> Result<Hop, StoreError> {
    let of = root(row, 0)?;
    Ok(Hop {
        id: HopId::new(of, row.get(1)?),
        tenant: TenantId(row.get(2)?),
        task: TaskId::new(of, row.get(3)?),
        attempt: row.get(4)?,
        agent: row.get(5)?,
        version: digest(row, 6)?,
        conversation: ConversationId::new(root(row, 7)?, row.get(8)?),
        evidence: row.get(9)?,
        made: Timestamp(row.get(10)?),
        state: read_state(row, of)?,
    })
}

fn read_state(row: &Row<'_>, of: RootId) -> Result<Activation, StoreError> {
    Ok(match row.get_ref(11)?.as_str()? {
        "leased" => Activation::Leased {
            lease: LeaseId::new(of, row.get(12)?),
            token: digest(row, 13)?,
        },
        "parked" => Activation::Parked { on: doc(row, 14)? },
        "ready" => Activation::Ready,
        "settled" => Activation::Settled,
        "lost" => Activation::Lost,
        "cancelled" => Activation::Cancelled,
        other => return Err(StoreError::Corrupt(format!("a hop that is {other}"))),
    })
}
