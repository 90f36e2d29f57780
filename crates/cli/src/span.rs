//! Spans of time as people write them.

use std::time::Duration;

/// Reads `500ms`, `90s`, `10m`, `2h` or `1d`.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    const EXPECTED: &str = "expected a number and a unit, such as 500ms, 90s, 10m, 2h or 1d";
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| EXPECTED.to_owned())?;
    let milliseconds: u64 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(EXPECTED.to_owned()),
    };
    number
        .checked_mul(milliseconds)
        .filter(|span| *span > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| EXPECTED.to_owned())
}

/// The span in milliseconds, as requests take it.
pub(crate) fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_with_their_unit() {
        for (text, expected) in [
            ("500ms", 500),
            ("90s", 90_000),
            ("10m", 600_000),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
        ] {
            assert_eq!(millis(parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "10",
            "s",
            "-1s",
            "1.5h",
            "0s",
            "10 s",
            "1w",
            "99999999999999999999d",
            "300000000000000d",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
