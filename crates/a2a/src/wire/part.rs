//! `Part`: one piece of content of a message or artifact.

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::Metadata;
use super::check::{Check, Checker};
use super::protojson::{encode_base64, object, optional_base64, or_default, present};

/// One piece of content with its description (A2A 1.0 §4.1.6).
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "PartFields")]
pub struct Part {
    /// What the part holds. None only as it was read from a peer that sent nothing:
    /// [`Check`] refuses it.
    pub content: Option<PartContent>,
    /// Free key-value pairs.
    pub metadata: Metadata,
    /// File name, empty when it has none.
    pub filename: String,
    /// Media type, empty when unknown.
    pub media_type: String,
}

/// The content of a [`Part`]; on the wire the name of the one field that is set.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// Plain text.
    Text(String),
    /// A file's bytes; base64 on the wire.
    Raw(Vec<u8>),
    /// Where a file's bytes can be fetched.
    Url(String),
    /// Any JSON value, `null` included.
    Data(Value),
}

impl Part {
    /// A text part.
    pub fn text(text: impl Into<String>) -> Self {
        PartContent::Text(text.into()).into()
    }

    /// A part of structured data.
    pub fn data(data: Value) -> Self {
        PartContent::Data(data).into()
    }
}

impl From<PartContent> for Part {
    fn from(content: PartContent) -> Self {
        Self {
            content: Some(content),
            ..Self::default()
        }
    }
}

impl Check for Part {
    fn check(&self, checker: &mut Checker<'_>) {
        match &self.content {
            None => checker.report("", "must have one of text, raw, url or data"),
            Some(PartContent::Text(text)) => checker.part_length("text", text.len()),
            Some(PartContent::Raw(bytes)) => checker.part_length("raw", bytes.len()),
            Some(PartContent::Url(url)) => checker.required_text("url", url),
            Some(PartContent::Data(data)) => checker.part_data("data", data),
        }
        checker.metadata(&self.metadata);
        checker.text("filename", &self.filename);
        checker.text("mediaType", &self.media_type);
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.content {
            None => {}
            Some(PartContent::Text(text)) => map.serialize_entry("text", text)?,
            Some(PartContent::Raw(bytes)) => map.serialize_entry("raw", &encode_base64(bytes))?,
            Some(PartContent::Url(url)) => map.serialize_entry("url", url)?,
            Some(PartContent::Data(data)) => map.serialize_entry("data", data)?,
        }
        if !self.metadata.is_empty() {
            map.serialize_entry("metadata", &self.metadata)?;
        }
        if !self.filename.is_empty() {
            map.serialize_entry("filename", &self.filename)?;
        }
        if !self.media_type.is_empty() {
            map.serialize_entry("mediaType", &self.media_type)?;
        }
        map.end()
    }
}

/// A part as its fields arrive, before it is known which content it has.
#[derive(Default, Deserialize)]
#[serde(remote = "Self", default)]
struct PartFields {
    text: Option<String>,
    #[serde(deserialize_with = "optional_base64")]
    raw: Option<Vec<u8>>,
    url: Option<String>,
    #[serde(deserialize_with = "present")]
    data: Option<Value>,
    #[serde(deserialize_with = "or_default")]
    metadata: Metadata,
    #[serde(deserialize_with = "or_default")]
    filename: String,
    #[serde(
        rename = "mediaType",
        alias = "media_type",
        deserialize_with = "or_default"
    )]
    media_type: String,
}

object!(read PartFields);

impl TryFrom<PartFields> for Part {
    type Error = &'static str;

    fn try_from(fields: PartFields) -> Result<Self, Self::Error> {
        let PartFields {
            text,
            raw,
            url,
            data,
            metadata,
            filename,
            media_type,
        } = fields;
        let content = match (text, raw, url, data) {
            (None, None, None, None) => None,
            (Some(text), None, None, None) => Some(PartContent::Text(text)),
            (None, Some(raw), None, None) => Some(PartContent::Raw(raw)),
            (None, None, Some(url), None) => Some(PartContent::Url(url)),
            (None, None, None, Some(data)) => Some(PartContent::Data(data)),
            _ => return Err("a part must have only one of text, raw, url and data"),
        };
        Ok(Self {
            content,
            metadata,
            filename,
            media_type,
        })
    }
}
