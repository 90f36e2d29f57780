//! Tasks: one in full, a list, and the tree of a root with its hops.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use anstyle::Style;
use serde_json::Value;
use tertulia_worker::wire::{HopRecord, Task, TaskState, TreeTask};

use super::{BAD, FAINT, GOOD, PARTY, Room, STRONG, WAITING, act, painted, safe, table};

/// The name of a state, as the API writes it.
pub(crate) const fn state_name(state: TaskState) -> &'static str {
    match state {
        TaskState::Queued => "queued",
        TaskState::Working => "working",
        TaskState::AwaitingClarification => "awaiting-clarification",
        TaskState::AwaitingApproval => "awaiting-approval",
        TaskState::AwaitingAuthorization => "awaiting-authorization",
        TaskState::Uncertain => "uncertain",
        TaskState::Cancelling => "cancelling",
        TaskState::Done => "done",
        TaskState::Refused => "refused",
        TaskState::Failed => "failed",
        TaskState::Cancelled => "cancelled",
        TaskState::Unknown => "unknown",
    }
}

fn style(state: TaskState) -> Style {
    match state {
        TaskState::Done => GOOD,
        TaskState::Refused | TaskState::Failed => BAD,
        TaskState::Queued | TaskState::Working => STRONG,
        _ => WAITING,
    }
}

/// The state in its colour, with what it waits for or why it ended.
pub(crate) fn state(task: &Task) -> String {
    let mut text = painted(style(task.state), state_name(task.state));
    for more in [&task.waiting, &task.reason].into_iter().flatten() {
        text.extend([" (", &safe(more), ")"]);
    }
    text
}

/// How many attempts were lost.
pub(crate) fn lost_attempts(task: &Task) -> u32 {
    match task.delivery.as_deref() {
        _ if task.last_error.is_none() => 0,
        // While the delivery waits, or after it died, no further attempt is under way.
        Some("pending" | "dead") => task.attempts,
        _ => task.attempts.saturating_sub(1),
    }
}

/// The attempt that was lost last, if one was: why, and when the next may begin. It is no end, and must not look like
/// one.
pub(crate) fn lost_attempt(task: &Task) -> Option<String> {
    let lost = lost_attempts(task);
    let error = task.last_error.as_deref().filter(|_| lost > 0)?;
    Some(attempt_failed(
        lost.into(),
        error,
        task.not_before.as_deref(),
    ))
}

/// `attempt 1 failed: …; tries again at …`, as it came.
pub(crate) fn attempt_failed(attempt: u64, error: &str, due: Option<&str>) -> String {
    let again = due.map(|due| format!("; tries again at {}", act::clock(Some(due))));
    format!(
        "attempt {attempt} failed: {}{}",
        error.trim_end(),
        again.unwrap_or_default()
    )
}

/// A task in full.
pub(crate) fn in_full(task: &Task, room: &Room, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}  {}", painted(STRONG, &safe(&task.id)), state(task))?;
    let mut row = |name: &str, value: Option<&str>| match value {
        Some(value) if !value.is_empty() => writeln!(
            out,
            "  {} {}",
            painted(FAINT, &format!("{name:<13}")),
            safe(value)
        ),
        _ => Ok(()),
    };
    let asked = format!(
        "{} of {} by {}",
        task.performative.name(),
        task.agent,
        task.requester
    );
    row("asked", Some(&asked))?;
    row("version", task.version.as_deref())?;
    row("conversation", Some(&task.conversation))?;
    row(
        "root",
        Some(&format!("{} of {}", task.root, task.root_principal)),
    )?;
    row("parent", task.parent.as_deref())?;
    row("group", task.group.as_deref())?;
    row("work id", task.work_id.as_deref())?;
    row("attempts", Some(&task.attempts.to_string()))?;
    row("created", task.created_at.as_deref())?;
    row("changed", task.changed_at.as_deref())?;
    row("deadline", task.deadline.as_deref())?;
    if task.fold {
        row("consultation", Some("yes, read-only"))?;
    }
    if let Some(failed) = lost_attempt(task) {
        writeln!(out, "  {}", painted(WAITING, &room.behind("  ", &failed)))?;
    }
    for said in [&task.act, &task.reply].into_iter().flatten() {
        writeln!(out, "{}", act::on_a_line("  ", said, room))?;
    }
    if let Some(question) = &task.question {
        let before = format!("  {} {}  ", painted(WAITING, "asks"), safe(&question.ask));
        let asks = question
            .act
            .as_deref()
            .map(|act| room.behind(&before, &act::summary(&act.parts)));
        writeln!(out, "{before}{}", asks.unwrap_or_default())?;
    }
    Ok(())
}

/// Tasks, one a line.
pub(crate) fn list(tasks: &[Task], room: &Room) -> String {
    let rows = tasks
        .iter()
        .map(|task| {
            let about = task.act.as_deref().map(act::topic);
            vec![
                safe(&task.id),
                state_name(task.state).to_owned(),
                safe(&task.agent),
                about.unwrap_or_default(),
            ]
        })
        .collect();
    table(&["task", "state", "agent", "about"], rows, room)
}

/// The tree of tasks under a root, each with its hops.
pub(crate) fn tree(tasks: &[TreeTask], room: &Room, out: &mut dyn Write) -> io::Result<()> {
    let mut below: BTreeMap<&str, Vec<&TreeTask>> = BTreeMap::new();
    let known = |id: &str| tasks.iter().any(|task| task.task.id == id);
    let mut tops = Vec::new();
    for task in tasks {
        match task.task.parent.as_deref().filter(|parent| known(parent)) {
            Some(parent) => below.entry(parent).or_default().push(task),
            None => tops.push(task),
        }
    }
    for top in tops {
        branch(top, &below, ("", ""), room, out)?;
    }
    Ok(())
}

