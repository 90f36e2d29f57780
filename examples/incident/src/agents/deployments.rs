//! agent:deployments at work: asks for what its request leaves out, searches the history and reports.
//!
//! It asks agent:logs for the onset before anything else. Somebody above may have asked exactly that,
//! and as long as nothing was learnt since, the engine refuses the same work twice
//! (`already-committed`); what is known so far is then with whoever made the request.

use jiff::Timestamp;
use tertulia_worker::{
    Answer, Assignment, Client, Context, Handler, HandlerError, Outcome, StepError, Worker,
    wire::Opening,
};

use super::{apart, number, said, to_logs};
use crate::cases::Archive;
use crate::coordinator::{self, ONSET_QUESTION};
use crate::deployments::{AGENT, DeploymentReport, Scope};
use crate::investigation::{Investigation, SourceKind};
use crate::logs::LogReport;
use crate::specialists;

/// Works on requests to agent:deployments.
#[derive(Clone, Debug)]
pub struct Deployments {
    archive: Archive,
}

/// A worker of agent:deployments.
pub fn worker(client: Client, archive: Archive) -> Worker {
    Worker::new(client, AGENT).handler(Deployments { archive })
}

impl Handler for Deployments {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let question = match said::investigation(&task.act) {
            Ok(question) => question,
            Err(why) => return Ok(Outcome::decline(why)),
        };
        let kind = SourceKind::DeploymentHistory;
        if let Err(error) = specialists::read(&self.archive, &question, kind) {
            return Ok(Outcome::decline(error.to_string()));
        }
        ctx.agree().await?;
        let from_logs = ask_logs(ctx, &question).await?;
        let dependencies = match dependencies(ctx, &question).await? {
            Ok(dependencies) => dependencies,
            Err(why) => return Ok(Outcome::fail(why)),
        };
        let onset = match from_logs {
            FromLogs::Told(onset) => onset,
            FromLogs::AskedByAnother => ask_above(ctx, &task.task.requester).await?,
        };
        let (archive, service) = (self.archive.clone(), question.service.clone());
        let work = move || specialists::deployments(&archive, &question, dependencies, onset);
        let report = match apart(work).await? {
            Ok(report) => report,
            Err(error) => return Ok(Outcome::fail(error.to_string())),
        };
        let parts = said::parts(sentence(&service, &report), &report)?;
        Ok(Outcome::reply(parts).with_artifact(said::file("deployments-findings.json", &report)?))
    }
}

/// What came of asking agent:logs.
enum FromLogs {
    /// It told the onset, or there is none to be had from it.
    Told(Option<Timestamp>),
    /// Somebody else has asked it the same.
    AskedByAnother,
}

async fn ask_logs(ctx: &mut Context, question: &Investigation) -> Result<FromLogs, HandlerError> {
    if question.source(SourceKind::LogWindow).is_none() {
        return Ok(FromLogs::Told(None));
    }
    let reply = ctx.delegate(to_logs(question)?).await?;
    if reply.reason() == Some("already-committed") {
        return Ok(FromLogs::AskedByAnother);
    }
    let onset = match said::report::<LogReport>(&reply) {
        Ok(report) => report.logs.beginning.onset().map(|onset| onset.at),
        // Without an onset the whole window is searched; the diagnosis compares.
        Err(_) => None,
    };
    Ok(FromLogs::Told(onset))
}

/// The services that count as dependencies: as the request says, or whoever made it. They are not
/// guessed; the error says who did not tell.
async fn dependencies(
    ctx: &mut Context,
    question: &Investigation,
) -> Result<Result<Vec<String>, String>, StepError> {
    let clarification = match Scope::of(question) {
        Ok(scope) => return Ok(Ok(scope.dependencies)),
        Err(clarification) => clarification,
    };
    let answer = ctx.ask(clarification.question).await?;
    Ok(told(&answer))
}

