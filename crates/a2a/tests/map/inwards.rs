//! Messages as acts, and versions as cards.

use std::sync::Arc;

use serde_json::{Value, json};
use tertulia_a2a::{
    map::{self, Claimed, SPEECH_ACT, Said, Unfit},
    wire::Message,
};
use tertulia_acts::{
    agent::{Definition, Version},
    body::NewArtifact,
    command::{Opening, Place, Words},
    digest::Digest,
    performative::Performative,
    reason::Reason,
};

use crate::{golden, rows};

fn said(message: Value) -> Said {
    let message: Message = serde_json::from_value(message).unwrap();
    let claimed = Claimed::read(&message.metadata).unwrap();
    Said {
        message,
        claimed,
        key: None,
    }
}

fn opening(message: Value) -> Opening {
    let place = Place::Alias("ctx-1".into());
    map::opening(said(message), rows::party("agent:logs"), place).unwrap()
}

/// What of an opening is compared.
fn told(opening: &Opening) -> Value {
    json!({
        "performative": opening.performative,
        "to": opening.to,
        "body": opening.body,
        "artifacts": opening.artifacts().iter().map(NewArtifact::reference).collect::<Vec<_>>(),
        "contract": opening.contract,
        "within_ms": opening.within,
        "work_id": opening.work_id,
        "parent_work_id": opening.parent_work_id,
        "not_equivalent": opening.not_equivalent,
    })
}

#[test]
fn a_plain_message_is_a_request() {
    let message = json!({
        "messageId": "m-1", "role": "ROLE_USER", "parts": [
            {"text": "find the errors"},
            {"data": {"service": "checkout"}, "metadata": {"k": 1}},
            {"raw": "AAH/", "mediaType": "image/png", "filename": "b.png"},
            {"raw": "AAH/", "mediaType": "image/png", "filename": "again.png"},
            {"url": "https://example.org/x"},
            {"text": "named", "filename": "n.txt", "mediaType": "text/plain"}
        ]
    });
    let opening = opening(message);
    assert_eq!(opening.place, Place::Alias("ctx-1".into()));
    golden("opening-plain", &told(&opening));
}

#[test]
fn the_extension_says_what_kind_of_act_it_is_and_on_what_terms() {
    let declared = json!({
        "performative": "query", "workId": "INC-42", "parentWorkId": "INC", "deadlineMs": 60000,
        "notEquivalent": "asked again on purpose",
        "contract": {"name": "incident-investigation/v1", "variant": "2"}
    });
    let message = json!({
        "messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "which?"}],
        "metadata": {SPEECH_ACT: declared}
    });
    golden("opening-declared", &told(&opening(message)));
}

#[test]
fn an_answer_informs_or_refuses_and_nothing_else() {
    let message = |performative: &str| {
        json!({
            "messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": "checkout"}],
            "metadata": {SPEECH_ACT: {"performative": performative}}
        })
    };
    let id = rows::task_id();
    let inform = map::answer(said(message("inform")), id).unwrap();
    assert!(matches!(&inform.words, Words::Inform(body) if body.joined_text() == "checkout"));
    assert_eq!(inform.task, Some(id));
    let refuse = map::answer(said(message("refuse")), id).unwrap();
    assert!(matches!(refuse.words, Words::Refuse(_)));
    assert_ne!(inform.content(), refuse.content());
    for performative in Performative::ALL {
        let answer = map::answer(said(message(performative.name())), id);
        let answers = matches!(performative, Performative::Inform | Performative::Refuse);
        match answer {
            Ok(_) => assert!(answers, "{performative}"),
            Err(Unfit::Refused(refusal)) => {
                assert!(!answers, "{performative}");
                assert_eq!(refusal.reason, Reason::IllegalAct);
            }
            Err(Unfit::Error(error)) => panic!("{error}"),
        }
    }
    let mut with_file = message("inform");
    with_file["parts"] = json!([{"raw": "AAH/"}]);
    assert!(matches!(
        map::answer(said(with_file), id),
        Err(Unfit::Error(_))
    ));
}

#[test]
fn a_version_is_a_card() {
    let version = |definition: Value| {
        let definition: Definition = serde_json::from_value(definition).unwrap();
        Version {
            tenant: rows::TENANT,
            agent: definition.name.clone(),
            digest: Digest::of(b"a version"),
            definition: Arc::new(definition),
            made: rows::NOW,
        }
    };
    let whole = version(json!({
        "name": "logs", "description": "Reads logs.", "owner": "user:ana", "instructions": "Read.",
        "skills": [
            {"id": "read", "name": "Read logs", "description": "Finds errors.", "tags": ["logs"],
             "input_modes": ["text/plain"], "output_modes": ["application/json"],
             "examples": ["errors since noon"]},
            {"id": "count", "description": "Counts.", "input_modes": ["text/plain", "text/csv"]}
        ]
    }));
    golden(
        "card",
        &map::card::card(&whole, "https://agents.example.org/a2a/logs"),
    );
    let bare = version(json!({"name": "x", "description": "", "owner": "user:ana"}));
    golden(
        "card-bare",
        &map::card::card(&bare, "http://127.0.0.1:7300/a2a/x"),
    );
}
