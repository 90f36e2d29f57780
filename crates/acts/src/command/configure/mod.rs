//! Changes of tenants, principals, keys and agents. Each raises the tenant's config epoch in the same transaction, so
//! that what was judged before is judged again (SEMANTICS 11).

mod agent;
mod key;
mod principal;

use std::sync::Arc;

use super::{Answer, Caller};
use crate::{
    agent::Definition,
    digest::Digest,
    facts::{Draft, Fault, Stop},
    ids::TenantId,
    party::Party,
    receipt::Outcome,
    tenant::{Principal, Tenant},
};

/// A change of the configuration.
#[derive(Debug, Clone)]
pub enum Configure {
    /// A tenant. Only by the installation itself.
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
        /// Whether it adds principals and makes keys for them.
        administers: bool,
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
            administers,
        } => {
            let asked = Principal {
                tenant: *tenant,
                party: party.clone(),
                responsible: responsible.clone(),
                administers: *administers,
                made: d.now,
            };
            principal::put(d, caller, asked)?
        }
        Configure::Key {
            tenant,
            party,
            digest,
            label,
        } => key::make(d, caller, *tenant, party, *digest, label)?,
        Configure::RevokeKey { tenant, digest } => key::revoke(d, caller, *tenant, *digest)?,
        Configure::Agent { tenant, definition } => agent::put(d, caller, *tenant, definition)?,
        Configure::RetireAgent { tenant, name } => agent::retire(d, caller, *tenant, name)?,
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
    if let Some(tenant) = d.tenant(id)? {
        if tenant.name == name {
            return Ok(Answer::again(Outcome::Configured));
        }
        let message = format!("tenant {} is `{}`; take another number", id.0, tenant.name);
        return Err(Fault::Invalid(message).into());
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

/// Whether the caller may change what is another principal's: the installation itself, and its tenant's administrators.
fn administers(d: &Draft<'_>, caller: Option<&Caller>) -> Result<bool, Stop> {
    match caller {
        None => Ok(true),
        Some(caller) => {
            let row = d.principal(caller.tenant, &caller.party)?;
            Ok(row.is_some_and(|row| row.administers))
        }
    }
}
