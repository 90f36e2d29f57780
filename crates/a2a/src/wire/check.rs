//! Required fields and limits, checked apart from types so that every offender is named.

use std::fmt::Write as _;
use std::io;

use serde_json::Value;

use super::Metadata;
use super::error::{A2aError, FieldViolation};

/// Most violations that one answer lists; more help nobody and cost bandwidth.
const MAX_VIOLATIONS: usize = 16;

/// Sizes that foreign input may have. The values belong to whoever serves; this crate only
/// enforces them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a whole request or response body.
    pub body_bytes: usize,
    /// Bytes of an id (task, context, message, artifact, configuration, request, tenant).
    pub id_bytes: usize,
    /// Bytes of a short text: name, description, file name, media type, URI, URL, token.
    pub text_bytes: usize,
    /// Parts of one message or artifact.
    pub parts: usize,
    /// Bytes of one part's text, decoded bytes or serialised data.
    pub part_bytes: usize,
    /// Elements of any other list: extensions, reference task ids, output modes, artifacts…
    pub list_items: usize,
    /// Bytes of one serialised metadata object.
    pub metadata_bytes: usize,
    /// Levels to which the data of a part, or metadata, may be nested.
    pub data_depth: usize,
}

impl Limits {
    /// Sizes for tests and for trusted peers: 64 MiB bodies, everything else in proportion.
    pub const fn generous() -> Self {
        Self {
            body_bytes: 64 << 20,
            id_bytes: 1 << 10,
            text_bytes: 64 << 10,
            parts: 4_096,
            part_bytes: 64 << 20,
            list_items: 4_096,
            metadata_bytes: 1 << 20,
            data_depth: 128,
        }
    }
}

/// A wire type that can say which of its fields break the specification or the limits.
pub trait Check {
    /// Reports every violation to the checker, under the checker's current path.
    fn check(&self, checker: &mut Checker<'_>);

    /// Checks the whole value. Error: [`InvalidParams`](super::ErrorKind::InvalidParams) whose
    /// field violations name each offender by its JSON path.
    fn validate(&self, limits: &Limits) -> Result<(), A2aError> {
        let mut checker = Checker::new(limits);
        self.check(&mut checker);
        checker.finish()
    }
}

/// Collects violations while it walks down a value, keeping the path.
#[derive(Debug)]
pub struct Checker<'l> {
    limits: &'l Limits,
    path: String,
    violations: Vec<FieldViolation>,
}

