//! A worker whose words decide what it does: `echo`, `decline`, `fail`, `ask`, `hold`, `progress`, `files`.

use std::time::Duration;

use serde_json::json;
use tertulia_acts::{
    body::{Body, NewArtifact, Part},
    command::{
        Answer, AskUp, Caller, Claim, Command, Decline, Fail, Grant, HopOperation, KnownBy,
        Progress, Reply, UnderHop,
    },
    digest::{ClaimSecret, Digest},
    envelope::Act,
    performative::Performative,
    reason::Reason,
    receipt::Outcome,
    viewer::Viewer,
};
use tertulia_engine::Engine;

/// Claims one piece of work for an agent of `main`, and waits for it.
pub(crate) async fn claim(engine: &Engine, agent: &str) -> Option<Grant> {
    let caller = caller(engine, agent);
    let claim = Claim {
        agent: agent.into(),
        max: 1,
        versions: Vec::new(),
        request: format!("{:032x}", rand::random::<u128>()),
        secret: ClaimSecret::new(rand::random::<[u8; 16]>().to_vec()).unwrap(),
        worker: "test".into(),
    };
    match engine.claim(caller, claim, Duration::from_secs(20)).await {
        Ok(Answer::Granted(grants)) => grants.into_iter().next(),
        other => panic!("{other:?}"),
    }
}

fn caller(engine: &Engine, agent: &str) -> Caller {
    let party = format!("agent:{agent}").parse().unwrap();
    engine.trusted("main", &party).unwrap().unwrap()
}

/// Does something under the hop of a grant.
pub(crate) async fn act(engine: &Engine, grant: &Grant, operation: HopOperation) -> Outcome {
    let agent = grant.task.made.debtor.name();
    let content = Digest::of(format!("{operation:?}").as_bytes());
    let under = UnderHop {
        known_by: KnownBy::Token(grant.token),
        step: None,
        handling: None,
        read: vec![1, 2, 3],
        content,
        operation,
    };
    let answer = engine
        .call(Command::UnderHop(caller(engine, agent), under))
        .await;
    match answer {
        Ok(Answer::Outcome { outcome, .. }) => outcome,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn reply(body: Body) -> HopOperation {
    HopOperation::Reply(Reply {
        body,
        artifacts: Vec::new(),
    })
}

/// The acts of the conversation that a grant is in.
pub(crate) fn acts(engine: &Engine, grant: &Grant) -> Vec<Act> {
    let made = &grant.task.made;
    let viewer = Viewer::new(made.tenant, made.debtor.clone());
    let reader = engine.reader();
    reader
        .acts(&viewer, made.conversation, 0, 100)
        .unwrap()
        .unwrap()
}

/// Works until it is stopped.
pub(crate) async fn run(engine: Engine, agent: String) {
    while !engine.draining() {
        if let Some(grant) = claim(&engine, &agent).await {
            work(&engine, &grant).await;
        }
    }
}

async fn work(engine: &Engine, grant: &Grant) {
    let acts = acts(engine, grant);
    let opening = acts
        .iter()
        .find(|act| act.envelope.id == grant.task.made.opening)
        .unwrap();
    let text = opening.body.joined_text();
    let word = text.split_whitespace().next().unwrap_or_default();
    let operation = match word {
        "hold" => return,
        "decline" => HopOperation::Decline(Decline {
            reason: Reason::Declined,
            body: Body::text("not my line of work"),
        }),
        "fail" => HopOperation::Fail(Fail {
            retry: false,
            reason: Reason::GaveUp,
            error: "the disk was empty".into(),
            body: Body::default(),
        }),
        "ask" => match answered(grant, &acts) {
            Some(answer) => reply(Body::text(format!(
                "you said {}",
                answer.body.joined_text()
            ))),
            None => HopOperation::Ask(AskUp {
                body: Body::text("which one?"),
                within: None,
            }),
        },
        "progress" => {
            let body = Body::text("half way");
            act(
                engine,
                grant,
                HopOperation::Progress(Progress {
                    body,
                    needs_credential: false,
                }),
            )
            .await;
            reply(Body::text("done"))
        }
        "files" => HopOperation::Reply(Reply {
            body: Body {
                parts: vec![Part::text("see the files"), Part::data(json!({"count": 3}))],
            },
            artifacts: vec![
                NewArtifact::new("a.txt".into(), "text/plain".into(), b"alpha".to_vec()),
                NewArtifact::new("b.bin".into(), "image/png".into(), vec![0, 1, 255]),
            ],
        }),
        _ if opening.envelope.performative == Performative::Inform => HopOperation::Acknowledge,
        _ => reply(opening.body.clone()),
    };
    act(engine, grant, operation).await;
}

/// The answer to the task's question, if it asked and was answered.
fn answered<'a>(grant: &Grant, acts: &'a [Act]) -> Option<&'a Act> {
    acts.iter().rev().find(|act| {
        act.envelope.task == Some(grant.task.id())
            && act.envelope.ask.is_some()
            && act.envelope.sender != grant.task.made.debtor
    })
}
