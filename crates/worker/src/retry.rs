//! When a call is repeated, and after how long.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use tokio::time::Instant;

use crate::problem::{Error, Problem};

/// How patiently a client repeats calls that may be repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// The first wait; it doubles with each, with jitter.
    pub first: Duration,
    /// The longest wait, unless the server's `Retry-After` is longer.
    pub most: Duration,
    /// How long after the first try there is no other.
    pub give_up_after: Duration,
}

impl Default for Retry {
    /// 50 ms, doubling up to 5 s, for a minute.
    fn default() -> Self {
        Self {
            first: Duration::from_millis(50),
            most: Duration::from_secs(5),
            give_up_after: Duration::from_mins(1),
        }
    }
}

impl Retry {
    /// No repeats at all.
    pub const NEVER: Self = Self {
        first: Duration::ZERO,
        most: Duration::ZERO,
        give_up_after: Duration::ZERO,
    };

    /// Begins to count, with the first try.
    pub(crate) fn begin(&self) -> Patience {
        Patience {
            last: Instant::now() + self.give_up_after,
            waits: self.waits(),
        }
    }

    fn waits(&self) -> ExponentialBackoff {
        ExponentialBuilder::default()
            .with_min_delay(self.first)
            .with_max_delay(self.most)
            .with_jitter()
            .without_max_times()
            .build()
    }
}

/// What is left of a client's patience with one call.
pub(crate) struct Patience {
    last: Instant,
    waits: ExponentialBackoff,
}

impl Patience {
    /// Waits before the next try; the error of the last one if there is to be none.
    pub(crate) async fn wait(&mut self, repeat: Repeat, error: Error) -> Result<(), Error> {
        let (Some(least), Some(wait)) = (repeat.after(&error), self.waits.next()) else {
            return Err(error);
        };
        let wait = wait.max(least);
        if Instant::now() + wait >= self.last {
            return Err(error);
        }
        tracing::debug!(%error, ?wait, "repeating the call");
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

/// What a repeat of a call may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// Nothing: it reads, or carries a key, a step name or a token by which it is known.
    Harmless,
    /// Happen twice: it is repeated only if the first try certainly did nothing.
    Twice,
}

impl Repeat {
    /// How long to wait at least before the call is repeated; none if it must not be.
    pub(crate) fn after(self, error: &Error) -> Option<Duration> {
        match error {
            Error::Problem(Problem::Overloaded {
                retry_after,
                details,
            }) => (self == Self::Harmless || details.code != "outcome-unknown")
                .then(|| retry_after.unwrap_or_default()),
            Error::Transport { source, .. } => {
                (self == Self::Harmless || source.is_connect()).then_some(Duration::ZERO)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Details;

    fn overloaded(code: &str) -> Error {
        Error::Problem(Problem::Overloaded {
            retry_after: Some(Duration::from_secs(3)),
            details: Details {
                status: 503,
                code: code.to_owned(),
                ..Details::default()
            },
        })
    }

    #[test]
    fn waits_double_up_to_the_longest() {
        let retry = Retry {
            first: Duration::from_millis(10),
            most: Duration::from_millis(40),
            give_up_after: Duration::from_secs(1),
        };
        let waits: Vec<Duration> = retry.waits().take(4).collect();
        for (wait, least) in waits.iter().zip([10, 20, 40, 40]) {
            let least = Duration::from_millis(least);
            assert!(*wait >= least && *wait <= least * 2, "{waits:?}");
        }
    }

    #[test]
    fn an_overloaded_server_says_when_to_come_back() {
        let three = Some(Duration::from_secs(3));
        assert_eq!(Repeat::Twice.after(&overloaded("overloaded")), three);
        assert_eq!(Repeat::Twice.after(&overloaded("outcome-unknown")), None);
        assert_eq!(
            Repeat::Harmless.after(&overloaded("outcome-unknown")),
            three
        );
    }

    #[test]
    fn what_the_server_judged_is_not_repeated() {
        let lost = Error::Problem(Problem::LeaseLost(Details::default()));
        assert_eq!(Repeat::Harmless.after(&lost), None);
    }
}
