//! Instants as the API writes them.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use tertulia_acts::time::Timestamp;
use utoipa::{PartialSchema, ToSchema, openapi};

/// An instant: RFC 3339 in UTC, with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl std::fmt::Display for Instant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What lies beyond the calendar is shown as the calendar's end.
        let end = if self.0.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        };
        let instant = jiff::Timestamp::from_millisecond(self.0.0).unwrap_or(end);
        write!(f, "{instant:.3}")
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What acts and events name, with instants as the API writes them; rows hold them as numbers.
pub(crate) fn readable(mut detail: Map<String, Value>) -> Map<String, Value> {
    for name in ["deadline", "due"] {
        if let Some(value) = detail.get_mut(name)
            && let Some(at) = value.as_i64()
        {
            *value = Value::from(Instant(Timestamp(at)).to_string());
        }
    }
    detail
}

impl PartialSchema for Instant {
    fn schema() -> openapi::RefOr<openapi::Schema> {
        let format = openapi::SchemaFormat::KnownFormat(openapi::KnownFormat::DateTime);
        let string = openapi::ObjectBuilder::new().schema_type(openapi::schema::Type::String);
        string.format(Some(format)).into()
    }
}

impl ToSchema for Instant {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instant_has_milliseconds_and_an_end() {
        assert_eq!(
            Instant(Timestamp(1_700_000_000_007)).to_string(),
            "2023-11-14T22:13:20.007Z"
        );
        assert_eq!(
            Instant(Timestamp(0)).to_string(),
            "1970-01-01T00:00:00.000Z"
        );
        assert!(
            Instant(Timestamp(i64::MAX))
                .to_string()
                .starts_with("9999-12-")
        );
    }

    #[test]
    fn instants_that_acts_and_events_name_are_written_like_any_other() {
        let detail = serde_json::json!({"due": 7, "deadline": 0, "attempt": 7});
        let expected = serde_json::json!({
            "due": "1970-01-01T00:00:00.007Z", "deadline": "1970-01-01T00:00:00.000Z", "attempt": 7,
        });
        assert_eq!(
            Value::from(readable(detail.as_object().unwrap().clone())),
            expected
        );
    }
}
