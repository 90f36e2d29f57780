//! Artifacts as they come in: inline, within their limits.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tertulia_acts::{
    body::NewArtifact,
    limits::{ARTIFACT_BYTES, ARTIFACTS},
};
use utoipa::ToSchema;

use super::{line, object::object, present, shallow};
use crate::problem::Problem;

/// An artifact: exactly one of `text`, `data` and `base64`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = ArtifactIn)]
pub(crate) struct ArtifactIn {
    /// Its name.
    name: String,
    /// Its media type.
    media_type: String,
    /// Its content, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Its content, as JSON.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(value_type = Option<Value>)]
    data: Option<Value>,
    /// Its content, as bytes in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// Artifacts; `at` is where they stand.
pub(crate) fn artifacts(at: &str, given: Vec<ArtifactIn>) -> Result<Vec<NewArtifact>, Problem> {
    if given.len() > ARTIFACTS {
        let what = format!(
            "{} artifacts, and at most {ARTIFACTS} are taken",
            given.len()
        );
        return Err(Problem::malformed(at, what));
    }
    let given = given.into_iter().enumerate();
    given
        .map(|(i, artifact)| artifact.into_new(&format!("{at}[{i}]")))
        .collect()
}

impl ArtifactIn {
    fn into_new(self, at: &str) -> Result<NewArtifact, Problem> {
        line(&format!("{at}.name"), &self.name)?;
        line(&format!("{at}.media_type"), &self.media_type)?;
        let bytes = match (self.text, self.data, self.base64) {
            (Some(text), None, None) => text.into_bytes(),
            (None, Some(data), None) => {
                shallow(&format!("{at}.data"), &data)?;
                data.to_string().into_bytes()
            }
            (None, None, Some(text)) => BASE64_STANDARD
                .decode(text)
                .map_err(|error| Problem::malformed(&format!("{at}.base64"), error))?,
            _ => {
                let what = "expected exactly one of `text`, `data` and `base64`";
                return Err(Problem::malformed(at, what));
            }
        };
        if bytes.len() > ARTIFACT_BYTES {
            return Err(Problem::too_large(at, bytes.len(), ARTIFACT_BYTES));
        }
        Ok(NewArtifact::new(self.name, self.media_type, bytes))
    }
}

object!(ArtifactIn);
