//! Every state of the engine as a task of the protocol (SEMANTICS 2).

use serde_json::json;
use tertulia_a2a::{
    map::{self, Files, Shown},
    wire::Task,
};
use tertulia_acts::{
    ask::Addressee,
    body::{Body, Content, FileRef, Part},
    envelope::{Act, Refusal},
    ids::TaskId,
    performative::Performative,
    reason::Reason,
    task::TaskState,
    viewer::Viewer,
};
use tertulia_engine::read::TaskRead;

use crate::{golden, rows};

fn image(read: &TaskRead, viewer: &Viewer, history: &[Act], files: &Files) -> Task {
    let shown = Shown {
        read,
        viewer,
        context: "ctx-1",
        history,
        artifacts: true,
        files,
    };
    map::task(&shown).unwrap()
}

fn check(name: &str, read: &TaskRead) {
    let history = [read.opening.clone()];
    golden(name, &image(read, &rows::ana(), &history, &Files::new()));
}

#[test]
fn states_on_the_way() {
    check("queued", &rows::read(TaskState::Queued, None));
    check("working", &rows::read(TaskState::Working, None));
    check("uncertain", &rows::read(TaskState::Uncertain, None));
    check("cancelling", &rows::read(TaskState::Cancelling, None));
    let ask = rows::ask_id();
    check(
        "awaiting-approval",
        &rows::read(TaskState::AwaitingApproval { ask }, None),
    );
    check(
        "awaiting-authorization",
        &rows::read(TaskState::AwaitingAuthorization, None),
    );
}

#[test]
fn only_the_one_who_is_asked_sees_the_question() {
    let ours = rows::asking(Addressee::Principal(rows::party("user:ana")));
    check("asks-the-viewer", &ours);
    let theirs = rows::asking(Addressee::Principal(rows::party("user:bob")));
    check("asks-another", &theirs);
    // An agent at work is asked through its task, and nobody else is.
    let above = TaskId::new(rows::root(), 1);
    let mut at_work = Viewer::new(rows::TENANT, rows::party("agent:coordinator"));
    at_work.task = Some(above);
    let below = rows::asking(Addressee::Task(above));
    let seen = image(&below, &at_work, &[], &Files::new());
    golden("asks-the-hop-above", &seen);
}

fn ended(by: &str, performative: Performative, refusal: Refusal, body: Body) -> TaskRead {
    let act = rows::refused(rows::act(2, performative, by, body), refusal);
    let result = act.envelope.id;
    let state = match performative {
        Performative::Refuse => TaskState::Refused { result },
        Performative::Cancel => TaskState::Cancelled { result },
        _ => TaskState::Failed { result },
    };
    rows::read(state, Some(act))
}

#[test]
fn ends_without_a_result_keep_their_force_and_reason() {
    let way = Refusal::new(Reason::AlreadyCommitted).with("task", TaskId::new(rows::root(), 7));
    let refuse = ended("engine", Performative::Refuse, way, Body::default());
    check("refused-by-the-engine", &refuse);
    let declined = Refusal::new(Reason::Declined);
    let words = Body::text("not my line of work");
    check(
        "refused-by-the-agent",
        &ended("agent:logs", Performative::Refuse, declined, words),
    );
    let gave_up = Refusal::saying(Reason::GaveUp, "the disk was empty");
    check(
        "failed",
        &ended(
            "agent:logs",
            Performative::Failure,
            gave_up,
            Body::default(),
        ),
    );
    let cancelled = Refusal::new(Reason::Cancelled);
    check(
        "cancelled",
        &ended("user:ana", Performative::Cancel, cancelled, Body::default()),
    );
}

#[test]
fn a_result_is_its_words_and_each_artifact_once() {
    let (report, picture) = (
        rows::file("report.md", "text/markdown", b"# Report"),
        rows::file("b.png", "image/png", &[0, 1, 255]),
    );
    let findings = rows::file("findings.json", "application/json", br#"{"n": 1}"#);
    let content = Content::File(FileRef {
        digest: Some(report.digest),
        url: None,
        name: Some("the report".into()),
    });
    let mut inlined = Part::text("");
    inlined.content = content;
    let body = Body {
        parts: vec![
            Part::text("found them"),
            Part::data(json!({"errors": 3})),
            inlined,
        ],
    };
    let act = rows::act(2, Performative::Inform, "agent:logs", body);
    let files = [report, picture, findings];
    let act = rows::bringing(act, &files);
    let read = rows::read(
        TaskState::Done {
            result: act.envelope.id,
        },
        Some(act),
    );
    let all: Files = files
        .iter()
        .map(|file| (file.digest, file.clone()))
        .collect();
    let history = [read.opening.clone()];
    golden("done", &image(&read, &rows::ana(), &history, &all));
    // What the viewer may not read is named all the same.
    golden(
        "done-unread",
        &image(&read, &rows::ana(), &[], &Files::new()),
    );
}

#[test]
fn a_refuse_without_a_task_is_a_message() {
    let refusal = Refusal::new(Reason::KeyReused);
    golden(
        "message-refuse",
        &map::refusal(&refusal, "refuse_1".into(), "", "ctx-1"),
    );
    let refusal = Refusal::new(Reason::IllegalAct).with("state", "working");
    let task = rows::task_id().to_string();
    let message = map::refusal(&refusal, "refuse_2".into(), &task, "ctx-1");
    golden("message-refuse-about-a-task", &message);
}