impl<'l> Checker<'l> {
    /// A checker at the root of a value.
    pub fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            path: String::new(),
            violations: Vec::new(),
        }
    }

    /// The verdict over everything reported.
    pub fn finish(self) -> Result<(), A2aError> {
        if self.violations.is_empty() {
            Ok(())
        } else {
            Err(A2aError::invalid_params(self.violations))
        }
    }

    /// Reports a violation of the named field of the current value; `""` is the value itself.
    pub fn report(&mut self, field: &str, description: impl Into<String>) {
        if self.violations.len() >= MAX_VIOLATIONS {
            return;
        }
        let field = match (self.path.is_empty(), field.is_empty()) {
            (true, _) => field.to_owned(),
            (false, true) => self.path.clone(),
            (false, false) => format!("{}.{field}", self.path),
        };
        self.violations.push(FieldViolation {
            field,
            description: description.into(),
        });
    }

    /// Checks a value one level down.
    pub(super) fn within(&mut self, field: &str, value: &impl Check) {
        let above = self.path.len();
        if above > 0 {
            self.path.push('.');
        }
        self.path.push_str(field);
        value.check(self);
        self.path.truncate(above);
    }

    /// Checks each element of a list that may be empty.
    pub(super) fn each<T: Check>(&mut self, field: &str, values: &[T]) {
        self.count(field, values.len(), self.limits.list_items);
        self.elements(field, values);
    }

    /// Checks the parts of a message or artifact, of which there must be at least one.
    pub(super) fn parts<T: Check>(&mut self, parts: &[T]) {
        if parts.is_empty() {
            self.report("parts", "must hold at least one part");
        }
        self.count("parts", parts.len(), self.limits.parts);
        self.elements("parts", parts);
    }

    fn elements<T: Check>(&mut self, field: &str, values: &[T]) {
        let above = self.path.len();
        for (index, value) in values.iter().enumerate() {
            if self.violations.len() >= MAX_VIOLATIONS {
                return;
            }
            if above > 0 {
                self.path.push('.');
            }
            // Writing to a String cannot fail.
            let _ = write!(self.path, "{field}[{index}]");
            value.check(self);
            self.path.truncate(above);
        }
    }

    /// An id that must be there.
    pub(super) fn required_id(&mut self, field: &str, id: &str) {
        if id.is_empty() {
            self.report(field, "is required");
        }
        self.optional_id(field, id);
    }

    /// An id that may be empty. Ids go into headers, logs and URLs, so they hold no control
    /// characters.
    pub(super) fn optional_id(&mut self, field: &str, id: &str) {
        self.length(field, id.len(), self.limits.id_bytes);
        if id.chars().any(char::is_control) {
            self.report(field, "must not contain control characters");
        }
    }

    /// A list of ids or short texts.
    pub(super) fn texts(&mut self, field: &str, texts: &[String]) {
        self.count(field, texts.len(), self.limits.list_items);
        for text in texts {
            self.text(field, text);
        }
    }

    /// A short text that must be there.
    pub(super) fn required_text(&mut self, field: &str, text: &str) {
        if text.is_empty() {
            self.report(field, "is required");
        }
        self.text(field, text);
    }

    /// A short text that may be empty.
    pub(super) fn text(&mut self, field: &str, text: &str) {
        self.length(field, text.len(), self.limits.text_bytes);
    }

    /// The content of a part, in bytes.
    pub(super) fn part_length(&mut self, field: &str, bytes: usize) {
        self.length(field, bytes, self.limits.part_bytes);
    }

    /// The content of a data part.
    pub(super) fn part_data(&mut self, field: &str, data: &Value) {
        self.depth(field, [data], self.limits.data_depth);
        self.json(field, data, self.limits.part_bytes);
    }

    /// A metadata object.
    pub(super) fn metadata(&mut self, metadata: &Metadata) {
        if !metadata.is_empty() {
            let most = self.limits.data_depth.saturating_sub(1);
            self.depth("metadata", metadata.values(), most);
            self.json("metadata", metadata, self.limits.metadata_bytes);
        }
    }

    /// A requested number of history messages (A2A 1.0 §3.2.4: not negative).
    pub(super) fn history_length(&mut self, length: Option<i32>) {
        if length.is_some_and(|length| length < 0) {
            self.report("historyLength", "must not be negative");
        }
    }

    fn count(&mut self, field: &str, found: usize, limit: usize) {
        if found > limit {
            self.report(field, format!("has {found} elements; the limit is {limit}"));
        }
    }

    fn length(&mut self, field: &str, found: usize, limit: usize) {
        if found > limit {
            self.report(field, format!("has {found} bytes; the limit is {limit}"));
        }
    }

    fn depth<'v>(&mut self, field: &str, values: impl IntoIterator<Item = &'v Value>, most: usize) {
        if !values.into_iter().all(|value| is_within(value, most)) {
            let limit = self.limits.data_depth;
            self.report(field, format!("is nested more than {limit} levels deep"));
        }
    }

    fn json(&mut self, field: &str, value: &impl serde::Serialize, limit: usize) {
        let mut budget = Budget { left: limit };
        if serde_json::to_writer(&mut budget, value).is_err() {
            self.report(field, format!("exceeds the limit of {limit} bytes"));
        }
    }
}

/// Whether a value is nested at most so many levels deep.
fn is_within(value: &Value, most: usize) -> bool {
    match value {
        Value::Array(items) => most > 0 && items.iter().all(|item| is_within(item, most - 1)),
        Value::Object(members) => {
            most > 0 && members.values().all(|member| is_within(member, most - 1))
        }
        _ => true,
    }
}

/// A writer that keeps nothing and fails once more was written than it may hold.
struct Budget {
    left: usize,
}

impl io::Write for Budget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.left = self
            .left
            .checked_sub(bytes.len())
            .ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
