//! Events of a task as updates of a stream.

use serde_json::{Value, json};
use tertulia_a2a::{
    map::{Files, Shown, Teller, Told},
    wire::{StreamResponse, TaskState as Wire},
};
use tertulia_acts::{
    ask::Addressee,
    body::Body,
    event::{Event, EventKind},
    ids::ConversationId,
    performative::Performative,
    task::TaskState,
};
use tertulia_engine::read::TaskRead;

use crate::{golden, rows};

fn event(n: u32, kind: EventKind, detail: Value) -> Event {
    Event {
        conversation: ConversationId::new(rows::root(), 1),
        n,
        tenant: rows::TENANT,
        task: Some(rows::task_id()),
        task_n: n,
        kind,
        detail: serde_json::from_value(detail).unwrap(),
        at: rows::NOW,
    }
}

fn shown<'a>(
    read: &'a TaskRead,
    files: &'a Files,
    viewer: &'a tertulia_acts::viewer::Viewer,
) -> Shown<'a> {
    Shown {
        read,
        viewer,
        context: "ctx-1",
        history: &[],
        artifacts: true,
        files,
    }
}

#[test]
fn a_task_is_told_from_its_claim_to_its_end() {
    let (files, ana) = (Files::new(), rows::ana());
    let agree = rows::act(2, Performative::Agree, "agent:logs", Body::default());
    let progress = rows::act(
        3,
        Performative::Inform,
        "agent:logs",
        Body::text("half way"),
    );
    let result = rows::act(
        4,
        Performative::Inform,
        "agent:logs",
        Body::text("found them"),
    );
    let end = TaskState::Done {
        result: result.envelope.id,
    };
    let read = rows::read(end, Some(result.clone()));
    let shown = shown(&read, &files, &ana);
    let mut teller = Teller::after(Wire::Submitted);
    let mut told: Vec<StreamResponse> = Vec::new();
    let working = event(3, EventKind::TaskState, json!({"state": "working"}));
    assert_eq!(Teller::needs(&working), Told::Task);
    told.extend(teller.state(&shown, &working).unwrap());
    for (n, act) in [(4, &agree), (5, &progress), (6, &result)] {
        let id = act.envelope.id;
        let said = event(n, EventKind::ConversationAct, json!({"act": id}));
        assert_eq!(Teller::needs(&said), Told::Act(id));
        told.extend(teller.act(&shown, &said, act).unwrap());
    }
    assert_eq!(teller.last(), Wire::Working);
    let done = event(7, EventKind::TaskState, json!({"state": "done"}));
    told.extend(teller.state(&shown, &done).unwrap());
    assert_eq!(teller.last(), Wire::Completed);
    golden("updates-done", &told);
}

#[test]
fn a_question_is_told_to_the_one_who_is_asked() {
    let (files, ana) = (Files::new(), rows::ana());
    let opened = event(5, EventKind::AskOpened, json!({"ask": rows::ask_id()}));
    assert_eq!(Teller::needs(&opened), Told::Ask(rows::ask_id()));
    for (whom, name) in [
        ("user:ana", "updates-asked"),
        ("user:bob", "updates-not-asked"),
    ] {
        let read = rows::asking(Addressee::Principal(rows::party(whom)));
        let (ask, query) = read.open_ask.as_ref().unwrap();
        let mut teller = Teller::after(Wire::Working);
        let shown = shown(&read, &files, &ana);
        let mut told = teller.ask(&shown, &opened, ask, query).unwrap();
        let parked = json!({"state": "awaiting-clarification"});
        let parked = event(6, EventKind::TaskState, parked);
        told.extend(teller.state(&shown, &parked).unwrap());
        let working = event(8, EventKind::TaskState, json!({"state": "working"}));
        told.extend(teller.state(&shown, &working).unwrap());
        golden(name, &told);
    }
}

#[test]
fn what_is_awaited_out_of_band_is_explained_as_it_is_told() {
    let (files, ana) = (Files::new(), rows::ana());
    // The task goes on by the time that it is told of.
    let read = rows::read(TaskState::Working, None);
    let shown = shown(&read, &files, &ana);
    let mut teller = Teller::after(Wire::Working);
    let mut told = Vec::new();
    for (n, name) in [
        (5, "awaiting-approval"),
        (6, "working"),
        (7, "awaiting-authorization"),
        (8, "working"),
        (9, "uncertain"),
    ] {
        let state = event(n, EventKind::TaskState, json!({"state": name}));
        told.extend(teller.state(&shown, &state).unwrap());
    }
    golden("updates-out-of-band", &told);
}

#[test]
fn what_is_none_of_this_protocol_is_not_told() {
    for kind in [
        EventKind::MailboxTaken,
        EventKind::BudgetOpened,
        EventKind::TaskParked,
    ] {
        assert_eq!(Teller::needs(&event(1, kind, json!({}))), Told::Nothing);
    }
    let broken = event(1, EventKind::ConversationAct, json!({"act": "nonsense"}));
    assert_eq!(Teller::needs(&broken), Told::Nothing);
}
