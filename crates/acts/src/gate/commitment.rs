//! Gate 10: one conditional or active commitment per (root, debtor, fingerprint) (I10).

use super::{Asked, Verdict};
use crate::{
    commitment::{Commitment, CommitmentStatus},
    envelope::Refusal,
    facts::{Draft, Stop},
    reason::Reason,
    task::Task,
};

/// Attaches an equivalent request of the same task; refuses one of another task while any commitment to it binds, or
/// while nothing was learnt since one was satisfied.
pub(super) fn judge(d: &Draft<'_>, asked: &Asked<'_>) -> Result<Verdict, Stop> {
    let name = asked.opening.to.name();
    let owed = d.owed(asked.root, name, asked.opening.fingerprint())?;
    let mine = asked.under.map(Task::id);
    if let Some(binding) = owed.iter().find(|row| row.status.binds()) {
        if binding.creditor_task == mine {
            return Ok(Verdict::Attach(binding.task));
        }
        return refuse(d, name, binding).map(Verdict::Refuse);
    }
    let evidence = d.root(asked.root)?.evidence;
    let answered = |row: &&Commitment| {
        row.creditor_task != mine
            && matches!(row.status, CommitmentStatus::Satisfied { evidence: then } if evidence <= then)
    };
    match owed.iter().rev().find(answered) {
        Some(satisfied) => refuse(d, name, satisfied).map(Verdict::Refuse),
        None => Ok(Verdict::Pass),
    }
}

/// Says where the same is worked on, or was.
fn refuse(d: &Draft<'_>, name: &str, commitment: &Commitment) -> Result<Refusal, Stop> {
    let task = d.task(commitment.task)?;
    let message = format!(
        "agent:{name} has committed to an equivalent request in this root ({}, {}); read its result there, or send with \
         `not_equivalent` and why it is another thing",
        task.id(),
        task.now.state.name()
    );
    Ok(Refusal::saying(Reason::AlreadyCommitted, message)
        .with("task", task.id())
        .with("state", task.now.state.name())
        .with("conversation", task.made.conversation)
        .with("commitment", commitment.id))
}
