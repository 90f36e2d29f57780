//! A definition as a Markdown file: YAML between two lines of `---`, then the instructions.

use serde_saphyr::{
    Error, MessageFormatter as _, Options, UserMessageFormatter, budget::BudgetBreach,
};
use tertulia_acts::agent::Definition;

use super::{
    CatalogError, Place,
    definition::{Fields, check_size, field_path},
    printable,
};

const FENCE: &str = "---";
/// How deeply a definition is nested at most: a remote agent's headers lie at four.
const DEPTH: usize = 12;

/// Reads a definition from its Markdown file.
///
/// # Errors
/// It is too large, has no front matter, or says there what a definition cannot say; with the place.
pub fn parse_definition(markdown: &str) -> Result<Definition, CatalogError> {
    check_size(markdown.len())?;
    let (front_matter, body) = split(markdown)?;
    let fields = read(front_matter)?;
    if fields.instructions.is_some() {
        let what = "the instructions are the text below the front matter: move them there";
        return Err(CatalogError::Wrong {
            place: Place {
                line: line_of(front_matter, "instructions"),
                column: None,
                field: "instructions".to_owned(),
            },
            what: what.to_owned(),
        });
    }
    Ok(fields.with_instructions(body))
}

/// The front matter and the text below it.
fn split(markdown: &str) -> Result<(&str, &str), CatalogError> {
    let text = markdown.strip_prefix('\u{feff}').unwrap_or(markdown);
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if first.trim_end() != FENCE {
        let what = "the file has no front matter: it begins with a line of `---`, then the fields of the \
                    definition, then another line of `---`, then the instructions";
        return Err(at_line(1, what));
    }
    let start = first.len();
    let mut end = start;
    for line in lines {
        if line.trim_end() == FENCE {
            return Ok((&text[start..end], &text[end + line.len()..]));
        }
        end += line.len();
    }
    Err(at_line(
        1,
        "the front matter has no end: close it with a line of `---`",
    ))
}

/// The line of the file on which a field of the front matter begins.
fn line_of(front_matter: &str, field: &str) -> Option<u64> {
    // The front matter begins on the second line of the file.
    (2..)
        .zip(front_matter.lines())
        .find(|(_, line)| line.trim_start_matches(['"', '\'']).starts_with(field))
        .map(|(number, _)| number)
}

fn at_line(line: u64, what: &str) -> CatalogError {
    let place = Place {
        line: Some(line),
        ..Place::default()
    };
    CatalogError::Wrong {
        place,
        what: what.to_owned(),
    }
}

fn read(yaml: &str) -> Result<Fields, CatalogError> {
    let mut path = String::new();
    let read = serde_saphyr::with_deserializer_from_str_with_options(yaml, options(), |reader| {
        serde_path_to_error::deserialize(reader).map_err(|error| {
            path = field_path(error.path());
            error.into_inner()
        })
    });
    read.map_err(|error| {
        let error = error.without_snippet();
        let location = error.location().filter(|location| location.line() > 0);
        let place = Place {
            // The front matter begins on the second line of the file.
            line: location.map(|location| location.line() + 1),
            column: location.map(|location| location.column()),
            field: path,
        };
        CatalogError::Wrong {
            place,
            what: printable(&what(error)),
        }
    })
}

/// A definition is small and flat; it needs no anchors, aliases, merges or second document.
fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_anchors: 0,
            max_aliases: 0,
            max_merge_keys: 0,
            max_documents: 1,
            max_depth: DEPTH,
            flow_nesting_limit: DEPTH,
        },
        with_snippet: false,
    }
}

