//! The fields of a definition, read and checked, whatever they are written in.

use std::{collections::BTreeSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{self, SeqAccess, Visitor},
};
use serde_json::Value;
use tertulia_acts::{
    agent::{AgentLimits, Contracts, Definition, RemoteAgent, Retry, Runner, Skill},
    limits::{DEFINITION_BYTES, DESCRIPTION_BYTES, KEY_BYTES, NAME_BYTES},
    party::{Party, is_name},
};

use super::{CatalogError, Place, printable};

/// What is allowed in a name, for messages.
const NAME: &str =
    "a name of lower-case letters, digits, `-`, `_` and `.` that starts with a letter or digit";
/// Bytes of the address of a remote agent and of a header for it; longer ones meet limits on their way.
const URL_BYTES: usize = 2048;

/// A definition as it is written. Its checks run while it is read, so that an error has its place.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "the fields of an agent's definition")]
pub(super) struct Fields {
    #[serde(deserialize_with = "name")]
    name: String,
    #[serde(deserialize_with = "description")]
    description: String,
    #[serde(deserialize_with = "owner")]
    owner: Party,
    #[serde(default, deserialize_with = "skills")]
    skills: Vec<Skill>,
    #[serde(default, deserialize_with = "contracts")]
    contracts: Contracts,
    #[serde(default, deserialize_with = "agent_limits")]
    limits: AgentLimits,
    #[serde(default)]
    retry: Retry,
    #[serde(default, deserialize_with = "runner")]
    runner: Runner,
    /// Only where the definition is JSON.
    pub(super) instructions: Option<String>,
}

impl Fields {
    /// The definition, with line breaks of one kind: the same text is the same version wherever it was written.
    pub(super) fn with_instructions(self, instructions: &str) -> Definition {
        Definition {
            name: self.name,
            description: self.description,
            owner: self.owner,
            skills: self.skills,
            contracts: self.contracts,
            limits: self.limits,
            retry: self.retry,
            runner: self.runner,
            instructions: instructions.trim().replace("\r\n", "\n"),
        }
    }
}

/// Reads a definition that is written in JSON.
///
/// # Errors
/// It is too large, no JSON, or says what a definition cannot say; with the place.
pub fn parse_definition_json(json: &[u8]) -> Result<Definition, CatalogError> {
    check_size(json.len())?;
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let mut fields: Fields = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| wrong_json(&field_path(error.path()), error.inner()))?;
    deserializer.end().map_err(|error| wrong_json("", &error))?;
    let instructions = fields.instructions.take().unwrap_or_default();
    Ok(fields.with_instructions(&instructions))
}

/// Refuses a definition for its size before any of it is read.
pub(super) fn check_size(bytes: usize) -> Result<(), CatalogError> {
    if bytes > DEFINITION_BYTES {
        return Err(CatalogError::TooLarge {
            bytes: bytes as u64,
        });
    }
    Ok(())
}

/// A path as people write it; the deserializer's word for no path is a dot.
pub(super) fn field_path(path: &serde_path_to_error::Path) -> String {
    let path = path.to_string();
    let path = path.trim_end_matches(".?");
    printable(path.strip_prefix('.').unwrap_or(path).trim_end_matches('?'))
}

fn wrong_json(field: &str, error: &serde_json::Error) -> CatalogError {
    let text = error.to_string();
    let suffix = format!(" at line {} column {}", error.line(), error.column());
    let place = Place {
        line: Some(error.line() as u64).filter(|line| *line > 0),
        column: Some(error.column() as u64).filter(|column| *column > 0),
        field: field.to_owned(),
    };
    CatalogError::Wrong {
        place,
        what: printable(text.strip_suffix(&suffix).unwrap_or(&text)),
    }
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    if is_name(&name) {
        return Ok(name);
    }
    Err(de::Error::custom(format!(
        "`{name}` is no name: expected {NAME}, at most {NAME_BYTES} bytes"
    )))
}

