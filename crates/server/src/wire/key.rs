//! Making keys.

use serde::Deserialize;
use tertulia_acts::party::Party;
use utoipa::ToSchema;

use super::{line, object::read_as_object, party};
use crate::problem::Problem;

/// For whom a key is made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = NewKey)]
pub(crate) struct KeyIn {
    /// For whom it speaks: the caller, an agent that it owns, or, by an administrator, any principal.
    #[serde(deserialize_with = "party")]
    #[schema(value_type = String)]
    party: Party,
    /// What people call it.
    label: String,
}

impl KeyIn {
    /// For whom, and what people call it.
    pub(crate) fn checked(self) -> Result<(Party, String), Problem> {
        line("label", &self.label)?;
        Ok((self.party, self.label))
    }
}

read_as_object!(KeyIn);
