//! The terms of a delegation, in and out.

use serde::{Deserialize, Serialize};
use tertulia_acts::{
    contract::{Contract, InputRef},
    digest::Digest,
    limits::{DESCRIPTION_BYTES, PARTS},
};
use utoipa::ToSchema;

use super::{line, member, object::object};
use crate::problem::Problem;

/// The terms of a delegation. What is not named is not asked for.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields, default)]
#[schema(as = Contract)]
pub(crate) struct ContractIn {
    /// The contract that the request holds to, with its version: `incident-investigation/v1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The contract that the result must hold to, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    /// Inputs, as references with a version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    inputs: Vec<InputIn>,
    /// What a good result fulfils, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    acceptance_criteria: Vec<String>,
    /// Makes an intended repeat distinct.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    /// Whether case does not count when requests are compared.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    fold_case: bool,
}

/// A versioned reference to something that the work reads.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = InputRef)]
pub(crate) struct InputIn {
    /// What it is called.
    name: String,
    /// Which version of it.
    version: String,
    /// The digest of its bytes, where they are an artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    digest: Option<Digest>,
}

impl ContractIn {
    /// As `acts` has it; `at` is where it stands.
    pub(crate) fn into_contract(self, at: &str) -> Result<Contract, Problem> {
        for (name, text) in [
            ("name", &self.name),
            ("result", &self.result),
            ("variant", &self.variant),
        ] {
            if let Some(text) = text {
                line(&member(at, name), text)?;
            }
        }
        for (list, n) in [
            ("inputs", self.inputs.len()),
            ("acceptance_criteria", self.acceptance_criteria.len()),
        ] {
            if n > PARTS {
                let what = format!("{n} entries, and at most {PARTS} are taken");
                return Err(Problem::malformed(&member(at, list), what));
            }
        }
        for (i, text) in self.acceptance_criteria.iter().enumerate() {
            if text.len() > DESCRIPTION_BYTES {
                let place = member(at, &format!("acceptance_criteria[{i}]"));
                let what = format!("at most {DESCRIPTION_BYTES} bytes are taken");
                return Err(Problem::malformed(&place, what));
            }
        }
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (i, input) in self.inputs.into_iter().enumerate() {
            line(&member(at, &format!("inputs[{i}].name")), &input.name)?;
            line(&member(at, &format!("inputs[{i}].version")), &input.version)?;
            inputs.push(InputRef {
                name: input.name,
                version: input.version,
                digest: input.digest,
            });
        }
        Ok(Contract {
            name: self.name,
            result: self.result,
            inputs,
            acceptance_criteria: self.acceptance_criteria,
            variant: self.variant,
            fold_case: self.fold_case,
        })
    }
}

object!(ContractIn, InputIn);
