//! The result contract `incident-diagnosis/v1`: facts apart from hypotheses, what is missing, and
//! what to do. [`merge`] makes it of the specialists' reports.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::correlation::{self, Judged};
use crate::deployments::{DeploymentReport, describe, title};
use crate::evidence::{Finding, Missing};
use crate::investigation::Investigation;
use crate::logs::LogReport;
use crate::onset::{Beginning, Onset};

/// Name and version of the contract of a [`Diagnosis`].
pub const DIAGNOSIS_CONTRACT: &str = "incident-diagnosis/v1";

/// A hypothesis below this confidence explains nothing.
const DIAGNOSED_MIN: u8 = 60;
/// The leading hypothesis must be so far ahead of the next.
const DIAGNOSED_LEAD: u8 = 20;
/// Hypotheses that a diagnosis lists.
const HYPOTHESES_MAX: usize = 3;
/// Confidence in a cause that is only not excluded.
const NOT_EXCLUDED: u8 = 20;

/// Whether the evidence carries an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The first hypothesis explains the symptom.
    Diagnosed,
    /// It cannot be told; `missing_data` says what would be needed.
    InsufficientEvidence,
}

/// Something that may be so, never stated as a fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    /// Unique within the diagnosis.
    pub id: String,
    /// What may be so.
    pub statement: String,
    /// From 0 to 100.
    pub confidence: u8,
    /// Ids of findings that speak for it.
    pub based_on: Vec<String>,
    /// Ids of findings that speak against it.
    pub against: Vec<String>,
    /// Observations that would confirm it.
    pub would_confirm: Vec<String>,
}

/// An explanation that the facts exclude.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuledOut {
    /// What is excluded, and why.
    pub statement: String,
    /// Ids of the findings that exclude it.
    pub based_on: Vec<String>,
}

/// Something a person might do. Nothing here is done by an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recommendation {
    /// The action.
    pub action: String,
    /// Why.
    pub why: String,
    /// Ids of findings, hypotheses, or none.
    pub based_on: Vec<String>,
    /// Whether it changes production, so that a responsible person has to approve it.
    pub needs_approval: bool,
}

/// The result of an investigation: `incident-diagnosis/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnosis {
    /// Always [`DIAGNOSIS_CONTRACT`].
    pub contract: String,
    /// The incident at the root of the work.
    pub root_incident: String,
    /// The service that was asked about.
    pub service: String,
    /// Whether the evidence carries an explanation.
    pub status: Status,
    /// The conclusion in a sentence or two.
    pub summary: String,
    /// When the errors began, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onset: Option<Timestamp>,
    /// Facts.
    pub findings: Vec<Finding>,
    /// What may be so, most likely first.
    pub hypotheses: Vec<Hypothesis>,
    /// What the facts exclude.
    pub ruled_out: Vec<RuledOut>,
    /// What was looked for and is not there.
    pub missing_data: Vec<Missing>,
    /// What a person might do.
    pub recommendations: Vec<Recommendation>,
}

/// Merges the reports of the specialists. One that never came (refused, failed, too late) is
/// missing data; a diagnosis is made of what there is.
pub fn merge(
    asked: &Investigation,
    logs: Option<&LogReport>,
    deployments: Option<&DeploymentReport>,
) -> Diagnosis {
    let reports = Reports {
        asked,
        logs,
        deployments,
    };
    let judged = reports.judged();
    let missing_data = reports.missing();
    let status = reports.status(&judged);
    let hypotheses = reports.hypotheses(&judged, status);
    Diagnosis {
        contract: DIAGNOSIS_CONTRACT.to_owned(),
        root_incident: asked.incident.clone(),
        service: asked.service.clone(),
        status,
        summary: reports.summary(status, &judged, &missing_data),
        onset: reports.onset().map(|onset| onset.at),
        findings: reports.findings(),
        recommendations: reports.recommendations(status, &judged, &missing_data),
        hypotheses,
        ruled_out: reports.ruled_out(),
        missing_data,
    }
}

struct Reports<'a> {
    asked: &'a Investigation,
    logs: Option<&'a LogReport>,
    deployments: Option<&'a DeploymentReport>,
}

