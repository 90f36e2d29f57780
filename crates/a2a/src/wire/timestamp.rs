//! `google.protobuf.Timestamp`, held in whole milliseconds.

use std::fmt;
use std::str::FromStr;

use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

const PRINTER: DateTimePrinter = DateTimePrinter::new().precision(Some(3));

/// Nanoseconds in a millisecond.
const NANOS_PER_MILLI: i128 = 1_000_000;

/// A moment in milliseconds since 1970-01-01T00:00:00Z.
///
/// Read with any offset and any precision, written as `YYYY-MM-DDTHH:mm:ss.sssZ` (A2A 1.0
/// §5.6.1). Finer digits are cut towards the past. The years are those of
/// protobuf, 0001 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(jiff::Timestamp);

/// Why a text or number is no timestamp.
#[derive(Debug, thiserror::Error)]
pub enum TimestampError {
    /// Not RFC 3339.
    #[error("expected a timestamp such as 2026-01-31T08:30:00.000Z")]
    Malformed,
    /// Outside the years 0001 to 9999.
    #[error("timestamp outside the years 0001 to 9999")]
    OutOfRange,
}

impl Timestamp {
    /// 0001-01-01T00:00:00.000Z.
    pub const MIN_MILLIS: i64 = -62_135_596_800_000;
    /// 9999-12-30T21:59:59.999Z: a day short of protobuf's end, so that every offset can show it.
    pub const MAX_MILLIS: i64 = 253_402_207_199_999;

    /// The moment this many milliseconds after (or before) 1970.
    pub fn from_millis(millis: i64) -> Result<Self, TimestampError> {
        if !(Self::MIN_MILLIS..=Self::MAX_MILLIS).contains(&millis) {
            return Err(TimestampError::OutOfRange);
        }
        let inner = jiff::Timestamp::from_millisecond(millis);
        inner.map(Self).map_err(|_| TimestampError::OutOfRange)
    }

    /// Milliseconds since 1970.
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let parsed: jiff::Timestamp = text.parse().map_err(|_| TimestampError::Malformed)?;
        let millis = parsed.as_nanosecond().div_euclid(NANOS_PER_MILLI);
        i64::try_from(millis)
            .map_err(|_| TimestampError::OutOfRange)
            .and_then(Self::from_millis)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&PRINTER.timestamp_to_string(&self.0))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let timestamp: Timestamp = text.parse().unwrap();
        assert_eq!(timestamp.to_string(), expected, "{text}");
        assert_eq!(
            Timestamp::from_millis(timestamp.as_millis()).unwrap(),
            timestamp
        );
    }

    #[test]
    fn every_form_becomes_utc_milliseconds() {
        check("2026-01-31T08:30:00Z", "2026-01-31T08:30:00.000Z");
        check("2026-01-31T08:30:00.5Z", "2026-01-31T08:30:00.500Z");
        check("2026-01-31T08:30:00.123456789Z", "2026-01-31T08:30:00.123Z");
        check(
            "2026-01-31T10:30:00.999999+02:00",
            "2026-01-31T08:30:00.999Z",
        );
        check("2025-12-31T23:59:59.001-08:00", "2026-01-01T07:59:59.001Z");
        check("1969-12-31T23:59:59.9995Z", "1969-12-31T23:59:59.999Z");
        check("1969-12-31T23:59:59.9994Z", "1969-12-31T23:59:59.999Z");
        check("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "",
            "now",
            "2026-01-31",
            "2026-01-31T08:30:00",
            "2026-02-30T00:00:00Z",
            "1738312200",
        ] {
            assert!(text.parse::<Timestamp>().is_err(), "{text}");
        }
        assert!("0000-12-31T23:59:59.999Z".parse::<Timestamp>().is_err());
        assert!(Timestamp::from_millis(i64::MAX).is_err());
    }

    #[test]
    fn the_ends_of_the_range_can_be_written() {
        let write = |millis| Timestamp::from_millis(millis).unwrap().to_string();
        assert_eq!(write(Timestamp::MIN_MILLIS), "0001-01-01T00:00:00.000Z");
        assert_eq!(write(Timestamp::MAX_MILLIS), "9999-12-30T21:59:59.999Z");
        assert!(Timestamp::from_millis(Timestamp::MIN_MILLIS - 1).is_err());
        assert!(Timestamp::from_millis(Timestamp::MAX_MILLIS + 1).is_err());
    }
}
