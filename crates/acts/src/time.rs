//! Instants and spans, in whole milliseconds. `now` is always handed in (DESIGN 5).

use serde::{Deserialize, Serialize};

/// Milliseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

/// A span of whole milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

impl Millis {
    /// `n` seconds.
    #[must_use]
    pub const fn seconds(n: i64) -> Self {
        Self(n * 1000)
    }

    /// `n` hours.
    #[must_use]
    pub const fn hours(n: i64) -> Self {
        Self::seconds(n * 3600)
    }
}

impl Timestamp {
    /// This instant, `span` later; stops at the last instant there is.
    #[must_use]
    pub const fn after(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0))
    }

    /// How long after `earlier` this is; negative if it is before.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}
