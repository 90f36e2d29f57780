//! Every reason code has its page under `docs/reasons/`, every page has its code, and all of them
//! tell the same things in the same order (SEMANTICS 18).

use std::{collections::BTreeSet, path::PathBuf};

use tertulia_acts::reason::Reason;

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[expect(
    clippy::disallowed_methods,
    reason = "this test is about files; no rule reads them"
)]
fn read(page: &str) -> String {
    let path = docs().join(page);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn each_code_has_a_page_and_each_page_has_a_code() {
    let pages: BTreeSet<String> = std::fs::read_dir(docs().join("reasons"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let expected: BTreeSet<String> = Reason::ALL
        .iter()
        .map(|reason| format!("{reason}.md"))
        .collect();
    assert_eq!(pages, expected);
}

#[test]
fn each_page_says_what_happened_why_and_what_to_do() {
    for reason in Reason::ALL {
        let page = read(&format!("reasons/{reason}.md"));
        let headings: Vec<&str> = page.lines().filter(|line| line.starts_with('#')).collect();
        let title = format!("# {reason}");
        assert_eq!(
            headings,
            [&title, "## Cause", "## What to do", "## See also"],
            "{reason}"
        );

        let mut sections = page.split("\n## ");
        let what = sections.next().unwrap().trim_start_matches(&title).trim();
        assert!(
            what.ends_with('.') && what.len() > 40,
            "{reason} does not say what happened"
        );
        for section in sections {
            let (heading, text) = section.split_once('\n').unwrap();
            assert!(text.trim().len() > 10, "{reason}: nothing under {heading}");
            if heading == "What to do" {
                assert!(text.contains("\n- "), "{reason} gives no steps");
            }
        }
    }
}

/// A page is printed in a terminal, far from the repository: lines fit, and nothing is linked.
#[test]
fn pages_fit_a_terminal_and_link_nowhere() {
    for reason in Reason::ALL {
        let page = read(&format!("reasons/{reason}.md"));
        assert!(!page.contains("]("), "{reason} has a link");
        assert!(
            page.ends_with('\n') && !page.ends_with("\n\n"),
            "{reason} ends oddly"
        );
        for line in page.lines() {
            assert!(line.chars().count() <= 100, "{reason}: {line}");
            assert_eq!(
                line.matches('`').count() % 2,
                0,
                "{reason} breaks a command: {line}"
            );
        }
    }
}

#[test]
fn the_page_of_statuses_has_each_status_once() {
    let rows: Vec<(String, String)> = read("statuses.md")
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| ")?.split(" | ");
            let status = cells.next()?.to_owned();
            let code = cells.next()?.trim_matches('`').to_owned();
            status.parse::<u16>().is_ok().then_some((status, code))
        })
        .collect();
    let expected = [
        ("400", "malformed"),
        ("401", "unauthenticated"),
        ("403", "forbidden"),
        ("404", "not-found"),
        ("405", "method-not-allowed"),
        ("409", "lease-lost"),
        ("409", "hop-finished"),
        ("409", "replay-diverged"),
        ("413", "too-large"),
        ("415", "unsupported-media-type"),
        ("429", "too-many-calls"),
        ("500", "internal"),
        ("503", "overloaded"),
        ("503", "draining"),
        ("503", "busy"),
        ("503", "storage-full"),
        ("503", "storage-unavailable"),
        ("503", "outcome-unknown"),
    ];
    let expected: Vec<(String, String)> = expected
        .iter()
        .map(|(status, code)| ((*status).into(), (*code).into()))
        .collect();
    assert_eq!(rows, expected);
}
