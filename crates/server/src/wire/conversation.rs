//! Marking conversations.

use serde::Deserialize;
use tertulia_acts::{command::Migrate, digest::Digest, ids::ConversationId, party::Party};
use utoipa::ToSchema;

use super::{object::read_as_object, party};

/// A migration: one participant is pinned to another version, for tasks accepted later.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Migrate)]
pub(crate) struct MigrateIn {
    /// The participant: `agent:NAME`.
    #[serde(deserialize_with = "party")]
    #[schema(value_type = String)]
    agent: Party,
    /// The version, by digest; the current one where none is named.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    version: Option<Digest>,
}

impl MigrateIn {
    /// The command.
    pub(crate) fn into_command(self, conversation: ConversationId) -> Migrate {
        Migrate {
            conversation,
            agent: self.agent,
            version: self.version,
        }
    }
}

read_as_object!(MigrateIn);
