//! `Artifact`: an output of a task.

use serde::{Deserialize, Serialize};

use super::Metadata;
use super::check::{Check, Checker};
use super::part::Part;
use super::protojson::{object, or_default};

/// An output of a task (A2A 1.0 §4.1.7).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default)]
pub struct Artifact {
    /// Unique within its task.
    #[serde(alias = "artifact_id", deserialize_with = "or_default")]
    pub artifact_id: String,
    /// Name for people; may be empty.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub name: String,
    /// Description for people; may be empty.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "String::is_empty"
    )]
    pub description: String,
    /// The content, at least one part.
    #[serde(deserialize_with = "or_default")]
    pub parts: Vec<Part>,
    /// Free key-value pairs.
    #[serde(
        deserialize_with = "or_default",
        skip_serializing_if = "Metadata::is_empty"
    )]
    pub metadata: Metadata,
    /// URIs of the extensions that contributed to this artifact.
    #[serde(deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<String>,
}

object!(both Artifact);

impl Check for Artifact {
    fn check(&self, checker: &mut Checker<'_>) {
        checker.required_id("artifactId", &self.artifact_id);
        checker.text("name", &self.name);
        checker.text("description", &self.description);
        checker.parts(&self.parts);
        checker.metadata(&self.metadata);
        checker.texts("extensions", &self.extensions);
    }
}
