//! A full disk: a clear error, nothing half-written, and service goes on by itself when there is room.

use tertulia_acts::{
    command::{Answer, Caller, Command, Configure, Send},
    digest::Ids,
    ids::TenantId,
    receipt::Outcome,
    time::Timestamp,
};
use tertulia_engine::core::{Core, Job};
use tertulia_store::{Sqlite, StoreError};

use crate::house::{definition, party, request};

fn job(n: u8, command: Command) -> Job {
    Job {
        command,
        ids: Ids::new([n; 32]),
    }
}

fn send(n: u8, epoch: u64) -> Job {
    let caller = Caller {
        tenant: TenantId(1),
        party: party("user:ana"),
        epoch,
        credential: None,
    };
    let opening = request("agent:logs", &"x".repeat(100_000));
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

#[test]
fn a_full_disk_fails_the_batch_and_nothing_else() {
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
