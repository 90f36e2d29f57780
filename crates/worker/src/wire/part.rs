//! Parts: the untrusted content of an act. Nothing in them is followed.

use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

/// One part of a body: text, data, or a reference to a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// `null` is data like any other, so its presence is what counts.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "present"
    )]
    data: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    file: Option<FileRef>,
    /// Its media type, as its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Its author's own data about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// A reference to a file: an artifact of the root, by digest, or a place outside, by address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FileRef {
    /// The digest of its bytes, `sha256:…`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Where it lies outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its name, as its author gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Part {
    const fn bare(text: Option<String>, data: Option<Value>, file: Option<FileRef>) -> Self {
        Self {
            text,
            data,
            file,
            media_type: None,
            metadata: None,
        }
    }

    /// A part of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::bare(Some(text.into()), None, None)
    }

    /// A part of JSON data.
    pub const fn data(data: Value) -> Self {
        Self::bare(None, Some(data), None)
    }

    /// A part of JSON data, from a value of yours.
    ///
    /// # Errors
    /// The value has no JSON form, for example a map whose keys are no strings.
    pub fn of<T: Serialize>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::to_value(value).map(Self::data)
    }

    /// A reference to a file.
    pub const fn file(file: FileRef) -> Self {
        Self::bare(None, None, Some(file))
    }

    /// The same part, said to be of this media type.
    pub fn typed(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// Its text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Its data, if it is data.
    pub const fn as_data(&self) -> Option<&Value> {
        self.data.as_ref()
    }

    /// Its reference, if it is a file.
    pub const fn as_file(&self) -> Option<&FileRef> {
        self.file.as_ref()
    }
}

/// The text parts, joined by line breaks.
pub fn joined_text(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(Part::as_text).collect();
    texts.join("\n")
}

/// The first data part, read as a `T`; none if there is no data.
pub(crate) fn first_data<T: DeserializeOwned>(
    parts: &[Part],
) -> Option<Result<T, serde_json::Error>> {
    parts.iter().find_map(Part::as_data).map(T::deserialize)
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_is_written_under_its_own_member() {
        let parts = [
            Part::text("errors since 14:10"),
            Part::data(json!({"n": 3})).typed("application/json"),
            Part::file(FileRef {
                digest: Some("sha256:00".to_owned()),
                ..FileRef::default()
            }),
        ];
        let written = serde_json::to_value(&parts).unwrap();
        let expected = json!([
            {"text": "errors since 14:10"},
            {"data": {"n": 3}, "media_type": "application/json"},
            {"file": {"digest": "sha256:00"}},
        ]);
        assert_eq!(written, expected);
        let read: Vec<Part> = serde_json::from_value(expected).unwrap();
        assert_eq!(read, parts);
    }

    #[test]
    fn null_is_data_and_not_the_absence_of_it() {
        let part: Part = serde_json::from_value(json!({"data": null})).unwrap();
        assert_eq!(part.as_data(), Some(&Value::Null));
        assert_eq!(part, Part::data(Value::Null));
        let part: Part = serde_json::from_value(json!({"text": "x"})).unwrap();
        assert_eq!(part.as_data(), None);
    }

    #[test]
    fn unknown_members_are_skipped() {
        let part: Part =
            serde_json::from_value(json!({"text": "x", "from_the_future": 1})).unwrap();
        assert_eq!(part.as_text(), Some("x"));
    }

    #[test]
    fn text_is_joined_and_the_first_data_is_read() {
        let parts = [
            Part::text("a"),
            Part::data(json!(7)),
            Part::text("b"),
            Part::data(json!(8)),
        ];
        assert_eq!(joined_text(&parts), "a\nb");
        assert_eq!(first_data::<u8>(&parts).unwrap().unwrap(), 7);
        assert!(first_data::<u8>(&parts[..1]).is_none());
        assert!(first_data::<String>(&parts).unwrap().is_err());
    }
}
