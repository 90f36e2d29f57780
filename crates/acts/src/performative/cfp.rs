use super::{Answer, GateColumn, OnCommitment, Opens, Performative, Rule, When, Who, rule::rule};

rule! {
    /// # cfp
    ///
    /// Calls for proposals. Each agent that is called gets a task of its own, which ends when it
    /// makes a proposal (**propose**) or does not want to (**refuse**).
    ///
    /// The call commits nobody. A proposal does: it commits the bidder, on the condition that it
    /// is taken.
    Cfp {
        opens: Opens::Task,
        answers: &[
            Answer::plain(Performative::Propose, When::Always),
            Answer::plain(Performative::Refuse, When::Always),
        ],
        said_by: &[Who::Anyone],
        commitment: OnCommitment::Untouched,
        gates: GateColumn::Question,
        room_turn: false,
    }
}
