//! Tenants, principals, keys, agents and their versions.

use rusqlite::Connection;
use tertulia_acts::{
    agent::{Agent, Version, Workload},
    digest::Digest,
    facts::{Facts, Need},
    ids::TenantId,
    party::Party,
    tenant::{ApiKey, Principal, Tenant},
};

use super::single;
use crate::{
    StoreError,
    sqlite::query::{all, doc, one},
};

pub(super) fn tenant(conn: &Connection, id: TenantId, facts: &mut Facts) -> Result<(), StoreError> {
    let query = "SELECT doc FROM tenant WHERE id = ?1";
    single::<Tenant>(
        conn,
        facts,
        Need::Tenant(id),
        &id,
        (query, &[&id.0]),
        |row| doc(row, 0),
    )
}

pub(super) fn principal(
    conn: &Connection,
    tenant: TenantId,
    party: &Party,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = "SELECT doc FROM principal WHERE tenant = ?1 AND party = ?2";
    let (need, key) = (
        Need::Principal(tenant, party.clone()),
        (tenant, party.clone()),
    );
    let text = party.to_string();
    single::<Principal>(
        conn,
        facts,
        need,
        &key,
        (query, &[&tenant.0, &text]),
        |row| doc(row, 0),
    )
}

pub(super) fn api_key(
    conn: &Connection,
    digest: Digest,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = "SELECT doc FROM api_key WHERE digest = ?1";
    let need = Need::ApiKey(digest);
    single::<ApiKey>(conn, facts, need, &digest, (query, &[&digest.0]), |row| {
        doc(row, 0)
    })
}

/// The agent, its workload and its current version.
pub(super) fn agent(
    conn: &Connection,
    tenant: TenantId,
    name: &str,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let need = Need::Agent(tenant, name.to_owned());
    if facts.knows(&need) {
        return Ok(());
    }
    let key = (tenant, name.to_owned());
    if facts.tables().agents.get(&key).is_none() {
        let query = "SELECT doc FROM agent WHERE tenant = ?1 AND name = ?2";
        if let Some(row) = one(conn, query, &[&tenant.0, &name], |row| doc::<Agent>(row, 0))? {
            facts.load(row);
        }
    }
    if facts.tables().workloads.get(&key).is_none() {
        let query = "SELECT leased, open FROM workload WHERE tenant = ?1 AND agent = ?2";
        let row = one(conn, query, &[&tenant.0, &name], |row| {
            Ok(Workload {
                tenant,
                agent: name.to_owned(),
                leased: row.get(0)?,
                open: row.get(1)?,
            })
        })?;
        if let Some(row) = row {
            facts.load(row);
        }
    }
    if let Some(current) = facts.tables().agents.get(&key).map(|agent| agent.current) {
        version(conn, tenant, name, current, facts)?;
    }
    facts.know(need);
    Ok(())
}

pub(super) fn version(
    conn: &Connection,
    tenant: TenantId,
    agent: &str,
    digest: Digest,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = "SELECT doc FROM version WHERE tenant = ?1 AND agent = ?2 AND digest = ?3";
    let need = Need::Version(tenant, agent.to_owned(), digest);
    let key = (tenant, agent.to_owned(), digest);
    let params: &[&dyn rusqlite::ToSql] = &[&tenant.0, &agent, &digest.0];
    single::<Version>(conn, facts, need, &key, (query, params), |row| doc(row, 0))
}

pub(super) fn directory(
    conn: &Connection,
    tenant: TenantId,
    facts: &mut Facts,
) -> Result<(), StoreError> {
    let query = "SELECT doc FROM agent WHERE tenant = ?1";
    for agent in all(conn, query, &[&tenant.0], |row| doc::<Agent>(row, 0))? {
        facts.load(agent);
    }
    facts.know(Need::Directory(tenant));
    Ok(())
}
