use super::{GateColumn, OnCommitment, Opens, Performative, Rule, Who, rule::rule};

rule! {
    /// # refuse
    ///
    /// Not agreed to. The recipient of a request says it as long as it has not agreed; the
    /// recipient of a question or a call for proposals may always say it. The engine says it to
    /// any act that the rules do not let through, with a reason code.
    ///
    /// It is an answer and not an error: it comes back over the same channel as a result would,
    /// and the one who asked decides what to do next. A legal refuse releases the commitment. An
    /// engine's refuse of an act that opens nothing leaves the task where it was.
    Refuse {
        opens: Opens::Never,
        answers: &[],
        said_by: &[Who::Recipient, Who::Engine],
        commitment: OnCommitment::Releases,
        gates: GateColumn::Answer,
        room_turn: true,
    }
}