fn description<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let description = String::deserialize(deserializer)?;
    said("the description", &description, DESCRIPTION_BYTES)?;
    Ok(description)
}

fn owner<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Party, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.parse::<Party>() {
        Ok(party) if party.is_principal() => Ok(party),
        _ => Err(de::Error::custom(format!(
            "`{text}` owns no agent: expected the person or service that answers for it, user:NAME or service:NAME"
        ))),
    }
}

fn skills<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Skill>, D::Error> {
    struct Skills;
    impl<'de> Visitor<'de> for Skills {
        type Value = Vec<Skill>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of skills")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Vec<Skill>, E> {
            Ok(Vec::new())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Skill>, A::Error> {
            let mut ids = BTreeSet::new();
            let mut skills = Vec::new();
            while let Some(CheckedSkill(skill)) = list.next_element()? {
                if !ids.insert(skill.id.clone()) {
                    return Err(de::Error::custom(format!(
                        "two skills have the id `{}`: each needs its own",
                        skill.id
                    )));
                }
                skills.push(skill);
            }
            Ok(skills)
        }
    }
    deserializer.deserialize_seq(Skills)
}

/// A skill within its limits.
struct CheckedSkill(Skill);

impl<'de> Deserialize<'de> for CheckedSkill {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let skill = Skill::deserialize(deserializer)?;
        if !is_name(&skill.id) {
            return Err(de::Error::custom(format!(
                "the id `{}` is no name: expected {NAME}, at most {NAME_BYTES} bytes",
                skill.id
            )));
        }
        within("its name", &skill.name, KEY_BYTES)?;
        said("its description", &skill.description, DESCRIPTION_BYTES)?;
        for (what, list, most) in [
            ("a tag", &skill.tags, KEY_BYTES),
            ("an input mode", &skill.input_modes, KEY_BYTES),
            ("an output mode", &skill.output_modes, KEY_BYTES),
            ("an example", &skill.examples, DESCRIPTION_BYTES),
        ] {
            for text in list {
                said(what, text, most)?;
            }
        }
        Ok(Self(skill))
    }
}

fn contracts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Contracts, D::Error> {
    let contracts = Contracts::deserialize(deserializer)?;
    for name in contracts.accepts.iter().chain(&contracts.returns) {
        let named = name
            .split_once('/')
            .is_some_and(|(name, version)| is_name(name) && is_name(version));
        if !named {
            return Err(de::Error::custom(format!(
                "`{name}` names no contract: expected a name and a version, such as `incident-diagnosis/v1`"
            )));
        }
        within("the name of a contract", name, KEY_BYTES)?;
    }
    Ok(contracts)
}

fn agent_limits<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AgentLimits, D::Error> {
    let limits = AgentLimits::deserialize(deserializer)?;
    if limits.max_concurrent_conversations == 0 {
        return Err(de::Error::custom(
            "`max_concurrent_conversations` is 0, so nothing would ever be worked on: expected at least 1",
        ));
    }
    Ok(limits)
}

fn runner<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Runner, D::Error> {
    let runner = Runner::deserialize(deserializer)?;
    if let Runner::A2a(remote) = &runner {
        check_remote(remote).map_err(de::Error::custom)?;
    }
    Ok(runner)
}

fn check_remote(remote: &RemoteAgent) -> Result<(), String> {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| remote.url.strip_prefix(scheme));
    let plain = |c: char| !c.is_whitespace() && !c.is_control();
    if !rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(plain)) {
        return Err(format!(
            "the url `{}` is no address: expected https://HOST… or http://HOST…",
            remote.url
        ));
    }
    bounded("the url", &remote.url, URL_BYTES)?;
    if let Some(variable) = &remote.token_env {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        if variable.is_empty() || variable.len() > NAME_BYTES || !variable.bytes().all(fits) {
            return Err(
                "`token_env` is no name of an environment variable: expected letters, digits and `_`; \
                 it names the variable that holds the token, never the token itself"
                    .to_owned(),
            );
        }
    }
    remote.headers.iter().try_for_each(check_header)
}

