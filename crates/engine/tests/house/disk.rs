//! A full disk: a clear error, nothing half-written, and service goes on by itself when there is room.

use tertulia_acts::{
    command::{Answer, Caller, Command, Configure, Send},
    digest::Ids,
    ids::TenantId,
    receipt::Outcome,
    time::Timestamp,
};
use tertulia_engine::core::{Core, Job, Undone};
use tertulia_store::{Sqlite, StoreError};

use crate::house::{definition, party, request};

fn job(n: u8, command: Command) -> Job {
    Job {
        command,
        ids: Ids::new([n; 32]),
    }
}

fn send(n: u8, epoch: u64) -> Job {
    send_bytes(n, epoch, 100_000)
}

fn send_bytes(n: u8, epoch: u64, bytes: usize) -> Job {
    let caller = Caller {
        tenant: TenantId(1),
        party: party("user:ana"),
        epoch,
        credential: None,
    };
    let opening = request("agent:logs", &"x".repeat(bytes));
    job(
        n,
        Command::Send(
            caller,
            Box::new(Send {
                opening,
                key: Some(format!("k{n}")),
            }),
        ),
    )
}

fn set_up() -> (tempfile::TempDir, Core<Sqlite>) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut core = Core::new(Sqlite::open(folder.path()).expect("a store"));
    let tenant = TenantId(1);
    let setup = [
        Configure::Tenant {
            id: tenant,
            name: "default".into(),
        },
        Configure::Principal {
            tenant,
            party: party("user:ana"),
            responsible: None,
            administers: false,
        },
        Configure::Agent {
            tenant,
            definition: std::sync::Arc::new(definition("logs")),
        },
    ];
    for (n, change) in (1_u8..).zip(setup) {
        let applied = core
            .apply(
                &[job(n, Command::Configure(None, Box::new(change)))],
                Timestamp(1),
            )
            .expect("stored");
        assert!(applied.answers[0].is_ok());
    }
    (folder, core)
}

#[test]
fn a_full_disk_fails_the_batch_and_nothing_else() {
    let (_folder, mut core) = set_up();
    let pages = core.store().pages().expect("counted");
    core.store().limit_pages(Some(pages + 4)).expect("limited");
    let error = core
        .apply(&[send(10, 3)], Timestamp(2))
        .expect_err("there is no room");
    assert_eq!(error, StoreError::Full);
    assert!(error.to_string().contains("make room"), "{error}");

    core.store().limit_pages(None).expect("unlimited");
    // Nothing of the failed act was kept: its key is new, and so is its root.
    let applied = core.apply(&[send(10, 3)], Timestamp(3)).expect("stored");
    let answer = applied.answers.into_iter().next().expect("an answer");
    let Ok(Answer::Outcome {
        outcome: Outcome::Accepted { task, .. },
        replayed: false,
    }) = answer
    else {
        panic!("{answer:?}")
    };
    let again = core
        .apply(&[send(11, 3), send(10, 3)], Timestamp(4))
        .expect("stored");
    assert_eq!(
        again.answers[1],
        Ok(Answer::Outcome {
            outcome: Outcome::Accepted {
                task,
                act: tertulia_acts::ids::ActId {
                    conversation: tertulia_acts::ids::ConversationId::new(task.root, 1),
                    seq: 1,
                },
            },
            replayed: true,
        })
    );
}

/// The name is taken, which only the schema knows: a batch with it is run singly.
fn culprit(n: u8) -> Job {
    let taken = Configure::Tenant {
        id: TenantId(2),
        name: "default".into(),
    };
    job(n, Command::Configure(None, Box::new(taken)))
}

#[test]
fn what_was_stored_singly_before_the_disk_was_full_is_answered_and_told() {
    let (_folder, mut core) = set_up();
    let pages = core.store().pages().expect("counted");
    core.store().limit_pages(Some(pages + 9)).expect("limited");
    let batch = [
        send_bytes(10, 3, 100),
        culprit(11),
        send_bytes(12, 3, 500_000),
        send_bytes(13, 3, 100),
    ];
    let applied = core.apply(&batch, Timestamp(2)).expect("some are stored");
    let [first, broken, full, after] = &applied.answers[..] else {
        panic!("{:?}", applied.answers)
    };
    let Ok(Answer::Outcome {
        outcome: Outcome::Accepted { task, act },
        replayed: false,
    }) = first
    else {
        panic!("{first:?}")
    };
    assert!(matches!(broken, Err(Undone::Broken(_))), "{broken:?}");
    assert_eq!(full, &Err(Undone::Unstored(StoreError::Full)));
    assert_eq!(after, &Err(Undone::Unstored(StoreError::Full)));
    assert_eq!(applied.unstored(), Some(StoreError::Full));
    assert!(applied.news.tasks.contains(task));
    assert_eq!(
        applied.news.agents[&(TenantId(1), "logs".into())],
        1,
        "its recipient is woken for the one that is stored"
    );

    core.store().limit_pages(None).expect("unlimited");
    let again = core
        .apply(
            &[send_bytes(10, 3, 100), send_bytes(13, 3, 100)],
            Timestamp(3),
        )
        .expect("stored");
    let outcome = Outcome::Accepted {
        task: *task,
        act: *act,
    };
    assert_eq!(
        again.answers[0],
        Ok(Answer::Outcome {
            outcome,
            replayed: true
        })
    );
    let new = matches!(
        again.answers[1],
        Ok(Answer::Outcome {
            replayed: false,
            ..
        })
    );
    assert!(new, "nothing of it was kept: {:?}", again.answers[1]);
}
