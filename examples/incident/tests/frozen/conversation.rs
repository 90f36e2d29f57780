//! The steps of the conversation, without the engine.

use tertulia_incident::cases::{self, Archive};
use tertulia_incident::coordinator::{self, Known, ONSET_QUESTION};
use tertulia_incident::deployments::Scope;
use tertulia_incident::diagnosis::{self, Status};
use tertulia_incident::specialists;

use crate::{assert_valid, case, deployments};

#[test]
fn a_specialist_that_did_not_report_is_missing_data() {
    let case = case("INC-42");
    let without_logs = diagnosis::merge(&case.asked, None, Some(&case.deployments));
    let without_history = diagnosis::merge(&case.asked, Some(&case.logs), None);
    let alone = diagnosis::merge(&case.asked, None, None);
    for (diagnosis, agents) in [
        (&without_logs, vec!["logs"]),
        (&without_history, vec!["deployments"]),
        (&alone, vec!["logs", "deployments"]),
    ] {
        assert_eq!(diagnosis.status, Status::InsufficientEvidence);
        let missing: Vec<String> = diagnosis
            .missing_data
            .iter()
            .map(|missing| missing.what.clone())
            .collect();
        assert_eq!(
            missing,
            agents
                .iter()
                .map(|agent| format!("the report of agent:{agent}"))
                .collect::<Vec<_>>()
        );
        assert_valid(
            "incident-diagnosis/v1",
            &serde_json::to_value(diagnosis).unwrap(),
        );
    }
    assert_eq!(without_history.onset, case.diagnosis.onset);
}

#[test]
fn a_search_without_a_known_onset_leads_to_the_same_first_hypothesis() {
    let case = case("INC-42");
    let searched_wide = deployments(&case.asked, None);
    let diagnosis = diagnosis::merge(&case.asked, Some(&case.logs), Some(&searched_wide));
    assert_eq!(diagnosis.status, Status::Diagnosed);
    assert!(diagnosis.hypotheses[0].statement.contains("(dep-1848)"));
    assert_eq!(
        diagnosis.hypotheses[0].confidence,
        case.diagnosis.hypotheses[0].confidence
    );
}

#[test]
fn the_steps_of_the_conversation_fit_together() {
    let asked = cases::request("INC-42").unwrap();
    let question = asked.for_deployments();
    let clarification = Scope::of(&question).unwrap_err();
    assert_eq!(
        clarification.question,
        "which services count as dependencies of checkout?"
    );

    let known = Known::at_first(&asked);
    let answer = coordinator::consult(&known, &clarification.question).unwrap();
    assert_eq!(
        answer.dependencies.as_deref(),
        Some(
            &[
                "payments".to_owned(),
                "cart".to_owned(),
                "inventory".to_owned()
            ][..]
        )
    );
    let both = coordinator::consult(
        &known,
        "which services count as dependencies of checkout, and which window?",
    )
    .unwrap();
    assert_eq!(both.window, Some(asked.window));

    let early = coordinator::consult(&known, ONSET_QUESTION).unwrap();
    assert_eq!(
        (early.text.as_str(), early.onset),
        ("not known yet: agent:logs has not reported", None)
    );

    let logs = specialists::logs(&Archive::Bundled, &asked.for_logs()).unwrap();
    let known = known.with_logs(&logs);
    let stored: Known = serde_json::from_str(&serde_json::to_string(&known).unwrap()).unwrap();
    let later = coordinator::consult(&stored, ONSET_QUESTION).unwrap();
    assert_eq!(
        later.onset,
        logs.logs.beginning.onset().map(|onset| onset.at)
    );

    assert_eq!(
        coordinator::consult(&known, "may I restart production?"),
        None
    );
    let mut silent = known;
    silent.dependencies = None;
    assert_eq!(coordinator::consult(&silent, &clarification.question), None);
}

#[test]
fn a_question_that_cannot_be_answered_says_what_to_do() {
    let asked = cases::request("INC-42").unwrap();
    let mut endless = asked.for_logs();
    endless.window.from = "-009999-01-02T02:00:00Z".parse().unwrap();
    let error = specialists::logs(&Archive::Bundled, &endless).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the window is longer than 31 days; ask for a shorter one"
    );

    let mut without = asked.for_logs();
    without.evidence.clear();
    let error = specialists::logs(&Archive::Bundled, &without).unwrap_err();
    let expected = "the question refers to no log window; add a reference to one under `evidence`";
    assert_eq!(error.to_string(), expected);
}
