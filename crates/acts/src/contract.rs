//! What a delegation asks for beyond its text (DESIGN 2, *Contract*).

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// The name and version of a contract, written `incident-diagnosis/v1`.
pub type ContractName = String;

/// The terms of a delegation. What is not named is not asked for.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Contract {
    /// The contract that the request holds to, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<ContractName>,
    /// The contract that the result must hold to, with its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<ContractName>,
    /// Inputs, as references with a version, so that two requests about the same things are seen to be equal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputRef>,
    /// What a good result fulfils, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub acceptance_criteria: Vec<String>,
    /// Makes an intended repeat distinct (SEMANTICS 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Whether case and white space of the objective are folded in the fingerprint; else white space only.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fold_case: bool,
}

/// A versioned reference to something that the work reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InputRef {
    /// What it is called.
    pub name: String,
    /// Which version of it: a digest, a revision, a date.
    pub version: String,
    /// The digest of its bytes, where they are an artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
}