fn branch(
    task: &TreeTask,
    below: &BTreeMap<&str, Vec<&TreeTask>>,
    (first, rest): (&str, &str),
    room: &Room,
    out: &mut dyn Write,
) -> io::Result<()> {
    let kind = if task.task.fold {
        "consultation"
    } else {
        task.task.performative.name()
    };
    let before = format!(
        "{first}{}  {kind}  {}  {}  ",
        painted(PARTY, &safe(&task.task.agent)),
        state(&task.task),
        painted(FAINT, &safe(&task.task.id)),
    );
    let about = task
        .task
        .act
        .as_deref()
        .map(|act| room.behind(&before, &act::topic(act)));
    writeln!(out, "{before}{}", about.unwrap_or_default())?;
    let children = below
        .get(task.task.id.as_str())
        .map_or(&[][..], Vec::as_slice);
    let bar = if children.is_empty() { " " } else { "│" };
    if let Some(failed) = lost_attempt(&task.task) {
        let before = format!("{rest}{bar}   ");
        let failed = room.behind(&before, &failed);
        writeln!(out, "{before}{}", painted(WAITING, &failed))?;
    }
    for record in &task.hops {
        writeln!(out, "{rest}{bar}   {}", painted(FAINT, &hop(record)))?;
    }
    for (n, child) in children.iter().enumerate() {
        let last = n + 1 == children.len();
        let (mark, indent) = if last {
            ("└─ ", "   ")
        } else {
            ("├─ ", "│  ")
        };
        branch(
            child,
            below,
            (&format!("{rest}{mark}"), &format!("{rest}{indent}")),
            room,
            out,
        )?;
    }
    Ok(())
}

/// A hop: which attempt, how it stands, and the version of the agent that was at work.
fn hop(record: &HopRecord) -> String {
    let state = record.rest.get("state").map_or_else(String::new, name_of);
    let version = match record.rest.get("version") {
        Some(Value::String(digest)) => format!("  version {}", short_digest(digest)),
        _ => String::new(),
    };
    let text = format!(
        "hop {}  attempt {}  {state}{version}",
        record.id, record.attempt
    );
    safe(text.trim_end())
}

/// The beginning of a digest: enough to tell one from another by eye.
pub(crate) fn short_digest(digest: &str) -> String {
    let hex = digest.strip_prefix("sha256:").unwrap_or(digest);
    hex.chars().take(10).collect()
}

/// A state, whether it is a word or an object that has one.
fn name_of(value: &Value) -> String {
    match value {
        Value::String(name) => name.clone(),
        Value::Object(members) => members.get("state").map_or_else(String::new, name_of),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_tree_is_drawn_with_its_hops() {
        let task = |id: &str, parent: Option<&str>, agent: &str, hops: Value| json!({"id": id, "parent": parent, "agent": agent, "performative": "request", "state": "done", "hops": hops});
        let tasks: Vec<TreeTask> = serde_json::from_value(json!([
            task(
                "task_1",
                None,
                "agent:coordinator",
                json!([{"id": "hop_1", "attempt": 1, "state": "settled"}])
            ),
            task("task_2", Some("task_1"), "agent:logs", json!([])),
            task(
                "task_3",
                Some("task_1"),
                "agent:deployments",
                json!([{"id": "hop_2", "attempt": 2, "version": "sha256:0123456789abcdef"}])
            ),
            task("task_4", Some("task_2"), "agent:x", json!([])),
        ]))
        .unwrap();
        let mut drawn = Vec::new();
        tree(&tasks, &Room::whole(), &mut drawn).unwrap();
        let drawn = String::from_utf8(drawn).unwrap();
        let plain: Vec<String> = anstream::adapter::strip_str(&drawn)
            .to_string()
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        let expected = [
            "agent:coordinator  request  done  task_1",
            "│   hop hop_1  attempt 1  settled",
            "├─ agent:logs  request  done  task_2",
            "│  └─ agent:x  request  done  task_4",
            "└─ agent:deployments  request  done  task_3",
            "       hop hop_2  attempt 2    version 0123456789",
        ];
        assert_eq!(plain, expected);
    }

    #[test]
    fn every_state_is_named_as_it_is_read() {
        for name in [
            "queued",
            "awaiting-clarification",
            "uncertain",
            "cancelling",
            "done",
            "cancelled",
        ] {
            let state: TaskState = serde_json::from_value(json!(name)).unwrap();
            assert_eq!(state_name(state), name);
        }
    }

    #[test]
    fn a_lost_attempt_is_told_until_and_after_the_next_begins() {
        let task = |members: Value| -> Task {
            let mut value = json!({"id": "t", "performative": "request", "state": "working"});
            value
                .as_object_mut()
                .unwrap()
                .extend(members.as_object().unwrap().clone());
            serde_json::from_value(value).unwrap()
        };
        let waits = task(
            json!({"attempts": 1, "delivery": "pending", "last_error": "no space",
                                "not_before": "2026-11-12T14:03:23.123Z"}),
        );
        assert_eq!(
            lost_attempt(&waits).as_deref(),
            Some("attempt 1 failed: no space; tries again at 14:03:23.123")
        );
        let at_work = task(json!({"attempts": 2, "delivery": "taken", "last_error": "no space"}));
        assert_eq!(
            lost_attempt(&at_work).as_deref(),
            Some("attempt 1 failed: no space")
        );
        let dead = task(json!({"attempts": 5, "delivery": "dead", "last_error": "no space"}));
        assert_eq!(
            lost_attempt(&dead).as_deref(),
            Some("attempt 5 failed: no space")
        );
        assert_eq!(
            lost_attempt(&task(json!({"attempts": 1, "delivery": "taken"}))),
            None
        );
    }
}
