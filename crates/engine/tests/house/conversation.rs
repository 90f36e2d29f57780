//! One conversation after another, over the real store.

use tertulia_acts::{
    body::Body,
    command::{Answer, AnswerAsk, AskUp, Command, HopOperation, Words},
    hop::Wait,
    receipt::Outcome,
    task::TaskState,
};

use crate::house::{House, accepted, outcome, request};

#[tokio::test]
async fn a_request_is_claimed_and_answered_in_its_conversation() {
    let house = House::new().await;
    let task = accepted(
        &house
            .send("user:ana", "agent:logs", "find the errors", None)
            .await,
    );
    let grant = house.claim("logs", "c1").await.expect("work");
    assert_eq!(grant.task.id(), task);
    let settled = outcome(house.reply(&grant, "there are 3").await);
    let Outcome::Settled { act, .. } = settled else {
        panic!("{settled:?}")
    };
    let read = house.task(task);
    assert_eq!(read.task.now.state, TaskState::Done { result: act });
    let result = read.result.expect("a result");
    assert_eq!(result.body, Body::text("there are 3"));
    assert_eq!(result.envelope.sender.to_string(), "agent:logs");
    assert_eq!(read.hops.len(), 1);
    // A repeat of the settle is answered the same.
    let again = house.reply(&grant, "there are 3").await;
    assert_eq!(
        again,
        Answer::Outcome {
            outcome: Outcome::Settled { task, act },
            replayed: true
        }
    );
    let inbox = house
        .engine
        .reader()
        .inbox(&house.viewer("user:ana"), 0, 10)
        .expect("readable");
    assert_eq!(inbox.entries.len(), 1);
    assert_eq!(inbox.entries[0].act, result);
}

#[expect(clippy::too_many_lines, reason = "one conversation, told in its order")]
#[tokio::test]
async fn a_coordinator_parks_on_a_child_answers_its_question_and_goes_on() {
    let house = House::new().await;
    let task = accepted(
        &house
            .send("user:ana", "agent:coordinator", "INC-42", None)
            .await,
    );
    let first = house.claim("coordinator", "c1").await.expect("work");
    let child = HopOperation::Delegate(Box::new(request("agent:logs", "errors?")));
    let child = accepted(&outcome(house.under(&first, "s1", child.clone()).await));
    let parked = house
        .under(
            &first,
            "park",
            HopOperation::Park(Wait::Tasks { tasks: vec![child] }),
        )
        .await;
    assert_eq!(outcome(parked), Outcome::Parked);
    assert!(house.claim("coordinator", "c2").await.is_none());

    let logs = house.claim("logs", "l1").await.expect("work");
    assert_eq!(logs.task.made.genealogy.depth(), 1);
    let asked = house
        .under(
            &logs,
            "a1",
            HopOperation::Ask(AskUp {
                body: Body::text("which window?"),
                within: None,
            }),
        )
        .await;
    let Outcome::Asked { ask, .. } = outcome(asked) else {
        panic!("not asked")
    };
    assert!(
        matches!(house.task(child).task.now.state, TaskState::AwaitingClarification { ask: a } if a == ask)
    );

    let second = house
        .claim("coordinator", "c3")
        .await
        .expect("a question wakes");
    assert!(second.resumed);
    assert_eq!(second.hop, first.hop);
    let park = house
        .under(
            &second,
            "park",
            HopOperation::Park(Wait::Tasks { tasks: vec![child] }),
        )
        .await;
    let Outcome::Refused { refusal, .. } = outcome(park) else {
        panic!("parked before a question")
    };
    assert_eq!(refusal.reason.code(), "would-deadlock");
    let words = AnswerAsk {
        ask: Some(ask),
        task: None,
        words: Words::Inform(Body::text("14:00 to 15:00")),
        key: None,
    };
    assert!(matches!(
        outcome(house.under(&second, "", HopOperation::Answer(words)).await),
        Outcome::Answered { .. }
    ));
    assert_eq!(
        outcome(
            house
                .under(
                    &second,
                    "p",
                    HopOperation::Park(Wait::Tasks { tasks: vec![child] })
                )
                .await
        ),
        Outcome::Parked
    );

    let logs = house
        .claim("logs", "l2")
        .await
        .expect("an answered asker goes on");
    house.reply(&logs, "3 errors").await;
    let third = house
        .claim("coordinator", "c4")
        .await
        .expect("the child has ended");
    house.reply(&third, "diagnosed").await;
    let read = house.task(task);
    assert!(matches!(read.task.now.state, TaskState::Done { .. }));
    assert_eq!(read.hops.len(), 1, "parking keeps the hop");
}

