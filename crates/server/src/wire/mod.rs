//! What calls bring, as the API takes it. Each type refuses what it does not know, is checked against the limits, and
//! becomes a type of `acts`; a problem names the place.

pub(crate) mod agent;
pub(crate) mod answer;
pub(crate) mod artifact;
pub(crate) mod claim;
pub(crate) mod contract;
pub(crate) mod conversation;
pub(crate) mod key;
pub(crate) mod object;
pub(crate) mod opening;
pub(crate) mod operation;
pub(crate) mod part;
pub(crate) mod principal;
pub(crate) mod task;

use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use tertulia_acts::{
    limits::{DATA_DEPTH, KEY_BYTES},
    party::Party,
    time::Millis,
};

use crate::problem::Problem;

/// Reads a party as foreign text names it: nobody is read as the engine.
pub(crate) fn party<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Party, D::Error> {
    let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
    text.parse().map_err(de::Error::custom)
}

/// A member that is there, whatever it is: `null` is data like any other.
pub(crate) fn present<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Whether something is a key, an alias, a work id: one line of text, not empty, within its limit.
pub(crate) fn line(place: &str, text: &str) -> Result<(), Problem> {
    if text.is_empty() || text.len() > KEY_BYTES || text.chars().any(char::is_control) {
        let what = format!(
            "expected 1 to {KEY_BYTES} bytes of text in one line, and got {} bytes",
            text.len()
        );
        return Err(Problem::malformed(place, what));
    }
    Ok(())
}

/// A span of milliseconds, more than none.
pub(crate) fn span(place: &str, millis: Option<u64>) -> Result<Option<Millis>, Problem> {
    match millis {
        None => Ok(None),
        Some(0) => Err(Problem::malformed(place, "expected at least 1 millisecond")),
        // What is longer than any limit is brought back to the limit later.
        Some(millis) => Ok(Some(Millis(i64::try_from(millis).unwrap_or(i64::MAX)))),
    }
}

/// Data may be nested only so deep that whoever reads it, with what stands around it, can.
pub(crate) fn shallow(place: &str, data: &Value) -> Result<(), Problem> {
    if depth_within(data, DATA_DEPTH) {
        Ok(())
    } else {
        let what = format!("the data is nested more than {DATA_DEPTH} levels deep");
        Err(Problem::malformed(place, what))
    }
}

fn depth_within(data: &Value, most: usize) -> bool {
    match data {
        Value::Array(items) => most > 0 && items.iter().all(|item| depth_within(item, most - 1)),
        Value::Object(members) => {
            most > 0
                && members
                    .values()
                    .all(|member| depth_within(member, most - 1))
        }
        _ => true,
    }
}

/// The place of a member of `at`, which may be the whole body.
pub(crate) fn member(at: &str, name: &str) -> String {
    if at.is_empty() {
        name.to_owned()
    } else {
        format!("{at}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_only_so_deep() {
        let nested = |depth| (0..depth).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
        assert!(shallow("x", &nested(DATA_DEPTH)).is_ok());
        let problem = shallow("parts[0].data", &nested(DATA_DEPTH + 1)).unwrap_err();
        assert!(
            problem
                .detail
                .starts_with("parts[0].data: the data is nested")
        );
    }

    #[test]
    fn a_key_is_one_line_within_its_limit() {
        assert!(line("k", &"é".repeat(KEY_BYTES / 2)).is_ok());
        for bad in ["", "a\nb", "a\0b", &"x".repeat(KEY_BYTES + 1)] {
            assert!(line("k", bad).is_err(), "{bad:?} was taken for a key");
        }
    }

    #[test]
    fn spans_saturate_and_are_never_nothing() {
        assert_eq!(span("s", Some(u64::MAX)).unwrap(), Some(Millis(i64::MAX)));
        assert!(span("s", Some(0)).is_err());
    }
}
