//! Artifacts.

use rusqlite::{Connection, Row};
use tertulia_acts::{
    artifact::Artifact,
    digest::Digest,
    facts::{Facts, Need},
    ids::{RootId, TenantId},
    time::Timestamp,
};

use super::single;
use crate::{
    StoreError,
    sqlite::query::{digest, root},
};

/// The columns that [`read_artifact`] reads.
pub(in crate::sqlite) const COLUMNS: &str =
    "x.root, x.digest, x.tenant, x.media_type, x.name, x.made, x.late, x.bytes";

/// The artifact of a row of [`COLUMNS`].
pub(in crate::sqlite) fn read_artifact(row: &Row<'_>) -> Result<Artifact, StoreError> {
    Ok(Artifact {
        root: root(row, 0)?,
        digest: digest(row, 1)?,
        tenant: TenantId(row.get(2)?),
        media_type: row.get(3)?,
        name: row.get(4)?,
        made: Timestamp(row.get(5)?),
        late: row.get(6)?,
        bytes: row.get_ref(7)?.as_blob()?.into(),
    })
}

pub(super) fn artifact(
    conn: &Connection,
    root: RootId,
    digest: Digest,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = format!("SELECT {COLUMNS} FROM artifact x WHERE x.root = ?1 AND x.digest = ?2");
    let params: &[&dyn rusqlite::ToSql] = &[root.as_bytes(), &digest.0];
    let need = Need::Artifact(root, digest);
    single::<Artifact>(
        conn,
        facts,
        need,
        &(root, digest),
        (&query, params),
        read_artifact,
    )
}
