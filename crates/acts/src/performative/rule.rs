//! The shape of a rule: one row of the table of acts (SEMANTICS 1).

use super::Performative;

/// What an act may open where nothing stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    /// Nothing: it only ever answers or moves what stands.
    Never,
    /// A task that ends with an answer.
    Task,
    /// A notification: to an agent a task that ends by `acknowledge`, to a principal an entry of
    /// the inbox.
    Event,
}

/// In which sense an act answers: `inform` and `query` have more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// What its name says.
    Plain,
    /// A query back: what do you mean?
    Clarification,
    /// An inform before the end, any number of them.
    Progress,
    /// The one inform that ends the task.
    Result,
    /// What became of the work that a cancel took back (SEMANTICS 9).
    Report,
}

/// When an answer is legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// As long as the task is open.
    Always,
    /// Until the recipient agreed.
    UntilAgreed,
    /// Once the recipient agreed.
    OnceAgreed,
}

/// A legal answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The performative of the answer.
    pub performative: Performative,
    /// The sense in which it answers.
    pub sense: Sense,
    /// When it is legal.
    pub when: When,
}

impl Answer {
    /// An answer that is what its name says.
    pub(super) const fn plain(performative: Performative, when: When) -> Self {
        Self {
            performative,
            sense: Sense::Plain,
            when,
        }
    }

    /// An answer in a certain sense, legal as long as the task is open.
    pub(super) const fn always(performative: Performative, sense: Sense) -> Self {
        Self {
            performative,
            sense,
            when: When::Always,
        }
    }
}

/// Who may say an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Whoever passes the gates.
    Anyone,
    /// The recipient of the act that it answers.
    Recipient,
    /// Who made the task.
    Requester,
    /// An agent that is at work above on what the task belongs to.
    AncestorDebtor,
    /// Whom the root belongs to.
    RootPrincipal,
    /// Who takes turns in the room.
    RoomMember,
    /// The engine itself.
    Engine,
}

/// What an act does to the commitment about its task (SEMANTICS 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnCommitment {
    /// Nothing.
    Untouched,
    /// Makes one, conditional.
    Makes,
    /// Makes it active.
    Activates,
    /// Satisfies it: as a result, and at acceptance where the contract asks for one.
    Satisfies,
    /// Releases it, where it is still conditional or its creditor takes the request back.
    Releases,
    /// Violates it.
    Violates,
}

/// The rows of the table of gates (SEMANTICS 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateColumn {
    /// `request` and `accept-proposal`: all of them.
    Delegation,
    /// An opening `query` or `cfp`: no contract, no commitment.
    Question,
    /// An opening `inform`, or a room turn: nothing is delegated, so nothing can loop.
    Notice,
    /// A consultation of an ancestor.
    Fold,
    /// An answer or a cancel, by a legitimate party.
    Answer,
}

impl GateColumn {
    /// The name, as it stands in traces and in the manual.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delegation => "delegation",
            Self::Question => "question",
            Self::Notice => "notice",
            Self::Fold => "fold",
            Self::Answer => "answer",
        }
    }
}

/// One row of the table of acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Whose row it is.
    pub performative: Performative,
    /// What it may open.
    pub opens: Opens,
    /// What may answer it. Empty: no answer is due.
    pub answers: &'static [Answer],
    /// Who may say it.
    pub said_by: &'static [Who],
    /// What it does to the commitment.
    pub commitment: OnCommitment,
    /// The gates that it passes; see [`Performative::gate_column`] for acts that also answer.
    pub gates: GateColumn,
    /// Whether it may be a turn in a room.
    pub room_turn: bool,
    /// The doc comment of its file; read it with [`Performative::manual`].
    pub(super) manual: &'static str,
}

/// Makes `RULE` from a doc comment and the row: the comment becomes the manual page.
macro_rules! rule {
    ($(#[doc = $doc:literal])+ $performative:ident { $($field:ident: $value:expr,)+ }) => {
        $(#[doc = $doc])+
        pub(crate) const RULE: Rule = Rule {
            performative: Performative::$performative,
            $($field: $value,)+
            manual: concat!($($doc, "\n"),+),
        };
    };
}
pub(super) use rule;
