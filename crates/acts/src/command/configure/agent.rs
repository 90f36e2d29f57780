//! Agents and their versions.

use std::sync::Arc;

use super::person;
use crate::{
    agent::{Agent, Definition, Version},
    command::Caller,
    facts::{Draft, Fault, Stop},
    ids::TenantId,
};

/// Adds an agent, or a version of it.
pub(super) fn put(
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

/// Takes an agent out of the catalogue.
pub(super) fn retire(
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
