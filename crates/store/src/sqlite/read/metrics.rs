//! What is measured in the store, over all tenants: for the operator, not for callers.

use tertulia_acts::{ids::TenantId, time::Timestamp};

use super::Reader;
use crate::{
    StoreError,
    read::{MailboxMetrics, Metrics},
    sqlite::query::{all, one},
};

impl Reader {
    /// Mailboxes by depth and age, dead letters, open tasks.
    pub fn metrics(&self) -> Result<Metrics, StoreError> {
        let mailboxes =
            "SELECT tenant, substr(debtor, 7), sum(delivery = 'pending'), sum(delivery = 'taken'),
            min(CASE delivery WHEN 'pending' THEN at END)
            FROM task WHERE open = 1 AND debtor >= 'agent:' AND debtor < 'agent;'
            GROUP BY tenant, debtor ORDER BY tenant, debtor";
        self.read(|conn| {
            let count = |sql: &str| {
                one(conn, sql, &[], |row| Ok(row.get::<_, i64>(0)?))
                    .map(|n| n.and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
            };
            Ok(Metrics {
                mailboxes: all(conn, mailboxes, &[], |row| {
                    Ok(MailboxMetrics {
                        tenant: TenantId(row.get(0)?),
                        agent: row.get(1)?,
                        pending: u64::try_from(row.get::<_, i64>(2)?).unwrap_or(0),
                        taken: u64::try_from(row.get::<_, i64>(3)?).unwrap_or(0),
                        oldest: row.get::<_, Option<i64>>(4)?.map(Timestamp),
                    })
                })?,
                dead_letters: count(
                    "SELECT count(*) FROM task WHERE delivery = 'dead'
                        AND json_extract(now, '$.redriven_as') IS NULL",
                )?,
                open_tasks: count("SELECT count(*) FROM task WHERE open = 1")?,
            })
        })
    }
}
