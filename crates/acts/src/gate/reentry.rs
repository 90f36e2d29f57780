//! Gate 5: a loop is the same processing decision again: same agent, same fingerprint, nothing new. Re-entry into an
//! agent that is still at work above, with something else, is folded (SEMANTICS 5).

use super::{Asked, Verdict};
use crate::{
    envelope::Refusal,
    facts::{Draft, Stop},
    reason::Reason,
};

/// Looks for the nearest hop above of the agent that is asked.
pub(super) fn judge(d: &Draft<'_>, asked: &Asked<'_>) -> Result<Verdict, Stop> {
    let name = asked.opening.to.name();
    let Some(ancestor) = asked.genealogy.nearest(name) else {
        return Ok(Verdict::Pass);
    };
    let task = d.task(ancestor.task)?;
    if !task.is_open() {
        return Ok(Verdict::Pass);
    }
    let learnt = d.root(asked.root)?.evidence > ancestor.evidence;
    if ancestor.fingerprint == asked.opening.fingerprint() && !learnt {
        let message = format!(
            "agent:{name} is at work on the same thing above ({}), and nothing was learnt since; use what you have, or ask \
             for something else",
            task.id()
        );
        let refusal = Refusal::saying(Reason::Loop, message)
            .with("task", task.id())
            .with("state", task.now.state.name())
            .with("conversation", task.made.conversation)
            .with("hop", ancestor.hop);
        return Ok(Verdict::Refuse(refusal));
    }
    let version = d.version(asked.tenant, name, ancestor.version)?;
    if version.is_some_and(|version| version.definition.runner.is_remote()) {
        let message = format!(
            "agent:{name} is at work above and remote: it cannot be consulted; use what you have"
        );
        return Ok(Verdict::Refuse(
            Refusal::saying(Reason::CannotFold, message).with("task", task.id()),
        ));
    }
    Ok(Verdict::Fold(ancestor.clone()))
}