impl<'a> Reports<'a> {
    fn onset(&self) -> Option<&'a Onset> {
        self.logs.and_then(|report| report.logs.beginning.onset())
    }

    fn onset_finding(&self) -> Vec<String> {
        self.logs
            .and_then(|report| report.logs.beginning_finding.clone())
            .into_iter()
            .collect()
    }

    fn findings(&self) -> Vec<Finding> {
        let logs = self.logs.map(|report| report.findings.as_slice());
        let deployments = self.deployments.map(|report| report.findings.as_slice());
        logs.into_iter()
            .chain(deployments)
            .flatten()
            .cloned()
            .collect()
    }

    fn judged(&self) -> Vec<Judged<'a>> {
        match (self.logs, self.onset(), self.deployments) {
            (Some(logs), Some(onset), Some(deployments)) => correlation::judge(
                &self.asked.service,
                onset,
                logs,
                &deployments.deployments.candidates,
            ),
            _ => Vec::new(),
        }
    }

    fn missing(&self) -> Vec<Missing> {
        let mut missing: Vec<Missing> = Vec::new();
        match self.logs {
            Some(report) => missing.extend(report.missing_data.iter().cloned()),
            None => missing.push(no_report("logs", "when the errors began is unknown")),
        }
        if self
            .logs
            .is_some_and(|report| report.logs.beginning == Beginning::NotSeen)
        {
            missing.push(Missing {
                what: format!("log lines of {} that show the symptom", self.asked.service),
                why_it_matters:
                    "no error of the service rises in the log, so there is no onset to explain"
                        .to_owned(),
                where_to_look: "the logs of the services in front of it, or a longer window"
                    .to_owned(),
            });
        }
        match self.deployments {
            Some(report) => missing.extend(report.missing_data.iter().cloned()),
            None => missing.push(no_report(
                "deployments",
                "which changes came before is unknown",
            )),
        }
        missing
    }

    fn status(&self, judged: &[Judged<'_>]) -> Status {
        let complete = self
            .deployments
            .is_some_and(|report| report.deployments.gaps.is_empty());
        let first = judged.first().map_or(0, |judged| judged.confidence);
        let second = judged.get(1).map_or(0, |judged| judged.confidence);
        let carried = first >= DIAGNOSED_MIN && first - second >= DIAGNOSED_LEAD;
        if self.onset().is_some() && complete && carried {
            Status::Diagnosed
        } else {
            Status::InsufficientEvidence
        }
    }

    fn hypotheses(&self, judged: &[Judged<'_>], status: Status) -> Vec<Hypothesis> {
        let mut hypotheses: Vec<Hypothesis> = judged
            .iter()
            .take(HYPOTHESES_MAX)
            .map(Judged::hypothesis)
            .collect();
        if status == Status::InsufficientEvidence {
            hypotheses.extend(self.unrecorded_change());
        }
        for (number, hypothesis) in (1..).zip(&mut hypotheses) {
            hypothesis.id = format!("hypothesis-{number}");
        }
        hypotheses
    }

    /// What a gap in the history leaves possible.
    fn unrecorded_change(&self) -> Option<Hypothesis> {
        let gap = self.deployments?.deployments.gaps.first()?;
        Some(Hypothesis {
            id: String::new(),
            statement: format!(
                "a change of {} or a dependency between {} and {}, which the history does not cover, brought the errors",
                self.asked.service, gap.from, gap.to
            ),
            confidence: NOT_EXCLUDED,
            based_on: self.onset_finding(),
            against: Vec::new(),
            would_confirm: vec![
                "a deployment record in that time whose change matches the errors".to_owned(),
                "log lines in which the errors begin shortly after it".to_owned(),
            ],
        })
    }

    /// Changes that took effect when the errors were already there.
    fn ruled_out(&self) -> Vec<RuledOut> {
        let begun_by = match self.logs.map(|report| &report.logs.beginning) {
            Some(Beginning::Seen(onset)) => onset.at,
            Some(Beginning::BeforeTheEvidence { evidence_from, .. }) => *evidence_from,
            Some(Beginning::NotSeen) | None => return Vec::new(),
        };
        let candidates = self
            .deployments
            .map_or(&[][..], |report| &report.deployments.candidates);
        let later = candidates
            .iter()
            .filter(|candidate| candidate.started_at > begun_by);
        later
            .map(|candidate| RuledOut {
                statement: format!(
                    "{} ({}) did not bring the errors: it began at {}, when they were already there",
                    title(&candidate.service, candidate.kind, &candidate.version), candidate.id, candidate.started_at
                ),
                based_on: self.onset_finding().into_iter().chain([candidate.finding.clone()]).collect(),
            })
            .collect()
    }

    fn summary(&self, status: Status, judged: &[Judged<'_>], missing: &[Missing]) -> String {
        let service = &self.asked.service;
        match (status, self.onset(), judged.first()) {
            (Status::Diagnosed, Some(onset), Some(first)) => format!(
                "errors of {service} began at {}; most likely {} ({}) brought them (confidence {} of 100)",
                onset.at,
                title(
                    &first.candidate.service,
                    first.candidate.kind,
                    &first.candidate.version
                ),
                first.candidate.id,
                first.confidence
            ),
            (_, Some(onset), _) => format!(
                "errors of {service} began at {}; the evidence does not tell which change brought them",
                onset.at
            ),
            (_, None, _) => {
                let what: Vec<&str> = missing
                    .iter()
                    .map(|missing| missing.what.as_str())
                    .collect();
                format!(
                    "the evidence does not tell when or why the errors of {service} began; missing: {}",
                    what.join("; ")
                )
            }
        }
    }

    fn recommendations(
        &self,
        status: Status,
        judged: &[Judged<'_>],
        missing: &[Missing],
    ) -> Vec<Recommendation> {
        let mut out = Vec::new();
        if let (Status::Diagnosed, Some(first)) = (status, judged.first()) {
            let candidate = first.candidate;
            let settings: Vec<String> = first
                .matching
                .iter()
                .map(|change| format!("{} back to {}", change.key, change.from))
                .collect();
            let settings = if settings.is_empty() {
                String::new()
            } else {
                format!(", or set {}", settings.join(" and "))
            };
            out.push(Recommendation {
                action: format!(
                    "return {} from {} to {}{settings}",
                    candidate.service, candidate.version, candidate.previous
                ),
                why: "it undoes the change that most likely brought the errors".to_owned(),
                based_on: vec!["hypothesis-1".to_owned()],
                needs_approval: true,
            });
            let changes: Vec<String> = first
                .matching
                .iter()
                .map(|change| describe(change))
                .collect();
            if !changes.is_empty() {
                out.push(Recommendation {
                    action: "try it on one host first and watch whether its errors end".to_owned(),
                    why: format!(
                        "that tells {} from the other changes of the release",
                        changes.join(" and ")
                    ),
                    based_on: vec!["hypothesis-1".to_owned()],
                    needs_approval: true,
                });
            }
        } else {
            out.push(Recommendation {
                action: "take no change back on this evidence alone".to_owned(),
                why: "no recorded change is shown to have brought the errors".to_owned(),
                based_on: self.onset_finding(),
                needs_approval: false,
            });
        }
        out.extend(missing.iter().map(|missing| Recommendation {
            action: format!("obtain {}: {}", missing.what, missing.where_to_look),
            why: missing.why_it_matters.clone(),
            based_on: Vec::new(),
            needs_approval: false,
        }));
        let clocks = self
            .logs
            .map_or(&[][..], |report| &report.logs.wrong_clocks);
        out.extend(clocks.iter().map(|clock| Recommendation {
            action: format!("repair time synchronisation on {}", clock.host),
            why: "its lines appear at the wrong time and can reverse cause and effect".to_owned(),
            based_on: vec![clock.finding.clone()],
            needs_approval: false,
        }));
        out
    }
}

fn no_report(agent: &str, why: &str) -> Missing {
    Missing {
        what: format!("the report of agent:{agent}"),
        why_it_matters: why.to_owned(),
        where_to_look: "ask it again, or see in the conversation why it did not answer".to_owned(),
    }
}
