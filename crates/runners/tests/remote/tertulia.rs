//! Two houses: an agent of one is a remote agent of the other. Force and reason cross the border.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tertulia_worker::{
    Assignment, CancellationToken, Context, Handler, HandlerError, Outcome, Worker,
    wire::{Part, TaskState},
};

use tokio::sync::Notify;

use crate::house::{House, end, said};

/// Works at the other house.
#[derive(Default)]
struct There {
    heard: Arc<Notify>,
}

impl Handler for There {
    async fn handle(&self, ctx: &mut Context, task: &Assignment) -> Result<Outcome, HandlerError> {
        let text = task.text();
        Ok(match text.split_whitespace().next().unwrap_or_default() {
            "decline" => Outcome::decline("not my line of work"),
            "tell" => {
                ctx.progress([Part::text("half way")]).await?;
                self.heard.notified().await;
                Outcome::text("told")
            }
            "ask" => {
                let answer = ctx.ask("which one?").await?;
                Outcome::text(format!("it is {}", answer.text().unwrap_or_default()))
            }
            _ => Outcome::reply(task.act.parts.clone()),
        })
    }
}

async fn houses() -> (House, House, Arc<Notify>, CancellationToken) {
    let (here, there) = (House::open().await, House::open().await);
    let definition = "---\nname: helper\ndescription: Helps.\nowner: user:dev\n---\n\nHelp.\n";
    there
        .client
        .put_agent_markdown("helper", definition)
        .await
        .unwrap();
    let stop = CancellationToken::new();
    let (handler, heard) = {
        let there = There::default();
        let heard = Arc::clone(&there.heard);
        (there, heard)
    };
    let worker = Worker::new(there.client.clone(), "helper").handler(handler);
    tokio::spawn(worker.run(stop.clone()));
    here.knows(&format!("http://{}/a2a/helper", there.address), "safe")
        .await;
    (here, there, heard, stop)
}

#[tokio::test]
async fn a_task_crosses_the_border_and_comes_back() {
    let (here, there, heard, stop) = houses().await;
    let done = here.ended("hello over there").await;
    assert_eq!(end(&done), (TaskState::Done, ""));
    assert_eq!(said(&done), "hello over there");
    // What is said on the way is heard here before the end.
    let task = here.ask("tell me").await;
    let begun = Instant::now();
    loop {
        let id = &task.conversation;
        let conversation = here.client.conversation(id, 0, None).await.unwrap();
        if conversation.acts.iter().any(|act| act.text() == "half way") {
            break;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(20),
            "{conversation:?}"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    heard.notify_one();
    assert_eq!(said(&here.rest(&task.id).await), "told");
    let query = tertulia_worker::wire::TaskQuery::default();
    let tasks = there.client.tasks(&query).await.unwrap().tasks;
    assert_eq!(tasks.len(), 2);
    assert!(tasks.iter().all(|task| task.requester == "user:dev"));
    stop.cancel();
}

#[tokio::test]
async fn a_refuse_there_is_a_refuse_here() {
    let (here, _there, _heard, stop) = houses().await;
    let refused = here.ended("decline this").await;
    assert_eq!(
        end(&refused),
        (TaskState::Refused, "peer-refused"),
        "{refused:?}"
    );
    assert!(
        said(&refused).contains("not my line of work"),
        "{refused:?}"
    );
    stop.cancel();
}

#[tokio::test]
async fn a_question_there_is_answered_from_here() {
    let (here, _there, _heard, stop) = houses().await;
    let asked = here.ended("ask me").await;
    assert_eq!(asked.state, TaskState::AwaitingClarification);
    let ask = asked.question.unwrap().ask;
    here.client
        .answer(&ask, &[Part::text("the blue one")])
        .await
        .unwrap();
    let done = here.rest(&asked.id).await;
    assert_eq!(end(&done), (TaskState::Done, ""), "{done:?}");
    assert_eq!(said(&done), "it is the blue one");
    stop.cancel();
}
