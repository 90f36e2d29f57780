//! Commitments.

use rusqlite::Row;
use tertulia_acts::{
    commitment::{Commitment, CommitmentStatus},
    digest::Digest,
    fingerprint::Fingerprint,
    ids::{CommitmentId, TaskId, TenantId},
    time::Timestamp,
};

use crate::{
    StoreError,
    sqlite::query::{party, root},
};

/// The columns of the commitment `m` that [`read_commitment`] reads.
macro_rules! commitment_columns {
    () => {
        "m.root, m.n, m.tenant, m.debtor, m.creditor, m.creditor_task, m.fingerprint, m.task, m.status, \
         m.evidence, m.made, m.changed"
    };
}
pub(in crate::sqlite) use commitment_columns;

/// The commitment of a row.
pub(in crate::sqlite) fn read_commitment(row: &Row<'_>) -> Result<Commitment, StoreError> {
    let of = root(row, 0)?;
    let creditor_task: Option<u32> = row.get(5)?;
    let [algorithm, bytes @ ..]: [u8; 33] = row.get(6)?;
    Ok(Commitment {
        id: CommitmentId::new(of, row.get(1)?),
        tenant: TenantId(row.get(2)?),
        debtor: row.get(3)?,
        creditor: party(row, 4)?,
        creditor_task: creditor_task.map(|n| TaskId::new(of, n)),
        fingerprint: Fingerprint {
            algorithm,
            digest: Digest(bytes),
        },
        task: TaskId::new(of, row.get(7)?),
        status: read_status(row)?,
        made: Timestamp(row.get(10)?),
        changed: Timestamp(row.get(11)?),
    })
}

fn read_status(row: &Row<'_>) -> Result<CommitmentStatus, StoreError> {
    Ok(match row.get_ref(8)?.as_str()? {
        "conditional" => CommitmentStatus::Conditional,
        "active" => CommitmentStatus::Active,
        "satisfied" => CommitmentStatus::Satisfied {
            evidence: row.get(9)?,
        },
        "violated" => CommitmentStatus::Violated,
        "cancelled" => CommitmentStatus::Cancelled,
        "released" => CommitmentStatus::Released,
        "transferred" => CommitmentStatus::Transferred,
        other => {
            return Err(StoreError::Corrupt(format!("a commitment that is {other}")));
        }
    })
}
