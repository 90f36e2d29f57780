//! Credentials, tenants, principals, agents and their versions. These belong to a tenant as a whole: whoever asks
//! names the tenant that its credential proved.

use rusqlite::Connection;
use tertulia_acts::{
    agent::{Agent, Version, Workload},
    digest::Digest,
    ids::TenantId,
    party::Party,
    tenant::{ApiKey, Principal, Tenant},
    viewer::Viewer,
};

use super::Reader;
use crate::{
    StoreError,
    read::AgentRead,
    sqlite::query::{all, doc, one},
    visibility::{Eyes, parties_in_hand, principal_is_visible},
};

const AGENTS: &str = "SELECT a.doc, v.doc, w.leased, w.open FROM agent a
    JOIN version v ON v.tenant = a.tenant AND v.agent = a.name AND v.digest = a.current
    LEFT JOIN workload w ON w.tenant = a.tenant AND w.agent = a.name";

fn read_agent(row: &rusqlite::Row<'_>) -> Result<AgentRead, StoreError> {
    let agent: Agent = doc(row, 0)?;
    let workload = Workload {
        tenant: agent.tenant,
        agent: agent.name.clone(),
        leased: row.get::<_, Option<u32>>(2)?.unwrap_or(0),
        open: row.get::<_, Option<u32>>(3)?.unwrap_or(0),
    };
    Ok(AgentRead {
        agent,
        version: doc(row, 1)?,
        workload,
    })
}

fn tenant(conn: &Connection, id: TenantId) -> Result<Option<Tenant>, StoreError> {
    one(
        conn,
        "SELECT doc FROM tenant WHERE id = ?1",
        &[&id.0],
        |row| doc(row, 0),
    )
}

impl Reader {
    /// The key of a digest, unless it was revoked, with its tenant.
    pub fn authenticate(&self, key: Digest) -> Result<Option<(ApiKey, Tenant)>, StoreError> {
        self.read(|conn| {
            let query = "SELECT doc FROM api_key WHERE digest = ?1 AND revoked IS NULL";
            let Some(key) = one(conn, query, &[&key.0], |row| doc::<ApiKey>(row, 0))? else {
                return Ok(None);
            };
            Ok(tenant(conn, key.tenant)?.map(|tenant| (key, tenant)))
        })
    }

    /// The keys of the viewer, of the agents that it owns and, for an administrator, of all principals; the oldest first,
    /// revoked ones too.
    pub fn keys(&self, viewer: &Viewer) -> Result<Vec<ApiKey>, StoreError> {
        let query = concat!(
            "SELECT k.doc FROM api_key k WHERE k.tenant = ?1 AND k.party IN (",
            parties_in_hand!(),
            ") ORDER BY k.made, k.digest"
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| all(conn, query, &eyes.and(&[])[..2], |row| doc(row, 0)))
    }

    /// A tenant, by number.
    pub fn tenant(&self, id: TenantId) -> Result<Option<Tenant>, StoreError> {
        self.read(|conn| tenant(conn, id))
    }

    /// A tenant, by name.
    pub fn tenant_by_name(&self, name: &str) -> Result<Option<Tenant>, StoreError> {
        let query = "SELECT doc FROM tenant WHERE name = ?1";
        self.read(|conn| one(conn, query, &[&name], |row| doc(row, 0)))
    }

    /// All tenants, by number.
    pub fn tenants(&self) -> Result<Vec<Tenant>, StoreError> {
        self.read(|conn| {
            all(conn, "SELECT doc FROM tenant ORDER BY id", &[], |row| {
                doc(row, 0)
            })
        })
    }

    /// The principals that the viewer may see, by name.
    pub fn principals(&self, viewer: &Viewer) -> Result<Vec<Principal>, StoreError> {
        let query = concat!(
            "SELECT p.doc FROM principal p WHERE ",
            principal_is_visible!(),
            " ORDER BY p.party"
        );
        let eyes = Eyes::of(viewer);
        self.read(|conn| all(conn, query, &eyes.and(&[])[..2], |row| doc(row, 0)))
    }

    /// A principal.
    pub fn principal(
        &self,
        tenant: TenantId,
        party: &Party,
    ) -> Result<Option<Principal>, StoreError> {
        let query = "SELECT doc FROM principal WHERE tenant = ?1 AND party = ?2";
        let party = party.to_string();
        self.read(|conn| one(conn, query, &[&tenant.0, &party], |row| doc(row, 0)))
    }

    /// The agents of a tenant with their current versions, by name; retired ones too.
    pub fn agents(&self, tenant: TenantId) -> Result<Vec<AgentRead>, StoreError> {
        let query = format!("{AGENTS} WHERE a.tenant = ?1 ORDER BY a.name");
        self.read(|conn| all(conn, &query, &[&tenant.0], read_agent))
    }

    /// An agent with its current version; a retired one too.
    pub fn agent(&self, tenant: TenantId, name: &str) -> Result<Option<AgentRead>, StoreError> {
        let query = format!("{AGENTS} WHERE a.tenant = ?1 AND a.name = ?2");
        self.read(|conn| one(conn, &query, &[&tenant.0, &name], read_agent))
    }

    /// How many activations of an agent are leased now, and how many may be at this version of it.
    pub fn occupancy(
        &self,
        tenant: TenantId,
        agent: &str,
        version: Digest,
    ) -> Result<Option<(u32, u32)>, StoreError> {
        // Asked with every task that is queued, so the definition, which may be long, is not read for one number.
        let query = "SELECT coalesce(w.leased, 0),
                json_extract(v.doc, '$.definition.limits.max_concurrent_conversations')
            FROM version v LEFT JOIN workload w ON w.tenant = v.tenant AND w.agent = v.agent
            WHERE v.tenant = ?1 AND v.agent = ?2 AND v.digest = ?3";
        self.read(|conn| {
            one(conn, query, &[&tenant.0, &agent, &version.0], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
        })
    }

    /// A version of an agent.
    pub fn version(
        &self,
        tenant: TenantId,
        agent: &str,
        digest: Digest,
    ) -> Result<Option<Version>, StoreError> {
        let query = "SELECT doc FROM version WHERE tenant = ?1 AND agent = ?2 AND digest = ?3";
        self.read(|conn| {
            one(conn, query, &[&tenant.0, &agent, &digest.0], |row| {
                doc(row, 0)
            })
        })
    }

    /// The versions of an agent, in the order in which they were first seen.
    pub fn versions(&self, tenant: TenantId, agent: &str) -> Result<Vec<Version>, StoreError> {
        let query = "SELECT doc FROM version WHERE tenant = ?1 AND agent = ?2 ORDER BY rowid";
        self.read(|conn| all(conn, query, &[&tenant.0, &agent], |row| doc(row, 0)))
    }
}
