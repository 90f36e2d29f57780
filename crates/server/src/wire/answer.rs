//! Answers to asks.

use serde::{Deserialize, Serialize};
use tertulia_acts::{
    command::{AnswerAsk, Words},
    ids::AskId,
};
use utoipa::ToSchema;

use super::{
    member,
    object::object,
    part::{PartIn, body, words},
};
use crate::problem::Problem;

/// The answer of a principal, or that there will be none.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
#[schema(as = Answer)]
pub(crate) struct AnswerIn {
    /// Whether the question is not answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refuse: bool,
    /// The answer, or why there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartIn>,
}

/// The answer of an agent at work.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct HopAnswer {
    /// The ask.
    #[schema(value_type = String)]
    ask: AskId,
    /// Whether the question is not answered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    refuse: bool,
    /// The answer, or why there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartIn>,
}

fn said(at: &str, refuse: bool, parts: Vec<PartIn>) -> Result<Words, Problem> {
    let place = member(at, "parts");
    if refuse {
        body(&place, parts).map(Words::Refuse)
    } else {
        words(&place, parts).map(Words::Inform)
    }
}

impl AnswerIn {
    /// A principal's answer to `ask`.
    pub(crate) fn into_command(
        self,
        ask: AskId,
        key: Option<String>,
    ) -> Result<AnswerAsk, Problem> {
        let words = said("", self.refuse, self.parts)?;
        Ok(AnswerAsk {
            ask: Some(ask),
            task: None,
            words,
            key,
        })
    }
}

impl HopAnswer {
    /// The answer of an agent at work.
    pub(super) fn into_command(self, at: &str) -> Result<AnswerAsk, Problem> {
        let words = said(at, self.refuse, self.parts)?;
        Ok(AnswerAsk {
            ask: Some(self.ask),
            task: None,
            words,
            key: None,
        })
    }
}

object!(AnswerIn, HopAnswer);
