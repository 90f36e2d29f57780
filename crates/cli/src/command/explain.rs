//! `tertulia explain`: the pages of reason codes, statuses and performatives, carried in the binary.

use serde_json::{Value, json};
use tertulia_acts::{performative::Performative, reason::Reason};

use crate::{
    arguments::Explain,
    exit::Exit,
    failure::Failure,
    output::{self, Output, STRONG, page::rendered, painted},
};

/// The page of each reason code, by code. A test compares the list with the codes.
macro_rules! pages {
    ($($code:literal)+) => {
        const PAGES: &[(&str, &str)] =
            &[$(($code, include_str!(concat!("../../../../docs/reasons/", $code, ".md")))),+];
    };
}

pages! {
    "already-answered" "already-committed" "ambiguous-answer" "ask-closed" "ask-expired"
    "attempts-exhausted" "authority" "breadth" "budget" "cancelled" "cannot-fold"
    "contract-mismatch" "conversation-closed" "deadline" "declined" "expired" "fuse" "gave-up"
    "group-fired" "illegal-act" "key-reused" "loop" "mailbox-full" "no-approver" "no-consult"
    "no-root" "not-a-participant" "open-tasks" "outcome-unknown" "parent-settled" "peer-cancelled"
    "peer-failed" "peer-nonsense" "peer-refused" "peer-unreachable" "policy" "read-only"
    "result-invalid" "root-closed" "to-oneself" "too-many-rounds" "too-many-steps"
    "unknown-recipient" "would-deadlock"
}

/// The table of statuses, a row each.
const STATUSES: &str = include_str!("../../../../docs/statuses.md");

/// A thing that can be explained.
struct Topic {
    name: String,
    kind: &'static str,
    sentence: String,
    page: String,
}

pub(super) fn run(explain: &Explain, output: Output) -> Result<Exit, Failure> {
    let topics = topics();
    let Some(code) = &explain.code else {
        list(&topics, output)?;
        return Ok(Exit::Done);
    };
    let code = code.trim().to_ascii_lowercase().replace('_', "-");
    let about: Vec<&Topic> = topics.iter().filter(|topic| topic.name == code).collect();
    if about.is_empty() {
        return Err(unknown(&code, &topics));
    }
    for topic in about {
        let value = json!({
            "code": topic.name, "kind": topic.kind, "sentence": topic.sentence, "page": topic.page,
        });
        output.data(&value, |out| write!(out, "{}", rendered(&topic.page)))?;
    }
    Ok(Exit::Done)
}

fn topics() -> Vec<Topic> {
    let reasons = Reason::ALL.iter().filter_map(|reason| {
        let (_, page) = PAGES.iter().find(|(code, _)| *code == reason.code())?;
        Some(Topic {
            name: reason.code().to_owned(),
            kind: "reason",
            sentence: reason.sentence().to_owned(),
            page: (*page).to_owned(),
        })
    });
    let performatives = Performative::ALL.iter().map(|performative| {
        let page = performative.manual();
        Topic {
            name: performative.to_string(),
            kind: "performative",
            sentence: first_sentence(&page),
            page,
        }
    });
    reasons.chain(statuses()).chain(performatives).collect()
}

fn statuses() -> impl Iterator<Item = Topic> {
    STATUSES.lines().filter_map(|row| {
        let mut cells = row.strip_prefix("| ")?.strip_suffix(" |")?.split(" | ");
        let status: u16 = cells.next()?.parse().ok()?;
        let code = cells.next()?.trim_matches('`');
        let (cause, remedy) = (cells.next()?, cells.next()?);
        Some(Topic {
            name: code.to_owned(),
            kind: "status",
            sentence: format!("Status {status}: {}", first_sentence(cause)),
            page: format!(
                "# {code}\n\nStatus {status}.\n\n## Cause\n\n{cause}\n\n## What to do\n\n{remedy}\n"
            ),
        })
    })
}

