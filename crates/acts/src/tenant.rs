//! Tenants, their principals and their keys.

use serde::{Deserialize, Serialize};

use crate::{digest::Digest, ids::TenantId, party::Party, time::Timestamp};

/// A tenant: nothing crosses from one to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tenant {
    /// Its number here.
    pub id: TenantId,
    /// Its name.
    pub name: String,
    /// Rises whenever its policy, entities, keys or catalogue change (SEMANTICS 11).
    pub epoch: u64,
}

/// A person or a service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Principal {
    /// Whose it is.
    pub tenant: TenantId,
    /// Who it is.
    pub party: Party,
    /// The person or role that answers for what a service starts; a person answers for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub responsible: Option<Party>,
    /// Whether it adds principals and makes keys for them. Nothing else follows from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub administers: bool,
    /// When it was made.
    pub made: Timestamp,
}

/// A key: ≥ 128 random bits, shown once, stored as its SHA-256 (SEMANTICS 13), bound to one principal or agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    /// The digest of the key.
    pub digest: Digest,
    /// Whose it is.
    pub tenant: TenantId,
    /// For whom it speaks.
    pub party: Party,
    /// What people call it.
    pub label: String,
    /// When it was made.
    pub made: Timestamp,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Timestamp>,
}
