//! How well a change explains an onset. Points for what the evidence shows, added up to at most 100;
//! being close in time alone is never enough.

use std::collections::BTreeSet;

use jiff::SignedDuration;

use crate::deployments::{Candidate, describe, title};
use crate::diagnosis::Hypothesis;
use crate::history::Change;
use crate::logs::LogReport;
use crate::onset::Onset;

/// The service itself changed, not one that it calls.
const OWN_CHANGE: u8 = 20;
/// A service that it calls changed.
const DEPENDENCY_CHANGE: u8 = 5;
/// The change was everywhere at most this long before the onset.
const SHORTLY: (SignedDuration, u8) = (SignedDuration::from_mins(15), 20);
/// The same for a while before.
const RECENTLY: (SignedDuration, u8) = (SignedDuration::from_hours(2), 10);
/// The error names the setting and shows its new value.
const VALUE_IN_ERROR: u8 = 35;
/// The error has words of the setting, without its value.
const WORDS_IN_ERROR: u8 = 10;
/// The service itself printed the new value when it started.
const VALUE_PRINTED: u8 = 15;
/// The log shows the new version start before the onset.
const START_SEEN: u8 = 5;
/// The errors of the changed dependency rose too; as many points less if they stayed as they were.
const NEIGHBOUR: u8 = 10;

/// Words of setting names that say nothing about what is set.
const EMPTY_WORDS: [&str; 6] = ["client", "max", "min", "version", "percent", "ms"];

/// A candidate with what speaks for and against it.
pub(crate) struct Judged<'a> {
    pub(crate) candidate: &'a Candidate,
    pub(crate) confidence: u8,
    /// The changes whose new value the error shows.
    pub(crate) matching: Vec<&'a Change>,
    signature: &'a str,
    based_on: Vec<String>,
    against: Vec<String>,
}

/// Judges the candidates that began before the onset, the most convincing first.
pub(crate) fn judge<'a>(
    service: &str,
    onset: &'a Onset,
    logs: &'a LogReport,
    candidates: &'a [Candidate],
) -> Vec<Judged<'a>> {
    let mut judged: Vec<Judged<'a>> = candidates
        .iter()
        .filter(|candidate| candidate.started_at <= onset.at)
        .map(|candidate| judge_one(service, onset, logs, candidate))
        .collect();
    judged.sort_by(|a, b| {
        b.confidence
            .cmp(&a.confidence)
            .then_with(|| b.candidate.finished_at.cmp(&a.candidate.finished_at))
    });
    judged
}

fn judge_one<'a>(
    service: &str,
    onset: &'a Onset,
    logs: &'a LogReport,
    candidate: &'a Candidate,
) -> Judged<'a> {
    let own = candidate.service == service;
    let mut points = if own { OWN_CHANGE } else { DEPENDENCY_CHANGE };
    let mut based_on: Vec<String> = logs
        .logs
        .beginning_finding
        .iter()
        .cloned()
        .chain([candidate.finding.clone()])
        .collect();
    let mut against = Vec::new();

    let lead = onset.at.duration_since(candidate.finished_at);
    points += [SHORTLY, RECENTLY]
        .iter()
        .find(|(within, _)| lead <= *within)
        .map_or(0, |(_, points)| *points);

    let (matching, in_error) = changes_in_error(candidate, onset);
    points += in_error;
    if own {
        let printed = logs.logs.printed_settings.iter().find(|printed| {
            matching
                .iter()
                .any(|change| printed.settings.get(&change.key) == Some(&change.to))
        });
        if let Some(printed) = printed {
            points += VALUE_PRINTED;
            based_on.push(printed.finding.clone());
        }
        let start = logs
            .logs
            .starts
            .iter()
            .find(|start| start.version == candidate.version && start.first <= onset.at);
        if let Some(start) = start {
            points += START_SEEN;
            based_on.push(start.finding.clone());
        }
    } else if let Some(neighbour) = logs
        .logs
        .neighbours
        .iter()
        .find(|neighbour| neighbour.service == candidate.service)
    {
        if neighbour.rose {
            points += NEIGHBOUR;
            based_on.push(neighbour.finding.clone());
        } else {
            points = points.saturating_sub(NEIGHBOUR);
            against.push(neighbour.finding.clone());
        }
    }
    Judged {
        candidate,
        confidence: points.min(100),
        matching,
        signature: &onset.signature,
        based_on,
        against,
    }
}

/// The changes whose new value the error shows, and the points for what it shows of them.
fn changes_in_error<'a>(candidate: &'a Candidate, onset: &Onset) -> (Vec<&'a Change>, u8) {
    let words = words_of(&onset.signature);
    let named = |change: &&Change| {
        let telling = |word: &String| !EMPTY_WORDS.contains(&word.as_str()) && words.contains(word);
        words_of(&change.key).iter().any(telling)
    };
    let related: Vec<&Change> = candidate.changes.iter().filter(named).collect();
    let shown = |change: &&Change| words.contains(&change.to.to_lowercase());
    let matching: Vec<&Change> = related.iter().copied().filter(shown).collect();
    let points = match (matching.is_empty(), related.is_empty()) {
        (false, _) => VALUE_IN_ERROR,
        (true, false) => WORDS_IN_ERROR,
        (true, true) => 0,
    };
    (matching, points)
}

impl Judged<'_> {
    /// The hypothesis in words; its id is given where it is listed.
    pub(crate) fn hypothesis(&self) -> Hypothesis {
        let candidate = self.candidate;
        let title = title(&candidate.service, candidate.kind, &candidate.version);
        let changes: Vec<String> = self
            .matching
            .iter()
            .map(|change| describe(change))
            .collect();
        let (statement, would_confirm) = if changes.is_empty() {
            let statement = format!(
                "{title} ({}) had a part in the errors: it came before them, but nothing in them points to it",
                candidate.id
            );
            (
                statement,
                vec![format!(
                    "the errors end when {} alone is taken back",
                    candidate.id
                )],
            )
        } else {
            let statement = format!(
                "{title} ({}) brought the errors: it changed {}, and they say \"{}\"",
                candidate.id,
                changes.join(" and "),
                self.signature
            );
            let back = self.matching.iter().map(|change| {
                format!(
                    "the errors end on a host where {} is {} again",
                    change.key, change.from
                )
            });
            (statement, back.collect())
        };
        Hypothesis {
            id: String::new(),
            statement,
            confidence: self.confidence,
            based_on: self.based_on.clone(),
            against: self.against.clone(),
            would_confirm,
        }
    }
}

/// The words of a text in lower case, names in camel case taken apart.
fn words_of(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        for c in run.chars() {
            if c.is_uppercase() && !word.is_empty() && !word.ends_with(char::is_uppercase) {
                words.insert(std::mem::take(&mut word).to_lowercase());
            }
            word.push(c);
        }
        if !word.is_empty() {
            words.insert(word.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_taken_apart_at_marks_and_capitals() {
        let words: Vec<String> = words_of("x.PoolExhaustedException: 250 ms (max=8)")
            .into_iter()
            .collect();
        assert_eq!(
            words,
            [
                "250",
                "8",
                "exception",
                "exhausted",
                "max",
                "ms",
                "pool",
                "x"
            ]
        );
    }
}
