//! A connection that breaks: nothing is done twice, and what nobody knows is said to be unknown (SEMANTICS 12).

use tertulia_worker::wire::TaskState;

use crate::{
    house::{House, end, said},
    peer::Peer,
};

#[tokio::test]
async fn a_request_whose_answer_was_lost_is_found_at_the_peer_and_not_sent_again() {
    let (house, peer) = (House::open().await, Peer::open().await);
    house.knows(&peer.url, "safe").await;
    let task = house.ended("lost answer").await;
    assert_eq!(end(&task), (TaskState::Done, ""), "{task:?}");
    assert_eq!(said(&task), "done: lost answer");
    assert_eq!(task.attempts, 2);
    assert_eq!(peer.kept.called("SendMessage").len(), 1);
    let listed = peer.kept.called("ListTasks");
    assert_eq!(listed[0]["contextId"], task.conversation);
}

#[tokio::test]
async fn a_request_that_did_not_arrive_is_sent_again_as_the_same_message() {
    let (house, peer) = (House::open().await, Peer::open().await);
    house.knows(&peer.url, "safe").await;
    let task = house.ended("dropped request").await;
    assert_eq!(end(&task), (TaskState::Done, ""), "{task:?}");
    assert_eq!(task.attempts, 2);
    let sent = peer.kept.called("SendMessage");
    assert_eq!(sent.len(), 2);
    assert_eq!(
        sent[0]["message"]["messageId"],
        sent[1]["message"]["messageId"]
    );
}

#[tokio::test]
async fn where_the_peer_cannot_tell_the_outcome_is_unknown() {
    let (house, peer) = (House::open().await, Peer::open().await);
    house.knows(&peer.url, "safe").await;
    let task = house.ended("unlisted").await;
    assert_eq!(
        end(&task),
        (TaskState::Failed, "outcome-unknown"),
        "{task:?}"
    );
    assert_eq!(task.attempts, 2);
    assert_eq!(peer.kept.called("SendMessage").len(), 1);
}

#[tokio::test]
async fn an_agent_that_is_never_retried_ends_at_the_first_loss() {
    let (house, peer) = (House::open().await, Peer::open().await);
    house.knows(&peer.url, "never").await;
    let task = house.ended("lost answer").await;
    assert_eq!(
        end(&task),
        (TaskState::Failed, "outcome-unknown"),
        "{task:?}"
    );
    assert_eq!(task.attempts, 1);
}
