//! Steps: how they are named, and which of them an earlier run has made (SEMANTICS 4).

use std::collections::HashMap;

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::wire::{Receipt, RecordedStep};

/// Names the steps of one run of the handler.
#[derive(Debug, Default)]
pub(crate) struct StepNames {
    /// How often a content occurred, and which names were given, by what they are recorded as.
    occurrences: HashMap<String, u32>,
}

/// A step that was given a name which another one of the same run has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameTaken;

impl StepNames {
    /// The name of a step: `key` if there is one, which no other step of the run may have; else the digest of the
    /// operation and of its arguments as sent, with how often they occurred in this run.
    ///
    /// Each question that is handled has names of its own: the engine scopes them by the ask.
    pub(crate) fn name(
        &mut self,
        key: Option<&str>,
        operation: &str,
        body: &Value,
        handling: Option<&str>,
    ) -> Result<String, NameTaken> {
        let base = key.map_or_else(|| digest(operation, body), str::to_owned);
        let occurrence = self
            .occurrences
            .entry(recorded_as(handling, &base))
            .or_default();
        *occurrence += 1;
        match (key, *occurrence) {
            (None, n) => Ok(format!("{base}/{n}")),
            (Some(_), 1) => Ok(base),
            (Some(_), _) => Err(NameTaken),
        }
    }
}

/// What a step called `name` is recorded as, if it is made while the question `handling` is answered.
pub(crate) fn recorded_as(handling: Option<&str>, name: &str) -> String {
    match handling {
        Some(ask) => format!("{ask}/{name}"),
        None => name.to_owned(),
    }
}

/// `delegate/<32 hex digits>`. Members of objects are sorted, so equal arguments are equal bytes.
fn digest(operation: &str, body: &Value) -> String {
    let mut hasher = Sha256::new();
    hasher.update(operation.as_bytes());
    hasher.update([0]);
    hasher.update(body.to_string().as_bytes());
    let digest = hasher.finalize();
    format!("{operation}/{}", hex::encode(&digest[..16]))
}

/// The steps that earlier runs have made, and how far this run has read them.
#[derive(Debug, Default)]
pub(crate) struct RecordedSteps {
    steps: HashMap<String, Recorded>,
    /// Ordinals of what was read and what the server was not told of for certain.
    read: Vec<u32>,
}

#[derive(Debug)]
struct Recorded {
    ordinal: u32,
    handling: Option<String>,
    receipt: Receipt,
    read: bool,
}

/// What a run left unread that made a new step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unread {
    /// How many.
    pub(crate) count: usize,
    /// The first of them.
    pub(crate) first: String,
}

impl RecordedSteps {
    pub(crate) fn new(steps: Vec<RecordedStep>) -> Self {
        let steps = steps.into_iter().map(|step| {
            // An answer is made once, in the run that the question came to, and never read again.
            let read = matches!(step.receipt, Receipt::Answered { .. });
            let recorded = Recorded {
                ordinal: step.ordinal,
                handling: step.handling,
                receipt: step.receipt,
                read,
            };
            (step.name, recorded)
        });
        Self {
            steps: steps.collect(),
            read: Vec::new(),
        }
    }

    /// Reads the step called `name`, if it was made.
    pub(crate) fn read(&mut self, name: &str) -> Option<Receipt> {
        let step = self.steps.get_mut(name)?;
        if !step.read {
            step.read = true;
            if step.handling.is_none() {
                self.read.push(step.ordinal);
            }
        }
        Some(step.receipt.clone())
    }

    /// Looks at the step called `name` without reading it.
    pub(crate) fn look_at(&self, name: &str) -> Option<&Receipt> {
        self.steps.get(name).map(|step| &step.receipt)
    }

    /// What this run has not come to yet: of the handler or, in a handling, of that handling.
    pub(crate) fn unread(&self, handling: Option<&str>) -> Option<Unread> {
        let unread = || {
            self.steps
                .iter()
                .filter(|(_, step)| !step.read && step.handling.as_deref() == handling)
        };
        let (first, _) = unread().min_by_key(|(_, step)| step.ordinal)?;
        Some(Unread {
            count: unread().count(),
            first: first.clone(),
        })
    }

    /// The ordinals to tell the server.
    pub(crate) fn ordinals(&self) -> &[u32] {
        &self.read
    }

