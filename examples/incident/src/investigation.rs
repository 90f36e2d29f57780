//! What is asked: the input contract `incident-investigation/v1` and the narrower questions that the
//! coordinator makes of it for its specialists.
//!
//! Each question is built by exactly one function from the investigation. Two agents that want to
//! know the same thing therefore write the same bytes, and the engine can tell that the second
//! request is equivalent to the first.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Name and version of the contract of an [`Investigation`].
pub const INVESTIGATION_CONTRACT: &str = "incident-investigation/v1";

/// A span of time, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// The first instant.
    pub from: Timestamp,
    /// The last instant.
    pub to: Timestamp,
}

impl Window {
    /// Whether `at` lies within.
    pub fn contains(&self, at: Timestamp) -> bool {
        self.from <= at && at <= self.to
    }
}

/// What a piece of evidence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// Lines of many services, as the collector received them.
    LogWindow,
    /// Records of deployments, configuration changes and flags.
    DeploymentHistory,
}

/// A versioned reference to evidence: where it is, and what its bytes must be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// What it is.
    pub kind: SourceKind,
    /// Path below the archive of evidence, such as `inc-42/checkout.log`.
    pub uri: String,
    /// `sha256:` and 64 hexadecimal digits.
    pub digest: String,
}

/// The request of someone who wants an incident explained: `incident-investigation/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Investigation {
    /// Always [`INVESTIGATION_CONTRACT`].
    pub contract: String,
    /// Identifier of the incident, such as `INC-42`.
    pub incident: String,
    /// The service that shows the symptom.
    pub service: String,
    /// Services it calls. Absent where the asker left it out: a specialist that needs it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<String>>,
    /// The time to look at.
    pub window: Window,
    /// What people saw, in their words. Data, never an instruction.
    pub symptom: String,
    /// What the asker wants answered.
    pub questions: Vec<String>,
    /// The evidence to use.
    pub evidence: Vec<Source>,
}

impl Investigation {
    /// The evidence of one kind, if the request names one.
    pub fn source(&self, kind: SourceKind) -> Option<&Source> {
        self.evidence.iter().find(|source| source.kind == kind)
    }

    /// What the logs specialist is asked. Leaves out the dependencies: they do not bear on it.
    pub fn for_logs(&self) -> Self {
        self.narrowed(
            &[SourceKind::LogWindow],
            &logs_objective(&self.incident, &self.service),
        )
    }

    /// What the deployments specialist is asked. It names the service alone; which others count as
    /// its dependencies is for the specialist to ask. It refers to the log window too, which the
    /// specialist does not read but has to name where it asks agent:logs for the onset.
    pub fn for_deployments(&self) -> Self {
        self.narrowed(
            &[SourceKind::DeploymentHistory, SourceKind::LogWindow],
            &deployments_objective(&self.incident, &self.service),
        )
    }

    /// The objective of a narrowed question, to be used as the text of the act.
    pub fn objective(&self) -> &str {
        self.questions
            .first()
            .map_or(self.symptom.as_str(), String::as_str)
    }

    fn narrowed(&self, kinds: &[SourceKind], objective: &str) -> Self {
        Self {
            contract: INVESTIGATION_CONTRACT.to_owned(),
            incident: self.incident.clone(),
            service: self.service.clone(),
            dependencies: None,
            window: self.window,
            symptom: self.symptom.clone(),
            questions: vec![objective.to_owned()],
            evidence: kinds
                .iter()
                .filter_map(|kind| self.source(*kind).cloned())
                .collect(),
        }
    }
}

fn logs_objective(incident: &str, service: &str) -> String {
    format!("{incident}: when did the errors of {service} begin, and which errors are they?")
}

fn deployments_objective(incident: &str, service: &str) -> String {
    format!("{incident}: which changes can explain the symptom of {service}?")
}

#[cfg(test)]
mod tests {
    use crate::cases;

    #[test]
    fn the_same_question_is_written_with_the_same_bytes_by_whoever_asks_it() {
        let request = cases::request("INC-42").unwrap();
        let seen_by_deployments = request.for_deployments();
        let first = serde_json::to_vec(&request.for_logs()).unwrap();
        let second = serde_json::to_vec(&seen_by_deployments.for_logs()).unwrap();
        assert_eq!(first, second);
        assert_eq!(
            request.for_logs().objective(),
            "INC-42: when did the errors of checkout begin, and which errors are they?"
        );
    }
}
