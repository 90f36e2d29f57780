use super::{GateColumn, OnCommitment, Opens, Performative, Rule, Who, rule::rule};

rule! {
    /// # no-comment
    ///
    /// Passes over a turn in a room. It is said deliberately, by the operation `abstain`: silence
    /// and a timeout are a failure and never a no-comment. Outside a room it is not legal. Nothing
    /// answers it.
    NoComment {
        opens: Opens::Never,
        answers: &[],
        said_by: &[Who::RoomMember],
        commitment: OnCommitment::Untouched,
        gates: GateColumn::Notice,
        room_turn: true,
    }
}
