//! The three agents as workers: what each does with the operations of its lease. The rules that they
//! apply stand beside this module and know nothing of any server.
//!
//! A handler is plain code that runs again after each wait and after a crash, on whatever machine,
//! and finds the steps that it has made. So nothing in it depends on a clock or on chance.

pub mod coordinator;
pub mod deployments;
pub mod logs;
mod said;

use std::fmt::Display;

use serde_json::json;
use tertulia_worker::{Client, HandlerError, Worker, wire::Opening};

use crate::cases::Archive;
use crate::diagnosis::DIAGNOSIS_CONTRACT;
use crate::investigation::{INVESTIGATION_CONTRACT, Investigation};
use crate::{coordinator as rules, deployments as changes, logs as lines};

/// Name and version of the contract of the specialists' reports.
pub const FINDINGS_CONTRACT: &str = "incident-findings/v1";

/// The workers of all three agents, which read evidence from `archive`.
pub fn workers(client: &Client, archive: &Archive) -> [Worker; 3] {
    [
        coordinator::worker(client.clone()),
        logs::worker(client.clone(), archive.clone()),
        deployments::worker(client.clone(), archive.clone()),
    ]
}

/// The request of someone who wants an incident explained.
///
/// # Errors
/// The investigation has no JSON form, which cannot be for one that was read from JSON.
pub fn to_coordinator(asked: &Investigation) -> Result<Opening, serde_json::Error> {
    let objective = format!("{}: {}", asked.incident, asked.symptom);
    let opening = request(rules::AGENT, &objective, asked, DIAGNOSIS_CONTRACT)?;
    Ok(opening.work_id(&asked.incident))
}

/// What agent:logs is asked, by whoever asks it: the same bytes, so that the engine can tell that two
/// requests are equivalent.
///
/// # Errors
/// As [`to_coordinator`].
pub fn to_logs(asked: &Investigation) -> Result<Opening, serde_json::Error> {
    let question = asked.for_logs();
    let opening = request(
        lines::AGENT,
        question.objective(),
        &question,
        FINDINGS_CONTRACT,
    )?;
    Ok(opening.parent_work_id(&asked.incident))
}

/// What agent:deployments is asked.
///
/// # Errors
/// As [`to_coordinator`].
pub fn to_deployments(asked: &Investigation) -> Result<Opening, serde_json::Error> {
    let question = asked.for_deployments();
    let opening = request(
        changes::AGENT,
        question.objective(),
        &question,
        FINDINGS_CONTRACT,
    )?;
    Ok(opening.parent_work_id(&asked.incident))
}

/// A request under the contract of investigations: its inputs are references with the digest of what
/// they refer to.
fn request(
    to: &str,
    objective: &str,
    question: &Investigation,
    result: &str,
) -> Result<Opening, serde_json::Error> {
    let inputs: Vec<_> = question
        .evidence
        .iter()
        .map(
            |source| json!({"name": source.uri, "version": source.digest, "digest": source.digest}),
        )
        .collect();
    let contract = json!({
        "name": INVESTIGATION_CONTRACT,
        "result": result,
        "inputs": inputs,
        "acceptance_criteria": ["every finding cites lines or records that exist in the inputs"],
    });
    Ok(Opening::request(to)
        .text(objective)
        .data(serde_json::to_value(question)?)
        .contract(contract))
}

/// Runs rules over evidence where they hold up no other work.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, HandlerError> {
    Ok(tokio::task::spawn_blocking(work).await?)
}

/// How many of a thing, as a person would say it.
fn number(n: usize, thing: impl Display) -> String {
    match n {
        0 => format!("no {thing}s"),
        1 => format!("one {thing}"),
        _ => format!("{n} {thing}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn whoever_asks_logs_sends_the_same_bytes() {
        for incident in cases::INCIDENTS {
            let asked = cases::request(incident).unwrap();
            let by_coordinator = serde_json::to_vec(&to_logs(&asked).unwrap()).unwrap();
            let seen_by_deployments = asked.for_deployments();
            let by_deployments = to_logs(&seen_by_deployments).unwrap();
            assert_eq!(by_coordinator, serde_json::to_vec(&by_deployments).unwrap());
        }
    }

    #[test]
    fn a_request_names_its_contracts_and_its_inputs_with_digests() {
        let asked = cases::request("INC-42").unwrap();
        let opening = serde_json::to_value(to_deployments(&asked).unwrap()).unwrap();
        assert_eq!(opening["to"], "agent:deployments");
        assert_eq!(opening["contract"]["name"], "incident-investigation/v1");
        assert_eq!(opening["contract"]["result"], "incident-findings/v1");
        let history = &opening["contract"]["inputs"][0];
        assert_eq!(history["name"], "inc-42/deployments.json");
        assert_eq!(history["digest"], asked.evidence[1].digest.as_str());
        assert_eq!(opening["parent_work_id"], "INC-42");

        let opening = serde_json::to_value(to_coordinator(&asked).unwrap()).unwrap();
        assert_eq!(opening["contract"]["result"], "incident-diagnosis/v1");
        assert_eq!(opening["work_id"], "INC-42");
    }
}
