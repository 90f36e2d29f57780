//! The one function that makes a part of a prompt from a body.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use super::{
    markers::{ABOUT, CLOSE, END, OPEN, TAG},
    neutral::neutralise,
    speaker::Speaker,
    untrusted::Untrusted,
};
use crate::body::{Body, Content, FileRef, Part};

/// A part of a prompt: what one part of a body says, inside the block that tells who says it.
/// Made by [`render`] only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptPart {
    part: usize,
    text: String,
}

impl PromptPart {
    /// Which part of the body it shows, from 0.
    #[must_use]
    pub const fn part(&self) -> usize {
        self.part
    }

    /// The block, as it goes into a prompt.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Renders what `speaker` said, one block for each part of the body, in order. A body without
/// parts gives one block that says so, because the act itself says something.
///
/// A block begins with the engine's marker, which tells who speaks, on whose behalf, with what
/// performative and that this speaker approves nothing, and ends with the engine's end marker.
/// Between them stands what was said, in which no marker can occur; text that imitates none is
/// left as it is.
#[must_use]
pub fn render(speaker: &Speaker, body: &Untrusted<Body>) -> Vec<PromptPart> {
    let parts = &body.as_data().parts;
    if parts.is_empty() {
        let text = format!(
            "{}\n{OPEN}{TAG} {END}{CLOSE}",
            speaker.opening("without words")
        );
        return vec![PromptPart { part: 0, text }];
    }
    parts
        .iter()
        .enumerate()
        .map(|(i, part)| PromptPart {
            part: i,
            text: block(speaker, part, i + 1, parts.len()),
        })
        .collect()
}

fn block(speaker: &Speaker, part: &Part, number: usize, of: usize) -> String {
    let (kind, content) = match &part.content {
        Content::Text(text) => ("text", neutralise(text).into_owned()),
        Content::Data(data) => ("data", json(data)),
        Content::File(file) => ("a file reference", reference(file)),
    };
    let opening = speaker.opening(&format!("part {number} of {of}: {kind}"));
    format!(
        "{opening}\n{content}{}\n{OPEN}{TAG} {END}{CLOSE}",
        about(part)
    )
}

/// What the author says about the part stands apart from the part, and inside the block: it is no
/// more to be believed than the part is.
fn about(part: &Part) -> String {
    let mut lines = String::new();
    if let Some(media_type) = &part.media_type {
        lines.push_str("\nmedia type: ");
        lines.push_str(&neutralise(media_type));
    }
    if !part.metadata.is_empty() {
        lines.push_str("\nmetadata: ");
        write_members(&mut lines, part.metadata.iter());
    }
    if lines.is_empty() {
        lines
    } else {
        format!("\n{OPEN}{TAG} {ABOUT} this part{CLOSE}{lines}")
    }
}

fn reference(file: &FileRef) -> String {
    let mut lines = Vec::new();
    if let Some(name) = &file.name {
        lines.push(format!("name: {}", neutralise(name)));
    }
    if let Some(url) = &file.url {
        lines.push(format!("address: {}", neutralise(url)));
    }
    if let Some(digest) = &file.digest {
        lines.push(format!("digest: {digest}"));
    }
    lines.join("\n")
}

fn json(value: &Value) -> String {
    let mut text = String::new();
    write_value(&mut text, value);
    text
}

/// Writes compact JSON whose strings and names are neutralised before they are escaped: an escape
/// would hide what it stands for. Two names that become equal both stay.
fn write_value(text: &mut String, value: &Value) {
    match value {
        Value::String(string) => write_string(text, string),
        Value::Array(items) => {
            text.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write_value(text, item);
            }
            text.push(']');
        }
        Value::Object(members) => write_members(text, members.iter()),
        // Null, a truth value, or the digits of a number.
        plain => {
            // Writing to a string cannot fail.
            let _ = write!(text, "{plain}");
        }
    }
}

fn write_members<'a>(text: &mut String, members: impl Iterator<Item = (&'a String, &'a Value)>) {
    text.push('{');
    for (i, (name, value)) in members.enumerate() {
        if i > 0 {
            text.push(',');
        }
        write_string(text, name);
        text.push(':');
        write_value(text, value);
    }
    text.push('}');
}

fn write_string(text: &mut String, string: &str) {
    text.push_str(&Value::from(neutralise(string)).to_string());
}
