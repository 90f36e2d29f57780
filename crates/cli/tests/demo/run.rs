//! Running the demo, and reading what it printed.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

/// An act, as far as it is the same in every run: its performative, its sender, its recipient, its reason.
pub(crate) type Said = (String, String, String, String);

/// What a demo printed with `--json`.
pub(crate) struct Told {
    pub(crate) acts: Vec<Value>,
    pub(crate) tasks: Vec<Value>,
    pub(crate) diagnosis: Value,
    pub(crate) root: String,
}

/// The program with these arguments, and nothing of the environment that changes it.
pub(crate) fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tertulia"));
    command
        .args(arguments)
        .env_remove("TERTULIA_URL")
        .env_remove("TERTULIA_KEY")
        .env_remove("TERTULIA_LOG")
        .stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn finished(arguments: &[&str]) -> Output {
    program(arguments).output().unwrap()
}

/// Runs the demo to its end, which must be a diagnosis.
pub(crate) fn demo(case: &str, data: &Path) -> Told {
    let data = data.to_str().unwrap();
    let output = finished(&["demo", "--json", "--case", case, "--data", data]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    told(&String::from_utf8(output.stdout).unwrap())
}

/// Runs the demo until it has told so many acts, and kills it. Returns what it told.
pub(crate) fn killed_after(acts: usize, case: &str, data: &Path) -> Vec<Value> {
    let data = data.to_str().unwrap();
    let mut child = program(&["demo", "--json", "--case", case, "--data", data])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let told = lines
        .take(acts)
        .map(|line| act(&serde_json::from_str(&line.unwrap()).unwrap()).unwrap())
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    told
}

fn told(text: &str) -> Told {
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let find = |name: &str| {
        let mut with = lines.iter().filter(|line| !line[name].is_null());
        let found = with.next().unwrap_or_else(|| panic!("no line with {name}"));
        found.clone()
    };
    Told {
        acts: lines.iter().filter_map(act).collect(),
        tasks: find("tasks")["tasks"].as_array().unwrap().clone(),
        diagnosis: find("diagnosis")["diagnosis"].clone(),
        root: find("next")["task"].as_str().unwrap().to_owned(),
    }
}

/// The act of a line, with what the line says of it.
fn act(line: &Value) -> Option<Value> {
    let mut act = line.get("act")?.clone();
    act["depth"] = line["depth"].clone();
    act["folds"] = line["folds"].clone();
    Some(act)
}

/// The member of a value that is text; empty if there is none.
pub(crate) fn text(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_default().to_owned()
}

/// An act without what differs from run to run.
pub(crate) fn said(act: &Value) -> Said {
    (
        text(act, "performative"),
        text(act, "sender"),
        text(act, "recipient"),
        text(act, "reason"),
    )
}
