//! Error signatures: errors that differ only in their numbers and identifiers are the same error.

use std::collections::{BTreeMap, BTreeSet};

use crate::log_window::Entry;

/// A cut text joins the signature it is the beginning of, if it is at least this long.
const CUT_PREFIX_MIN: usize = 20;

/// A group of errors with one signature.
#[derive(Clone, Debug)]
pub struct Cluster<'a> {
    /// The text with `<n>` where members differ; numbers that all members share are kept.
    pub text: String,
    /// The members in the order they were received.
    pub members: Vec<&'a Entry>,
}

/// Groups errors by signature, the largest group first.
pub fn cluster<'a>(errors: impl Iterator<Item = &'a Entry>) -> Vec<Cluster<'a>> {
    let mut whole: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    let mut cut = Vec::new();
    for entry in errors {
        if entry.event.cut {
            cut.push(entry);
        } else {
            whole
                .entry(template(subject(entry)))
                .or_default()
                .push(entry);
        }
    }
    for entry in cut {
        let beginning = template(subject(entry));
        let stem = beginning.trim_end_matches("<n>");
        let home = whole
            .keys()
            .find(|key| stem.len() >= CUT_PREFIX_MIN && key.starts_with(stem))
            .cloned();
        whole
            .entry(home.unwrap_or(beginning))
            .or_default()
            .push(entry);
    }
    let mut clusters: Vec<Cluster<'_>> = whole
        .into_iter()
        .map(|(template, mut members)| {
            members.sort_by_key(|entry| entry.line);
            Cluster {
                text: with_shared_numbers(&template, &members),
                members,
            }
        })
        .collect();
    clusters.sort_by(|a, b| {
        b.members
            .len()
            .cmp(&a.members.len())
            .then_with(|| a.text.cmp(&b.text))
    });
    clusters
}

/// The exception where there is one, since messages around it differ with the way it was logged.
fn subject(entry: &Entry) -> &str {
    entry.event.cause.as_deref().unwrap_or(&entry.event.message)
}

/// Replaces each number and each identifier that contains a digit by `<n>`.
fn template(text: &str) -> String {
    pieces(text)
        .into_iter()
        .map(|piece| if varies(piece) { "<n>" } else { piece })
        .collect()
}

/// Cuts a text into words and the characters between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let is_word = |c: char| c.is_alphanumeric();
    let mut in_word = false;
    for (index, c) in text.char_indices() {
        if index > start && (is_word(c) != in_word || !is_word(c)) {
            out.push(&text[start..index]);
            start = index;
        }
        in_word = is_word(c);
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

fn varies(piece: &str) -> bool {
    piece.chars().any(|c| c.is_ascii_digit())
}

/// Puts the numbers back that every whole member has in the same place.
fn with_shared_numbers(template: &str, members: &[&Entry]) -> String {
    let mut places: Vec<BTreeSet<&str>> = Vec::new();
    for entry in members.iter().filter(|entry| !entry.event.cut) {
        let numbers = pieces(subject(entry))
            .into_iter()
            .filter(|piece| varies(piece));
        for (place, number) in numbers.enumerate() {
            if places.len() <= place {
                places.push(BTreeSet::new());
            }
            places[place].insert(number);
        }
    }
    // One member alone shares its numbers only with itself.
    let shared = members.len() > 1;
    let mut out = String::new();
    for (place, part) in template.split("<n>").enumerate() {
        if place > 0 {
            let values = places
                .get(place - 1)
                .filter(|values| shared && values.len() == 1);
            out.push_str(values.and_then(BTreeSet::first).copied().unwrap_or("<n>"));
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::investigation::{Source, SourceKind};
    use crate::log_window::LogWindow;

    fn texts(log: &str) -> Vec<(String, usize)> {
        let source = Source {
            kind: SourceKind::LogWindow,
            uri: "x.log".to_owned(),
            digest: "sha256:0".to_owned(),
        };
        let window = LogWindow::read(source, log);
        cluster(window.entries.iter())
            .into_iter()
            .map(|cluster| (cluster.text, cluster.members.len()))
            .collect()
    }

    fn line(message: &str) -> String {
        format!("ts=2026-11-12T14:00:00Z level=error service=cart host=cart-1 msg=\"{message}\"\n")
    }

    #[test]
    fn numbers_that_differ_are_left_out_and_numbers_in_common_are_kept() {
        let log = line("no room after 250 ms (max=8 pending=3)")
            + &line("no room after 250 ms (max=8 pending=17)");
        assert_eq!(
            texts(&log),
            [("no room after 250 ms (max=8 pending=<n>)".to_owned(), 2)]
        );
    }

    #[test]
    fn identifiers_with_digits_do_not_split_a_signature() {
        let log =
            line("cart 1a2b3c4d not found") + &line("cart 99ffee00 not found") + &line("other");
        assert_eq!(
            texts(&log),
            [
                ("cart <n> not found".to_owned(), 2),
                ("other".to_owned(), 1)
            ]
        );
    }

    #[test]
    fn a_cut_error_counts_with_the_signature_it_is_the_beginning_of() {
        let log = line("no connection to payments within 5 ms")
            + "ts=2026-11-12T14:00:00Z level=error service=cart host=cart-1 msg=\"no connection to pay\n";
        assert_eq!(
            texts(&log),
            [("no connection to payments within 5 ms".to_owned(), 2)]
        );
    }
}
