//! The shell: long polls, draining, configuration that changes under a call.

use std::{sync::Arc, time::Duration};

use tertulia_acts::{
    command::{Answer, Command, Configure, Send},
    receipt::Outcome,
};
use tertulia_engine::{DataFolder, Engine, EngineError, Options};

use crate::house::{House, accepted, claim, definition, request};

#[tokio::test]
async fn a_waiting_claim_is_woken_by_a_post() {
    let house = House::new().await;
    let engine = house.engine.clone();
    let caller = house.caller("agent:logs");
    let waiting = tokio::spawn(async move {
        engine
            .claim(caller, claim("logs", "c1"), Duration::from_secs(30))
            .await
    });
    while !house
        .engine
        .has_worker(house.caller("user:ana").tenant, "logs")
    {
        tokio::task::yield_now().await;
    }
    let task = accepted(&house.send("user:ana", "agent:logs", "x", None).await);
    let answer = waiting.await.expect("joined").expect("answered");
    let Answer::Granted(grants) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(grants[0].task.id(), task);
}

#[tokio::test]
async fn work_is_granted_to_a_waiting_claim_by_the_commit_that_stores_it() {
    let house = House::new().await;
    let engine = house.engine.clone();
    let caller = house.caller("agent:logs");
    let waiting = tokio::spawn(async move {
        engine
            .claim(caller, claim("logs", "c1"), Duration::from_secs(30))
            .await
    });
    while house.engine.claims_waiting() == 0 {
        tokio::task::yield_now().await;
    }
    let before = house.engine.metrics().snapshot();
    let task = accepted(&house.send("user:ana", "agent:logs", "x", None).await);
    let answer = waiting.await.expect("joined").expect("answered");
    let Answer::Granted(grants) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(grants[0].task.id(), task);
    let after = house.engine.metrics().snapshot();
    let commands = after.commands - before.commands;
    let commits = after.commits - before.commits;
    assert_eq!(commands - commits, 1, "{commands} in {commits} commits");
    assert_eq!(house.engine.claims_waiting(), 0);
}

#[tokio::test]
async fn a_command_judged_by_an_old_configuration_is_judged_again() {
    let house = House::new().await;
    let old = house.caller("user:ana");
    let changed = tertulia_acts::agent::Definition {
        description: "new".into(),
        ..definition("logs")
    };
    house
        .configure(Configure::Agent {
            tenant: old.tenant,
            definition: Arc::new(changed),
        })
        .await;
    assert_ne!(house.caller("user:ana").epoch, old.epoch);
    let send = Send {
        opening: request("agent:logs", "x"),
        key: None,
    };
    let answer = house
        .engine
        .call(Command::Send(old, Box::new(send)))
        .await
        .expect("judged again");
    assert!(
        matches!(
            answer,
            Answer::Outcome {
                outcome: Outcome::Accepted { .. },
                ..
            }
        ),
        "{answer:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_claim_that_waits_over_a_change_is_judged_again_once() {
    let house = House::new().await;
    let old = house.caller("agent:logs");
    let changed = tertulia_acts::agent::Definition {
        description: "new".into(),
        ..definition("deployments")
    };
    house
        .configure(Configure::Agent {
            tenant: old.tenant,
            definition: Arc::new(changed),
        })
        .await;
    let before = house.engine.metrics().snapshot().commands;
    // It looks at once and then each second, on a clock that moves when everybody waits.
    let wait = Duration::from_secs(10);
    let answer = house.engine.claim(old, claim("logs", "c1"), wait).await;
    assert_eq!(answer, Ok(Answer::Granted(Vec::new())));
    let commands = house.engine.metrics().snapshot().commands - before;
    assert_eq!(
        commands,
        11 + 1,
        "eleven looks, and one that was judged by what had changed"
    );
}

#[tokio::test]
async fn a_stopped_engine_takes_nothing_and_its_folder_is_free() {
    let house = House::new().await;
    let options = Options {
        data: DataFolder::Path(house.folder.path().to_owned()),
    };
    let error = Engine::start(&options).err().expect("the folder is in use");
    assert!(
        error.to_string().contains("in use by another process"),
        "{error}"
    );
    house.engine.stop().await;
    let send = Send {
        opening: request("agent:logs", "x"),
        key: None,
    };
    let answer = house
        .engine
        .call(Command::Send(house.caller("user:ana"), Box::new(send)))
        .await;
    assert_eq!(answer, Err(EngineError::Draining));
    let again = Engine::start(&options).expect("the folder is free");
    again.stop().await;
}

#[tokio::test]
async fn many_posts_at_once_are_all_stored() {
    let house = House::new().await;
    let mut posts = tokio::task::JoinSet::new();
    for n in 0..300 {
        let engine = house.engine.clone();
        let caller = house.caller("user:ana");
        posts.spawn(async move {
            let send = Send {
                opening: request("agent:logs", &format!("work {n}")),
                key: Some(format!("k{n}")),
            };
            engine.call(Command::Send(caller, Box::new(send))).await
        });
    }
    let mut tasks = std::collections::BTreeSet::new();
    while let Some(answer) = posts.join_next().await {
        let Answer::Outcome { outcome, .. } = answer.expect("joined").expect("answered") else {
            panic!("no outcome")
        };
        tasks.insert(accepted(&outcome));
    }
    assert_eq!(tasks.len(), 300);
    for task in &tasks {
        assert!(house.task(*task).task.is_open());
    }
    let snapshot = house.engine.metrics().snapshot();
    assert!(
        snapshot.commits < 300,
        "{} commits: no two posts shared one",
        snapshot.commits
    );
}

#[tokio::test]
async fn a_writer_with_nothing_due_sleeps() {
    let house = House::new().await;
    accepted(&house.send("user:ana", "agent:logs", "x", None).await);
    let grant = house.claim("logs", "c1").await.expect("work");
    house.reply(&grant, "done").await;
    // The lease and the deadline that were to be due are over; their instants pass.
    house.clock.move_by(tertulia_acts::time::Millis::hours(48));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let before = house.clock.looks();
    tokio::time::sleep(Duration::from_secs(2)).await;
    let looks = house.clock.looks() - before;
    // It naps for half a second; one that spins looks some ten thousand times.
    assert!(
        looks < 100,
        "the idle writer looked {looks} times at the clock in two seconds"
    );
}
