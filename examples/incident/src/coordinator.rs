//! The coordinator's part that is rules: what it knows at a moment, and what it answers when a
//! specialist asks back.
//!
//! A specialist reaches it in two ways. A *clarification* is answered while it waits for reports. A
//! delegation from a specialist back to it is folded by the engine into a read-only consultation;
//! [`consult`] answers that from the knowledge last written into the conversation.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::investigation::{Investigation, Window};
use crate::logs::LogReport;
use crate::onset::Beginning;

/// The name of the agent.
pub const AGENT: &str = "coordinator";

/// What a specialist asks that found its request to agent:logs already made by the coordinator.
pub const ONSET_QUESTION: &str = "what onset time is known so far?";

/// What the coordinator knows. It writes this as progress when it begins and whenever it learns
/// something, so that a consultation can read it from the history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// The incident.
    pub incident: String,
    /// The service with the symptom.
    pub service: String,
    /// The services that it calls, if the request names them.
    pub dependencies: Option<Vec<String>>,
    /// The time in question.
    pub window: Window,
    /// How the errors began, once agent:logs has reported.
    pub beginning: Option<Beginning>,
}

impl Known {
    /// What is known from the request alone.
    pub fn at_first(asked: &Investigation) -> Self {
        Self {
            incident: asked.incident.clone(),
            service: asked.service.clone(),
            dependencies: asked.dependencies.clone(),
            window: asked.window,
            beginning: None,
        }
    }

    /// Adds what agent:logs reported.
    pub fn with_logs(mut self, report: &LogReport) -> Self {
        self.beginning = Some(report.logs.beginning.clone());
        self
    }
}

/// An answer of the coordinator: a sentence, and the same in values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The sentence.
    pub text: String,
    /// When the errors began, if asked and known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub onset: Option<Timestamp>,
    /// The dependencies, if asked and known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependencies: Option<Vec<String>>,
    /// The time in question, if asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
}

/// Answers a question about the state of the investigation, in a clarification or a consultation.
/// None if no rule fits: then the coordinator declines, or asks the one who asked it.
pub fn consult(known: &Known, question: &str) -> Option<Answer> {
    let question = question.to_lowercase();
    let mut answers = Vec::new();
    if question.contains("onset") {
        answers.push(onset(known));
    }
    if question.contains("dependenc") {
        answers.push(dependencies(known)?);
    }
    if question.contains("window") {
        let Window { from, to } = known.window;
        let text = format!("the window of {} is {from} to {to}", known.incident);
        answers.push(Answer {
            text,
            window: Some(known.window),
            ..Answer::default()
        });
    }
    answers.into_iter().reduce(|a, b| Answer {
        text: format!("{}; {}", a.text, b.text),
        onset: a.onset.or(b.onset),
        dependencies: a.dependencies.or(b.dependencies),
        window: a.window.or(b.window),
    })
}

fn onset(known: &Known) -> Answer {
    let service = &known.service;
    match &known.beginning {
        Some(Beginning::Seen(onset)) => Answer {
            text: format!("errors of {service} began at {}", onset.at),
            onset: Some(onset.at),
            ..Answer::default()
        },
        Some(Beginning::BeforeTheEvidence { evidence_from, .. }) => Answer {
            text: format!(
                "unknown: errors of {service} were already coming when the log begins at {evidence_from}"
            ),
            ..Answer::default()
        },
        Some(Beginning::NotSeen) => Answer {
            text: format!("unknown: the log shows no rise of errors of {service}"),
            ..Answer::default()
        },
        None => Answer {
            text: "not known yet: agent:logs has not reported".to_owned(),
            ..Answer::default()
        },
    }
}

/// None if the request did not say: the coordinator must not invent them.
fn dependencies(known: &Known) -> Option<Answer> {
    let dependencies = known.dependencies.clone()?;
    let named = if dependencies.is_empty() {
        "none".to_owned()
    } else {
        dependencies.join(", ")
    };
    let text = format!("dependencies of {}: {named}", known.service);
    Some(Answer {
        text,
        dependencies: Some(dependencies),
        ..Answer::default()
    })
}
