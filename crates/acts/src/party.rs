//! Who acts: principals (people and services) and agents, each under one tenant.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::limits::NAME_BYTES;

/// The kind of a party.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartyKind {
    /// A person.
    User,
    /// A program that acts for an organisation.
    Service,
    /// A named, reusable capability.
    Agent,
    /// The engine itself. Never the bearer of a credential.
    Engine,
}

impl PartyKind {
    const fn prefix(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Service => "service",
            Self::Agent => "agent",
            Self::Engine => "engine",
        }
    }
}

/// A party of one tenant, written `user:ana`, `service:ci` or `agent:logs`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Party {
    kind: PartyKind,
    name: String,
}

/// Text that names no party.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no party: expected user:NAME, service:NAME or agent:NAME, NAME of lower-case letters, digits, `-`, `_` and `.`, at most {NAME_BYTES} bytes, starting with a letter or digit"
)]
pub struct InvalidParty(String);

/// Whether `name` may name an agent, a principal, a tenant or a skill.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    !bytes.is_empty()
        && bytes.len() <= NAME_BYTES
        && bytes[0].is_ascii_alphanumeric()
        && bytes.iter().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_' | b'.')
        })
}

impl Party {
    /// The engine, as the author of what it says itself.
    #[must_use]
    pub fn engine() -> Self {
        Self {
            kind: PartyKind::Engine,
            name: "tertulia".into(),
        }
    }

    /// The agent called `name`.
    ///
    /// # Errors
    /// `name` is no name.
    pub fn agent(name: &str) -> Result<Self, InvalidParty> {
        Self::checked(PartyKind::Agent, name)
    }

    /// The person called `name`.
    ///
    /// # Errors
    /// `name` is no name.
    pub fn user(name: &str) -> Result<Self, InvalidParty> {
        Self::checked(PartyKind::User, name)
    }

    fn checked(kind: PartyKind, name: &str) -> Result<Self, InvalidParty> {
        if is_name(name) {
            Ok(Self {
                kind,
                name: name.into(),
            })
        } else {
            Err(InvalidParty(
                format!("{}:{}", kind.prefix(), name)
                    .chars()
                    .take(80)
                    .collect(),
            ))
        }
    }

    /// What kind of party.
    #[must_use]
    pub const fn kind(&self) -> PartyKind {
        self.kind
    }

    /// The name without its kind.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether this is an agent.
    #[must_use]
    pub const fn is_agent(&self) -> bool {
        matches!(self.kind, PartyKind::Agent)
    }

    /// Whether this is a person or a service.
    #[must_use]
    pub const fn is_principal(&self) -> bool {
        matches!(self.kind, PartyKind::User | PartyKind::Service)
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.prefix(), self.name)
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Party {
    type Err = InvalidParty;
    /// Reads `kind:name`. `engine:` is not read: nobody addresses or impersonates the engine.
    fn from_str(text: &str) -> Result<Self, InvalidParty> {
        let invalid = || InvalidParty(text.chars().take(80).collect());
        let (kind, name) = text.split_once(':').ok_or_else(invalid)?;
        let kind = match kind {
            "user" => PartyKind::User,
            "service" => PartyKind::Service,
            "agent" => PartyKind::Agent,
            _ => return Err(invalid()),
        };
        Self::checked(kind, name).map_err(|_| invalid())
    }
}

impl Serialize for Party {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Party {
    /// Reads stored rows, where the engine may stand; the edge reads foreign text with `FromStr`.
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        if text == "engine:tertulia" {
            Ok(Self::engine())
        } else {
            text.parse().map_err(de::Error::custom)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parties_read_back_what_they_write() {
        for text in ["user:ana", "service:ci", "agent:logs", "agent:a-1.b_c"] {
            assert_eq!(text.parse::<Party>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn nobody_is_read_as_the_engine_or_by_an_odd_name() {
        for text in [
            "engine:tertulia",
            "ana",
            "user:",
            "user:Ana",
            "agent:a b",
            "agent:-x",
            "agent:é",
            "tool:x",
        ] {
            assert!(
                text.parse::<Party>().is_err(),
                "{text} was taken for a party"
            );
        }
        assert!(
            format!("agent:{}", "x".repeat(65))
                .parse::<Party>()
                .is_err()
        );
    }
}
