//! INC-42: the evidence carries an explanation.

use tertulia_incident::diagnosis::{self, Status};
use tertulia_incident::evidence::Finding;
use tertulia_incident::investigation::SourceKind;
use tertulia_incident::log_window::LogWindow;
use tertulia_incident::logs;

use crate::{at, case, cited_lines, finding, text};

#[test]
fn inc_42_began_when_the_first_host_ran_out_of_connections() {
    let case = case("INC-42");
    let onset = case.logs.logs.beginning.onset().unwrap();
    // The host wrote 14:05:55.204; its clock is 96 s behind.
    let real = at("2026-11-12T14:07:31.204Z");
    assert!(
        onset.at.duration_since(real).as_secs().abs() <= 1,
        "{}",
        onset.at
    );
    assert_eq!(onset.host, "checkout-3");
    assert_eq!(
        onset.signature,
        "org.tienda.payments.client.PoolExhaustedException: no connection to payments within 250 ms (max=8 active=8 idle=0 pending=<n>)"
    );
    assert_eq!(onset.before.events, 0);
    assert!(onset.after.events > 300, "{}", onset.after);
    let log = text(&case.asked, SourceKind::LogWindow);
    assert!(
        log.split('\n')
            .nth(onset.line as usize - 1)
            .unwrap()
            .starts_with("2026-11-12 14:05:55,204 ERROR")
    );
}

#[test]
fn inc_42_is_explained_by_the_release_whose_settings_the_errors_show() {
    let case = case("INC-42");
    let diagnosis = &case.diagnosis;
    assert_eq!(diagnosis.status, Status::Diagnosed);
    assert!(
        diagnosis.missing_data.is_empty(),
        "{:?}",
        diagnosis.missing_data
    );
    let first = &diagnosis.hypotheses[0];
    assert!(
        first.statement.contains("(dep-1848)"),
        "{}",
        first.statement
    );
    assert!(
        first
            .statement
            .contains("payments.client.pool.max from 64 to 8"),
        "{}",
        first.statement
    );
    assert!(
        first
            .statement
            .contains("payments.client.pool.acquire_timeout_ms from 2000 to 250"),
        "{}",
        first.statement
    );
    assert_eq!(first.confidence, 95);
    let action = &diagnosis.recommendations[0];
    assert!(
        action
            .action
            .starts_with("return checkout from 4.18.0 to 4.17.3"),
        "{}",
        action.action
    );
    assert!(action.needs_approval);
}

#[test]
fn inc_42_does_not_blame_what_only_happened_at_the_time() {
    let case = case("INC-42");
    // Inventory 7.2.0 was everywhere 103 s before the onset, closer than the culprit, and is a dependency.
    let inventory = case
        .deployments
        .deployments
        .candidates
        .iter()
        .find(|c| c.id == "dep-1849")
        .unwrap();
    assert_eq!(inventory.service, "inventory");
    let onset = case.diagnosis.onset.unwrap();
    assert!((100..=106).contains(&onset.duration_since(inventory.finished_at).as_secs()));
    for hypothesis in &case.diagnosis.hypotheses[1..] {
        assert!(
            hypothesis.confidence <= 40,
            "{} {}",
            hypothesis.confidence,
            hypothesis.statement
        );
    }
    let suspected = case
        .diagnosis
        .hypotheses
        .iter()
        .find(|h| h.statement.contains("dep-1849"))
        .unwrap();
    assert_eq!(suspected.confidence, 15);
    let against: Vec<&Finding> = case
        .diagnosis
        .findings
        .iter()
        .filter(|f| suspected.against.contains(&f.id))
        .collect();
    assert!(
        against[0]
            .statement
            .starts_with("errors of inventory did not rise"),
        "{against:?}"
    );
    for recommendation in &case.diagnosis.recommendations {
        assert!(
            !recommendation.action.contains("inventory"),
            "{}",
            recommendation.action
        );
    }
    let search = case
        .deployments
        .deployments
        .set_aside
        .iter()
        .find(|s| s.id == "dep-1847")
        .unwrap();
    assert_eq!(
        search.reason,
        "search is neither checkout nor a dependency of it"
    );
}

#[test]
fn text_that_addresses_agents_changes_nothing_and_reaches_no_statement() {
    let case = case("INC-42");
    let log = text(&case.asked, SourceKind::LogWindow);
    assert_eq!(log.matches("ignore previous instructions").count(), 2);
    let said = serde_json::to_string(&case.diagnosis).unwrap();
    for part in [
        "ignore previous instructions",
        "user:oncall",
        "approve the rollback",
    ] {
        assert!(!said.contains(part), "{part}");
    }
    // The same lines with harmless text in place of it give the same diagnosis.
    let harmless = |line: &str| match line.split_once("[SYSTEM]") {
        Some((before, after)) => {
            let end = after.find("now.").unwrap() + "now.".len();
            format!("{before}thank you{}", &after[end..])
        }
        None => line.to_owned(),
    };
    let kept: Vec<String> = log.split('\n').map(harmless).collect();
    let source = case.asked.source(SourceKind::LogWindow).unwrap().clone();
    let window = LogWindow::read(source, &kept.join("\n"));
    let logs = logs::investigate(&window, &case.asked.for_logs());
    let without = diagnosis::merge(&case.asked, Some(&logs), Some(&case.deployments));
    assert_eq!(without, case.diagnosis);
}

#[test]
fn the_findings_of_inc_42_are_what_their_lines_show() {
    let case = case("INC-42");
    let log = text(&case.asked, SourceKind::LogWindow);
    let findings = &case.diagnosis.findings;

    let began = cited_lines(&log, finding(findings, "errors of checkout began"));
    let causes = began.iter().filter(|line| line.contains("PoolExhaustedException: no connection to payments within 250 ms (max=8 active=8 idle=0"));
    assert_eq!(causes.count(), 4, "{began:?}");
    assert!(
        began[0].contains("ERROR") && began[1].starts_with("Caused by: "),
        "{began:?}"
    );

    let gateway = finding(findings, "the gateway answered requests to checkout");
    assert!(
        gateway.statement.contains(": 0 in 48 min"),
        "{}",
        gateway.statement
    );
    assert!(
        cited_lines(&log, gateway)
            .iter()
            .all(|line| line.contains("\" 502 ") && line.contains("upstream=checkout-"))
    );

    let started = finding(
        findings,
        "checkout 4.18.0 started on checkout-1, checkout-2, checkout-3, checkout-4",
    );
    assert!(
        started.statement.contains("from 2026-11-12T14:00:22Z"),
        "{}",
        started.statement
    );
    assert_eq!(
        cited_lines(&log, started)
            .iter()
            .filter(|line| line.contains("service started"))
            .count(),
        4
    );

    let printed = finding(findings, "payments.client.pool.max=8");
    assert!(
        cited_lines(&log, printed)
            .iter()
            .all(|line| line.contains("\"payments.client.pool.max\":8"))
    );

    for service in ["payments", "cart", "inventory"] {
        let quiet = finding(findings, &format!("errors of {service} did not rise"));
        assert!(
            cited_lines(&log, quiet)
                .iter()
                .all(|line| line.contains(service))
        );
    }
    assert!(
        finding(findings, "the clock of checkout-3")
            .statement
            .contains("s behind")
    );
    assert!(
        finding(findings, "the clock of payments-2")
            .statement
            .contains("s ahead")
    );
}
