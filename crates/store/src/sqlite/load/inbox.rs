//! Inboxes.

use rusqlite::Connection;
use tertulia_acts::{
    facts::{Facts, Need},
    ids::TenantId,
    inbox::Inbox,
    party::Party,
};

use super::single;
use crate::StoreError;

pub(super) fn inbox(
    conn: &Connection,
    tenant: TenantId,
    principal: &Party,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = "SELECT last FROM inbox WHERE tenant = ?1 AND principal = ?2";
    let (need, key) = (
        Need::Inbox(tenant, principal.clone()),
        (tenant, principal.clone()),
    );
    let text = principal.to_string();
    single::<Inbox>(
        conn,
        facts,
        need,
        &key,
        (query, &[&tenant.0, &text]),
        |row| {
            Ok(Inbox {
                tenant,
                principal: principal.clone(),
                last: row.get(0)?,
            })
        },
    )
}
