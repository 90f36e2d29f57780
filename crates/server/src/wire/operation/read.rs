//! Reading the body of an operation, from a call of its own or from a member of a batch.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tertulia_acts::{
    answers::Operation,
    command::{AskUp, Decline, HopOperation, Reply},
    digest::Digest,
};

use super::{
    AskIn, DeclineIn, DelegateAllIn, FailIn, Nothing, ParkIn, ProgressIn, RecordIn, ReplyIn, one_of,
};
use crate::{
    body as reading,
    problem::Problem,
    wire::{
        answer::HopAnswer,
        artifact::artifacts,
        member,
        opening::OpeningIn,
        part::{body, words},
        shallow, span,
    },
};

/// Where the body of an operation is read from.
pub(crate) enum Source<'a> {
    /// The body of the call.
    Bytes(&'a [u8]),
    /// A member of a batch, which stands at `at`.
    Member {
        /// Where.
        at: &'a str,
        /// What.
        value: Value,
    },
}

/// An operation as it was sent.
pub(crate) struct Sent {
    /// What is done.
    pub(crate) operation: HopOperation,
    /// The digest of the operation and its arguments (SEMANTICS 4).
    pub(crate) content: Digest,
}

/// The operation of that name.
pub(crate) fn named(place: &str, name: &str) -> Result<Operation, Problem> {
    Operation::ALL
        .iter()
        .copied()
        .find(|operation| operation.name() == name)
        .ok_or_else(|| {
            let names: Vec<&str> = Operation::ALL
                .iter()
                .map(|operation| operation.name())
                .collect();
            let name: String = name.chars().take(40).collect();
            let what = format!(
                "`{name}` is no operation: expected one of {}",
                names.join(", ")
            );
            Problem::malformed(place, what)
        })
}

impl Source<'_> {
    const fn at(&self) -> &str {
        match self {
            Self::Bytes(_) => "",
            Self::Member { at, .. } => at,
        }
    }

    fn read<T: DeserializeOwned + Serialize>(self, name: &str) -> Result<(T, Digest), Problem> {
        let read: T = match self {
            Self::Bytes([]) => reading::json(b"{}")?,
            Self::Bytes(bytes) => reading::json(bytes)?,
            Self::Member { at, value } => reading::value(at, value)?,
        };
        // Read and written again, equal arguments have equal bytes: maps are sorted, and what is not said is left out.
        let canonical = serde_json::to_vec(&read).map_err(Problem::internal)?;
        Ok((read, Digest::of_all([name.as_bytes(), &canonical])))
    }
}

/// Reads the body of an operation.
pub(crate) fn read(operation: Operation, source: Source<'_>) -> Result<Sent, Problem> {
    let name = operation.name();
    let at = source.at().to_owned();
    let place = |name: &str| member(&at, name);
    let (operation, content) = match operation {
        Operation::Agree => bare(source, name, HopOperation::Agree)?,
        Operation::Release => bare(source, name, HopOperation::Release)?,
        Operation::Acknowledge => bare(source, name, HopOperation::Acknowledge)?,
        Operation::Abstain => bare(source, name, HopOperation::Abstain)?,
        Operation::Progress => {
            let (given, content) = source.read::<ProgressIn>(name)?;
            (HopOperation::Progress(given.into_command(&at)?), content)
        }
        Operation::Delegate => {
            let (given, content) = source.read::<OpeningIn>(name)?;
            (
                HopOperation::Delegate(Box::new(given.into_opening(&at)?)),
                content,
            )
        }
        Operation::DelegateAll => {
            let (given, content) = source.read::<DelegateAllIn>(name)?;
            (HopOperation::DelegateAll(given.into_command(&at)?), content)
        }
        Operation::Record => {
            let (given, content) = source.read::<RecordIn>(name)?;
            let missing = || Problem::malformed(&at, "missing field `value`");
            let value = given.value.ok_or_else(missing)?;
            shallow(&place("value"), &value)?;
            (HopOperation::Record(value), content)
        }
        Operation::Ask => {
            let (given, content) = source.read::<AskIn>(name)?;
            let body = words(&place("parts"), given.parts)?;
            let within = span(&place("deadline_ms"), given.deadline_ms)?;
            (HopOperation::Ask(AskUp { body, within }), content)
        }
        Operation::Answer => {
            let (given, content) = source.read::<HopAnswer>(name)?;
            (HopOperation::Answer(given.into_command(&at)?), content)
        }
        Operation::Park => {
            let (given, content) = source.read::<ParkIn>(name)?;
            (HopOperation::Park(given.into_wait(&at)?), content)
        }
        Operation::Reply => {
            let (given, content) = source.read::<ReplyIn>(name)?;
            let body = body(&place("parts"), given.parts)?;
            let artifacts = artifacts(&place("artifacts"), given.artifacts)?;
            (HopOperation::Reply(Reply { body, artifacts }), content)
        }
        Operation::Decline => {
            let (given, content) = source.read::<DeclineIn>(name)?;
            let reason = one_of(&place("reason"), given.reason, Decline::REASONS)?;
            let body = body(&place("parts"), given.parts)?;
            (HopOperation::Decline(Decline { reason, body }), content)
        }
        Operation::Fail => {
            let (given, content) = source.read::<FailIn>(name)?;
            (HopOperation::Fail(given.into_command(&at)?), content)
        }
    };
    Ok(Sent { operation, content })
}

fn bare(
    source: Source<'_>,
    name: &str,
    operation: HopOperation,
) -> Result<(HopOperation, Digest), Problem> {
    let (Nothing {}, content) = source.read(name)?;
    Ok((operation, content))
}
