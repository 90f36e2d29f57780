//! The operations under a hop token. The performative follows from the operation (SEMANTICS 1).

mod read;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tertulia_acts::{
    command::{DelegateAll, Fail, Progress},
    group::GroupMode,
    hop::Wait,
    ids::{AskId, GroupId, TaskId},
    limits::{DESCRIPTION_BYTES, FAN_OUT},
    reason::Reason,
};
use utoipa::ToSchema;

pub(crate) use self::read::{Sent, Source, named, read};
use super::{
    artifact::ArtifactIn,
    member,
    object::object,
    opening::OpeningIn,
    part::{PartIn, body, words},
    present, span,
};
use crate::problem::Problem;

/// An operation without arguments.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct Nothing {}

/// `progress`: what it tells.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct ProgressIn {
    parts: Vec<PartIn>,
    /// Whether it waits for a credential, out of band: the task is then `awaiting-authorization`, until a progress
    /// without this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    needs_credential: bool,
}

impl ProgressIn {
    fn into_command(self, at: &str) -> Result<Progress, Problem> {
        Ok(Progress {
            body: words(&member(at, "parts"), self.parts)?,
            needs_credential: self.needs_credential,
        })
    }
}

/// `delegate_all`: several opening acts at once, as one group.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct DelegateAllIn {
    /// The opening acts.
    branches: Vec<OpeningIn>,
    /// When the sender goes on.
    mode: Mode,
    /// When it goes on with what there is, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline_ms: Option<u64>,
    /// Whether branches that are open then go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    keep_rest: bool,
}

/// When the sender of a fan-out goes on: at `each` end, when `all` have ended, or when so many results are there.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mode {
    /// At each end.
    Each,
    /// When all have ended.
    All,
    /// When so many results are there.
    Quorum(u32),
}

/// `record`: a result of the handler's own.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct RecordIn {
    /// Any JSON, `null` too.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Value, required)]
    value: Option<Value>,
}

/// `ask`: a question to whoever made the request.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct AskIn {
    /// The question.
    parts: Vec<PartIn>,
    /// How long it waits, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deadline_ms: Option<u64>,
}

/// `park`: what is waited for: `tasks`, a `group`, or an `ask`.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct ParkIn {
    /// All of these to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    tasks: Option<Vec<TaskId>>,
    /// This to fire or, in the mode `each`, more than `seen` of its branches to have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    group: Option<GroupId>,
    /// Ends of the group that the handler has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seen: Option<u32>,
    /// This to be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    ask: Option<AskId>,
}

/// `reply`: the result.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct ReplyIn {
    /// In these words.
    parts: Vec<PartIn>,
    /// With these artifacts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    artifacts: Vec<ArtifactIn>,
}

/// `decline`: the task is not taken on.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct DeclineIn {
    /// Why, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartIn>,
    /// Why, as a code: `declined` (default), `no-consult`, `peer-refused`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    reason: Option<Reason>,
}

/// `fail`: the task, or this attempt at it, is given up.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub(crate) struct FailIn {
    /// Whether another attempt is to be made.
    #[serde(default)]
    retry: bool,
    /// What the sender is told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    parts: Vec<PartIn>,
    /// What went wrong, for those who keep the agent running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// Why, as a code: `gave-up` (default), `outcome-unknown`, `peer-cancelled`, `peer-failed`, `peer-nonsense`,
    /// `peer-unreachable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    reason: Option<Reason>,
}

/// One of those that are the caller's to say, told with its place; acts judges it too.
fn one_of(place: &str, reason: Option<Reason>, may: &[Reason]) -> Result<Reason, Problem> {
    let reason = reason.unwrap_or(may[0]);
    if may.contains(&reason) {
        return Ok(reason);
    }
    let codes: Vec<&str> = may.iter().map(|reason| reason.code()).collect();
    let what = format!(
        "`{reason}` is not yours to say: expected one of {}",
        codes.join(", ")
    );
    Err(Problem::malformed(place, what))
}

impl DelegateAllIn {
    fn into_command(self, at: &str) -> Result<DelegateAll, Problem> {
        // More branches than there may be are a decision of governance (`breadth`); without end they are not.
        if self.branches.len() > FAN_OUT * 4 {
            let what = format!("at most {FAN_OUT} branches can be made");
            return Err(Problem::malformed(&member(at, "branches"), what));
        }
        let within = span(&member(at, "deadline_ms"), self.deadline_ms)?;
        let branches = self.branches.into_iter().enumerate();
        let branches =
            branches.map(|(i, branch)| branch.into_opening(&member(at, &format!("branches[{i}]"))));
        let mode = match self.mode {
            Mode::Each => GroupMode::Each,
            Mode::All => GroupMode::All,
            Mode::Quorum(results) => GroupMode::Quorum(results),
        };
        Ok(DelegateAll {
            branches: branches.collect::<Result<_, _>>()?,
            mode,
            within,
            keep_rest: self.keep_rest,
        })
    }
}

impl ParkIn {
    fn into_wait(self, at: &str) -> Result<Wait, Problem> {
        match (self.tasks, self.group, self.seen, self.ask) {
            (Some(tasks), None, None, None) => Ok(Wait::Tasks { tasks }),
            (None, Some(group), seen, None) => Ok(Wait::Group {
                group,
                seen: seen.unwrap_or_default(),
            }),
            (None, None, None, Some(ask)) => Ok(Wait::Ask { ask }),
            _ => {
                let what = "expected one of `tasks`, `group` (with `seen`) and `ask`";
                Err(Problem::malformed(at, what))
            }
        }
    }
}

impl FailIn {
    fn into_command(self, at: &str) -> Result<Fail, Problem> {
        let error = self.error.unwrap_or_default();
        if error.len() > DESCRIPTION_BYTES {
            let what = format!(
                "{} bytes, and at most {DESCRIPTION_BYTES} are taken",
                error.len()
            );
            return Err(Problem::malformed(&member(at, "error"), what));
        }
        let reason = one_of(&member(at, "reason"), self.reason, Fail::REASONS)?;
        let body = body(&member(at, "parts"), self.parts)?;
        Ok(Fail {
            retry: self.retry,
            reason,
            error,
            body,
        })
    }
}

object!(
    Nothing,
    ProgressIn,
    DelegateAllIn,
    RecordIn,
    AskIn,
    ParkIn,
    ReplyIn,
    DeclineIn,
    FailIn
);