/// The dependencies in an answer: in its data where an agent gives it, in its words where a person does.
fn told(answer: &Answer) -> Result<Vec<String>, String> {
    let act = match answer {
        Answer::Said { act, .. } => act,
        Answer::None { reason, .. } => {
            return Err(format!(
                "nobody said which services count as dependencies ({reason}); name them in the request"
            ));
        }
    };
    if let Some(Ok(coordinator::Answer {
        dependencies: Some(dependencies),
        ..
    })) = act.data()
    {
        return Ok(dependencies);
    }
    in_words(&act.text()).ok_or_else(|| {
        "the answer names no services; name the dependencies in the request, or answer with their names, or `none`"
            .to_owned()
    })
}

/// Names of services with commas or spaces between them, or `none`. None if there is any other word.
fn in_words(text: &str) -> Option<Vec<String>> {
    let words = text
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty());
    let names: Vec<String> = words.map(str::to_owned).collect();
    match names.as_slice() {
        [] => None,
        [none] if none == "none" => Some(Vec::new()),
        names if names.iter().all(|name| is_service(name)) => Some(names.to_vec()),
        _ => None,
    }
}

/// The pattern of the contract `incident-investigation/v1`.
fn is_service(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// Asks whoever made the request what is known so far. It is at work above, so the engine makes a
/// consultation of it.
async fn ask_above(ctx: &mut Context, requester: &str) -> Result<Option<Timestamp>, StepError> {
    if !requester.starts_with("agent:") {
        return Ok(None);
    }
    let opening = Opening::request(requester).text(ONSET_QUESTION);
    let reply = ctx.delegate(opening).await?;
    Ok(said::report::<coordinator::Answer>(&reply)
        .ok()
        .and_then(|answer| answer.onset))
}

/// The report in a sentence.
fn sentence(service: &str, report: &DeploymentReport) -> String {
    let changes = number(report.deployments.candidates.len(), "change");
    let gaps = match report.deployments.gaps.len() {
        0 => String::new(),
        gaps => format!("; the history has {}", number(gaps, "gap")),
    };
    format!("{changes} can have reached {service} before the symptom{gaps}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cases;

    fn said(parts: &Value) -> Answer {
        let act = json!({"performative": "inform", "parts": parts});
        Answer::Said {
            act: Box::new(serde_json::from_value(act).unwrap()),
            prompt: Vec::new(),
        }
    }

    #[test]
    fn an_agent_answers_in_data_and_a_person_in_words() {
        let agent = json!([{"text": "see"}, {"data": {"text": "", "dependencies": ["payments"]}}]);
        assert_eq!(told(&said(&agent)), Ok(vec!["payments".to_owned()]));
        let person = json!([{"text": "payments,cart  inventory"}]);
        assert_eq!(told(&said(&person)).unwrap().len(), 3);
        assert_eq!(told(&said(&json!([{"text": "none"}]))), Ok(Vec::new()));
    }

    #[test]
    fn what_names_no_services_is_no_answer() {
        for text in ["", "I do not know", "payments; cart", "-x"] {
            let error = told(&said(&json!([{"text": text}]))).unwrap_err();
            assert!(error.contains("names no services"), "{text}: {error}");
        }
        let silent = Answer::None {
            reason: "ask-expired".to_owned(),
            act: None,
        };
        assert!(told(&silent).unwrap_err().contains("ask-expired"));
    }

    #[test]
    fn the_sentence_tells_of_gaps() {
        for (incident, says) in [
            ("INC-42", "before the symptom"),
            ("INC-43", "the history has one gap"),
        ] {
            let asked = cases::request(incident).unwrap();
            let dependencies = asked.dependencies.clone().unwrap();
            let question = asked.for_deployments();
            let report =
                specialists::deployments(&Archive::Bundled, &question, dependencies, None).unwrap();
            let sentence = sentence(&asked.service, &report);
            assert!(sentence.ends_with(says), "{sentence}");
        }
    }
}
