//! A definition written back as the Markdown file that would be read as it.

use std::fmt::Write as _;

use serde_json::Value;
use tertulia_acts::agent::{Definition, RemoteAgent, Retry, Runner, Skill};

/// The definition as a Markdown file. [`parse_definition`](super::parse_definition) reads it as the same version.
#[must_use]
pub fn to_markdown(definition: &Definition) -> String {
    let mut text = String::from("---\n");
    field(&mut text, 0, "name", &definition.name);
    field(&mut text, 0, "description", &definition.description);
    field(&mut text, 0, "owner", &definition.owner.to_string());
    if !definition.skills.is_empty() {
        text.push_str("skills:\n");
        for one in &definition.skills {
            skill(&mut text, one);
        }
    }
    let contracts = &definition.contracts;
    if !contracts.accepts.is_empty() || !contracts.returns.is_empty() {
        text.push_str("contracts:\n");
        list(&mut text, 2, "accepts", &contracts.accepts);
        list(&mut text, 2, "returns", &contracts.returns);
    }
    let most = definition.limits.max_concurrent_conversations;
    line(
        &mut text,
        0,
        &format!("limits:\n  max_concurrent_conversations: {most}"),
    );
    let retry = match definition.retry {
        Retry::Safe => "safe",
        Retry::Reconcile => "reconcile",
        Retry::Never => "never",
    };
    field(&mut text, 0, "retry", retry);
    match &definition.runner {
        Runner::Worker => field(&mut text, 0, "runner", "worker"),
        Runner::A2a(remote) => a2a(&mut text, remote),
    }
    text.push_str("---\n");
    if !definition.instructions.is_empty() {
        line(&mut text, 0, &format!("\n{}", definition.instructions));
    }
    text
}

fn skill(text: &mut String, skill: &Skill) {
    line(text, 2, &format!("- id: {}", scalar(&skill.id)));
    if !skill.name.is_empty() {
        field(text, 4, "name", &skill.name);
    }
    field(text, 4, "description", &skill.description);
    list(text, 4, "tags", &skill.tags);
    list(text, 4, "input_modes", &skill.input_modes);
    list(text, 4, "output_modes", &skill.output_modes);
    list(text, 4, "examples", &skill.examples);
}

fn a2a(text: &mut String, remote: &RemoteAgent) {
    text.push_str("runner:\n  a2a:\n");
    field(text, 4, "url", &remote.url);
    if let Some(variable) = &remote.token_env {
        field(text, 4, "token_env", variable);
    }
    if remote.allow_private {
        line(text, 4, "allow_private: true");
    }
    if !remote.headers.is_empty() {
        line(text, 4, "headers:");
        for (name, value) in &remote.headers {
            // Nothing but text is read as a header's value.
            if let Value::String(value) = value {
                line(text, 6, &format!("{}: {}", scalar(name), scalar(value)));
            }
        }
    }
}

fn field(text: &mut String, indent: usize, name: &str, value: &str) {
    line(text, indent, &format!("{name}: {}", scalar(value)));
}

/// A list on one line where it is short, else an item on each.
fn list(text: &mut String, indent: usize, name: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let items: Vec<String> = items.iter().map(|item| scalar(item)).collect();
    let plain = items
        .iter()
        .all(|item| !item.contains([',', '"', '[', ']', '{', '}']));
    let on_one = format!("{name}: [{}]", items.join(", "));
    if plain && on_one.len() <= 100 {
        line(text, indent, &on_one);
        return;
    }
    line(text, indent, &format!("{name}:"));
    for item in items {
        line(text, indent + 2, &format!("- {item}"));
    }
}

fn line(text: &mut String, indent: usize, content: &str) {
    // Writing into a string does not fail.
    let _ = writeln!(text, "{:indent$}{content}", "");
}

/// A string in YAML: plain where no reader could take it for something else, quoted otherwise.
fn scalar(value: &str) -> String {
    if is_plain(value) {
        return value.to_owned();
    }
    let mut quoted = String::with_capacity(value.len() + 2);
    quoted.push('"');
    for c in value.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Control characters, the two separators that some readers break lines at, and the byte order mark.
            c if c.is_control()
                || matches!(
                    c,
                    '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
                ) =>
            {
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether `value` is read back as itself without quotes, by every reader there is.
fn is_plain(value: &str) -> bool {
    const WORDS: [&str; 9] = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"];
    let fits = |c: char| c.is_alphanumeric() || " -_./,;+()'!?=@".contains(c);
    value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value
            .split(": ")
            .all(|part| part.chars().all(|c| fits(c) || c == ':'))
        && !value.contains(": ")
        && !value.ends_with([' ', ':'])
        && !WORDS.contains(&value.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::catalog::{parse_definition, parse_definition_json};

    #[test]
    fn what_is_written_is_how_a_person_would_write_it() {
        let definition = parse_definition_json(
            json!({
                "name": "logs", "description": "Reads logs: all of them.", "owner": "user:ana",
                "skills": [{"id": "find", "description": "Finds it.", "tags": ["a", "no"],
                            "examples": ["INC-42: when?"]}],
                "contracts": {"accepts": ["x/v1"]},
                "runner": {"a2a": {"url": "https://a.example/x?y=1", "headers": {"x-team": "ops"}}},
                "instructions": "You read.\n\nNothing else.",
            })
            .to_string()
            .as_bytes(),
        )
        .unwrap();
        let expected = r#"---
name: logs
description: "Reads logs: all of them."
owner: user:ana
skills:
  - id: find
    description: Finds it.
    tags:
      - a
      - "no"
    examples:
      - "INC-42: when?"
contracts:
  accepts: [x/v1]
limits:
  max_concurrent_conversations: 64
retry: safe
runner:
  a2a:
    url: https://a.example/x?y=1
    headers:
      x-team: ops
---

You read.

Nothing else.
"#;
        assert_eq!(to_markdown(&definition), expected);
        assert_eq!(
            parse_definition(expected).unwrap().digest(),
            definition.digest()
        );
    }

    proptest! {
        #[test]
        fn every_text_is_read_back_as_it_was(
            words in proptest::collection::vec("\\PC{1,20}|[ -~]{1,20}|[\\x00-\\x9f]{1,9}|[-:#&*!|>%@`'\" \\n\u{2028}]{1,9}|yes|~|1e3|0x1|<<|---", 6)
        ) {
            let said = |text: &str| if text.trim().is_empty() { "x".to_owned() } else { text.to_owned() };
            let json = json!({
                "name": "logs", "description": said(&words[0]), "owner": "user:ana",
                "skills": [{"id": "a", "name": words[1], "description": said(&words[2]),
                            "tags": [said(&words[3]), "b"], "examples": [said(&words[4])]}],
                "instructions": words[5],
            });
            let definition = parse_definition_json(json.to_string().as_bytes()).unwrap();
            let written = to_markdown(&definition);
            let read = parse_definition(&written);
            prop_assert!(read.is_ok(), "{}\n{written}", read.unwrap_err());
            prop_assert_eq!(read.unwrap(), definition, "{}", written);
        }
    }
}
