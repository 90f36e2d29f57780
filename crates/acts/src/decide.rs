//! Deciding: a command over facts yields changes and an answer. Pure (DESIGN 5).

use crate::{
    command::{Answer, Command},
    digest::Ids,
    facts::{Change, Draft, Facts, Need, Stop},
    receipt::Outcome,
    time::Timestamp,
};

/// A decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// What shall stand.
    pub changes: Vec<Change>,
    /// What the caller is answered, once that is durable.
    pub answer: Answer,
}

/// Why there is no decision.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Undecided {
    /// These are to be loaded first.
    #[error("facts are missing: {0:?}")]
    Missing(Vec<Need>),
    /// The rules contradict the facts.
    #[error("the rules contradict the facts: {0}")]
    Broken(String),
}

/// Decides `command` over `facts` at `now`, drawing ids from a copy of `ids`: decided anew, it draws the same.
///
/// # Errors
/// Facts are missing, or the rules contradict them; then nothing changes.
pub fn decide(
    facts: &Facts,
    command: &Command,
    now: Timestamp,
    ids: &Ids,
) -> Result<Decision, Undecided> {
    let mut draft = Draft::new(facts, now, ids.clone());
    match command.decide(&mut draft) {
        Ok(answer) => Ok(Decision {
            changes: draft.into_changes(),
            answer,
        }),
        Err(Stop::Missing(needs)) => Err(Undecided::Missing(needs)),
        Err(Stop::Broken(why)) => Err(Undecided::Broken(why)),
        Err(Stop::Fault(fault)) => Ok(Decision {
            changes: Vec::new(),
            answer: Answer::Fault(fault),
        }),
        Err(Stop::Refused(refusal)) => {
            let outcome = Outcome::Refused {
                task: None,
                act: None,
                refusal,
            };
            Ok(Decision {
                changes: Vec::new(),
                answer: Answer::first(outcome),
            })
        }
    }
}
