//! The two frozen cases from request to diagnosis, against what their stories really are.
#![expect(
    clippy::unwrap_used,
    reason = "functions shared by tests, which clippy does not see as tests"
)]

mod contracts;
mod conversation;
mod evidence;
mod inc_42;
mod inc_43;

use jiff::Timestamp;
use serde_json::Value;
use tertulia_incident::cases::{self, Archive, CONTRACTS};
use tertulia_incident::deployments::DeploymentReport;
use tertulia_incident::diagnosis::{self, Diagnosis};
use tertulia_incident::evidence::Finding;
use tertulia_incident::investigation::{Investigation, SourceKind};
use tertulia_incident::logs::LogReport;
use tertulia_incident::specialists;

struct Case {
    asked: Investigation,
    logs: LogReport,
    deployments: DeploymentReport,
    diagnosis: Diagnosis,
}

fn case(incident: &str) -> Case {
    let asked = cases::request(incident).unwrap();
    let logs = specialists::logs(&Archive::Bundled, &asked.for_logs()).unwrap();
    let onset = logs.logs.beginning.onset().map(|onset| onset.at);
    let deployments = deployments(&asked, onset);
    let diagnosis = diagnosis::merge(&asked, Some(&logs), Some(&deployments));
    Case {
        asked,
        logs,
        deployments,
        diagnosis,
    }
}

fn deployments(asked: &Investigation, onset: Option<Timestamp>) -> DeploymentReport {
    let dependencies = asked.dependencies.clone().unwrap();
    specialists::deployments(
        &Archive::Bundled,
        &asked.for_deployments(),
        dependencies,
        onset,
    )
    .unwrap()
}

fn text(asked: &Investigation, kind: SourceKind) -> String {
    Archive::Bundled.read(asked.source(kind).unwrap()).unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The lines that a finding cites, with what follows the first in the file.
fn cited_lines<'a>(log: &'a str, finding: &Finding) -> Vec<&'a str> {
    let all: Vec<&str> = log.split('\n').collect();
    let numbers = finding.evidence.iter().flat_map(|citation| &citation.lines);
    numbers.map(|number| all[*number as usize - 1]).collect()
}

fn finding<'a>(findings: &'a [Finding], part: &str) -> &'a Finding {
    findings
        .iter()
        .find(|finding| finding.statement.contains(part))
        .unwrap_or_else(|| panic!("no finding says {part}"))
}

fn assert_valid(contract: &str, value: &Value) {
    let (_, schema) = CONTRACTS
        .iter()
        .find(|(name, _)| *name == contract)
        .unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(schema).unwrap()).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{contract}: {errors:#?}");
}

fn is_valid(contract: &str, value: &Value) -> bool {
    let (_, schema) = CONTRACTS
        .iter()
        .find(|(name, _)| *name == contract)
        .unwrap();
    jsonschema::is_valid(&serde_json::from_str(schema).unwrap(), value)
}
