//! When errors began: the first minute from which one signature comes much more often than before.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::investigation::Window;
use crate::log_window::Entry;
use crate::signature::Cluster;

/// Errors are judged over so many minutes at a time.
const SPAN_MINUTES: usize = 5;
/// Fewer errors than this in a span are no onset, whatever the rate was before.
const SPAN_ERRORS_MIN: u32 = 10;
/// A span must hold so many times the errors that the rate before it foretells.
const RISE_FACTOR: u32 = 5;
/// Without so many minutes of log before it, a beginning cannot be told from a continuation.
const BASELINE_MINUTES: usize = 10;

/// The longest time in which an onset is looked for: a request is foreign, and memory is finite.
pub const WINDOW_MAX: SignedDuration = SignedDuration::from_hours(31 * 24);

/// A number of events in a number of minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// How many.
    pub events: u32,
    /// In how many minutes, rounded up.
    pub minutes: u32,
}

impl Rate {
    /// Counts the instants in `window`; none in a window that is empty or reversed.
    pub fn of(instants: impl Iterator<Item = Timestamp>, window: Window) -> Self {
        let events = instants.filter(|at| window.contains(*at)).count();
        Self {
            events: u32::try_from(events).unwrap_or(u32::MAX),
            minutes: minutes_in(window),
        }
    }

    /// Whether `self` is at least `factor` times as frequent as `other`, an empty `other` counting
    /// as one event.
    pub fn at_least(self, factor: u32, other: Self) -> bool {
        let mine = u64::from(self.events) * u64::from(other.minutes.max(1));
        let theirs = u64::from(other.events.max(1)) * u64::from(self.minutes.max(1));
        mine >= u64::from(factor) * theirs
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = u64::from(self.events) * 100 / u64::from(self.minutes.max(1));
        let (whole, part) = (hundredths / 100, hundredths % 100);
        write!(
            f,
            "{} in {} min ({whole}.{part:02} per minute)",
            self.events, self.minutes
        )
    }
}

fn minutes_in(window: Window) -> u32 {
    let seconds = window.to.duration_since(window.from).as_secs().max(0);
    u32::try_from(seconds.unsigned_abs().div_ceil(60)).unwrap_or(u32::MAX)
}

/// How the errors of a signature began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Beginning {
    /// The first of them is in the evidence, with a quiet time before it.
    Seen(Onset),
    /// They were already coming when the evidence begins.
    BeforeTheEvidence {
        /// The signature that was already there.
        signature: String,
        /// When the evidence begins.
        evidence_from: Timestamp,
        /// How frequent they are throughout.
        rate: Rate,
    },
    /// No signature rises in the evidence.
    NotSeen,
}

impl Beginning {
    /// The onset, where it was seen.
    pub fn onset(&self) -> Option<&Onset> {
        match self {
            Self::Seen(onset) => Some(onset),
            Self::BeforeTheEvidence { .. } | Self::NotSeen => None,
        }
    }
}

/// The beginning of the errors, seen in the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Onset {
    /// When the first of them happened, with wrong clocks corrected.
    pub at: Timestamp,
    /// The line of the first.
    pub line: u32,
    /// The host of the first.
    pub host: String,
    /// What they have in common; text from a log, so data.
    pub signature: String,
    /// Errors of this signature before.
    pub before: Rate,
    /// Errors of this signature from then to the end of the evidence.
    pub after: Rate,
}

