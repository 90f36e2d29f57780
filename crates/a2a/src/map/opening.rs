//! A message as an act: one that opens a task, or the answer to a question.

use tertulia_acts::{
    command::{AnswerAsk, Opening, Place, Words},
    envelope::Refusal,
    ids::TaskId,
    limits::{ARTIFACT_BYTES, ARTIFACTS},
    party::Party,
    performative::Performative,
    time::Millis,
};

use super::{Claimed, parts_in};
use crate::wire::{A2aError, ErrorKind, FieldViolation, Message};

/// A message and what it claims.
#[derive(Debug)]
pub struct Said {
    /// The message.
    pub message: Message,
    /// What it claims in the extension.
    pub claimed: Claimed,
    /// The key that makes it safe to repeat.
    pub key: Option<String>,
}

/// The act that a message opens at `to`: a request, unless it says otherwise.
///
/// # Errors
/// [`ErrorKind::InvalidParams`] or [`ErrorKind::TooLarge`] for files beyond the limits.
pub fn opening(said: Said, to: Party, place: Place) -> Result<Opening, A2aError> {
    let Said {
        message, claimed, ..
    } = said;
    let (body, artifacts) = parts_in(message.parts);
    if artifacts.len() > ARTIFACTS {
        return Err(A2aError::invalid_params(vec![FieldViolation {
            field: "message.parts".to_owned(),
            description: format!("bring {} files; the limit is {ARTIFACTS}", artifacts.len()),
        }]));
    }
    if let Some(large) = artifacts
        .iter()
        .find(|artifact| artifact.bytes().len() > ARTIFACT_BYTES)
    {
        let message = format!(
            "a file of {} bytes exceeds the limit of {ARTIFACT_BYTES}; send it by url",
            large.bytes().len()
        );
        return Err(A2aError::new(ErrorKind::TooLarge, message));
    }
    let performative = claimed.performative.unwrap_or(Performative::Request);
    let contract = claimed.contract.unwrap_or_default();
    let mut opening = Opening::new(performative, to, body, contract).bringing(artifacts);
    opening.within = claimed.deadline_ms.map(Millis);
    opening.place = place;
    opening.work_id = claimed.work_id;
    opening.parent_work_id = claimed.parent_work_id;
    opening.not_equivalent = claimed.not_equivalent;
    Ok(opening)
}

/// Why a message is no answer.
#[derive(Debug)]
pub enum Unfit {
    /// It is an act that answers no question.
    Refused(Refusal),
    /// It cannot be taken in.
    Error(A2aError),
}

/// The answer that a message gives to the question of `task`: an inform, or a refuse if it says so.
///
/// # Errors
/// It is another kind of act, or brings files: those come with requests only.
pub fn answer(said: Said, task: TaskId) -> Result<AnswerAsk, Unfit> {
    let (body, artifacts) = parts_in(said.message.parts);
    if !artifacts.is_empty() {
        let message = "an answer holds text, data and references by url; send files with a request";
        return Err(Unfit::Error(A2aError::new(
            ErrorKind::ContentTypeNotSupported,
            message,
        )));
    }
    let performative = said.claimed.performative.unwrap_or(Performative::Inform);
    let words = Words::of(performative, body)
        .map_err(|refusal| Unfit::Refused(refusal.with("task", task)))?;
    Ok(AnswerAsk {
        ask: said.claimed.ask,
        task: Some(task),
        words,
        key: said.key,
    })
}
