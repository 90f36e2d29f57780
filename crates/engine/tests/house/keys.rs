//! Keys over the real store: how long one is remembered, and that it is forgotten.

use tertulia_acts::{
    command::{Answer, Place, Send},
    ids::TaskId,
    limits::{DEADLINE, KEY_KEPT},
    receipt::Outcome,
    time::{Millis, Timestamp},
};
use tertulia_engine::Clock as _;

use crate::house::{House, accepted, outcome, request};

/// Whether the store has the receipt of ana's key `k1` that was kept at `then`.
fn stored(house: &House, then: Timestamp) -> bool {
    let viewer = house.viewer("user:ana");
    let receipt = house.engine.reader().receipt_by_key(&viewer, "k1", then);
    receipt.expect("readable").is_some()
}

/// Lets time pass. The writer sweeps before it takes the next command, and that is answered here.
async fn pass(house: &House, span: Millis, claim: &str) {
    house.clock.move_by(span);
    assert!(house.claim("deployments", claim).await.is_none());
}

async fn send(house: &House, text: &str) -> Outcome {
    house.send("user:ana", "agent:logs", text, Some("k1")).await
}

async fn answered(house: &House) -> TaskId {
    let task = accepted(&send(house, "a").await);
    let grant = house.claim("logs", "c1").await.expect("work");
    outcome(house.reply(&grant, "none").await);
    task
}

#[tokio::test]
async fn the_receipt_of_a_key_is_swept_seven_days_after_its_task_and_the_key_is_new() {
    let mut house = House::new().await;
    let first = answered(&house).await;
    let ended = house.clock.now();
    pass(&house, Millis(KEY_KEPT.0 - 1), "c2").await;
    assert!(stored(&house, ended));
    assert_eq!(accepted(&send(&house, "a").await), first);
    // The last sweep was a moment ago; the next one comes after a minute.
    pass(&house, Millis::seconds(60), "c3").await;
    assert!(!stored(&house, ended), "it is still in the store");
    // Also where nothing of it is in memory any more.
    for restarted in [false, true] {
        if restarted {
            house.restart().await;
            pass(&house, Millis(KEY_KEPT.0 + DEADLINE.0), "c4").await;
            pass(&house, Millis(KEY_KEPT.0), "c5").await;
        }
        let text = format!("something else, {restarted}");
        let anew = accepted(&send(&house, &text).await);
        assert_ne!(anew, first);
        let again = accepted(&send(&house, &text).await);
        assert_eq!(again, anew, "it is a key again");
    }
}

#[tokio::test]
async fn a_key_is_kept_while_its_task_is_open_however_long() {
    let house = House::new().await;
    let mut opening = request("agent:logs", "a");
    opening.within = Some(Millis(KEY_KEPT.0 * 3));
    opening.place = Place::New;
    let task = {
        let key = Some("k1".into());
        let send = Send { opening, key };
        let caller = house.caller("user:ana");
        let command = tertulia_acts::command::Command::Send(caller, Box::new(send));
        match house.engine.call(command).await.expect("answered") {
            Answer::Outcome { outcome, .. } => accepted(&outcome),
            other => panic!("{other:?}"),
        }
    };
    let sent = house.clock.now();
    pass(&house, Millis(KEY_KEPT.0 * 2), "c1").await;
    assert!(stored(&house, sent) && stored(&house, house.clock.now()));
    let grant = house.claim("logs", "c2").await.expect("work");
    assert_eq!(grant.task.id(), task);
    outcome(house.reply(&grant, "none").await);
    pass(&house, KEY_KEPT, "c3").await;
    assert!(!stored(&house, sent));
}

#[tokio::test]
async fn the_receipt_of_a_refused_act_is_swept_too() {
    let house = House::new().await;
    let refused = house
        .send("user:ana", "user:eve", "hello", Some("k1"))
        .await;
    assert!(matches!(refused, Outcome::Refused { .. }), "{refused:?}");
    let sent = house.clock.now();
    assert!(stored(&house, sent));
    pass(&house, KEY_KEPT, "c1").await;
    assert!(!stored(&house, sent));
}
