//! Commitments.

use rusqlite::ToSql;
use tertulia_acts::{commitment::Commitment, ids::CommitmentId, viewer::Viewer};

use super::{Reader, and_one, page, total};
use crate::{
    StoreError,
    read::{CommitmentFilter, Page},
    sqlite::{
        query::all,
        row::{commitment_columns, read_commitment},
    },
    visibility::{Eyes, roots_in_sight, task_is_visible},
};

impl Reader {
    /// Commitments whose task the viewer may see, the newest first.
    pub fn commitments(
        &self,
        viewer: &Viewer,
        filter: &CommitmentFilter,
        before: Option<CommitmentId>,
        limit: usize,
    ) -> Result<Page<Commitment, CommitmentId>, StoreError> {
        const FROM: &str = concat!(
            "FROM commitment m JOIN task t ON t.root = m.root AND t.n = m.task
                WHERE m.tenant = ?1 AND (?6 IS NULL OR m.status = ?6) AND (?7 IS NULL OR m.debtor = ?7)
                AND m.root IN (SELECT ?5 WHERE ?5 IS NOT NULL UNION SELECT * FROM (",
            roots_in_sight!(),
            ") WHERE ?5 IS NULL) AND ",
            task_is_visible!()
        );
        let eyes = Eyes::of(viewer);
        let root = filter.root.map(|root| *root.as_bytes());
        let own: &[&dyn ToSql] = &[&root, &filter.status, &filter.debtor];
        let (at, n) = (before.map(|id| *id.root.as_bytes()), before.map(|id| id.n));
        let most = and_one(limit);
        self.read(|conn| {
            let total = total(conn, FROM, &eyes.and(own))?;
            let sql = format!(
                "SELECT {} {FROM} AND (?8 IS NULL OR (m.root, m.n) < (?8, ?9)) \
                 ORDER BY m.root DESC, m.n DESC LIMIT ?10",
                commitment_columns!()
            );
            let mut params = eyes.and(own);
            params.extend([&at as &dyn ToSql, &n, &most]);
            let rows = all(conn, &sql, &params, read_commitment)?;
            Ok(page(rows, limit, total, |row| row.id))
        })
    }
}