/// Looks for the earliest rise among the signatures, in at most [`WINDOW_MAX`] from the beginning.
pub fn find(clusters: &[Cluster<'_>], covered: Window) -> Beginning {
    let risen = clusters.iter().filter_map(|cluster| rise(cluster, covered));
    let Some((minute, cluster)) = risen.min_by_key(|(minute, _)| *minute) else {
        return Beginning::NotSeen;
    };
    let instants = || cluster.members.iter().map(|entry| entry.at);
    if minute < BASELINE_MINUTES {
        return Beginning::BeforeTheEvidence {
            signature: cluster.text.clone(),
            evidence_from: covered.from,
            rate: Rate::of(instants(), covered),
        };
    }
    let first = cluster
        .members
        .iter()
        .filter(|entry| minute_of(entry, covered.from) >= minute)
        .min_by_key(|entry| (entry.at, entry.line));
    let Some(first) = first else {
        return Beginning::NotSeen;
    };
    let just_before = first
        .at
        .checked_sub(SignedDuration::from_millis(1))
        .unwrap_or(first.at);
    Beginning::Seen(Onset {
        at: first.at,
        line: first.line,
        host: first.event.host.clone(),
        signature: cluster.text.clone(),
        before: Rate::of(
            instants(),
            Window {
                from: covered.from,
                to: just_before,
            },
        ),
        after: Rate::of(
            instants(),
            Window {
                from: first.at,
                to: covered.to,
            },
        ),
    })
}

/// The first minute of the first span that rises, if there is one.
fn rise<'a, 'b>(cluster: &'a Cluster<'b>, covered: Window) -> Option<(usize, &'a Cluster<'b>)> {
    let end = covered
        .from
        .checked_add(WINDOW_MAX)
        .map_or(covered.to, |end| end.min(covered.to));
    let minutes = minutes_in(Window {
        from: covered.from,
        to: end,
    });
    let mut per_minute = vec![0_u32; usize::try_from(minutes).ok()? + 1];
    for entry in &cluster.members {
        if let Some(count) = per_minute.get_mut(minute_of(entry, covered.from)) {
            *count += 1;
        }
    }
    let mut before = Rate {
        events: 0,
        minutes: 0,
    };
    for minute in 0..per_minute.len() {
        let span = &per_minute[minute..per_minute.len().min(minute + SPAN_MINUTES)];
        let now = Rate {
            events: span.iter().sum(),
            minutes: u32::try_from(span.len()).ok()?,
        };
        if span[0] > 0
            && now.events >= SPAN_ERRORS_MIN
            && (minute == 0 || now.at_least(RISE_FACTOR, before))
        {
            return Some((minute, cluster));
        }
        before = Rate {
            events: before.events + span[0],
            minutes: before.minutes + 1,
        };
    }
    None
}

fn minute_of(entry: &Entry, from: Timestamp) -> usize {
    usize::try_from(entry.at.duration_since(from).as_secs() / 60).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::investigation::{Source, SourceKind};
    use crate::log_window::LogWindow;
    use crate::signature;

    /// Errors at the given seconds after 14:00, in a window of an hour.
    fn beginning(seconds: &[u32]) -> Beginning {
        let lines: Vec<String> = seconds
            .iter()
            .map(|s| format!("ts=2026-11-12T14:{:02}:{:02}Z level=error service=cart host=cart-1 msg=\"no room {s}\"", s / 60, s % 60))
            .collect();
        let source = Source {
            kind: SourceKind::LogWindow,
            uri: "x.log".to_owned(),
            digest: "sha256:0".to_owned(),
        };
        let window = LogWindow::read(source, &lines.join("\n"));
        let hour = Window {
            from: "2026-11-12T14:00:00Z".parse().unwrap(),
            to: "2026-11-12T15:00:00Z".parse().unwrap(),
        };
        find(&signature::cluster(window.entries.iter()), hour)
    }

    #[test]
    fn a_rise_after_quiet_is_an_onset_at_its_first_error() {
        let errors: Vec<u32> = [300]
            .into_iter()
            .chain((0..30).map(|n| 1217 + 20 * n))
            .collect();
        let Beginning::Seen(onset) = beginning(&errors) else {
            panic!("{:?}", beginning(&errors))
        };
        assert_eq!(onset.at.to_string(), "2026-11-12T14:20:17Z");
        assert_eq!(onset.line, 2);
        assert_eq!(
            onset.before,
            Rate {
                events: 1,
                minutes: 21
            }
        );
        assert_eq!(onset.after.events, 30);
    }

    #[test]
    fn a_steady_trickle_is_no_onset() {
        let errors: Vec<u32> = (0..30).map(|n| 100 + n * 110).collect();
        assert_eq!(beginning(&errors), Beginning::NotSeen);
    }

    #[test]
    fn errors_from_the_first_minute_on_began_before_the_evidence() {
        let errors: Vec<u32> = (0..100).map(|n| 5 + n * 30).collect();
        assert!(matches!(
            beginning(&errors),
            Beginning::BeforeTheEvidence { .. }
        ));
    }

    #[test]
    fn rates_compare_without_rounding() {
        let rate = |events, minutes| Rate { events, minutes };
        assert!(rate(10, 5).at_least(5, rate(4, 10)));
        assert!(!rate(10, 5).at_least(5, rate(5, 10)));
        assert_eq!(rate(7, 3).to_string(), "7 in 3 min (2.33 per minute)");
    }
}
