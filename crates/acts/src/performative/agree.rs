use super::{GateColumn, OnCommitment, Opens, Performative, Rule, Who, rule::rule};

rule! {
    /// # agree
    ///
    /// Takes a request on. The commitment becomes active: from here on the recipient can fail, but
    /// can no longer refuse.
    ///
    /// An agent need not say it. Its first progress or delegation on the task means the same, and
    /// the engine writes the agree before it, in the same transaction. Nothing answers an agree.
    Agree {
        opens: Opens::Never,
        answers: &[],
        said_by: &[Who::Recipient],
        commitment: OnCommitment::Activates,
        gates: GateColumn::Answer,
        room_turn: true,
    }
}
