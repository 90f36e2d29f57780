//! agent:logs at work: reads the log window that a request refers to, and reports.

use tertulia_worker::{Assignment, Client, Context, Handler, HandlerError, Outcome, Worker};

use super::{apart, number, said};
use crate::cases::Archive;
use crate::investigation::SourceKind;
use crate::logs::{AGENT, LogReport};
use crate::onset::Beginning;
use crate::specialists;

/// Works on requests to agent:logs.
#[derive(Clone, Debug)]
pub struct Logs {
    archive: Archive,
}

/// A worker of agent:logs.
pub fn worker(client: Client, archive: Archive) -> Worker {
    Worker::new(client, AGENT).handler(Logs { archive })
}

impl Handler for Logs {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let question = match said::investigation(&task.act) {
            Ok(question) => question,
            Err(why) => return Ok(Outcome::decline(why)),
        };
        if let Err(error) = specialists::read(&self.archive, &question, SourceKind::LogWindow) {
            return Ok(Outcome::decline(error.to_string()));
        }
        ctx.agree().await?;
        let archive = self.archive.clone();
        let service = question.service.clone();
        let report = match apart(move || specialists::logs(&archive, &question)).await? {
            Ok(report) => report,
            Err(error) => return Ok(Outcome::fail(error.to_string())),
        };
        let parts = said::parts(sentence(&service, &report), &report)?;
        Ok(Outcome::reply(parts).with_artifact(said::file("logs-findings.json", &report)?))
    }
}

/// The report in a sentence.
fn sentence(service: &str, report: &LogReport) -> String {
    let findings = number(report.findings.len(), "finding");
    match &report.logs.beginning {
        Beginning::Seen(onset) => format!(
            "errors of {service} began at {} on {}; {findings}",
            onset.at, onset.host
        ),
        Beginning::BeforeTheEvidence { evidence_from, .. } => format!(
            "errors of {service} were already coming when the log begins at {evidence_from}; {findings}"
        ),
        Beginning::NotSeen => {
            format!("the log shows no rise of errors of {service}; {findings}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases;

    #[test]
    fn the_sentence_says_when_the_errors_began_or_that_it_cannot_be_told() {
        for (incident, says) in [
            ("INC-42", "errors of checkout began at 2026-11-12T14:07:31"),
            (
                "INC-43",
                "errors of cart were already coming when the log begins at",
            ),
        ] {
            let question = cases::request(incident).unwrap().for_logs();
            let report = specialists::logs(&Archive::Bundled, &question).unwrap();
            let sentence = sentence(&question.service, &report);
            assert!(sentence.starts_with(says), "{sentence}");
        }
    }
}
