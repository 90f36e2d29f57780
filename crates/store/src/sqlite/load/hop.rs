//! Hops and leases; and, by a lease's token, all that whoever ends it will look at.

use rusqlite::Connection;
use tertulia_acts::{
    digest::Digest,
    facts::{Facts, Need},
    hop::Hop,
    ids::HopId,
    lease::Lease,
};

use super::{catalog, commitment, conversation, group, receipt, single, slot, task};
use crate::{
    StoreError,
    sqlite::row::{hop_columns, lease_columns, read_hop, read_lease},
};

pub(super) fn hop(conn: &Connection, id: HopId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = concat!(
        "SELECT ",
        hop_columns!(),
        " FROM hop h WHERE h.root = ?1 AND h.n = ?2"
    );
    let params: &[&dyn rusqlite::ToSql] = &[id.root.as_bytes(), &id.n];
    single::<Hop>(conn, facts, Need::Hop(id), &id, (query, params), read_hop)
}

/// The lease of a token; its hop, task, root, conversation and slot; the hop's version and agent; the task above with
/// its hop and slot; the tasks of all ancestors; the key's receipt, the commitment and the group.
pub(super) fn token(conn: &Connection, token: Digest, facts: &mut Facts) -> Result<(), StoreError> {
    let query = concat!(
        "SELECT ",
        lease_columns!(),
        " FROM lease l WHERE l.token = ?1"
    );
    let need = Need::Token(token);
    single::<Lease>(conn, facts, need, &token, (query, &[&token.0]), read_lease)?;
    let Some((id, of)) = facts
        .tables()
        .leases
        .get(&token)
        .map(|lease| (lease.hop, lease.task))
    else {
        return Ok(());
    };
    hop(conn, id, facts)?;
    task::task_and_root(conn, of, facts)?;
    if let Some(held) = facts.tables().hops.get(&id) {
        let (tenant, agent, version) = (held.tenant, held.agent.clone(), held.version);
        let at = held.conversation;
        conversation::conversation(conn, at, facts)?;
        slot::slot(conn, &agent, at, facts)?;
        catalog::agent(conn, tenant, &agent, facts)?;
        catalog::version(conn, tenant, &agent, version, facts)?;
    }
    let Some(made) = facts.tables().tasks.get(&of).map(|task| task.made.clone()) else {
        return Ok(());
    };
    for ancestor in made.genealogy.hops() {
        task::task(conn, ancestor.task, facts)?;
    }
    if let Some(parent) = made.parent {
        task::task(conn, parent, facts)?;
        let waiter = facts
            .tables()
            .tasks
            .get(&parent)
            .and_then(|task| task.now.hop);
        if let Some(waiter) = waiter {
            hop(conn, waiter, facts)?;
            let place = facts.tables().hops.get(&waiter);
            if let Some((agent, at)) = place.map(|hop| (hop.agent.clone(), hop.conversation)) {
                slot::slot(conn, &agent, at, facts)?;
            }
        }
    }
    if let Some(key) = made.key {
        receipt::receipt(conn, key, facts)?;
    }
    if let Some(id) = made.commitment {
        commitment::commitment(conn, id, facts)?;
    }
    if let Some(id) = made.group {
        group::group(conn, id, facts)?;
    }
    Ok(())
}
