//! Credentials: for whom a key or a trusted caller speaks is looked up once and remembered until a configuration changes.
//! What is remembered may be old by a moment; the config epoch in the caller shows that to the rules, and the command is
//! judged again (SEMANTICS 11).

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tertulia_acts::{command::Caller, digest::Digest, ids::TenantId, party::Party};
use tertulia_store::{Reader, StoreError};

/// Callers remembered at most; more begin anew.
const REMEMBERED: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Credentials {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    callers: HashMap<Digest, Caller>,
    /// Tenants by name, each with its config epoch.
    tenants: HashMap<String, (TenantId, u64)>,
    generation: u64,
}

impl Credentials {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A configuration changed.
    pub(crate) fn forget(&self) {
        let mut known = self.known();
        known.callers.clear();
        known.tenants.clear();
        known.generation += 1;
    }

    /// A party that needs no credential, as a caller, if there is its tenant.
    pub(crate) fn trusted(
        &self,
        reader: &Reader,
        tenant: &str,
        party: &Party,
    ) -> Result<Option<Caller>, StoreError> {
        let caller = |(tenant, epoch)| Caller {
            tenant,
            party: party.clone(),
            epoch,
            credential: None,
        };
        let generation = {
            let known = self.known();
            if let Some(found) = known.tenants.get(tenant) {
                return Ok(Some(caller(*found)));
            }
            known.generation
        };
        let Some(row) = reader.tenant_by_name(tenant)? else {
            return Ok(None);
        };
        let mut known = self.known();
        if known.generation == generation {
            known.tenants.insert(tenant.to_owned(), (row.id, row.epoch));
        }
        Ok(Some(caller((row.id, row.epoch))))
    }

    /// For whom the key of this digest speaks, if it speaks for anyone.
    pub(crate) fn look_up(
        &self,
        reader: &Reader,
        key: Digest,
    ) -> Result<Option<Caller>, StoreError> {
        let generation = {
            let known = self.known();
            if let Some(caller) = known.callers.get(&key) {
                return Ok(Some(caller.clone()));
            }
            known.generation
        };
        let Some((row, tenant)) = reader
            .authenticate(key)?
            .filter(|(row, _)| row.revoked.is_none())
        else {
            return Ok(None);
        };
        let caller = Caller {
            tenant: row.tenant,
            party: row.party,
            epoch: tenant.epoch,
            credential: Some(key),
        };
        let mut known = self.known();
        // What changed while it was read is not remembered as it was.
        if known.generation == generation {
            if known.callers.len() >= REMEMBERED {
                known.callers.clear();
            }
            known.callers.insert(key, caller.clone());
        }
        Ok(Some(caller))
    }
}
