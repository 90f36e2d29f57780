//! The deployments specialist: which changes came before the symptom, and where the history is
//! silent.
//!
//! Pure rules over a [`History`]. It judges no cause: that needs the logs too.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::evidence::{Citation, Finding, Findings, Missing};
use crate::history::{Change, Deployment, History, Kind, Status};
use crate::investigation::{Investigation, Window};

/// The name of the agent.
pub const AGENT: &str = "deployments";
/// Changes older than this before the time in question are not candidates.
pub const LOOK_BACK: SignedDuration = SignedDuration::from_hours(24);
/// Deployments of unrelated services are mentioned if they came this close before.
const MENTION: SignedDuration = SignedDuration::from_hours(1);

/// What the specialist looks at, once it knows all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// The incident.
    pub incident: String,
    /// The service with the symptom.
    pub service: String,
    /// The services whose changes can reach it.
    pub dependencies: Vec<String>,
    /// The time of the symptom.
    pub window: Window,
}

impl Scope {
    /// The scope of a question, or the clarification without which there is none.
    pub fn of(question: &Investigation) -> Result<Self, Clarification> {
        match &question.dependencies {
            Some(dependencies) => Ok(Self::with(question, dependencies.clone())),
            None => Err(Clarification {
                question: format!(
                    "which services count as dependencies of {}?",
                    question.service
                ),
            }),
        }
    }

    /// The scope of a question whose dependencies were answered.
    pub fn with(question: &Investigation, dependencies: Vec<String>) -> Self {
        Self {
            incident: question.incident.clone(),
            service: question.service.clone(),
            dependencies,
            window: question.window,
        }
    }
}

/// A question back to whoever asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clarification {
    /// The text of the question.
    pub question: String,
}

/// What the deployments specialist hands back: `incident-findings/v1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeploymentReport {
    /// The incident.
    pub incident: String,
    /// Facts with their records.
    pub findings: Vec<Finding>,
    /// Where the history is silent.
    pub missing_data: Vec<Missing>,
    /// The same in values that the diagnosis reasons with.
    pub deployments: DeploymentFacts,
}

/// The values behind the findings of a [`DeploymentReport`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeploymentFacts {
    /// The time that was searched.
    pub searched: Window,
    /// Times in it that the history does not vouch for.
    pub gaps: Vec<Window>,
    /// Changes that took effect there and can reach the service, latest first.
    pub candidates: Vec<Candidate>,
    /// Deployments close by that are no candidates.
    pub set_aside: Vec<SetAside>,
}

/// A change that may have to do with the symptom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// The record.
    pub id: String,
    /// What changed.
    pub service: String,
    /// What kind of change.
    pub kind: Kind,
    /// The version after.
    pub version: String,
    /// The version before.
    pub previous: String,
    /// When it began to take effect.
    pub started_at: Timestamp,
    /// When it was everywhere.
    pub finished_at: Timestamp,
    /// The settings it changed.
    pub changes: Vec<Change>,
    /// The finding that states it.
    pub finding: String,
}

/// A deployment that was looked at and left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetAside {
    /// The record.
    pub id: String,
    /// Why.
    pub reason: String,
}

/// Searches the history for changes of the service and its dependencies: up to `onset` if it is
/// known, else up to the end of the window, from [`LOOK_BACK`] before.
pub fn investigate(history: &History, scope: &Scope, onset: Option<Timestamp>) -> DeploymentReport {
    let until = onset.unwrap_or(scope.window.to);
    let start = onset.unwrap_or(scope.window.from);
    let searched = Window {
        from: start.checked_sub(LOOK_BACK).unwrap_or(Timestamp::MIN),
        to: until,
    };
    let mut findings = Findings::of(AGENT);
    let mut candidates = Vec::new();
    let mut set_aside = Vec::new();
    for deployment in history.deployments.iter().rev() {
        match judge(deployment, scope, searched) {
            Verdict::Candidate(finished_at) => {
                candidates.push(candidate(
                    history,
                    deployment,
                    finished_at,
                    onset,
                    &mut findings,
                ));
            }
            Verdict::SetAside(reason) => set_aside.push(SetAside {
                id: deployment.id.clone(),
                reason,
            }),
            Verdict::Elsewhere => {}
        }
    }
    let gaps = history.uncovered(searched);
    let missing_data = missing(history, scope, &gaps);
    DeploymentReport {
        incident: scope.incident.clone(),
        findings: findings.into_vec(),
        missing_data,
        deployments: DeploymentFacts {
            searched,
            gaps,
            candidates,
            set_aside,
        },
    }
}

