//! What the agents cite exists, and the result is what its contract says.

use serde_json::Value;
use tempfile::TempDir;
use tertulia_incident::{
    cases::{self, Archive, CONTRACTS},
    diagnosis::Diagnosis,
};

use crate::run::{demo, finished};

#[test]
fn the_diagnosis_keeps_its_contract_and_cites_evidence_that_exists() {
    let (_, schema) = CONTRACTS
        .iter()
        .find(|(name, _)| *name == "incident-diagnosis/v1")
        .unwrap();
    let schema: Value = serde_json::from_str(schema).unwrap();
    for case in cases::INCIDENTS {
        let data = TempDir::new().unwrap();
        let told = demo(case, data.path());
        assert!(jsonschema::is_valid(&schema, &told.diagnosis), "{case}");
        let diagnosis: Diagnosis = serde_json::from_value(told.diagnosis).unwrap();
        assert_cites(case, &diagnosis);

        // The artifact of the result has the digest of exactly these bytes.
        let result = told.acts.last().unwrap();
        let artifact = &result["artifacts"][0];
        assert_eq!(artifact["name"], "diagnosis.json");
        let bytes = serde_json::to_vec(&serde_json::to_value(&diagnosis).unwrap()).unwrap();
        assert_eq!(
            artifact["digest"],
            tertulia_incident::evidence::digest(&bytes).as_str()
        );
    }
}

fn assert_cites(case: &str, diagnosis: &Diagnosis) {
    let sources = cases::request(case).unwrap().evidence;
    assert!(!diagnosis.findings.is_empty());
    for finding in &diagnosis.findings {
        assert!(!finding.evidence.is_empty(), "{} cites nothing", finding.id);
        for citation in &finding.evidence {
            let source = sources
                .iter()
                .find(|source| source.uri == citation.source)
                .unwrap();
            assert_eq!(citation.digest, source.digest, "{}", finding.id);
            let evidence = Archive::Bundled.read(source).unwrap();
            let lines = u32::try_from(evidence.split('\n').count()).unwrap();
            for line in &citation.lines {
                assert!((1..=lines).contains(line), "{}: line {line}", finding.id);
            }
            for record in &citation.records {
                assert!(
                    evidence.contains(&format!("\"{record}\"")),
                    "{}: {record}",
                    finding.id
                );
            }
            assert!(
                citation.lines.len() + citation.records.len() > 0,
                "{}",
                finding.id
            );
        }
    }
    // What is concluded rests on findings that are there.
    let known = |id: &String| diagnosis.findings.iter().any(|finding| finding.id == *id);
    for hypothesis in &diagnosis.hypotheses {
        assert!(
            hypothesis
                .based_on
                .iter()
                .chain(&hypothesis.against)
                .all(known),
            "{}",
            hypothesis.id
        );
    }
}

#[test]
fn a_folder_without_data_is_told_from_one_with() {
    let folder = TempDir::new().unwrap();
    let absent = folder.path().join("nothing");
    let output = finished(&["show", "--data", absent.to_str().unwrap(), "inbox"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!absent.exists());
}
