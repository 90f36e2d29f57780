//! What an act says: untrusted parts, never parsed for control (DESIGN 1), and references to artifacts.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::Digest;

/// The untrusted content of an act.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its parts, in order.
    pub parts: Vec<Part>,
}

impl Body {
    /// A body of one text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::text(text)],
        }
    }

    /// About how many bytes it holds.
    #[must_use]
    pub fn weight(&self) -> usize {
        let part = |part: &Part| match &part.content {
            Content::Text(text) => text.len(),
            Content::Data(data) => weight(data),
            Content::File(file) => {
                file.url.as_ref().map_or(0, String::len) + file.name.as_ref().map_or(0, String::len)
            }
        };
        self.parts.iter().map(part).sum()
    }

    /// The text parts, joined by line breaks.
    #[must_use]
    pub fn joined_text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|part| match &part.content {
                Content::Text(text) => Some(text.as_str()),
                Content::Data(_) | Content::File(_) => None,
            })
            .collect();
        texts.join("\n")
    }
}

/// About how many bytes a JSON value holds.
#[must_use]
pub fn weight(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 8,
        Value::Array(items) => items.iter().map(weight).sum::<usize>() + 8,
        Value::Object(members) => {
            members
                .iter()
                .map(|(name, value)| name.len() + weight(value) + 8)
                .sum::<usize>()
                + 8
        }
    }
}

/// One part of a body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// What it holds.
    #[serde(flatten)]
    pub content: Content,
    /// Its media type, as its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Its author's own data about it, carried and never read.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
}

impl Part {
    /// A part of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: Content::Text(text.into()),
            media_type: None,
            metadata: Map::new(),
        }
    }

    /// A part of JSON data.
    #[must_use]
    pub fn data(data: Value) -> Self {
        Self {
            content: Content::Data(data),
            media_type: None,
            metadata: Map::new(),
        }
    }
}

/// What a part holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    /// Text.
    Text(String),
    /// Any JSON value.
    Data(Value),
    /// A reference to an artifact or to a place outside.
    File(FileRef),
}

/// A reference to a file: an artifact of the root, by digest, or a place outside, by address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRef {
    /// The digest of its bytes, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Where it lies outside; never fetched by the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its name, as its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// An artifact with its bytes, as it comes in. Its digest is computed once, at the edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewArtifact {
    digest: Digest,
    name: String,
    media_type: String,
    bytes: Vec<u8>,
}

impl NewArtifact {
    /// Takes bytes and computes what they are addressed by.
    #[must_use]
    pub fn new(name: String, media_type: String, bytes: Vec<u8>) -> Self {
        Self {
            digest: Digest::of(&bytes),
            name,
            media_type,
            bytes,
        }
    }

    /// What it is addressed by.
    #[must_use]
    pub const fn digest(&self) -> Digest {
        self.digest
    }

    /// The reference under which an envelope names it.
    #[must_use]
    pub fn reference(&self) -> ArtifactRef {
        ArtifactRef {
            digest: self.digest,
            name: self.name.clone(),
            media_type: self.media_type.clone(),
            size: self.bytes.len() as u64,
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A reference to an artifact of the same root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactRef {
    /// The digest of its bytes: its id within the root.
    pub digest: Digest,
    /// Its name, as its author gave it.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// Its size in bytes.
    pub size: u64,
}
