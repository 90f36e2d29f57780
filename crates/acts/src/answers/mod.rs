//! Which act answers which: the table of SEMANTICS 1, read from the rules of the performatives.

mod operation;

use serde::Serialize;

pub use operation::Operation;

use crate::{
    envelope::Refusal,
    performative::{Opens, Performative, Sense, When},
    reason::Reason,
};

/// What an answer would be, as the operation that makes it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answering {
    /// Agrees to a request.
    Agree,
    /// Asks what is meant.
    Clarify,
    /// Tells how far the work is.
    Progress,
    /// Tells the result, and ends the task.
    Result,
    /// Tells what became of work that was cancelled.
    Report,
    /// Does not take it on.
    Refuse,
    /// Gives it up.
    Failure,
    /// Ends a notification.
    Acknowledge,
    /// Offers to do what was called for.
    Propose,
    /// Takes an offer.
    AcceptProposal,
    /// Does not take an offer.
    RejectProposal,
    /// Passes over a turn in a room.
    Abstain,
}

impl Answering {
    /// Every way to answer.
    pub const ALL: &[Self] = &[
        Self::Agree,
        Self::Clarify,
        Self::Progress,
        Self::Result,
        Self::Report,
        Self::Refuse,
        Self::Failure,
        Self::Acknowledge,
        Self::Propose,
        Self::AcceptProposal,
        Self::RejectProposal,
        Self::Abstain,
    ];

    /// The act with which it answers, and in which sense. `None`: `acknowledge` answers nothing; it lets its task end, and
    /// the inform that marks the end has no words.
    #[must_use]
    pub const fn act(self) -> Option<(Performative, Sense)> {
        let act = match self {
            Self::Agree => (Performative::Agree, Sense::Plain),
            Self::Clarify => (Performative::Query, Sense::Clarification),
            Self::Progress => (Performative::Inform, Sense::Progress),
            Self::Result => (Performative::Inform, Sense::Result),
            Self::Report => (Performative::Inform, Sense::Report),
            Self::Refuse => (Performative::Refuse, Sense::Plain),
            Self::Failure => (Performative::Failure, Sense::Plain),
            Self::Acknowledge => return None,
            Self::Propose => (Performative::Propose, Sense::Plain),
            Self::AcceptProposal => (Performative::AcceptProposal, Sense::Plain),
            Self::RejectProposal => (Performative::RejectProposal, Sense::Plain),
            Self::Abstain => (Performative::NoComment, Sense::Plain),
        };
        Some(act)
    }

    /// What its author calls it: the name of the operation, where there is one.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agree => "agree",
            Self::Clarify => "ask",
            Self::Progress => "progress",
            Self::Result => "reply",
            Self::Report => "report",
            Self::Refuse => "decline",
            Self::Failure => "fail",
            Self::Acknowledge => "acknowledge",
            Self::Propose => "propose",
            Self::AcceptProposal => "accept-proposal",
            Self::RejectProposal => "reject-proposal",
            Self::Abstain => "abstain",
        }
    }
}

/// Where the task stands that is to be answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Standing {
    /// Its recipient has agreed.
    pub agreed: bool,
    /// It has ended.
    pub ended: bool,
    /// It is a consultation: whatever was sent, it is stored and answered as a query (SEMANTICS 5).
    pub consulted: bool,
}

/// An answer that the table does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IllegalAnswer {
    /// The act that stands to be answered.
    pub opening: Performative,
    /// Where its task stands.
    pub standing: Standing,
    /// What was tried.
    pub answering: Answering,
}

impl IllegalAnswer {
    /// What would be legal now.
    #[must_use]
    pub fn legal(&self) -> Vec<Answering> {
        legal_answers(self.opening, self.standing)
    }
}

impl std::fmt::Display for IllegalAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            opening,
            standing,
            answering,
        } = self;
        write!(f, "`{}` does not answer ", answering.word())?;
        let vowel = opening.name().starts_with(['a', 'i']);
        let act = format!("{} {opening}", if vowel { "an" } else { "a" });
        let turns_on_agreement = opening
            .rule()
            .answers
            .iter()
            .any(|a| a.when != When::Always);
        match standing {
            Standing { ended: true, .. } => write!(f, "{act} whose task has ended")?,
            Standing {
                consulted: true, ..
            } => f.write_str("a consultation")?,
            Standing { agreed: true, .. } if turns_on_agreement => {
                write!(f, "{act} that was agreed to")?;
            }
            Standing { .. } if turns_on_agreement => {
                write!(f, "{act} that was not agreed to yet")?;
            }
            Standing { .. } => f.write_str(&act)?,
        }
        let words: Vec<String> = self
            .legal()
            .iter()
            .map(|answer| format!("`{}`", answer.word()))
            .collect();
        if words.is_empty() {
            f.write_str(": nothing does")
        } else {
            write!(f, "; legal now: {}", words.join(", "))
        }
    }
}

impl std::error::Error for IllegalAnswer {}

impl From<IllegalAnswer> for Refusal {
    fn from(illegal: IllegalAnswer) -> Self {
        Self::saying(Reason::IllegalAct, illegal.to_string())
            .with("answers", illegal.opening)
            .with("tried", illegal.answering)
            .with("legal", illegal.legal())
    }
}

/// Whether `answering` answers an `opening` act whose task stands like this. The engine's own
/// refuses and failures do not pass here: they may answer any act (SEMANTICS 1).
///
/// # Errors
/// The table does not have it: the act is refused `illegal-act` and changes nothing.
pub fn legal_answer(
    opening: Performative,
    standing: Standing,
    answering: Answering,
) -> Result<(), IllegalAnswer> {
    let rule = if standing.consulted {
        Performative::Query
    } else {
        opening
    }
    .rule();
    let legal = !standing.ended
        && match answering.act() {
            None => rule.opens == Opens::Event,
            Some((performative, sense)) => rule.answers.iter().any(|answer| {
                let now = match answer.when {
                    When::Always => true,
                    When::UntilAgreed => !standing.agreed,
                    When::OnceAgreed => standing.agreed,
                };
                now && answer.performative == performative && answer.sense == sense
            }),
        };
    if legal {
        Ok(())
    } else {
        Err(IllegalAnswer {
            opening,
            standing,
            answering,
        })
    }
}

/// Everything that may answer an `opening` act whose task stands like this.
#[must_use]
pub fn legal_answers(opening: Performative, standing: Standing) -> Vec<Answering> {
    Answering::ALL
        .iter()
        .copied()
        .filter(|answering| legal_answer(opening, standing, *answering).is_ok())
        .collect()
}

/// Whether `answering` may answer an open task. One that was folded is stored as a query, so its
/// `opening` is one.
///
/// # Errors
/// A refusal `illegal-act` that says what would be legal.
pub fn check(opening: Performative, agreed: bool, answering: Answering) -> Result<(), Refusal> {
    let standing = Standing {
        agreed,
        ..Standing::default()
    };
    legal_answer(opening, standing, answering).map_err(Refusal::from)
}

#[cfg(test)]
mod tests;
