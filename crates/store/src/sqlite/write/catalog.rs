//! Tenants, principals, keys, agents and their versions.

use rusqlite::Connection;
use tertulia_acts::{
    agent::{Agent, Version, Workload},
    digest::Digest,
    facts::Table,
    ids::TenantId,
    party::Party,
    tenant::{ApiKey, Principal, Tenant},
};

use super::rows;
use crate::{StoreError, sqlite::query::json};

pub(super) fn tenants(
    conn: &Connection,
    table: &Table<TenantId, Tenant>,
) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO tenant (id, name, doc) VALUES (?1, ?2, ?3)",
            &|statement, row| Ok(statement.execute((row.id.0, &row.name, json(row)?))?),
        ),
        (
            "UPDATE tenant SET name = ?2, doc = ?3 WHERE id = ?1",
            &|statement, row| Ok(statement.execute((row.id.0, &row.name, json(row)?))?),
        ),
    )
}

pub(super) fn principals(
    conn: &Connection,
    table: &Table<(TenantId, Party), Principal>,
) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO principal (tenant, party, doc) VALUES (?1, ?2, ?3)",
            &|statement, row| {
                Ok(statement.execute((row.tenant.0, row.party.to_string(), json(row)?))?)
            },
        ),
        (
            "UPDATE principal SET doc = ?3 WHERE tenant = ?1 AND party = ?2",
            &|statement, row| {
                Ok(statement.execute((row.tenant.0, row.party.to_string(), json(row)?))?)
            },
        ),
    )
}

pub(super) fn keys(conn: &Connection, table: &Table<Digest, ApiKey>) -> Result<usize, StoreError> {
    rows(
        conn,
        table,
        (
            "INSERT INTO api_key (digest, tenant, party, made, revoked, doc) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            &|statement, row| {
                let (party, revoked) = (row.party.to_string(), row.revoked.map(|at| at.0));
                let (digest, tenant) = (row.digest.0, row.tenant.0);
                Ok(statement.execute((digest, tenant, party, row.made.0, revoked, json(row)?))?)
            },
        ),
        (
            "UPDATE api_key SET revoked = ?2, doc = ?3 WHERE digest = ?1",
            &|statement, row| {
                Ok(statement.execute((row.digest.0, row.revoked.map(|at| at.0), json(row)?))?)
            },
        ),
    )
}

pub(super) fn agents(
    conn: &Connection,
    table: &Table<(TenantId, String), Agent>,
) -> Result<usize, StoreError> {
    let run = |statement: &mut rusqlite::CachedStatement<'_>, row: &Agent| {
        let owner = row.owner.to_string();
        Ok(statement.execute((row.tenant.0, &row.name, owner, row.current.0, json(row)?))?)
    };
    rows(
        conn,
        table,
        (
            "INSERT INTO agent (tenant, name, owner, current, doc) VALUES (?1, ?2, ?3, ?4, ?5)",
            &run,
        ),
        (
            "UPDATE agent SET owner = ?3, current = ?4, doc = ?5 WHERE tenant = ?1 AND name = ?2",
            &run,
        ),
    )
}

pub(super) fn workloads(
    conn: &Connection,
    table: &Table<(TenantId, String), Workload>,
) -> Result<usize, StoreError> {
    let run = |statement: &mut rusqlite::CachedStatement<'_>, row: &Workload| {
        let Workload {
            tenant,
            agent,
            leased,
            open,
        } = row;
        Ok(statement.execute((tenant.0, agent, leased, open))?)
    };
    rows(
        conn,
        table,
        (
            "INSERT INTO workload (tenant, agent, leased, open) VALUES (?1, ?2, ?3, ?4)",
            &run,
        ),
        (
            "UPDATE workload SET leased = ?3, open = ?4 WHERE tenant = ?1 AND agent = ?2",
            &run,
        ),
    )
}

pub(super) fn versions(
    conn: &Connection,
    table: &Table<(TenantId, String, Digest), Version>,
) -> Result<usize, StoreError> {
    let run = |statement: &mut rusqlite::CachedStatement<'_>, row: &Version| {
        Ok(statement.execute((row.tenant.0, &row.agent, row.digest.0, json(row)?))?)
    };
    rows(
        conn,
        table,
        (
            "INSERT INTO version (tenant, agent, digest, doc) VALUES (?1, ?2, ?3, ?4)",
            &run,
        ),
        (
            "UPDATE version SET doc = ?4 WHERE tenant = ?1 AND agent = ?2 AND digest = ?3",
            &run,
        ),
    )
}