/// The first sentence of a page, below its title.
fn first_sentence(page: &str) -> String {
    let text: Vec<&str> = page
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::trim)
        .skip_while(|line| line.is_empty())
        .take_while(|line| !line.is_empty())
        .collect();
    let text = text.join(" ");
    match text.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => text,
    }
}

fn list(topics: &[Topic], output: Output) -> Result<(), Failure> {
    let value: Vec<Value> = topics
        .iter()
        .map(|topic| json!({"code": topic.name, "kind": topic.kind, "sentence": topic.sentence}))
        .collect();
    let width = topics
        .iter()
        .map(|topic| topic.name.len())
        .max()
        .unwrap_or(0);
    output.data(&Value::Array(value), |out| {
        let mut kind = "";
        for topic in topics {
            if topic.kind != kind {
                kind = topic.kind;
                let heading = match kind {
                    "reason" => {
                        "Reason codes: why an act was refused, or why what it asked for failed"
                    }
                    "status" => "Statuses: why a call could not be carried out",
                    _ => "Performatives: what kind of act an act is",
                };
                writeln!(out, "{}", painted(STRONG, heading))?;
            }
            writeln!(out, "  {:<width$}  {}", topic.name, topic.sentence)?;
        }
        Ok(())
    })
}

fn unknown(code: &str, topics: &[Topic]) -> Failure {
    let near: Vec<&str> = topics
        .iter()
        .map(|topic| topic.name.as_str())
        .filter(|name| is_near(name, code))
        .take(4)
        .collect();
    let failure = Failure::usage(format!(
        "`{}` is no reason code, status or performative",
        output::line(code, 40)
    ));
    if near.is_empty() {
        return failure.help("`tertulia explain` lists them all");
    }
    failure.help(format!(
        "did you mean {}? `tertulia explain` lists them all",
        near.join(", ")
    ))
}

/// Whether two names share a word, or differ in few of their letters.
fn is_near(name: &str, typed: &str) -> bool {
    let shared = name
        .split('-')
        .any(|word| word.len() > 3 && typed.split('-').any(|other| other == word));
    shared || edits(name, typed) * 3 <= typed.len() + 1
}

/// The edits that make one text of another: insertions, deletions, replacements.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_page_in_the_binary() {
        let pages: Vec<&str> = PAGES.iter().map(|(code, _)| *code).collect();
        let mut codes: Vec<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        codes.sort_unstable();
        assert_eq!(pages, codes);
        for (code, page) in PAGES {
            assert!(
                page.starts_with(&format!("# {code}\n")),
                "{code} has the page of another"
            );
        }
    }

    #[test]
    fn everything_has_a_sentence_and_a_page() {
        let topics = topics();
        assert_eq!(
            topics.len(),
            Reason::ALL.len() + Performative::ALL.len() + statuses().count()
        );
        let rows = STATUSES
            .lines()
            .filter(|row| row.starts_with("| 4") || row.starts_with("| 5"));
        assert_eq!(statuses().count(), rows.count());
        assert!(statuses().any(|topic| topic.name == "lease-lost"));
        for topic in topics {
            assert!(
                topic.sentence.ends_with('.'),
                "{}: {}",
                topic.name,
                topic.sentence
            );
            assert!(topic.page.len() > 60, "{}", topic.name);
        }
    }

    #[test]
    fn a_slip_of_the_finger_is_told_what_was_near() {
        assert_eq!(edits("loop", "lop"), 1);
        assert_eq!(edits("fuse", "fuse"), 0);
        let failure = unknown("lop", &topics());
        assert!(failure.help.unwrap().starts_with("did you mean loop?"));
        let failure = unknown("deadlock", &topics());
        assert!(failure.help.unwrap().contains("would-deadlock"));
        let failure = unknown("xyzzyxyzzy", &topics());
        assert!(!failure.help.unwrap().contains("did you mean"));
    }
}