enum Verdict {
    Candidate(Timestamp),
    SetAside(String),
    Elsewhere,
}

fn judge(deployment: &Deployment, scope: &Scope, searched: Window) -> Verdict {
    let reaches =
        deployment.service == scope.service || scope.dependencies.contains(&deployment.service);
    let close = deployment.started_at >= searched.to.checked_sub(MENTION).unwrap_or(Timestamp::MIN);
    match deployment.finished_at {
        // A rollout begun before the end of the search already runs on some hosts.
        Some(finished_at)
            if deployment.started_at <= searched.to && finished_at >= searched.from =>
        {
            if deployment.status == Status::Failed {
                Verdict::SetAside("it failed and never took effect".to_owned())
            } else if reaches {
                Verdict::Candidate(finished_at)
            } else if close {
                Verdict::SetAside(format!(
                    "{} is neither {} nor a dependency of it",
                    deployment.service, scope.service
                ))
            } else {
                Verdict::Elsewhere
            }
        }
        Some(_) if reaches && scope.window.contains(deployment.started_at) => {
            Verdict::SetAside("it began after the errors".to_owned())
        }
        None if searched.contains(deployment.started_at) => {
            Verdict::SetAside("it failed and never took effect".to_owned())
        }
        _ => Verdict::Elsewhere,
    }
}

fn candidate(
    history: &History,
    deployment: &Deployment,
    finished_at: Timestamp,
    onset: Option<Timestamp>,
    findings: &mut Findings,
) -> Candidate {
    let title = title(&deployment.service, deployment.kind, &deployment.version);
    let changes: Vec<String> = deployment.changes.iter().map(describe).collect();
    let changes = if changes.is_empty() {
        "no declared settings".to_owned()
    } else {
        changes.join(", ")
    };
    let lead = onset.map_or_else(String::new, |onset| {
        format!(", {} before the errors began", lead(finished_at, onset))
    });
    let finding = findings.add(
        format!(
            "{title} ({}) was rolled out from {} to {finished_at}{lead}, changing {changes}",
            deployment.id, deployment.started_at
        ),
        Citation::records(&history.source, [deployment.id.clone()]),
        finished_at,
    );
    Candidate {
        id: deployment.id.clone(),
        service: deployment.service.clone(),
        kind: deployment.kind,
        version: deployment.version.clone(),
        previous: deployment.previous.clone(),
        started_at: deployment.started_at,
        finished_at,
        changes: deployment.changes.clone(),
        finding,
    }
}

/// How a change is called in a sentence.
pub(crate) fn title(service: &str, kind: Kind, version: &str) -> String {
    match kind {
        Kind::Release => format!("release {version} of {service}"),
        Kind::Rollback => format!("rollback of {service} to {version}"),
        Kind::Config => format!("a configuration change of {service}"),
        Kind::Flag => format!("a flag change of {service}"),
    }
}

/// A changed setting in words.
pub(crate) fn describe(change: &Change) -> String {
    format!("{} from {} to {}", change.key, change.from, change.to)
}

fn lead(finished_at: Timestamp, onset: Timestamp) -> String {
    let seconds = onset.duration_since(finished_at).as_secs().max(0);
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

fn missing(history: &History, scope: &Scope, gaps: &[Window]) -> Vec<Missing> {
    let skipped: Vec<String> = history
        .skipped_numbers()
        .iter()
        .map(|(first, last)| format!("{first} to {last}"))
        .collect();
    let numbers = if skipped.is_empty() {
        String::new()
    } else {
        format!(
            " (the numbers {} are not in the export)",
            skipped.join(", ")
        )
    };
    let gaps = gaps.iter().map(|gap| Missing {
        what: format!("deployment records from {} to {}{numbers}", gap.from, gap.to),
        why_it_matters: format!("a change of {} or its dependencies in that time would be a candidate and cannot be excluded", scope.service),
        where_to_look: "a complete export of the rollout system, or the release channels of the teams".to_owned(),
    });
    gaps.collect()
}
