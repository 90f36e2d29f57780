//! The diagnosis for people: facts with what they rest on, apart from what may be so.

use std::io::{self, Write};

use tertulia_incident::{
    diagnosis::{Diagnosis, Hypothesis, Status},
    evidence::Citation,
};

use crate::output::{FAINT, GOOD, STRONG, WAITING, one_line, painted, safe};

/// Columns of the text.
const WIDTH: usize = 100;

/// The whole diagnosis.
pub(super) fn in_full(found: &Diagnosis, out: &mut dyn Write) -> io::Result<()> {
    let status = match found.status {
        Status::Diagnosed => painted(GOOD, "diagnosed"),
        Status::InsufficientEvidence => painted(WAITING, "insufficient evidence"),
    };
    writeln!(
        out,
        "{} {status}",
        painted(
            STRONG,
            &format!(
                "Diagnosis of {} ({}):",
                safe(&found.root_incident),
                safe(&found.service)
            )
        )
    )?;
    paragraph(&found.summary, "  ", out)?;

    heading("Facts", "each with the lines or records that show it", out)?;
    for finding in &found.findings {
        item(&finding.id, &finding.statement, out)?;
        for citation in &finding.evidence {
            remark(&cited(citation), out)?;
        }
    }
    if !found.hypotheses.is_empty() {
        heading("Hypotheses", "what may be so; not facts", out)?;
    }
    for hypothesis in &found.hypotheses {
        supposed(hypothesis, out)?;
    }
    if !found.ruled_out.is_empty() {
        heading("Ruled out", "what the facts exclude", out)?;
    }
    for excluded in &found.ruled_out {
        item("-", &excluded.statement, out)?;
        remark(&format!("by {}", excluded.based_on.join(", ")), out)?;
    }
    if !found.missing_data.is_empty() {
        heading("Missing data", "what was looked for and is not there", out)?;
    }
    for missing in &found.missing_data {
        item("-", &missing.what, out)?;
        remark(&format!("matters because {}", missing.why_it_matters), out)?;
        remark(&format!("may be found: {}", missing.where_to_look), out)?;
    }
    heading("Recommendations", "nothing was done; a person decides", out)?;
    for (n, recommended) in (1..).zip(&found.recommendations) {
        let approval = if recommended.needs_approval {
            " (needs approval)"
        } else {
            ""
        };
        item(
            &format!("{n}."),
            &format!("{}{approval}", recommended.action),
            out,
        )?;
        remark(&format!("because {}", recommended.why), out)?;
    }
    Ok(())
}

fn supposed(hypothesis: &Hypothesis, out: &mut dyn Write) -> io::Result<()> {
    let text = format!(
        "confidence {} of 100: {}",
        hypothesis.confidence, hypothesis.statement
    );
    item(&hypothesis.id, &text, out)?;
    for (what, list, between) in [
        ("for", &hypothesis.based_on, ", "),
        ("against", &hypothesis.against, ", "),
        ("would confirm", &hypothesis.would_confirm, "; "),
    ] {
        if !list.is_empty() {
            remark(&format!("{what}: {}", list.join(between)), out)?;
        }
    }
    Ok(())
}

/// A citation as one looks it up.
fn cited(citation: &Citation) -> String {
    let numbers: Vec<String> = citation.lines.iter().map(u32::to_string).collect();
    let places = if citation.records.is_empty() {
        format!(
            "line{} {}",
            if numbers.len() == 1 { "" } else { "s" },
            numbers.join(", ")
        )
    } else {
        citation.records.join(", ")
    };
    format!("{}: {places}", citation.source)
}

fn heading(name: &str, what: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n{}  {}", painted(STRONG, name), painted(FAINT, what))
}

/// A statement behind its mark.
fn item(mark: &str, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mark = safe(mark);
    let mut lines = wrapped(text, WIDTH - 18).into_iter();
    writeln!(
        out,
        "  {} {}",
        painted(STRONG, &format!("{mark:<15}")),
        lines.next().unwrap_or_default()
    )?;
    for line in lines {
        writeln!(out, "{:18}{line}", "")?;
    }
    Ok(())
}

/// What belongs to the statement above.
fn remark(text: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in wrapped(text, WIDTH - 18) {
        writeln!(out, "{:18}{}", "", painted(FAINT, &line))?;
    }
    Ok(())
}

fn paragraph(text: &str, indent: &str, out: &mut dyn Write) -> io::Result<()> {
    for line in wrapped(text, WIDTH - indent.len()) {
        writeln!(out, "{indent}{line}")?;
    }
    Ok(())
}

/// Text in lines of at most `width` characters, broken between words; a longer word has a line of its own. Statements
/// quote logs, so what could steer a terminal is made visible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in one_line(text).split_whitespace() {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use tertulia_incident::{
        cases::{self, Archive},
        diagnosis, specialists,
    };

    use super::*;

    fn shown(incident: &str) -> (Diagnosis, String) {
        let asked = cases::request(incident).unwrap();
        let logs = specialists::logs(&Archive::Bundled, &asked.for_logs()).unwrap();
        let changes = specialists::deployments(
            &Archive::Bundled,
            &asked.for_deployments(),
            asked.dependencies.clone().unwrap(),
            logs.logs.beginning.onset().map(|onset| onset.at),
        );
        let found = diagnosis::merge(&asked, Some(&logs), Some(&changes.unwrap()));
        let mut text = Vec::new();
        in_full(&found, &mut text).unwrap();
        let text = anstream::adapter::strip_str(&String::from_utf8(text).unwrap()).to_string();
        (found, text)
    }

    #[test]
    fn facts_stand_with_their_evidence_and_apart_from_hypotheses() {
        let (found, text) = shown("INC-42");
        assert!(
            text.starts_with("Diagnosis of INC-42 (checkout): diagnosed\n"),
            "{text}"
        );
        let facts = text.find("\nFacts ").unwrap();
        let hypotheses = text.find("\nHypotheses ").unwrap();
        for finding in &found.findings {
            let at = text.find(&format!("  {} ", finding.id)).unwrap();
            assert!(facts < at && at < hypotheses, "{}", finding.id);
        }
        assert!(text.contains("inc-42/checkout.log: line"), "{text}");
        assert!(text[hypotheses..].contains("confidence "), "{text}");
        let wide = text.lines().find(|line| line.chars().count() > WIDTH);
        assert!(
            wide.is_none_or(|line| line.split_whitespace().any(|word| word.len() > 60)),
            "{wide:?}"
        );
    }

    #[test]
    fn what_is_missing_is_told() {
        let (found, text) = shown("INC-43");
        assert!(
            text.starts_with("Diagnosis of INC-43 (cart): insufficient evidence\n"),
            "{text}"
        );
        let missing = &text[text.find("\nMissing data ").unwrap()..];
        assert_eq!(
            missing.matches("may be found: ").count(),
            found.missing_data.len()
        );
    }

    #[test]
    fn text_is_broken_between_words_and_cannot_steer_a_terminal() {
        assert_eq!(wrapped("a bb ccc\ndddd", 4), ["a bb", "ccc", "dddd"]);
        assert_eq!(wrapped("longer-than-that x", 4), ["longer-than-that", "x"]);
        assert_eq!(wrapped("\u{1b}[2J", 40), ["\\u{1b}[2J"]);
        assert!(wrapped("", 4).is_empty());
    }
}