#[tokio::test]
async fn i15_a_foreign_principal_sees_and_moves_nothing() {
    let house = House::new().await;
    let task = accepted(&house.send("user:ana", "agent:logs", "secret", None).await);
    assert!(
        house
            .engine
            .reader()
            .task(&house.viewer("user:bob"), task)
            .expect("readable")
            .is_none()
    );
    let cancel = tertulia_acts::command::Cancel {
        task,
        token: None,
        body: Body::default(),
    };
    let answer = house
        .engine
        .call(Command::Cancel(house.caller("user:bob"), cancel))
        .await
        .expect("answered");
    assert!(
        matches!(
            answer,
            Answer::Fault(tertulia_acts::facts::Fault::NotFound(_))
        ),
        "{answer:?}"
    );
    assert!(house.task(task).task.is_open());
}

#[tokio::test]
async fn i06_a_step_that_was_refused_is_replayed_like_any_other() {
    let house = House::new().await;
    house
        .send("user:ana", "agent:coordinator", "INC-42", None)
        .await;
    let first = house.claim("coordinator", "c1").await.expect("work");
    let mut note = request("user:nobody", "fyi");
    note.performative = tertulia_acts::performative::Performative::Inform;
    let note = HopOperation::Delegate(Box::new(note));
    let refused = house.under(&first, "s1", note.clone()).await;
    assert!(matches!(
        outcome(refused.clone()),
        Outcome::Refused { task: None, .. }
    ));
    let child = HopOperation::Delegate(Box::new(request("agent:logs", "errors?")));
    let child = accepted(&outcome(house.under(&first, "s2", child).await));
    let wait = HopOperation::Park(Wait::Tasks { tasks: vec![child] });
    assert_eq!(
        outcome(house.under(&first, "park", wait).await),
        Outcome::Parked
    );
    let logs = house.claim("logs", "l1").await.expect("work");
    house.reply(&logs, "3").await;
    let second = house
        .claim("coordinator", "c2")
        .await
        .expect("the child has ended");
    let again = house.under(&second, "s1", note).await;
    assert!(
        matches!(&again, Answer::Outcome { replayed: true, .. }),
        "{again:?}"
    );
    assert_eq!(outcome(again), outcome(refused));
}

#[tokio::test]
async fn a_reply_may_bring_as_many_artifacts_as_the_limit_says() {
    let mut house = House::new().await;
    let task = accepted(&house.send("user:ana", "agent:logs", "x", None).await);
    let grant = house.claim("logs", "c1").await.expect("work");
    // Nothing is known any more: every artifact has to be looked up.
    house.restart().await;
    let artifacts = (0..tertulia_acts::limits::ARTIFACTS)
        .map(|n| {
            let bytes = format!("artifact {n}").into_bytes();
            tertulia_acts::body::NewArtifact::new(format!("{n}.txt"), "text/plain".into(), bytes)
        })
        .collect();
    let reply = tertulia_acts::command::Reply {
        body: Body::text("here"),
        artifacts,
    };
    let settled = house.under(&grant, "r", HopOperation::Reply(reply)).await;
    assert!(
        matches!(outcome(settled), Outcome::Settled { task: t, .. } if t == task),
        "not settled"
    );
    let brought = house
        .task(task)
        .result
        .expect("a result")
        .envelope
        .artifacts;
    assert_eq!(brought.len(), tertulia_acts::limits::ARTIFACTS);
}