    /// A new step of the handler was accepted, so the server knows that all were read.
    pub(crate) fn all_read(&mut self) {
        self.read.clear();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(name: &str, ordinal: u32, handling: Option<&str>) -> RecordedStep {
        RecordedStep {
            name: name.to_owned(),
            ordinal,
            handling: handling.map(str::to_owned),
            receipt: Receipt::Said { act: None },
        }
    }

    fn named(names: &mut StepNames, operation: &str, body: &Value, ask: Option<&str>) -> String {
        names.name(None, operation, body, ask).unwrap()
    }

    #[test]
    fn the_default_name_is_made_of_operation_arguments_and_occurrence() {
        let (mut first, mut again) = (StepNames::default(), StepNames::default());
        let body = json!({"parts": [{"text": "half way"}], "a": 1});
        let same = json!({"a": 1, "parts": [{"text": "half way"}]});
        let one = named(&mut first, "progress", &body, None);
        let two = named(&mut first, "progress", &same, None);
        assert!(one.starts_with("progress/") && one.ends_with("/1"), "{one}");
        assert_eq!(one.strip_suffix('1'), two.strip_suffix('2'));
        assert_eq!(named(&mut again, "progress", &same, None), one);
        let digest = |name: &str| name.split('/').nth(1).map(str::to_owned);
        let other = named(&mut again, "record", &body, None);
        assert_ne!(digest(&other), digest(&one), "the operation counts");
        let other = named(&mut again, "progress", &json!({"a": 2}), None);
        assert!(digest(&other) != digest(&one) && other.ends_with("/1"));
    }

    #[test]
    fn a_name_of_ones_own_is_given_once_in_a_run() {
        let mut names = StepNames::default();
        let mut give = |ask| names.name(Some("plan"), "record", &json!({}), ask);
        assert_eq!(give(None), Ok("plan".to_owned()));
        assert_eq!(give(None), Err(NameTaken));
        assert_eq!(give(Some("ask_1")), Ok("plan".to_owned()), "another scope");
    }

    #[test]
    fn a_handling_counts_for_itself_and_is_recorded_under_its_ask() {
        let mut names = StepNames::default();
        let plain = named(&mut names, "agree", &json!({}), None);
        let handling = named(&mut names, "agree", &json!({}), Some("ask_1"));
        assert_eq!(handling, plain);
        assert_eq!(recorded_as(Some("ask_1"), &plain), format!("ask_1/{plain}"));
        assert_eq!(recorded_as(None, &plain), plain);
    }

    #[test]
    fn a_default_name_fits_where_a_key_fits() {
        let name = named(
            &mut StepNames::default(),
            "delegate_all",
            &json!({}),
            Some("ask_1"),
        );
        assert!(name.len() <= 200, "{}", name.len());
    }

    #[test]
    fn a_step_is_read_once_and_its_ordinal_told_until_the_server_knows() {
        let mut steps = RecordedSteps::new(vec![said("a", 1, None), said("b", 2, None)]);
        assert_eq!(steps.unread(None).map(|unread| unread.count), Some(2));
        assert!(steps.read("b").is_some() && steps.read("b").is_some());
        assert!(steps.read("c").is_none());
        assert_eq!(steps.ordinals(), [2]);
        let unread = Unread {
            count: 1,
            first: "a".to_owned(),
        };
        assert_eq!(steps.unread(None), Some(unread));
        assert!(steps.read("a").is_some());
        assert_eq!((steps.unread(None), steps.ordinals()), (None, &[2, 1][..]));
        steps.all_read();
        assert!(steps.ordinals().is_empty());
    }

    #[test]
    fn handlings_and_answers_do_not_count_as_unread_steps_of_the_handler() {
        let answer = RecordedStep {
            receipt: Receipt::Answered {
                ask: None,
                act: None,
            },
            ..said("answer/ask_1", 2, None)
        };
        let mut steps = RecordedSteps::new(vec![said("ask_1/x", 1, Some("ask_1")), answer]);
        assert_eq!(steps.unread(None), None);
        assert_eq!(steps.unread(Some("ask_2")), None);
        assert_eq!(
            steps.unread(Some("ask_1")).map(|unread| unread.first),
            Some("ask_1/x".to_owned())
        );
        assert!(steps.read("ask_1/x").is_some());
        assert!(steps.ordinals().is_empty());
    }
}
