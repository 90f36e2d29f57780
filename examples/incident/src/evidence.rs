//! Pointing at evidence: digests, citations, findings and what is missing. Shared by the reports of
//! the specialists and the diagnosis.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::investigation::Source;

/// Most lines one citation names; a reader needs a few to check a statement, not hundreds.
pub const CITED_LINES_MAX: usize = 8;

/// The digest of evidence as it is written in references: `sha256:` and hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(bytes)))
}

/// A reference from a statement to the evidence it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Citation {
    /// The `uri` of the source.
    pub source: String,
    /// The digest of the whole source, so that the line numbers mean what they meant.
    pub digest: String,
    /// Line numbers from 1, for a log window.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    /// Ids of records, for a deployment history.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<String>,
}

impl Citation {
    /// Cites lines of a log window: the first [`CITED_LINES_MAX`] of them, in order.
    pub fn lines(source: &Source, lines: impl IntoIterator<Item = u32>) -> Self {
        let mut lines: Vec<u32> = lines.into_iter().collect();
        lines.sort_unstable();
        lines.dedup();
        lines.truncate(CITED_LINES_MAX);
        Self {
            source: source.uri.clone(),
            digest: source.digest.clone(),
            lines,
            records: Vec::new(),
        }
    }

    /// Cites records of a deployment history.
    pub fn records(source: &Source, records: impl IntoIterator<Item = String>) -> Self {
        let records = records.into_iter().collect();
        Self {
            source: source.uri.clone(),
            digest: source.digest.clone(),
            lines: Vec::new(),
            records,
        }
    }
}

/// A fact: something the evidence shows, with where it shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Unique within a diagnosis, such as `logs-1`.
    pub id: String,
    /// The fact in a sentence. Text quoted from a log in it is foreign data.
    pub statement: String,
    /// Where it can be checked; never empty.
    pub evidence: Vec<Citation>,
    /// When what it states happened (not when it was found).
    pub observed_at: Timestamp,
    /// The agent that found it.
    pub author: String,
}

/// Something that was looked for and is not there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// What is missing, with its bounds.
    pub what: String,
    /// Which question stays open without it.
    pub why_it_matters: String,
    /// Who or what could supply it.
    pub where_to_look: String,
}

/// Collects the findings of one specialist and numbers them.
pub(crate) struct Findings {
    author: &'static str,
    found: Vec<Finding>,
}

impl Findings {
    /// Begins the list of `author`, which is the plain name of an agent.
    pub(crate) fn of(author: &'static str) -> Self {
        Self {
            author,
            found: Vec::new(),
        }
    }

    /// Adds a fact and returns its id.
    pub(crate) fn add(
        &mut self,
        statement: String,
        citation: Citation,
        observed_at: Timestamp,
    ) -> String {
        let id = format!("{}-{}", self.author, self.found.len() + 1);
        self.found.push(Finding {
            id: id.clone(),
            statement,
            evidence: vec![citation],
            observed_at,
            author: format!("agent:{}", self.author),
        });
        id
    }

    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.found
    }
}
