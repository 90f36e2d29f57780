//! Changes of tenants, principals, keys and agents. Each raises the tenant's config epoch in the same transaction, so
//! that what was judged before is judged again (SEMANTICS 11).

use std::sync::Arc;

use super::{Answer, Caller};
use crate::{
    agent::{Agent, Definition, Version},
    digest::Digest,
    facts::{Draft, Fault, Stop},
    ids::TenantId,
    party::Party,
    receipt::Outcome,
    tenant::{ApiKey, Principal, Tenant},
};

/// A change of the configuration.
#[derive(Debug, Clone)]
pub enum Configure {
    /// A tenant, with its first principal, who owns what is made in it until others do. Only by the installation itself.
    Tenant {
        /// Its number.
        id: TenantId,
        /// Its name.
        name: String,
    },
    /// A principal.
    Principal {
        /// Its tenant.
        tenant: TenantId,
        /// Who it is.
        party: Party,
        /// Who answers for it, if it is a service.
        responsible: Option<Party>,
    },
    /// A key, by the digest of what its holder was shown.
    Key {
        /// Its tenant.
        tenant: TenantId,
        /// For whom it speaks.
        party: Party,
        /// The digest.
        digest: Digest,
        /// What people call it.
        label: String,
    },
    /// A key no longer speaks for anyone.
    RevokeKey {
        /// Its tenant.
        tenant: TenantId,
        /// The digest.
        digest: Digest,
    },
    /// An agent's definition; a new version, if it differs.
    Agent {
        /// Its tenant.
        tenant: TenantId,
        /// The definition.
        definition: Arc<Definition>,
    },
    /// An agent leaves the catalogue; conversations that it is pinned in go on.
    RetireAgent {
        /// Its tenant.
        tenant: TenantId,
        /// Its name.
        name: String,
    },
}

pub(super) fn decide(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    change: &Configure,
) -> Result<Answer, Stop> {
    let changed = match change {
        Configure::Tenant { id, name } => return make_tenant(d, caller, *id, name),
        Configure::Principal {
            tenant,
            party,
            responsible,
        } => principal(d, caller, *tenant, party, responsible.as_ref())?,
        Configure::Key {
            tenant,
            party,
            digest,
            label,
        } => key(d, caller, *tenant, party, *digest, label)?,
        Configure::RevokeKey { tenant, digest } => revoke(d, caller, *tenant, *digest)?,
        Configure::Agent { tenant, definition } => agent(d, caller, *tenant, definition)?,
        Configure::RetireAgent { tenant, name } => retire(d, caller, *tenant, name)?,
    };
    if let Some(tenant) = changed {
        let mut row = d
            .tenant(tenant)?
            .ok_or_else(|| Fault::NotFound("tenant".into()))?;
        row.epoch += 1;
        d.put(row);
        return Ok(Answer::first(Outcome::Configured));
    }
    Ok(Answer::again(Outcome::Configured))
}

fn make_tenant(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    id: TenantId,
    name: &str,
) -> Result<Answer, Stop> {
    if caller.is_some() {
        return Err(Fault::Forbidden(
            "tenants are made by the installation, not through the API".into(),
        )
        .into());
    }
    if d.tenant(id)?.is_some() {
        return Ok(Answer::again(Outcome::Configured));
    }
    d.put(Tenant {
        id,
        name: name.into(),
        epoch: 1,
    });
    Ok(Answer::first(Outcome::Configured))
}

/// Until there is policy, the catalogue and keys of a tenant are its principals' to change, never an agent's.
fn person(caller: Option<&Caller>, tenant: TenantId) -> Result<(), Stop> {
    match caller {
        Some(caller) if caller.tenant != tenant => Err(Fault::NotFound("tenant".into()).into()),
        Some(caller) if !caller.party.is_principal() => {
            let message = format!(
                "{} is an agent: principals change agents and keys",
                caller.party
            );
            Err(Fault::Forbidden(message).into())
        }
        _ => Ok(()),
    }
}

fn principal(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    tenant: TenantId,
    party: &Party,
    responsible: Option<&Party>,
) -> Result<Option<TenantId>, Stop> {
    person(caller, tenant)?;
    if !party.is_principal() {
        return Err(Fault::Invalid(format!(
            "{party} is no principal: name user:NAME or service:NAME"
        ))
        .into());
    }
    let before = d.principal(tenant, party)?;
    let row = Principal {
        tenant,
        party: party.clone(),
        responsible: responsible.cloned(),
        made: before.as_ref().map_or(d.now, |before| before.made),
    };
    if before.as_ref() == Some(&row) {
        return Ok(None);
    }
    d.put(row);
    Ok(Some(tenant))
}

