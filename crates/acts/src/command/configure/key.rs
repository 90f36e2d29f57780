//! Keys, by their digests.

use super::{administers, person};
use crate::{
    command::Caller,
    digest::Digest,
    facts::{Draft, Fault, Stop},
    ids::TenantId,
    party::Party,
    tenant::ApiKey,
};

/// Makes a key: for oneself and one's agents, and, by an administrator, for any principal.
pub(super) fn make(
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
    } else if !own && !administers(d, caller)? {
        return Err(Fault::Forbidden(
            "a principal makes keys for itself and for agents that it owns; administrators make them for other principals"
                .into(),
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

/// Revokes a key that the caller could have made.
pub(super) fn revoke(
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
        let administered = row.party.is_principal() && administers(d, Some(caller))?;
        if owner.as_ref() != Some(&caller.party) && !administered {
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
