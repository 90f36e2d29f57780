//! What was answered stands after a restart, and time goes on.

use tertulia_acts::{
    command::{Answer, HopOperation},
    facts::Fault,
    hop::Wait,
    limits::{ATTEMPTS, DEADLINE, LEASE},
    receipt::Outcome,
    task::TaskState,
    time::Millis,
};

use crate::house::{House, accepted, outcome, request};

#[tokio::test]
async fn i06_a_key_is_answered_the_same_after_a_restart() {
    let mut house = House::new().await;
    let first = house.send("user:ana", "agent:logs", "x", Some("k1")).await;
    house.restart().await;
    assert_eq!(
        house.send("user:ana", "agent:logs", "x", Some("k1")).await,
        first
    );
    let other = house.send("user:ana", "agent:logs", "y", Some("k1")).await;
    let Outcome::Refused {
        refusal,
        task: None,
        ..
    } = other
    else {
        panic!("{other:?}")
    };
    assert_eq!(refusal.reason.code(), "key-reused");
}

#[tokio::test]
async fn a_lost_attempt_is_made_again_with_its_steps_made() {
    let mut house = House::new().await;
    let task = accepted(
        &house
            .send("user:ana", "agent:coordinator", "INC-42", None)
            .await,
    );
    let first = house.claim("coordinator", "c1").await.expect("work");
    let child = HopOperation::Delegate(Box::new(request("agent:logs", "errors?")));
    let made = outcome(house.under(&first, "s1", child.clone()).await);
    house.restart().await;
    // Nobody sends a heartbeat: the lease is swept, and after the wait another attempt begins.
    house.clock.move_by(Millis(LEASE.0 + 1));
    wait_until(|| house.task(task).hops[0].state == tertulia_acts::hop::Activation::Lost).await;
    house.clock.move_by(Millis::seconds(2));
    let second = house
        .claim("coordinator", "c2")
        .await
        .expect("another attempt");
    assert_ne!(second.hop, first.hop);
    // The step that was made is answered as it was; a new one before it would have diverged.
    let new = HopOperation::Delegate(Box::new(request("agent:deployments", "which?")));
    let diverged = house.under(&second, "s2", new).await;
    assert!(
        matches!(
            diverged,
            Answer::Fault(Fault::ReplayDiverged { unread: 1, .. })
        ),
        "{diverged:?}"
    );
    assert_eq!(outcome(house.under(&second, "s1", child).await), made);
    // The worker of the first attempt comes back too late.
    let late = house.reply(&first, "done").await;
    assert_eq!(late, Answer::Fault(Fault::LeaseLost));
    house.reply(&second, "done").await;
    let read = house.task(task);
    assert!(matches!(read.task.now.state, TaskState::Done { .. }));
    assert_eq!(read.hops.len(), 2);
    let late = house
        .engine
        .reader()
        .late_results(&house.viewer("user:ana"), task)
        .expect("readable")
        .expect("visible");
    assert_eq!(late.len(), 1);
}

#[tokio::test]
async fn i05_a_task_that_nobody_can_do_is_dead_and_its_sender_told() {
    let house = House::new().await;
    let task = accepted(&house.send("user:ana", "agent:logs", "x", None).await);
    for attempt in 1..=ATTEMPTS {
        let grant = house
            .claim("logs", &format!("c{attempt}"))
            .await
            .expect("an attempt");
        house.clock.move_by(Millis(LEASE.0 + 1));
        wait_until(|| {
            house
                .task(task)
                .hops
                .last()
                .is_some_and(|hop| hop.id == grant.hop && !hop.state.is_live())
        })
        .await;
        house.clock.move_by(Millis::seconds(400));
    }
    let read = house.ended(task).await;
    let refusal = read
        .result
        .expect("a failure")
        .envelope
        .refusal
        .expect("a reason");
    assert_eq!(refusal.reason.code(), "attempts-exhausted");
    let letters = house
        .engine
        .reader()
        .dead_letters(&house.viewer("user:ana"), None, 10)
        .expect("readable");
    assert_eq!(letters.rows.len(), 1);
}

#[tokio::test]
async fn i13_what_nobody_serves_waits_and_then_expires() {
    let house = House::new().await;
    let task = accepted(&house.send("user:ana", "agent:logs", "x", None).await);
    house.clock.move_by(Millis(DEADLINE.0 + 1));
    let read = house.ended(task).await;
    assert_eq!(
        read.result
            .expect("a failure")
            .envelope
            .refusal
            .expect("a reason")
            .reason
            .code(),
        "expired"
    );
}

#[tokio::test]
async fn a_parent_that_settles_closes_its_children() {
    let house = House::new().await;
    let task = accepted(
        &house
            .send("user:ana", "agent:coordinator", "INC-42", None)
            .await,
    );
    let first = house.claim("coordinator", "c1").await.expect("work");
    let child = HopOperation::Delegate(Box::new(request("agent:logs", "errors?")));
    let child = accepted(&outcome(house.under(&first, "s1", child).await));
    house.reply(&first, "never mind").await;
    assert!(!house.task(task).task.is_open());
    let read = house.ended(child).await;
    assert!(matches!(read.task.now.state, TaskState::Cancelled { .. }));
    let reason = read
        .result
        .expect("a cancel")
        .envelope
        .refusal
        .expect("a reason")
        .reason;
    assert_eq!(reason.code(), "parent-settled");
    let park = HopOperation::Park(Wait::Tasks { tasks: vec![child] });
    let finished = house.under(&first, "s9", park).await;
    assert!(
        matches!(finished, Answer::Fault(Fault::HopFinished(_))),
        "{finished:?}"
    );
}

/// Waits for a condition, at most 20 seconds.
async fn wait_until(condition: impl Fn() -> bool) {
    for _ in 0..2_000 {
        if condition() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it never came to be");
}