fn key(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    tenant: TenantId,
    party: &Party,
    digest: Digest,
    label: &str,
) -> Result<Option<TenantId>, Stop> {
    person(caller, tenant)?;
    let own = caller.is_none_or(|caller| caller.party == *party);
    if party.is_agent() {
        let agent = d.agent(tenant, party.name())?;
        let agent =
            agent.ok_or_else(|| Fault::NotFound(format!("{party}: add its definition first")))?;
        if caller.is_some_and(|caller| caller.party != agent.owner) {
            return Err(Fault::Forbidden(format!(
                "only {} makes keys for {party}, which it owns",
                agent.owner
            ))
            .into());
        }
    } else if !own {
        return Err(Fault::Forbidden(
            "a principal makes keys for itself and for agents that it owns".into(),
        )
        .into());
    } else if d.principal(tenant, party)?.is_none() {
        return Err(Fault::NotFound(format!("{party}: add the principal first")).into());
    }
    d.put(ApiKey {
        digest,
        tenant,
        party: party.clone(),
        label: label.into(),
        made: d.now,
        revoked: None,
    });
    Ok(Some(tenant))
}

fn revoke(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    tenant: TenantId,
    digest: Digest,
) -> Result<Option<TenantId>, Stop> {
    person(caller, tenant)?;
    let absent = || Stop::Fault(Fault::NotFound("key of that id".into()));
    let mut row = d
        .api_key(digest)?
        .filter(|row| row.tenant == tenant)
        .ok_or_else(absent)?;
    if let Some(caller) = caller
        && row.party != caller.party
    {
        let owner = d
            .agent(tenant, row.party.name())?
            .filter(|_| row.party.is_agent())
            .map(|agent| agent.owner);
        if owner.as_ref() != Some(&caller.party) {
            return Err(absent());
        }
    }
    if row.revoked.is_some() {
        return Ok(None);
    }
    row.revoked = Some(d.now);
    d.put(row);
    Ok(Some(tenant))
}

fn agent(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    tenant: TenantId,
    definition: &Arc<Definition>,
) -> Result<Option<TenantId>, Stop> {
    person(caller, tenant)?;
    let digest = definition.digest();
    let before = d.agent(tenant, &definition.name)?;
    if let Some(caller) = caller {
        let owner = before
            .as_ref()
            .map_or(&definition.owner, |agent| &agent.owner);
        if *owner != caller.party || definition.owner != caller.party {
            let message = format!(
                "agent:{} belongs to {owner}; only its owner changes it, and `owner:` must name the owner",
                definition.name
            );
            return Err(Fault::Forbidden(message).into());
        }
    }
    if d.principal(tenant, &definition.owner)?.is_none() {
        let message = format!(
            "its owner {} is no principal here; add the principal, or name another `owner:`",
            definition.owner
        );
        return Err(Fault::Invalid(message).into());
    }
    if before
        .as_ref()
        .is_some_and(|agent| agent.current == digest && !agent.retired)
    {
        return Ok(None);
    }
    if d.version(tenant, &definition.name, digest)?.is_none() {
        d.put(Version {
            tenant,
            agent: definition.name.clone(),
            digest,
            definition: Arc::clone(definition),
            made: d.now,
        });
    }
    d.put(Agent {
        tenant,
        name: definition.name.clone(),
        owner: definition.owner.clone(),
        current: digest,
        made: before.map_or(d.now, |agent| agent.made),
        retired: false,
    });
    Ok(Some(tenant))
}

fn retire(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    tenant: TenantId,
    name: &str,
) -> Result<Option<TenantId>, Stop> {
    person(caller, tenant)?;
    let absent = || Stop::Fault(Fault::NotFound(format!("agent:{name}")));
    let mut row = d
        .agent(tenant, name)?
        .filter(|row| !row.retired)
        .ok_or_else(absent)?;
    if let Some(caller) = caller
        && row.owner != caller.party
    {
        return Err(Fault::Forbidden(format!(
            "agent:{name} belongs to {}; only its owner retires it",
            row.owner
        ))
        .into());
    }
    row.retired = true;
    d.put(row);
    Ok(Some(tenant))
}
