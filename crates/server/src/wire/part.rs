//! Parts of a body: untrusted content, taken as it is within its limits.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tertulia_acts::{
    body::{Body, Content, FileRef, Part},
    digest::Digest,
    limits::{DESCRIPTION_BYTES, PART_BYTES, PARTS},
};
use utoipa::ToSchema;

use super::{line, object::object, present, shallow};
use crate::problem::Problem;

/// One part: exactly one of `text`, `data` and `file`.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Part)]
pub(crate) struct PartIn {
    /// Text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Any JSON value, `null` too.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    #[schema(value_type = Option<Value>)]
    data: Option<Value>,
    /// A reference to a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<FileIn>,
    /// Its media type, as its author gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    /// Its author's own data about it, carried and never read.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
}

/// A reference to an artifact of the root, by digest, or to a place outside, by address.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = FileRef)]
pub(crate) struct FileIn {
    /// The digest of its bytes, `sha256:` and 64 hex digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    digest: Option<Digest>,
    /// Where it lies outside. The engine never fetches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// Parts as a body; `at` is where they stand.
pub(crate) fn body(at: &str, parts: Vec<PartIn>) -> Result<Body, Problem> {
    if parts.len() > PARTS {
        let what = format!("{} parts, and at most {PARTS} are taken", parts.len());
        return Err(Problem::malformed(at, what));
    }
    let parts = parts.into_iter().enumerate();
    let parts = parts.map(|(i, part)| part.into_part(&format!("{at}[{i}]")));
    Ok(Body {
        parts: parts.collect::<Result<_, _>>()?,
    })
}

/// Parts as a body that says something.
pub(crate) fn words(at: &str, parts: Vec<PartIn>) -> Result<Body, Problem> {
    if parts.is_empty() {
        return Err(Problem::malformed(at, "at least one part is needed"));
    }
    body(at, parts)
}

impl PartIn {
    fn into_part(self, at: &str) -> Result<Part, Problem> {
        let content = match (self.text, self.data, self.file) {
            (Some(text), None, None) => {
                within(&format!("{at}.text"), text.len())?;
                Content::Text(text)
            }
            (None, Some(data), None) => {
                shallow(&format!("{at}.data"), &data)?;
                within(&format!("{at}.data"), data.to_string().len())?;
                Content::Data(data)
            }
            (None, None, Some(file)) => Content::File(file.into_ref(&format!("{at}.file"))?),
            _ => {
                let what = "expected exactly one of `text`, `data` and `file`";
                return Err(Problem::malformed(at, what));
            }
        };
        if let Some(media_type) = &self.media_type {
            line(&format!("{at}.media_type"), media_type)?;
        }
        if !self.metadata.is_empty() {
            let place = format!("{at}.metadata");
            let metadata = Value::Object(self.metadata.clone());
            shallow(&place, &metadata)?;
            within(&place, metadata.to_string().len())?;
        }
        Ok(Part {
            content,
            media_type: self.media_type,
            metadata: self.metadata,
        })
    }
}

impl FileIn {
    fn into_ref(self, at: &str) -> Result<FileRef, Problem> {
        if self.digest.is_none() && self.url.is_none() && self.name.is_none() {
            return Err(Problem::malformed(
                at,
                "expected a `digest`, a `url` or a `name`",
            ));
        }
        for (name, text) in [("url", &self.url), ("name", &self.name)] {
            let bytes = text.as_ref().map_or(0, String::len);
            if bytes > DESCRIPTION_BYTES {
                let what = format!("{bytes} bytes, and at most {DESCRIPTION_BYTES} are taken");
                return Err(Problem::malformed(&format!("{at}.{name}"), what));
            }
        }
        Ok(FileRef {
            digest: self.digest,
            url: self.url,
            name: self.name,
        })
    }
}

fn within(place: &str, bytes: usize) -> Result<(), Problem> {
    if bytes > PART_BYTES {
        return Err(Problem::too_large(place, bytes, PART_BYTES));
    }
    Ok(())
}

object!(PartIn, FileIn);
