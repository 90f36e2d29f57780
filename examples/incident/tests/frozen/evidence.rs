//! The frozen bytes, and that citations point into them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;
use tertulia_incident::investigation::SourceKind;
use tertulia_incident::{cases, evidence};

use crate::{case, text};

#[test]
fn the_frozen_evidence_is_what_the_manifest_says() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("evidence");
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(folder.join("MANIFEST.json")).unwrap()).unwrap();
    let listed: BTreeMap<String, Value> =
        serde_json::from_value(manifest["files"].clone()).unwrap();
    let mut present = BTreeSet::new();
    for case in ["inc-42", "inc-43"] {
        for file in std::fs::read_dir(folder.join(case)).unwrap() {
            present.insert(format!(
                "{case}/{}",
                file.unwrap().file_name().to_string_lossy()
            ));
        }
    }
    assert_eq!(listed.keys().cloned().collect::<BTreeSet<_>>(), present);
    for (name, expected) in listed {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        assert_eq!(
            evidence::digest(&bytes),
            format!("sha256:{}", expected["sha256"].as_str().unwrap()),
            "{name}"
        );
        assert_eq!(
            bytes.len() as u64,
            expected["bytes"].as_u64().unwrap(),
            "{name}"
        );
    }
}

#[test]
fn every_citation_of_both_cases_exists_and_holds_what_is_claimed() {
    for incident in cases::INCIDENTS {
        let case = case(incident);
        let log = text(&case.asked, SourceKind::LogWindow);
        let lines = log.split('\n').count();
        let history: Value =
            serde_json::from_str(&text(&case.asked, SourceKind::DeploymentHistory)).unwrap();
        let records = history["deployments"].as_array().unwrap();
        for finding in &case.diagnosis.findings {
            assert!(!finding.evidence.is_empty());
            for citation in &finding.evidence {
                let source = case
                    .asked
                    .evidence
                    .iter()
                    .find(|source| source.uri == citation.source)
                    .unwrap();
                assert_eq!(source.digest, citation.digest);
                assert!(
                    !citation.lines.is_empty() || !citation.records.is_empty(),
                    "{}",
                    finding.id
                );
                assert!(
                    citation
                        .lines
                        .iter()
                        .all(|line| (1..=lines).contains(&(*line as usize)))
                );
                for id in &citation.records {
                    let record = records
                        .iter()
                        .find(|record| record["id"] == id.as_str())
                        .unwrap();
                    for change in record["changes"].as_array().unwrap() {
                        assert!(
                            finding.statement.contains(change["key"].as_str().unwrap()),
                            "{}",
                            finding.statement
                        );
                    }
                }
            }
        }
    }
}
