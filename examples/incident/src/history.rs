//! A deployment history as the rollout system exports it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::investigation::{Source, Window};

/// What kind of change a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A new version.
    Release,
    /// Settings only.
    Config,
    /// A feature flag.
    Flag,
    /// Back to an earlier version.
    Rollback,
}

/// How a deployment ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It is, or was, in effect.
    Succeeded,
    /// It never took effect.
    Failed,
    /// It took effect and was taken back later.
    RolledBack,
}

/// A setting that a deployment changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its name.
    pub key: String,
    /// The value before.
    pub from: String,
    /// The value after.
    pub to: String,
}

/// One record of the history. Fields that this example has no use for are ignored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deployment {
    /// Identifier, such as `dep-1848`.
    pub id: String,
    /// Gap-free number the rollout system gives.
    pub seq: u32,
    /// The service that changed.
    pub service: String,
    /// What kind of change.
    pub kind: Kind,
    /// The version after it.
    pub version: String,
    /// The version before it.
    pub previous: String,
    /// The commit it was built from.
    pub commit: String,
    /// The role that made it.
    pub author: String,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was everywhere; absent if it failed before.
    pub finished_at: Option<Timestamp>,
    /// How it ended.
    pub status: Status,
    /// Its author's summary; data.
    pub summary: String,
    /// What it changed, as far as it was declared.
    pub changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Export {
    coverage: Vec<Window>,
}

#[derive(Deserialize)]
struct Document {
    export: Export,
    deployments: Vec<Deployment>,
}

/// An export that is not a deployment history.
#[derive(Debug, Error)]
#[error("`{uri}` is no deployment history: {source}")]
pub struct HistoryError {
    /// The reference.
    uri: String,
    /// Where and why.
    source: serde_json::Error,
}

/// The deployments of all services over a time, oldest first, each once.
#[derive(Clone, Debug)]
pub struct History {
    /// The file it is from.
    pub source: Source,
    /// The times that the export vouches for.
    pub coverage: Vec<Window>,
    /// The records.
    pub deployments: Vec<Deployment>,
}

impl History {
    /// Reads an export.
    pub fn read(source: Source, text: &str) -> Result<Self, HistoryError> {
        let document: Document = serde_json::from_str(text).map_err(|error| HistoryError {
            uri: source.uri.clone(),
            source: error,
        })?;
        let mut deployments = document.deployments;
        deployments.sort_by_key(|deployment| (deployment.started_at, deployment.seq));
        let mut seen = BTreeSet::new();
        deployments.retain(|deployment| seen.insert(deployment.id.clone()));
        let mut coverage = document.export.coverage;
        coverage.sort_by_key(|span| span.from);
        Ok(Self {
            source,
            coverage,
            deployments,
        })
    }

    /// The parts of `needed` that the export does not vouch for.
    pub fn uncovered(&self, needed: Window) -> Vec<Window> {
        let mut open = needed.from;
        let mut gaps = Vec::new();
        for span in &self.coverage {
            if span.from > open && open < needed.to {
                gaps.push(Window {
                    from: open,
                    to: span.from.min(needed.to),
                });
            }
            open = open.max(span.to);
        }
        if open < needed.to {
            gaps.push(Window {
                from: open,
                to: needed.to,
            });
        }
        gaps
    }

    /// Numbers that are skipped between the first and the last record, as (first, last).
    pub fn skipped_numbers(&self) -> Vec<(u32, u32)> {
        let numbers: BTreeSet<u32> = self
            .deployments
            .iter()
            .map(|deployment| deployment.seq)
            .collect();
        let following = numbers.iter().skip(1);
        let pairs = numbers.iter().zip(following);
        pairs
            .filter(|(a, b)| **b - **a > 1)
            .map(|(a, b)| (a + 1, b - 1))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::{self, Archive};
    use crate::investigation::SourceKind;

    fn history(incident: &str) -> History {
        let source = cases::request(incident)
            .unwrap()
            .source(SourceKind::DeploymentHistory)
            .unwrap()
            .clone();
        let text = Archive::Bundled.read(&source).unwrap();
        History::read(source, &text).unwrap()
    }

    #[test]
    fn a_repeated_record_is_read_once_and_local_times_are_understood() {
        let history = history("INC-42");
        assert_eq!(history.deployments.len(), 61);
        assert!(history.skipped_numbers().is_empty());
        let search = history
            .deployments
            .iter()
            .find(|d| d.service == "search")
            .unwrap();
        assert_eq!(search.started_at.to_string(), "2026-10-30T00:30:33Z");
    }

    #[test]
    fn the_gap_of_inc_43_shows_in_coverage_and_in_numbers() {
        let history = history("INC-43");
        assert_eq!(history.skipped_numbers(), [(1872, 1879)]);
        let needed = Window {
            from: "2026-11-17T08:00:00Z".parse().unwrap(),
            to: "2026-11-18T08:30:00Z".parse().unwrap(),
        };
        let gap = Window {
            from: "2026-11-17T21:40:00Z".parse().unwrap(),
            to: "2026-11-18T08:00:00Z".parse().unwrap(),
        };
        assert_eq!(history.uncovered(needed), [gap]);
    }

    #[test]
    fn what_lies_outside_every_span_is_uncovered() {
        let mut history = history("INC-43");
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let day = Window {
            from: at("2026-11-01T00:00:00Z"),
            to: at("2026-11-02T00:00:00Z"),
        };
        assert_eq!(history.uncovered(day), [day]);
        history.coverage.clear();
        assert_eq!(history.uncovered(day), [day]);
    }

    #[test]
    fn something_else_is_refused_with_the_place() {
        let source = history("INC-42").source;
        let error = History::read(
            source,
            "{\"export\":{\"coverage\":[]},\"deployments\":[{}]}",
        )
        .unwrap_err();
        assert!(error.to_string().contains("missing field `id`"), "{error}");
    }
}
