//! Adding principals.

use serde::Deserialize;
use tertulia_acts::party::Party;
use utoipa::ToSchema;

use super::object::read_as_object;

/// What a principal is to be.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = NewPrincipal)]
pub(crate) struct PrincipalIn {
    /// The person that answers for what it starts, if it is a service: `user:NAME`.
    #[serde(default, deserialize_with = "some_party")]
    #[schema(value_type = Option<String>)]
    pub(crate) responsible: Option<Party>,
    /// Whether it adds principals and makes keys for them.
    #[serde(default)]
    pub(crate) administers: bool,
}

fn some_party<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Party>, D::Error> {
    super::party(deserializer).map(Some)
}

read_as_object!(PrincipalIn);
