//! Principals: who may have keys, own agents and be responsible.

use super::{administers, person};
use crate::{
    command::Caller,
    facts::{Draft, Fault, Stop},
    ids::TenantId,
    party::PartyKind,
    tenant::Principal,
};

/// Adds a principal, or changes who answers for it and whether it administers. Tells the tenant, if anything changed.
pub(super) fn put(
    d: &mut Draft<'_>,
    caller: Option<&Caller>,
    asked: Principal,
) -> Result<Option<TenantId>, Stop> {
    let Principal { tenant, party, .. } = &asked;
    let tenant = *tenant;
    person(caller, tenant)?;
    if !administers(d, caller)? {
        let message = "administrators add principals; ask one of yours, or start the server with `--admin-key`";
        return Err(Fault::Forbidden(message.into()).into());
    }
    if !party.is_principal() {
        return Err(Fault::Invalid(format!(
            "{party} is no principal: name user:NAME or service:NAME"
        ))
        .into());
    }
    if let Some(responsible) = &asked.responsible
        && (responsible.kind() != PartyKind::User || d.principal(tenant, responsible)?.is_none())
    {
        let message =
            format!("{responsible} is no person here: name a user:NAME that was added before");
        return Err(Fault::Invalid(message).into());
    }
    let before = d.principal(tenant, party)?;
    let row = Principal {
        made: before.as_ref().map_or(d.now, |before| before.made),
        ..asked
    };
    if before.as_ref() == Some(&row) {
        return Ok(None);
    }
    d.put(row);
    Ok(Some(tenant))
}
