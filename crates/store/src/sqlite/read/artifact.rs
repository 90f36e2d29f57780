//! Artifacts: seen by whom the root belongs to, and by whoever sees a conversation in which they were brought or named.

use rusqlite::ToSql;
use tertulia_acts::{artifact::Artifact, digest::Digest, ids::RootId, viewer::Viewer};

use super::Reader;
use crate::{
    StoreError,
    sqlite::{
        load::artifact::{COLUMNS, read_artifact},
        query::one,
    },
    visibility::{Eyes, artifact_is_visible},
};

impl Reader {
    /// An artifact of a root.
    pub fn artifact(
        &self,
        viewer: &Viewer,
        root: RootId,
        digest: Digest,
    ) -> Result<Option<Artifact>, StoreError> {
        let is_visible = artifact_is_visible!();
        let query = format!(
            "SELECT {COLUMNS} FROM artifact x WHERE x.root = ?5 AND x.digest = ?6 AND {is_visible}"
        );
        let eyes = Eyes::of(viewer);
        let params: &[&dyn ToSql] = &[root.as_bytes(), &digest.0];
        self.read(|conn| one(conn, &query, &eyes.and(params), read_artifact))
    }
}