/// What is wrong, without its place.
fn what(error: &Error) -> String {
    match error {
        Error::Message { msg, .. } => msg.clone(),
        Error::SerdeUnknownField {
            field, expected, ..
        } => {
            let allowed: Vec<&str> = expected
                .iter()
                .copied()
                .filter(|name| *name != "instructions")
                .collect();
            format!(
                "unknown field `{field}`, allowed are {}",
                allowed.join(", ")
            )
        }
        Error::SerdeUnknownVariant {
            variant, expected, ..
        } => format!(
            "`{variant}` is not known, allowed are {}",
            expected.join(", ")
        ),
        Error::SerdeMissingField { field, .. } => format!("the field `{field}` is missing"),
        Error::DuplicateMappingKey { key: Some(key), .. } => format!("`{key}` is said twice"),
        Error::UnknownAnchor { .. }
        | Error::AliasError { .. }
        | Error::Budget {
            breach:
                BudgetBreach::Anchors { .. }
                | BudgetBreach::Aliases { .. }
                | BudgetBreach::MergeKeys { .. },
            ..
        } => "anchors, aliases and merges are not read: write the value out where it is used"
            .to_owned(),
        Error::Budget {
            breach: BudgetBreach::Depth { .. },
            ..
        } => "it is nested more deeply than any definition".to_owned(),
        other => UserMessageFormatter.format_message(other).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use tertulia_acts::{agent::Runner, limits::DEFINITION_BYTES};

    use super::*;

    const HEAD: &str = "name: logs\ndescription: Reads logs.\nowner: user:ana\n";

    fn parse(front_matter: &str) -> Result<Definition, CatalogError> {
        parse_definition(&format!("---\n{HEAD}{front_matter}---\nYou read logs.\n"))
    }

    #[track_caller]
    fn refused(front_matter: &str, line: u64, path: &str, part: &str) {
        let error = parse(front_matter).unwrap_err();
        let CatalogError::Wrong { place, what } = &error else {
            panic!("{error:?}")
        };
        assert_eq!(
            (place.line, place.field.as_str()),
            (Some(line), path),
            "{error}"
        );
        assert!(what.contains(part), "{error}");
    }

    #[test]
    fn the_text_below_the_front_matter_is_the_instructions() {
        let definition = parse("retry: never\nrunner: worker\n").unwrap();
        assert_eq!(definition.name, "logs");
        assert_eq!(definition.instructions, "You read logs.");
        assert_eq!(definition.runner, Runner::Worker);
    }

    #[test]
    fn the_same_text_is_the_same_version_whatever_its_line_breaks() {
        let unix = format!("---\n{HEAD}---\n\nFirst.\n\n---\n\nSecond.\n");
        let definition = parse_definition(&unix).unwrap();
        assert_eq!(definition.instructions, "First.\n\n---\n\nSecond.");
        let dos = format!("\u{feff}{}", unix.replace('\n', "\r\n"));
        assert_eq!(
            parse_definition(&dos).unwrap().digest(),
            definition.digest()
        );
    }

    #[test]
    fn a_file_without_front_matter_is_told_what_that_is() {
        for text in ["", "# Logs\n", "name: logs\n", " ---\nname: logs\n---\n"] {
            let error = parse_definition(text).unwrap_err().to_string();
            assert!(
                error.starts_with("line 1: the file has no front matter"),
                "{error}"
            );
        }
        let error = parse_definition(&format!("---\n{HEAD}"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("has no end"), "{error}");
    }

    #[test]
    fn errors_have_their_line_and_field() {
        refused(
            "colour: red\n",
            5,
            "colour",
            "unknown field `colour`, allowed are name, description, owner",
        );
        refused(
            "instructions: x\n",
            5,
            "instructions",
            "below the front matter",
        );
        refused(
            "retry: always\n",
            5,
            "retry",
            "`always` is not known, allowed are safe, reconcile, never",
        );
        refused(
            "skills:\n  - id: a\n    description: x\n    colour: red\n",
            8,
            "skills[0].colour",
            "unknown field `colour`, allowed are id, name",
        );
        refused(
            "limits:\n  max_concurrent_conversations: many\n",
            6,
            "limits.max_concurrent_conversations",
            "",
        );
        refused(
            "runner:\n  a2a:\n    uri: http://a\n",
            7,
            "runner.a2a.uri",
            "allowed are url, token_env",
        );
        refused("name: other\n", 5, "", "`name` is said twice");
        refused("skills: [\n", 5, "skills", "unclosed bracket");
    }

    #[test]
    fn a_missing_field_is_named() {
        let error = parse_definition("---\nname: logs\ndescription: x\n---\n").unwrap_err();
        assert!(
            error.to_string().contains("the field `owner` is missing"),
            "{error}"
        );
        assert!(parse_definition("---\n---\n").is_err());
    }

    #[test]
    fn a_list_of_ids_with_a_repeat_is_refused() {
        let skills = "skills:\n  - {id: a, description: x}\n  - {id: a, description: y}\n";
        let error = parse(skills).unwrap_err().to_string();
        assert!(error.contains("two skills have the id `a`"), "{error}");
    }

    #[test]
    fn anchors_aliases_merges_and_second_documents_are_not_read() {
        for yaml in [
            "skills: &a []\n",
            "skills: *a\n",
            "contracts: {<<: {accepts: []}}\n",
            "skills: &a [*a]\n",
        ] {
            let error = parse(yaml).unwrap_err().to_string();
            assert!(error.contains("write the value out"), "{yaml}: {error}");
        }
        assert!(parse("...\nname: two\n").is_err());
        assert!(parse("--- x\nname: two\n").is_err());
    }

    #[test]
    fn a_bomb_of_aliases_is_refused_at_its_first_anchor() {
        let mut yaml = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, of) in ('b'..='z').zip('a'..='y') {
            let aliases = vec![format!("*{of}"); 9].join(", ");
            writeln!(yaml, "{name}: &{name} [{aliases}]").unwrap();
        }
        assert!(parse(&yaml).is_err());
    }

    #[test]
    fn deep_nesting_is_refused_and_does_not_exhaust_the_stack() {
        let flow = format!("skills: {}\n", "[".repeat(100_000));
        assert!(parse(&flow).is_err());
        let maps = format!("runner: {}\n", "{a2a: ".repeat(30_000));
        assert!(parse(&maps).is_err());
        let mut block = String::from("skills:\n");
        for depth in 1..400 {
            block.push_str(&" ".repeat(depth));
            block.push_str("-\n");
        }
        assert!(parse(&block).is_err());
        let headers = format!(
            "runner: {{a2a: {{url: 'http://a', headers: {{x: {}1{}}}}}}}\n",
            "[".repeat(10),
            "]".repeat(10)
        );
        let error = parse(&headers).unwrap_err().to_string();
        assert!(!error.is_empty());
    }

    #[test]
    fn what_is_too_large_is_refused_unread() {
        let body = "x".repeat(DEFINITION_BYTES);
        let error = parse_definition(&format!("---\n{HEAD}---\n{body}")).unwrap_err();
        assert!(matches!(error, CatalogError::TooLarge { .. }), "{error}");
    }

    #[test]
    fn odd_yaml_is_an_error_and_never_a_panic() {
        for yaml in [
            "? \n",
            "!!binary x\n",
            "name: \"\\",
            "skills: !!set {a, b}\n",
            "description: |\n\tx\n",
            "owner: ~\n",
            "skills: 7\n",
            "limits: {max_concurrent_conversations: 99999999999}\n",
            "limits: {max_concurrent_conversations: .inf}\n",
            "\0\n",
            "retry: [safe]\n",
            "- a\n",
        ] {
            assert!(parse(yaml).is_err(), "{yaml:?} was read");
        }
    }

    #[test]
    fn the_agents_of_the_example_are_read() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../examples/incident/agents"
        );
        for name in ["coordinator", "logs", "deployments"] {
            let text = std::fs::read_to_string(format!("{folder}/{name}.md")).unwrap();
            let definition = parse_definition(&text).unwrap();
            assert_eq!(definition.name, name);
            assert_eq!(definition.contracts.accepts, ["incident-investigation/v1"]);
            assert_eq!(definition.skills.len(), 1);
            assert!(
                definition.instructions.starts_with("You "),
                "{}",
                definition.instructions
            );
        }
    }
}
