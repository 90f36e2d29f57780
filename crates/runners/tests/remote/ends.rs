//! How a task ends at a peer, and how it ends here (SEMANTICS 2).

use tertulia_worker::wire::{Opening, Performative, Receipt, Task, TaskState};

use crate::{
    house::{House, end, said},
    peer::Peer,
};

async fn both() -> (House, Peer) {
    let (house, peer) = (House::open().await, Peer::open().await);
    house.knows(&peer.url, "safe").await;
    (house, peer)
}

#[tokio::test]
async fn a_result_comes_back_with_its_words_and_files() {
    let (house, peer) = both().await;
    let task = house.ended("echo hello").await;
    assert_eq!(end(&task), (TaskState::Done, ""));
    let reply = task.reply.unwrap();
    assert_eq!(reply.sender, "agent:remote");
    assert_eq!(reply.text(), "done: echo hello");
    assert_eq!(reply.artifacts.len(), 1);
    assert_eq!(reply.artifacts[0].name, "b.png");
    let file = reply.parts[1].as_file().unwrap();
    assert_eq!(file.digest.as_ref(), Some(&reply.artifacts[0].digest));
    let bytes = house
        .client
        .artifact(&task.root, &reply.artifacts[0].digest)
        .await;
    assert_eq!(&bytes.unwrap()[..], [0, 1, 255]);

    let sent = &peer.kept.called("SendMessage")[0];
    assert_eq!(sent["configuration"]["returnImmediately"], true);
    let message = &sent["message"];
    assert_eq!(message["contextId"], task.conversation);
    let declared = &message["metadata"]["urn:tertulia:ext:speech-act:v1"];
    assert_eq!(declared["performative"], "request");
    assert_eq!(declared["root"], task.root);
    assert_eq!(declared["task"], task.id);
    assert!(declared["hop"].as_str().unwrap().starts_with("hop_"));
    assert_eq!(declared["envelope"], task.act.unwrap().id.unwrap());
}

#[tokio::test]
async fn every_end_of_a_peer_is_told_apart() {
    let (house, _peer) = both().await;
    for (text, state, reason) in [
        ("reject this", TaskState::Refused, "peer-refused"),
        ("fail at it", TaskState::Failed, "peer-failed"),
        ("abort it", TaskState::Failed, "peer-cancelled"),
        ("nonsense", TaskState::Failed, "peer-nonsense"),
        ("invalid", TaskState::Failed, "peer-failed"),
        ("gone", TaskState::Failed, "outcome-unknown"),
    ] {
        let task = house.ended(text).await;
        assert_eq!(end(&task), (state, reason), "{text}: {task:?}");
        assert_eq!(task.attempts, 1, "{text}");
        if text == "reject this" {
            assert_eq!(said(&task), "this is not my work");
        }
    }
}

#[tokio::test]
async fn only_versions_that_live_elsewhere_are_claimed_whichever_is_current() {
    let (house, peer) = (House::open().await, Peer::open().await);
    house.knows_a_worker().await;
    let here = house.ask("echo here").await;
    house.knows(&peer.url, "safe").await;
    let there = house.ended("echo there").await;
    assert_eq!(end(&there), (TaskState::Done, ""));
    // The conversation that was opened with the remote version keeps it, though another is current.
    house.knows_a_worker().await;
    let newer = house.ask("echo newer").await;
    let more = Opening::request("remote")
        .text("echo more")
        .conversation(&there.conversation);
    let Receipt::Accepted { task, .. } = house.client.send(&more).await.unwrap().receipt else {
        panic!("not accepted");
    };
    assert_eq!(said(&house.rest(&task.id).await), "done: echo more");
    // The runner passed by what is not its own: both are where they were.
    for waiting in [here, newer] {
        let task = house.client.task(&waiting.id).await.unwrap();
        assert_eq!((task.state, task.attempts), (TaskState::Queued, 0));
    }
}

#[tokio::test]
async fn an_answer_without_a_task_is_a_result() {
    let (house, peer) = both().await;
    let task = house.ended("direct please").await;
    assert_eq!(end(&task), (TaskState::Done, ""));
    assert_eq!(said(&task), "at once");
    assert!(peer.kept.called("GetTask").is_empty());
}

#[tokio::test]
async fn what_a_peer_says_on_the_way_is_progress() {
    let (house, _peer) = both().await;
    let task = house.ended("progress").await;
    assert_eq!(end(&task), (TaskState::Done, ""));
    let conversation = house
        .client
        .conversation(&task.conversation, 0, None)
        .await
        .unwrap();
    let told: Vec<_> = conversation
        .acts
        .iter()
        .map(|act| (act.performative, act.text()))
        .collect();
    assert_eq!(told[1].0, Performative::Agree);
    assert_eq!(told[2], (Performative::Inform, "half way".into()));
    assert_eq!(told.len(), 4);
}

