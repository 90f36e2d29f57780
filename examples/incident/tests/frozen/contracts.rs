//! What is handed on keeps its contract.

use serde_json::Value;
use tertulia_incident::cases::{self, CONTRACTS};
use tertulia_incident::deployments::DeploymentReport;
use tertulia_incident::diagnosis::Diagnosis;
use tertulia_incident::logs::LogReport;

use crate::{assert_valid, case, is_valid};

#[test]
fn everything_that_is_handed_on_keeps_its_contract() {
    for incident in cases::INCIDENTS {
        let case = case(incident);
        for request in [
            &case.asked,
            &case.asked.for_logs(),
            &case.asked.for_deployments(),
        ] {
            assert_valid(
                "incident-investigation/v1",
                &serde_json::to_value(request).unwrap(),
            );
        }
        let logs = serde_json::to_value(&case.logs).unwrap();
        let deployments = serde_json::to_value(&case.deployments).unwrap();
        let diagnosis = serde_json::to_value(&case.diagnosis).unwrap();
        assert_valid("incident-findings/v1", &logs);
        assert_valid("incident-findings/v1", &deployments);
        assert_valid("incident-diagnosis/v1", &diagnosis);
        assert_eq!(
            serde_json::from_value::<LogReport>(logs).unwrap(),
            case.logs
        );
        assert_eq!(
            serde_json::from_value::<DeploymentReport>(deployments).unwrap(),
            case.deployments
        );
        assert_eq!(
            serde_json::from_value::<Diagnosis>(diagnosis).unwrap(),
            case.diagnosis
        );
    }
}

#[test]
fn the_contract_refuses_a_diagnosis_that_cites_nothing_or_hides_what_is_missing() {
    let valid = serde_json::to_value(case("INC-42").diagnosis).unwrap();
    let mut uncited = valid.clone();
    uncited["findings"][0]["evidence"] = Value::Array(Vec::new());
    let mut without_lines = valid.clone();
    without_lines["findings"][0]["evidence"][0]
        .as_object_mut()
        .unwrap()
        .remove("lines");
    let mut nothing_missing = valid.clone();
    nothing_missing["status"] = "insufficient-evidence".into();
    let mut no_onset = valid.clone();
    no_onset.as_object_mut().unwrap().remove("onset");
    let mut certain = valid.clone();
    certain["hypotheses"][0]["confidence"] = 101.into();
    assert!(is_valid("incident-diagnosis/v1", &valid));
    for spoilt in [uncited, without_lines, nothing_missing, no_onset, certain] {
        assert!(!is_valid("incident-diagnosis/v1", &spoilt));
    }
}

#[test]
fn the_agent_definitions_name_contracts_that_exist() {
    for (file, definition) in cases::DEFINITIONS {
        let front = definition
            .strip_prefix("---\n")
            .and_then(|rest| rest.split_once("\n---\n"))
            .map(|(front, _)| front)
            .unwrap();
        assert!(
            front.contains(&format!("name: {}\n", file.trim_end_matches(".md"))),
            "{file}"
        );
        let named = front
            .lines()
            .filter_map(|line| line.split_once(": ["))
            .filter(|(_, list)| list.contains("/v"));
        let contracts: Vec<&str> = named.map(|(_, list)| list.trim_end_matches(']')).collect();
        assert_eq!(contracts.len(), 2, "{file}");
        assert!(
            contracts
                .iter()
                .all(|contract| CONTRACTS.iter().any(|(name, _)| name == contract)),
            "{contracts:?}"
        );
    }
}
