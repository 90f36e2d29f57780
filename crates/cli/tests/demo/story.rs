//! The story of both cases: who says what to whom.

use std::{
    collections::{BTreeSet, HashMap},
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::run::{Said, Told, demo, finished, said, text};

/// The conversations of a run, in the order in which they began, each with what was said in it.
fn conversations(told: &Told) -> Vec<Vec<Said>> {
    let mut order = Vec::new();
    let mut by_id: HashMap<String, Vec<Said>> = HashMap::new();
    for act in &told.acts {
        let id = text(act, "conversation");
        if !by_id.contains_key(&id) {
            order.push(id.clone());
        }
        by_id.entry(id).or_default().push(said(act));
    }
    order.iter().map(|id| by_id[id].clone()).collect()
}

/// What is said in a conversation, `a > b` for each act and the reason of a refuse behind it.
fn expected(lines: &[&str]) -> Vec<Said> {
    let party = |name: &str| match name {
        "dev" => "user:dev".to_owned(),
        "engine" => "engine:tertulia".to_owned(),
        agent => format!("agent:{agent}"),
    };
    let read = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let reason = words.get(4).copied().unwrap_or_default();
        (
            words[0].to_owned(),
            party(words[1]),
            party(words[3]),
            reason.to_owned(),
        )
    };
    lines.iter().map(read).collect()
}

/// Both cases are the same conversation; only what is found differs.
fn assert_the_story(told: &Told) {
    let story = conversations(told);
    let expected = [
        expected(&[
            "request dev > coordinator",
            "agree coordinator > dev",
            "inform coordinator > dev",
            "inform coordinator > dev",
            "inform coordinator > dev",
        ]),
        expected(&[
            "request coordinator > logs",
            "agree logs > coordinator",
            "inform logs > coordinator",
        ]),
        expected(&[
            "request coordinator > deployments",
            "agree deployments > coordinator",
            "query deployments > coordinator",
            "inform coordinator > deployments",
            "inform deployments > coordinator",
        ]),
        expected(&[
            "request deployments > logs",
            "refuse engine > deployments already-committed",
        ]),
        expected(&[
            "query deployments > coordinator",
            "inform coordinator > deployments",
        ]),
    ];
    assert_eq!(story, expected);

    let times: Vec<String> = told.acts.iter().map(|act| text(act, "at")).collect();
    assert!(times.is_sorted(), "told out of order: {times:?}");
    let ids: BTreeSet<String> = told.acts.iter().map(|act| text(act, "id")).collect();
    assert_eq!(ids.len(), told.acts.len(), "an act was told twice");
}

fn of_agent<'a>(told: &'a Told, agent: &str, requester: &str) -> &'a Value {
    let mut fitting = told
        .tasks
        .iter()
        .filter(|task| task["agent"] == agent && task["requester"] == requester);
    let task = fitting.next().unwrap();
    assert!(
        fitting.next().is_none(),
        "two tasks of {agent} by {requester}"
    );
    task
}

fn assert_the_tree(told: &Told) {
    assert_eq!(told.tasks.len(), 5);
    for (agent, requester, state, hops, depth) in [
        ("agent:coordinator", "user:dev", "done", 1, 0),
        ("agent:logs", "agent:coordinator", "done", 1, 1),
        ("agent:deployments", "agent:coordinator", "done", 1, 1),
        ("agent:logs", "agent:deployments", "refused", 0, 2),
        ("agent:coordinator", "agent:deployments", "done", 1, 2),
    ] {
        let task = of_agent(told, agent, requester);
        let found = (
            &task["state"],
            task["hops"].as_array().map(Vec::len),
            &task["depth"],
        );
        assert_eq!(
            found,
            (&state.into(), Some(hops), &depth.into()),
            "{agent} by {requester}"
        );
    }
    // The refusal names the task in the way: what the coordinator had asked.
    let refused = told
        .acts
        .iter()
        .find(|act| act["reason"] == "already-committed")
        .unwrap();
    let asked = of_agent(told, "agent:logs", "agent:coordinator");
    assert_eq!(refused["detail"]["task"], asked["id"]);
    // Only the consultation is marked as one, and it had no effects: it was asked as a request and is a query.
    let folds: Vec<&Value> = told
        .acts
        .iter()
        .filter(|act| act["folds"] == true)
        .collect();
    assert_eq!(folds.len(), 1);
    let consultation = of_agent(told, "agent:coordinator", "agent:deployments");
    assert_eq!(folds[0]["task"], consultation["id"]);
    assert_eq!(consultation["fold"], true);
    assert_eq!(consultation["performative"], "query");
}

#[test]
fn inc_42_is_explained_in_one_conversation_through_the_engine() {
    let data = TempDir::new().unwrap();
    let begun = Instant::now();
    let told = demo("INC-42", data.path());
    // A bound against hanging, far above what it takes.
    assert!(begun.elapsed() < Duration::from_mins(1));
    assert_the_story(&told);
    assert_the_tree(&told);
    assert_eq!(told.diagnosis["status"], "diagnosed");

    // Told again from the store, it is the same to the letter.
    let again = demo("INC-42", data.path());
    assert_eq!(again.acts, told.acts);
    assert_eq!(again.diagnosis, told.diagnosis);

    // And anybody can read it from there.
    let folder = data.path().to_str().unwrap();
    let shown = finished(&[
        "show", "--data", folder, "--json", "task", &told.root, "--tree",
    ]);
    assert_eq!(shown.status.code(), Some(0));
    let tree: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(tree["tasks"].as_array(), Some(&told.tasks));
}

#[test]
fn inc_43_is_the_same_conversation_and_says_that_the_evidence_does_not_suffice() {
    let data = TempDir::new().unwrap();
    let told = demo("INC-43", data.path());
    assert_the_story(&told);
    assert_the_tree(&told);
    assert_eq!(told.diagnosis["status"], "insufficient-evidence");
    assert_eq!(
        told.diagnosis["missing_data"].as_array().map(Vec::len),
        Some(2)
    );
    assert_eq!(told.diagnosis["onset"], Value::Null);
}

#[test]
fn for_people_it_is_plain_when_piped_and_marks_what_is_out_of_the_ordinary() {
    let data = TempDir::new().unwrap();
    let folder = data.path().to_str().unwrap();
    let output = finished(&["demo", "--data", folder]);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('\u{1b}'), "{text}");
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("{part} is not in:\n{text}"))
    };
    let parts = [
        "request   user:dev → coordinator  INC-42: customers cannot pay",
        "    request   coordinator → logs  INC-42: when did the errors of checkout begin",
        "      refuse    engine:tertulia → deployments  already-committed  ",
        "[folded: a read-only consultation",
        "└─ agent:deployments  request  done",
        "Diagnosis of INC-42 (checkout): diagnosed",
        "\nFacts ",
        "\nHypotheses ",
        "\nRecommendations ",
        "/tertulia show --data ",
    ];
    let places: Vec<usize> = parts.map(at).into();
    assert!(places.is_sorted(), "{places:?} in:\n{text}");
}

#[test]
fn a_case_that_there_is_not_is_a_wrong_argument() {
    let output = finished(&["demo", "--case", "INC-44"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("INC-43"));
}
