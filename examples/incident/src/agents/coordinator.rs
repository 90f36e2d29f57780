//! agent:coordinator at work: asks the specialists, answers those that come back to it, and merges.

use tertulia_worker::wire::{Ask, Turn};
use tertulia_worker::{
    Arrival, AskUpwards, Assignment, Client, Context, FanOut, Handler, HandlerError, Outcome,
    QuestionHandler, QuestionOutcome, Reply, Worker, wire::Part,
};

use super::{said, to_deployments, to_logs};
use crate::coordinator::{AGENT, Known, consult};
use crate::deployments::DeploymentReport;
use crate::diagnosis;
use crate::logs::LogReport;

/// Works on requests to agent:coordinator.
#[derive(Clone, Copy, Debug)]
pub struct Coordinator;

/// Answers the specialists that ask what was meant while the coordinator waits for them.
#[derive(Clone, Copy, Debug)]
pub struct Clarifying;

/// Answers consultations, from what the coordinator has written down. Read-only: it sees the history
/// of the conversation that the coordinator is at work in, and nothing else.
#[derive(Clone, Copy, Debug)]
pub struct Consulted;

/// A worker of agent:coordinator.
pub fn worker(client: Client) -> Worker {
    Worker::new(client, AGENT)
        .handler(Coordinator)
        .on_question(Clarifying)
        .consult(Consulted)
}

impl Handler for Coordinator {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let asked = match said::investigation(&task.act) {
            Ok(asked) => asked,
            Err(why) => return Ok(Outcome::decline(why)),
        };
        ctx.agree().await?;
        let mut known = Known::at_first(&asked);
        write_down(ctx, "nothing is known yet but the request", &known).await?;

        let (mut logs, mut deployments) = (None, None);
        let specialists = [to_logs(&asked)?, to_deployments(&asked)?];
        let mut arrivals = ctx.delegate_each(FanOut::each(specialists)).await?;
        while let Some(Arrival { branch, reply }) = arrivals.next(ctx).await? {
            if branch == 0 {
                logs = taken::<LogReport>(ctx, "logs", &reply).await?;
                if let Some(report) = &logs {
                    known = known.with_logs(report);
                    write_down(ctx, &reply.text(), &known).await?;
                }
            } else {
                deployments = taken::<DeploymentReport>(ctx, "deployments", &reply).await?;
            }
        }

        let diagnosis = diagnosis::merge(&asked, logs.as_ref(), deployments.as_ref());
        let parts = said::parts(&diagnosis.summary, &diagnosis)?;
        Ok(Outcome::reply(parts).with_artifact(said::file("diagnosis.json", &diagnosis)?))
    }
}

/// Writes what is known into the conversation, where a consultation finds it.
async fn write_down(ctx: &mut Context, text: &str, known: &Known) -> Result<(), HandlerError> {
    ctx.progress(said::parts(text, known)?).await?;
    Ok(())
}

/// The report of a specialist. One that cannot be had is told, and the diagnosis goes on without.
async fn taken<T: serde::de::DeserializeOwned>(
    ctx: &mut Context,
    agent: &str,
    reply: &Reply,
) -> Result<Option<T>, HandlerError> {
    match said::report(reply) {
        Ok(report) => Ok(Some(report)),
        Err(why) => {
            let text = format!("going on without a report of agent:{agent}: {why}");
            ctx.progress([Part::text(text)]).await?;
            Ok(None)
        }
    }
}

impl QuestionHandler for Clarifying {
    async fn answer(
        &self,
        ctx: &mut Context,
        task: &Assignment,
        question: &Ask,
    ) -> Result<QuestionOutcome, HandlerError> {
        let asked = match said::investigation(&task.act) {
            Ok(asked) => asked,
            Err(why) => return Ok(QuestionOutcome::Refuse(vec![Part::text(why)])),
        };
        let known = Known::at_first(&asked);
        match consult(&known, &question.question.text()) {
            Some(answer) => Ok(QuestionOutcome::Answer(said::parts(
                answer.text.as_str(),
                &answer,
            )?)),
            // What the request does not say is for whoever made it; it is never invented.
            None => AskUpwards.answer(ctx, task, question).await,
        }
    }
}

impl Handler for Consulted {
    async fn handle(&self, _ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let own = format!("agent:{}", task.agent.name);
        let Some(known) = last_written(&own, &task.history) else {
            return Ok(Outcome::decline("nothing is written down yet"));
        };
        Ok(match consult(&known, &task.text()) {
            Some(answer) => Outcome::reply(said::parts(answer.text.as_str(), &answer)?),
            None => Outcome::decline(
                "only the onset, the dependencies and the window can be told while the work goes on",
            ),
        })
    }
}

/// What the coordinator wrote down last. Its own acts only: the engine vouches for who said what.
fn last_written(own: &str, history: &[Turn]) -> Option<Known> {
    let mut by_itself = history.iter().rev().filter(|turn| turn.act.sender == own);
    by_itself.find_map(|turn| turn.act.data::<Known>()?.ok())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cases::{self, Archive};
    use crate::specialists;

    fn turn(sender: &str, data: &Value) -> Turn {
        let act = json!({"performative": "inform", "sender": sender, "parts": [{"data": data}]});
        serde_json::from_value(json!({"act": act})).unwrap()
    }

    #[test]
    fn a_consultation_reads_what_the_coordinator_wrote_last_and_nobody_else() {
        let asked = cases::request("INC-42").unwrap();
        let at_first = Known::at_first(&asked);
        let report = specialists::logs(&Archive::Bundled, &asked.for_logs()).unwrap();
        let later = at_first.clone().with_logs(&report);
        let own = |known: &Known| turn("agent:coordinator", &serde_json::to_value(known).unwrap());
        let mut forged = at_first.clone();
        forged.service = "inventory".to_owned();
        let history = [
            turn("user:dev", &serde_json::to_value(&asked).unwrap()),
            own(&at_first),
            own(&later),
            turn("agent:coordinator", &json!({"something": "else"})),
            turn("user:dev", &serde_json::to_value(forged).unwrap()),
        ];
        let last = last_written("agent:coordinator", &history);
        assert_eq!(last.as_ref(), Some(&later));
        assert_eq!(last_written("agent:coordinator", &history[..1]), None);
    }
}