fn check_header((name, value): (&String, &Value)) -> Result<(), String> {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    if name.is_empty() || name.len() > NAME_BYTES || !name.bytes().all(token) {
        return Err(format!("`{name}` is no name of a header"));
    }
    if name.eq_ignore_ascii_case("authorization") {
        return Err(
            "the header `authorization` would be stored with the definition: name the environment variable \
             that holds the token in `token_env`"
                .to_owned(),
        );
    }
    let Value::String(text) = value else {
        return Err(format!(
            "the header `{name}` is no text: write its value in quotes"
        ));
    };
    if !text.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
        return Err(format!(
            "the header `{name}` holds characters that no header may hold"
        ));
    }
    bounded("a header", text, URL_BYTES)
}

/// Refuses an empty text, or one over its limit.
fn said<E: de::Error>(what: &str, text: &str, most: usize) -> Result<(), E> {
    if text.trim().is_empty() {
        return Err(E::custom(format!(
            "{what} is empty: say it, or leave it out"
        )));
    }
    within(what, text, most)
}

fn within<E: de::Error>(what: &str, text: &str, most: usize) -> Result<(), E> {
    bounded(what, text, most).map_err(E::custom)
}

fn bounded(what: &str, text: &str, most: usize) -> Result<(), String> {
    if text.len() > most {
        return Err(format!(
            "{what} has {} bytes, at most {most} are allowed",
            text.len()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn base() -> Value {
        json!({"name": "logs", "description": "Reads logs.", "owner": "user:ana"})
    }

    fn with(field: &str, value: Value) -> Result<Definition, CatalogError> {
        let mut definition = base();
        definition[field] = value;
        parse_definition_json(&serde_json::to_vec(&definition).unwrap())
    }

    #[track_caller]
    fn refused(field: &str, value: Value, path: &str, part: &str) {
        let error = with(field, value).unwrap_err();
        let CatalogError::Wrong { place, what } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(place.field, path, "{error}");
        assert!(what.contains(part), "{error}");
        assert!(place.line.is_some(), "{error}");
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let definition = parse_definition_json(base().to_string().as_bytes()).unwrap();
        assert_eq!(definition.limits.max_concurrent_conversations, 64);
        assert_eq!(definition.retry, Retry::Safe);
        assert_eq!(definition.runner, Runner::Worker);
        assert_eq!(definition.instructions, "");
    }

    #[test]
    fn both_ways_to_say_the_runner_are_read() {
        assert_eq!(
            with("runner", json!("worker")).unwrap().runner,
            Runner::Worker
        );
        let remote = json!({"a2a": {"url": "https://logs.example", "token_env": "LOGS_TOKEN",
                                    "headers": {"x-team": "ops"}}});
        let Runner::A2a(remote) = with("runner", remote).unwrap().runner else {
            panic!("no remote agent")
        };
        assert_eq!(remote.url, "https://logs.example");
        assert_eq!(remote.token_env.as_deref(), Some("LOGS_TOKEN"));
        assert!(!remote.allow_private);
        assert_eq!(remote.headers["x-team"], "ops");
    }

    #[test]
    fn a_runner_that_cannot_be_is_refused() {
        refused("runner", json!("llm"), "runner", "unknown variant `llm`");
        for (remote, part) in [
            (json!({"url": "logs.example"}), "no address"),
            (json!({"url": "http://"}), "no address"),
            (json!({"url": "http://a b"}), "no address"),
            (
                json!({"url": "http://a", "token_env": "s3cret!"}),
                "never the token itself",
            ),
            (
                json!({"url": "http://a", "headers": {"Authorization": "Bearer x"}}),
                "token_env",
            ),
            (json!({"url": "http://a", "headers": {"x": 1}}), "no text"),
            (
                json!({"url": "http://a", "headers": {"x": "a\r\nb: c"}}),
                "no header may hold",
            ),
            (
                json!({"url": "http://a", "headers": {"x y": "a"}}),
                "no name of a header",
            ),
        ] {
            refused("runner", json!({"a2a": remote}), "runner", part);
        }
        refused(
            "runner",
            json!({"a2a": {"url": "http://a", "port": 1}}),
            "runner.a2a.port",
            "unknown field `port`",
        );
    }

    #[test]
    fn names_are_names_and_owners_are_principals() {
        for bad in ["", "Logs", "a b", "-x", "../x", &"x".repeat(65)] {
            refused("name", json!(bad), "name", "is no name");
        }
        for bad in ["ana", "agent:logs", "engine:tertulia", "user:"] {
            refused("owner", json!(bad), "owner", "owns no agent");
        }
    }

    #[test]
    fn skills_have_ids_of_their_own_and_fit_their_limits() {
        let skill = |id: &str| json!({"id": id, "description": "does it"});
        assert_eq!(
            with("skills", json!([skill("a"), skill("b")]))
                .unwrap()
                .skills
                .len(),
            2
        );
        refused(
            "skills",
            json!([skill("a"), skill("b"), skill("a")]),
            "skills",
            "two skills have the id `a`",
        );
        refused(
            "skills",
            json!([skill("a"), skill("B")]),
            "skills[1]",
            "the id `B`",
        );
        refused(
            "skills",
            json!([{"id": "a"}]),
            "skills[0]",
            "missing field `description`",
        );
        let long = json!([{"id": "a", "description": "x".repeat(4097)}]);
        refused(
            "skills",
            long,
            "skills[0]",
            "its description has 4097 bytes, at most 4096",
        );
        let tag = json!([{"id": "a", "description": "x", "tags": [""]}]);
        refused("skills", tag, "skills[0]", "a tag is empty");
    }

    #[test]
    fn contracts_have_a_version_and_limits_let_something_run() {
        let accepts = json!({"accepts": ["incident-investigation"]});
        refused(
            "contracts",
            accepts,
            "contracts",
            "such as `incident-diagnosis/v1`",
        );
        refused(
            "contracts",
            json!({"takes": []}),
            "contracts.takes",
            "expected `accepts` or `returns`",
        );
        let none = json!({"max_concurrent_conversations": 0});
        refused("limits", none, "limits", "at least 1");
        let negative = json!({"max_concurrent_conversations": -1});
        refused(
            "limits",
            negative,
            "limits.max_concurrent_conversations",
            "expected u32",
        );
    }

    #[test]
    fn json_that_is_none_is_refused_with_its_place() {
        let error = parse_definition_json(b"{\n  \"name\": \"logs\",\n}").unwrap_err();
        assert_eq!(error.to_string(), "line 3: trailing comma");
        let error = parse_definition_json(b"[]").unwrap_err().to_string();
        assert!(
            error.contains("expected the fields of an agent's definition"),
            "{error}"
        );
        let nested = format!("{{\"skills\": {}", "[".repeat(100_000));
        assert!(parse_definition_json(nested.as_bytes()).is_err());
        let twice = format!("{} 1", base());
        assert!(parse_definition_json(twice.as_bytes()).is_err());
        assert!(parse_definition_json(b"{\"name\": \"\xff\"}").is_err());
    }

    #[test]
    fn size_is_looked_at_before_anything_else() {
        let at_most = "x".repeat(DEFINITION_BYTES - base().to_string().len() - 20);
        assert!(with("instructions", json!(at_most)).is_ok());
        let error = parse_definition_json(&vec![b'['; DEFINITION_BYTES + 1]).unwrap_err();
        assert!(
            matches!(error, CatalogError::TooLarge { bytes } if bytes == DEFINITION_BYTES as u64 + 1)
        );
    }

    #[test]
    fn foreign_text_in_a_message_holds_no_control_characters_and_has_an_end() {
        let error = with("name", json!(format!("\u{1b}[2J\n{}", "x".repeat(100_000)))).unwrap_err();
        let text = error.to_string();
        assert!(!text.contains('\u{1b}') && !text.contains('\n'), "{text}");
        assert!(text.len() < 1000, "{}", text.len());
    }
}
