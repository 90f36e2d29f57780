//! Identifiers. A root is a `UUIDv7`; everything under it is `<kind>_<root>_<n>` with `n` from the root's counter
//! (SEMANTICS 14), so the root, and with it the place of the rows, is read off the id itself.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use uuid::Uuid;

/// Text that is no identifier of the kind asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a {kind} id: expected {shape}")]
pub struct InvalidId {
    text: String,
    kind: &'static str,
    shape: &'static str,
}

impl InvalidId {
    fn new(text: &str, kind: &'static str, shape: &'static str) -> Self {
        // An id is shown to people; a hostile one is cut so that an error stays a line.
        Self {
            text: text.chars().take(80).collect(),
            kind,
            shape,
        }
    }
}

fn parse_uuid(text: &str) -> Option<Uuid> {
    if text.len() != 32 || text.bytes().any(|b| b.is_ascii_uppercase()) {
        return None;
    }
    Uuid::try_parse(text).ok()
}

fn parse_number(text: &str) -> Option<u32> {
    if text.is_empty() || (text.len() > 1 && text.starts_with('0')) || text.starts_with('+') {
        return None;
    }
    text.parse().ok()
}

/// The text of one id, which is short.
struct Line {
    bytes: [u8; 64],
    len: usize,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            bytes: [0; 64],
            len: 0,
        }
    }
}

impl Line {
    fn text(&self) -> &str {
        // Whole strings were put in: the other case is for the compiler.
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let place = self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

macro_rules! text_serde {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                // In one piece: what writes JSON looks at each piece anew, and ids are most of what is written.
                let mut line = Line::default();
                fmt::Write::write_fmt(&mut line, format_args!("{self}"))
                    .map_err(ser::Error::custom)?;
                s.serialize_str(line.text())
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
                text.parse().map_err(de::Error::custom)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

/// The root of a tree of tasks: a `UUIDv7`, written `root_<32 hex digits>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootId(pub Uuid);

impl fmt::Display for RootId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "root_{}", self.0.simple())
    }
}

impl FromStr for RootId {
    type Err = InvalidId;
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        text.strip_prefix("root_")
            .and_then(parse_uuid)
            .map(Self)
            .ok_or_else(|| InvalidId::new(text, "root", "root_<32 hex digits>"))
    }
}
text_serde!(RootId);

macro_rules! numbered_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            /// The root under which it was numbered.
            pub root: RootId,
            /// Its number under that root, from 1.
            pub n: u32,
        }

        impl $name {
            /// The id numbered `n` under `root`.
            #[must_use]
            pub const fn new(root: RootId, n: u32) -> Self {
                Self { root, n }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "_{}_{}"), self.root.0.simple(), self.n)
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;
            fn from_str(text: &str) -> Result<Self, InvalidId> {
                text.strip_prefix(concat!($prefix, "_"))
                    .and_then(|rest| rest.split_once('_'))
                    .and_then(|(root, n)| Some(Self { root: RootId(parse_uuid(root)?), n: parse_number(n)? }))
                    .ok_or_else(|| {
                        InvalidId::new(text, $kind, concat!($prefix, "_<32 hex digits>_<number>"))
                    })
            }
        }
        text_serde!($name);
    };
}

numbered_id!(/** A task: what was asked. */ TaskId, "task", "task");
numbered_id!(/** A hop: one activation, one attempt to work on a task. */ HopId, "hop", "hop");
numbered_id!(/** A conversation, numbered under the root that opened it. */ ConversationId, "conversation", "conv");
numbered_id!(/** An ask: a durable question that parks an activation. */ AskId, "ask", "ask");
numbered_id!(/** A fan-out group. */ GroupId, "group", "grp");
numbered_id!(/** A commitment. */ CommitmentId, "commitment", "com");
numbered_id!(/** A lease: one period of holding a hop. Public; the token is not. */ LeaseId, "lease", "lease");

/// An act: its conversation and its sequence number there, written `act_<32 hex digits>_<n>_<seq>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActId {
    /// The conversation it was said in.
    pub conversation: ConversationId,
    /// Its place there, from 1, without gaps.
    pub seq: u32,
}

impl fmt::Display for ActId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "act_{}_{}_{}",
            self.conversation.root.0.simple(),
            self.conversation.n,
            self.seq
        )
    }
}

impl FromStr for ActId {
    type Err = InvalidId;
    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let parse = || {
            let mut parts = text.strip_prefix("act_")?.splitn(3, '_');
            let root = RootId(parse_uuid(parts.next()?)?);
            let n = parse_number(parts.next()?)?;
            let seq = parse_number(parts.next()?)?;
            Some(Self {
                conversation: ConversationId { root, n },
                seq,
            })
        };
        parse().ok_or_else(|| {
            InvalidId::new(
                text,
                "act",
                "act_<32 hex digits>_<number>_<sequence number>",
            )
        })
    }
}
text_serde!(ActId);

/// A tenant's number in this installation. Never shown: people see its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TenantId(pub u32);

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "01890a5d0c4e7c3a9d2f0123456789ab";

    fn root() -> RootId {
        format!("root_{ROOT}").parse().unwrap()
    }

    #[test]
    fn ids_read_back_what_they_write() {
        let task = TaskId::new(root(), 12);
        assert_eq!(task.to_string(), format!("task_{ROOT}_12"));
        assert_eq!(task.to_string().parse::<TaskId>().unwrap(), task);
        let act = ActId {
            conversation: ConversationId::new(root(), 3),
            seq: 9,
        };
        assert_eq!(act.to_string(), format!("act_{ROOT}_3_9"));
        assert_eq!(act.to_string().parse::<ActId>().unwrap(), act);
    }

    #[test]
    fn the_longest_id_is_written_whole() {
        let conversation = ConversationId::new(root(), u32::MAX);
        let seq = u32::MAX;
        let act = ActId { conversation, seq };
        assert_eq!(serde_json::to_string(&act).unwrap(), format!("\"{act}\""));
        assert_eq!(
            serde_json::to_string(&conversation).unwrap(),
            format!("\"{conversation}\"")
        );
    }

    #[test]
    fn an_id_has_one_spelling() {
        for text in [
            format!("task_{ROOT}_012"),
            format!("task_{ROOT}_+1"),
            format!("task_{}_1", ROOT.to_uppercase()),
            format!("hop_{ROOT}_1"),
            format!("task_{ROOT}_"),
            format!("task_{ROOT}_4294967296"),
            "task_1_1".into(),
            String::new(),
        ] {
            assert!(
                text.parse::<TaskId>().is_err(),
                "{text} was taken for a task id"
            );
        }
    }

    #[test]
    fn an_absurd_id_gives_a_short_error() {
        let error = "x"
            .repeat(10_000)
            .parse::<TaskId>()
            .unwrap_err()
            .to_string();
        assert!(error.len() < 200, "{} bytes", error.len());
        assert!(error.contains("task_<32 hex digits>_<number>"));
    }
}
