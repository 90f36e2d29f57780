//! Gate 10: one conditional or active commitment per (root, debtor, fingerprint) (I10).

use super::{Asked, Verdict};
use crate::{
    commitment::CommitmentStatus,
    envelope::Refusal,
    facts::{Draft, Stop},
    reason::Reason,
};

/// Attaches an equivalent request of the same task; refuses one of another task while the first binds, or while
/// nothing was learnt since it was satisfied.
pub(super) fn judge(d: &Draft<'_>, asked: &Asked<'_>) -> Result<Verdict, Stop> {
    let name = asked.opening.to.name();
    let Some(commitment) = d.owed(asked.root, name, asked.fingerprint)? else {
        return Ok(Verdict::Pass);
    };
    let same = commitment.creditor_task == asked.under.map(crate::task::Task::id);
    let stands = match commitment.status {
        CommitmentStatus::Conditional | CommitmentStatus::Active => {
            if same {
                return Ok(Verdict::Attach(commitment.task));
            }
            true
        }
        CommitmentStatus::Satisfied { evidence } => {
            !same && d.root(asked.root)?.evidence <= evidence
        }
        _ => false,
    };
    if !stands {
        return Ok(Verdict::Pass);
    }
    let task = d.task(commitment.task)?;
    let message = format!(
        "agent:{name} has committed to an equivalent request in this root ({}, {}); read its result there, or send with \
         `not_equivalent` and why it is another thing",
        task.id(),
        task.now.state.name()
    );
    let refusal = Refusal::saying(Reason::AlreadyCommitted, message)
        .with("task", task.id())
        .with("state", task.now.state.name())
        .with("conversation", task.made.conversation)
        .with("commitment", commitment.id);
    Ok(Verdict::Refuse(refusal))
}