#[tokio::test]
async fn a_question_goes_up_and_its_answer_down_once() {
    let (house, peer) = both().await;
    let asked = house.ended("ask me").await;
    assert_eq!(asked.state, TaskState::AwaitingClarification);
    let question = asked.question.unwrap();
    assert_eq!(question.addressee.as_deref(), Some("user:dev"));
    assert_eq!(question.act.unwrap().text(), "which one?");
    let parts = [tertulia_worker::wire::Part::text("the red one")];
    house.client.answer(&question.ask, &parts).await.unwrap();
    let done = house.rest(&asked.id).await;
    assert_eq!(end(&done), (TaskState::Done, ""));
    assert_eq!(said(&done), "you said the red one");
    assert_eq!(done.attempts, 1);
    let sent = peer.kept.called("SendMessage");
    assert_eq!(sent.len(), 2, "{sent:?}");
    assert_eq!(sent[1]["message"]["taskId"], "t-1");
    let declared = &sent[1]["message"]["metadata"]["urn:tertulia:ext:speech-act:v1"];
    assert_eq!(declared["performative"], "inform");
}

/// Waits until a task is in a state.
async fn until(house: &House, task: &str, state: TaskState) -> Task {
    let begun = std::time::Instant::now();
    loop {
        let read = house.client.task(task).await.unwrap();
        if read.state == state {
            return read;
        }
        assert!(begun.elapsed().as_secs() < 30, "not {state:?}: {read:?}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_credential_that_the_peer_waits_for_is_awaited_here() {
    let (house, peer) = both().await;
    let task = house.ask("login first").await;
    until(&house, &task.id, TaskState::AwaitingAuthorization).await;
    // Given out of band, it lets the peer go on.
    peer.kept.turn("t-1", "TASK_STATE_WORKING");
    until(&house, &task.id, TaskState::Working).await;
    peer.kept.turn("t-1", "TASK_STATE_COMPLETED");
    let done = until(&house, &task.id, TaskState::Done).await;
    assert_eq!(done.attempts, 1);
    let conversation = house
        .client
        .conversation(&task.conversation, 0, None)
        .await
        .unwrap();
    let said = |n: usize| {
        (
            conversation.acts[n].performative,
            conversation.acts[n].text(),
        )
    };
    let login = "log in at https://login.example".to_owned();
    assert_eq!(said(2), (Performative::Inform, login));
    assert_eq!(said(3).0, Performative::Inform);
    assert_eq!(conversation.acts.len(), 5, "{conversation:?}");
}

#[tokio::test]
async fn what_is_cancelled_while_it_waits_for_our_answer_is_cancelled_there() {
    let (house, peer) = both().await;
    let asked = house.ended("ask me").await;
    assert_eq!(asked.state, TaskState::AwaitingClarification);
    house.client.cancel(&asked.id, &[]).await.unwrap();
    let begun = std::time::Instant::now();
    while peer.kept.called("CancelTask").is_empty() {
        assert!(begun.elapsed().as_secs() < 30, "nothing reached the peer");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(peer.kept.called("CancelTask")[0]["id"], "t-1");
}

#[tokio::test]
async fn what_is_cancelled_while_it_is_being_sent_is_found_and_cancelled_there() {
    let (house, peer) = both().await;
    let task = house.ask("silent one").await;
    while peer.kept.called("SendMessage").is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    house.client.cancel(&task.id, &[]).await.unwrap();
    let begun = std::time::Instant::now();
    while peer.kept.called("CancelTask").is_empty() {
        assert!(begun.elapsed().as_secs() < 40, "nothing reached the peer");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(peer.kept.called("CancelTask")[0]["id"], "t-1");
    assert_eq!(peer.kept.called("SendMessage").len(), 1);
}

#[tokio::test]
async fn an_agent_that_is_tried_once_is_unreachable_at_the_first_attempt() {
    let house = House::open().await;
    // A port that nobody listens on: it was bound, and is free again.
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    house.knows(&url, "never").await;
    let task = house.ended("echo").await;
    assert_eq!(end(&task), (TaskState::Failed, "peer-unreachable"));
    assert_eq!(task.attempts, 1);
}

#[tokio::test]
async fn what_is_cancelled_here_is_cancelled_there() {
    let (house, peer) = both().await;
    let task = house.ask("hold it").await;
    while peer.kept.called("GetTask").is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    house.client.cancel(&task.id, &[]).await.unwrap();
    let cancelled = house.rest(&task.id).await;
    assert_eq!(cancelled.state, TaskState::Cancelled);
    // Its worker learns it with its next heartbeat.
    let begun = std::time::Instant::now();
    while peer.kept.called("CancelTask").is_empty() {
        assert!(
            begun.elapsed().as_secs() < 30,
            "nothing was cancelled at the peer"
        );
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(peer.kept.called("CancelTask")[0]["id"], "t-1");
}
