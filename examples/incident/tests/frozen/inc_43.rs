//! INC-43: the evidence does not suffice.

use tertulia_incident::diagnosis::Status;
use tertulia_incident::onset::Beginning;

use crate::{at, case};

#[test]
fn inc_43_says_that_the_evidence_does_not_suffice_and_what_is_missing() {
    let case = case("INC-43");
    let Beginning::BeforeTheEvidence {
        signature,
        evidence_from,
        ..
    } = &case.logs.logs.beginning
    else {
        panic!("{:?}", case.logs.logs.beginning)
    };
    assert_eq!(
        signature,
        "cart <n> could not be saved: version conflict, expected <n> found <n>"
    );
    assert!(
        evidence_from
            .duration_since(at("2026-11-18T08:12:00Z"))
            .as_secs()
            < 20
    );

    let diagnosis = &case.diagnosis;
    assert_eq!(diagnosis.status, Status::InsufficientEvidence);
    assert_eq!(diagnosis.onset, None);
    let missing: Vec<&str> = diagnosis
        .missing_data
        .iter()
        .map(|missing| missing.what.as_str())
        .collect();
    assert_eq!(missing.len(), 2, "{missing:?}");
    assert!(
        missing[0].starts_with("log lines of cart from 2026-11-18T07:00:00Z to 2026-11-18T08:12:0"),
        "{missing:?}"
    );
    assert_eq!(
        missing[1],
        "deployment records from 2026-11-17T21:40:00Z to 2026-11-18T08:00:00Z (the numbers 1872 to 1879 are not in the export)"
    );
    assert!(
        diagnosis
            .hypotheses
            .iter()
            .all(|hypothesis| hypothesis.confidence <= 20),
        "{:?}",
        diagnosis.hypotheses
    );
    assert!(
        diagnosis
            .ruled_out
            .iter()
            .any(|ruled_out| ruled_out.statement.contains("dep-1881"))
    );
    assert!(
        diagnosis.recommendations[0]
            .action
            .starts_with("take no change back")
    );
    assert!(
        diagnosis
            .recommendations
            .iter()
            .all(|recommendation| !recommendation.needs_approval)
    );
}
